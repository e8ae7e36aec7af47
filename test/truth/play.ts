import type { Rank } from '../../controller/core/cards.js';
import type { Rules } from '../../controller/core/decide.js';
import type { Batch } from '../../controller/core/observation.js';
import type { Random } from '../../firmware-bridge/virtual/random.js';
import { card, type Deed, finished, type Label, press, started, type Step } from './deeds.js';

/** Cards behind the marker where the pack gives no number: enough for any round. */
const BEHIND_USUAL = 40;
const BEHIND_SPREAD = 20;
/** Cards of a round whose number depends on the players. */
const FREE_ROUND = [3, 12] as const;
const SHORT_SHOE = [14, 40] as const;
/** Shorter than in a house: waiting costs the trial time and tries nothing. */
const MACHINE_MS = [5_000, 12_000] as const;
const BETS_MS = [1_500, 4_000] as const;
const RANKS: readonly Rank[] = ['A', '2', '3', '4', '5', '6', '7', '8', '9', 'T', 'J', 'Q', 'K'];
/** Rounds a dealer stays, in long and in short shoes. */
const SHIFT_ROUNDS = { whole: 30, short: 3 } as const;
const SHUFFLE_MS = 4_000;
/** Longest a hand-dealt or single-round table plays, in rounds that count as one shoe. */
const ROUNDS_PER_SHOE = 12;

const burnValue = (rank: Rank): number => {
  if (rank === 'A') return 1;
  return 'TJQK'.includes(rank) ? 10 : Number(rank);
};

/** A dealer's own knowledge of the table: the law and what his hands did. Not a word of the box. */
export class Playing {
  readonly rules: Rules;
  readonly random: Random;
  readonly shoes: number;
  readonly isShort: boolean;
  readonly full: number;
  shoe = 0;
  round = 0;
  /** Cards that physically left the shoe, and rounds played from it. */
  out = 0;
  shoeRounds = 0;
  roundCards = 0;
  wanted = 0;
  hands = 0;
  burnLeft = 0;
  burned = 0;
  /** Cards behind the marker in the stack; below zero where it was left out. */
  behind = -1;
  coverOut = false;
  /** Rounds that may still begin; null before the cover card. */
  roundsLeft: number | null = null;
  batch: Batch;
  usedBatch: Batch | null = null;
  shuffles = 0;
  roundsSinceStub = 0;
  cutSeat = 0;
  isLoaded = false;
  dealer = 1;

  constructor(rules: Rules, random: Random, shoes: number, isShort: boolean) {
    this.rules = rules;
    this.random = random;
    this.shoes = shoes;
    this.isShort = isShort;
    this.full = rules.procedure.deck.cardsPerDeck * rules.table.decks;
    this.batch = rules.table.batches[0] ?? 'red';
  }

  get inShoe(): boolean {
    return this.rules.table.dealing !== 'hand';
  }

  get left(): number {
    return this.full - this.out;
  }

  get byMachine(): boolean {
    const { procedure, table } = this.rules;
    return table.shuffler !== 'none' && procedure.shuffle.sources.includes('machine');
  }

  get cutRequired(): boolean {
    const { cut } = this.rules.procedure;
    return cut?.requiredFor[this.byMachine ? 'machine' : 'hand'] === true;
  }

  get otherBatch(): Batch | null {
    return this.rules.table.batches.find((batch) => batch !== this.batch) ?? null;
  }

  count(): number | null {
    return this.rules.table.shuffler === 'counting' ? this.full : null;
  }
}

const step = (label: Label, deed: Deed, afterMs?: number): Step => ({
  label,
  deed,
  ...(afterMs === undefined ? {} : { afterMs }),
});

function* makeReady(p: Playing): Generator<Step> {
  const { procedure, table } = p.rules;
  p.shuffles = 0;
  if (procedure.deck.alternate && p.usedBatch !== null) {
    p.batch = table.batches.find((batch) => batch !== p.usedBatch) ?? p.usedBatch;
  }
  if (p.byMachine) {
    yield step('start', started(p.batch));
    yield step('done', finished(p.batch, p.count()), p.random.between(...MACHINE_MS));
  } else {
    if (procedure.shuffle.wash) yield step('wash', press({ key: 'washed' }), SHUFFLE_MS);
    const needed = procedure.shuffle.eachDealer ? table.crew : 1;
    for (p.shuffles = 0; p.shuffles < needed; p.shuffles += 1) {
      yield step(
        'shuffle',
        press({ key: 'shuffled' }, 'dealer', `D-${p.shuffles + 1}`),
        SHUFFLE_MS,
      );
    }
  }
  yield* cutStack(p);
  if (procedure.marker !== null) yield step('marker', press({ key: 'marker-placed' }));
  p.behind = placeMarker(p);
  if (p.inShoe) yield step('load', press({ key: 'loaded' }));
  begin(p);
}

function* cutStack(p: Playing): Generator<Step> {
  const { procedure, table } = p.rules;
  if (!p.cutRequired) return;
  if (procedure.cut?.cutter === 'dealer') {
    yield step('cut', press({ key: 'cut', by: 'dealer' }));
    return;
  }
  // A new game is offered to the highest seat; later the first offer is to whoever cut last.
  let seat = p.shoe === 0 ? table.seats : p.random.whole(1, table.seats);
  if (p.random.chance(0.3)) {
    yield step('offer', press({ key: 'cut-offered', seat }));
    yield step('offer', press({ key: 'cut-declined', seat }));
    seat = seat === 1 ? table.seats : seat - 1;
  }
  p.cutSeat = seat;
  yield step('cut', press({ key: 'cut', by: seat }));
}

const placeMarker = (p: Playing): number => {
  const { marker, cover, round } = p.rules.procedure;
  if (cover === null) return -1;
  const least = marker?.minBehind ?? (round.cards.max === null ? BEHIND_USUAL : 14);
  const enough = round.cards.max === null ? Math.max(least, BEHIND_USUAL) : least;
  if (p.isShort) return Math.max(enough, p.full - p.random.whole(...SHORT_SHOE));
  return enough + p.random.whole(0, BEHIND_SPREAD);
};

const begin = (p: Playing): void => {
  p.isLoaded = true;
  p.usedBatch = p.batch;
  p.shoe += 1;
  p.out = 0;
  p.shoeRounds = 0;
  p.coverOut = false;
  p.roundsLeft = null;
};

/** The cover card lies next at the mouth. */
const coverNext = (p: Playing): boolean =>
  !p.coverOut && p.rules.procedure.cover !== null && p.left <= p.behind;

function* burn(p: Playing): Generator<Step> {
  const rule = p.rules.procedure.burn;
  if (rule === null) return;
  if (!p.inShoe) {
    yield step('burn', press({ key: 'burn-done' }));
    return;
  }
  const rank = RANKS[p.random.whole(0, RANKS.length - 1)] ?? '5';
  const byValue = rule.kind === 'first-card-value';
  const fixed = rule.kind === 'fixed' ? rule.cards : p.rules.table.decks;
  p.burnLeft = byValue ? 1 + burnValue(rank) : fixed;
  for (p.burned = 0; p.burnLeft > 0; p.burned += 1) {
    yield step('burn', { do: 'card', face: `${rank}s` });
    p.burnLeft -= 1;
    if (byValue && p.burned === 0) yield step('first-card', press({ key: 'first-card', rank }));
  }
}

function* changeDealer(p: Playing): Generator<Step> {
  const every = p.isShort ? SHIFT_ROUNDS.short : SHIFT_ROUNDS.whole;
  if (p.round === 0 || p.round % every !== 0) return;
  p.dealer = (p.dealer % 3) + 1;
  yield step('dealer-in', press({ key: 'dealer-in', dealer: `D-${p.dealer}` }));
  const { dealerBurn } = p.rules.procedure;
  if (dealerBurn === null || !p.isLoaded) return;
  if (!p.inShoe) {
    yield step('dealer-burn', press({ key: 'burn-done' }));
    return;
  }
  for (let n = 0; n < dealerBurn.cards; n += 1) {
    if (coverNext(p)) yield* takeCover(p, false);
    yield step('dealer-burn', card());
  }
}

function* takeCover(p: Playing, inRound: boolean): Generator<Step> {
  const rule = p.rules.procedure.cover;
  yield step('cover', { do: 'cover' });
  p.coverOut = true;
  if (rule === null) return;
  const { roundsAfter, shuffleNow } = inRound ? rule.mid : rule.first;
  // Out first at a round's begin it belongs to that round; otherwise to the one being played.
  p.roundsLeft = shuffleNow ? 0 : inRound ? roundsAfter : 1 + roundsAfter;
}

const announces = (p: Playing): boolean => {
  const { cover } = p.rules.procedure;
  return cover !== null && (cover.first.announce || cover.mid.announce);
};

const wanted = (p: Playing): number => {
  const { min, max } = p.rules.procedure.round.cards;
  return p.random.whole(min ?? FREE_ROUND[0], max ?? FREE_ROUND[1]);
};

/** One round from the shoe; false where the shoe ended before it began. */
function* roundFromShoe(p: Playing): Generator<Step, boolean> {
  const { countsCalled, bets } = p.rules.procedure.round;
  p.wanted = wanted(p);
  p.roundCards = 0;
  if (coverNext(p)) {
    yield* takeCover(p, false);
    if (p.roundsLeft === 0) return false;
  }
  if (announces(p) && p.roundsLeft === 1 && p.shoeRounds > 0) {
    yield step('call-last', press({ key: 'last-hand-called' }));
  }
  if (bets !== null) {
    yield step('bets', press({ key: 'no-more-bets', ...handsKeyed(p) }), betsMs(p));
  }
  if (p.roundsLeft !== null) p.roundsLeft -= 1;
  while (p.roundCards < p.wanted) {
    if (coverNext(p)) yield* takeCover(p, true);
    if (countsCalled !== null && p.roundCards === countsCalled.after) {
      yield step('counts', press({ key: 'counts-called' }));
    }
    yield step('card', card());
    p.roundCards += 1;
  }
  yield* endRound(p);
  return true;
}

/** Where the stub is counted, the number of hands is keyed with "no more bets". */
const handsKeyed = (p: Playing): { readonly hands?: number } => {
  const { stub } = p.rules.procedure;
  if (stub?.appliesTo.includes(p.rules.table.dealing) !== true) return {};
  p.hands = p.random.whole(1, p.rules.table.seats);
  return { hands: p.hands };
};

const betsMs = (p: Playing): number => p.random.between(...BETS_MS);

function* endRound(p: Playing): Generator<Step> {
  const { stub } = p.rules.procedure;
  const { dealing, shuffler } = p.rules.table;
  p.roundsSinceStub += 1;
  const owes = stub?.appliesTo.includes(dealing) === true && shuffler !== 'counting';
  if (owes && p.roundsSinceStub >= stub.everyRounds) {
    yield step('stub', press({ key: 'stub-count', n: stubLeft(p) }), SHUFFLE_MS);
    p.roundsSinceStub = 0;
  }
  yield step('end', press({ key: 'round-end' }), betsMs(p));
  p.round += 1;
  p.shoeRounds += 1;
}

function* roundFromHand(p: Playing): Generator<Step> {
  yield step('bets', press({ key: 'no-more-bets', ...handsKeyed(p) }), betsMs(p));
  yield* endRound(p);
}

/** Cards that must lie in the stub: the deck without what was dealt. */
export const stubLeft = (p: Playing): number => {
  const { stub } = p.rules.procedure;
  if (stub === null) return p.full;
  const places = p.hands + (stub.dealerHand ? 1 : 0);
  return p.full - stub.perHand * places - stub.community - stub.burns;
};

function* shoe(p: Playing): Generator<Step> {
  yield* makeReady(p);
  yield* burn(p);
  for (;;) {
    yield* changeDealer(p);
    if (!(yield* roundFromShoe(p)) || p.roundsLeft === 0) break;
  }
  yield step('collect', press({ key: 'collected' }));
  p.isLoaded = false;
}

/** Where the cards are shuffled after each round. */
function* singleRounds(p: Playing): Generator<Step> {
  for (let n = 0; n < ROUNDS_PER_SHOE; n += 1) {
    yield* makeReady(p);
    if (p.inShoe) {
      yield* burn(p);
      yield* roundFromShoe(p);
    } else yield* roundFromHand(p);
    p.isLoaded = false;
  }
}

/** A deck that is dealt from the hand to its end, where no rule shuffles it after each round. */
function* deckInHand(p: Playing): Generator<Step> {
  yield* makeReady(p);
  yield* burn(p);
  for (let n = 0; n < ROUNDS_PER_SHOE / 2; n += 1) {
    yield* changeDealer(p);
    yield* roundFromHand(p);
  }
  yield step('collect', press({ key: 'collected' }));
  p.isLoaded = false;
}

/** Correct play of whole shoes, from the opening of the table on. */
export function* correctPlay(p: Playing): Generator<Step> {
  yield step('open', press({ key: 'open-table' }));
  yield step('open', press({ key: 'cards-inspected' }));
  const { when } = p.rules.procedure.shuffle;
  for (let n = 0; n < p.shoes; n += 1) {
    if (when === 'each-round') yield* singleRounds(p);
    else if (p.inShoe) yield* shoe(p);
    else yield* deckInHand(p);
  }
}
