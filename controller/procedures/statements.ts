import { type Rank, RANKS } from '../core/cards.js';
import type {
  BurnRule,
  CoverConsequence,
  CutRule,
  Procedure,
  ShuffleRule,
  ShuffleSource,
} from '../core/procedure.js';
import { GRADES, say, type Statement } from './statement.js';
import { roundStatements, stubStatements, WAY_WORDS } from './statements-round.js';

export const many = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`;
export const listed = (words: readonly string[], joint = 'or'): string =>
  words.length < 2
    ? words.join('')
    : `${words.slice(0, -1).join(', ')} ${joint} ${words.at(-1) ?? ''}`;

const range = (min: number, max: number, word: string): string =>
  min === max ? many(min, word) : `${min} to ${max} ${word}s`;

const deckStatements = ({ deck, dealing }: Procedure): Statement[] => {
  const decks = range(deck.decksMin, deck.decksMax, 'deck');
  const size = `A deck has ${deck.cardsPerDeck} cards; the game takes ${decks}.`;
  const ways = dealing.map((way) => WAY_WORDS[way]);
  const found = [
    say('deck', deck.cite, size, GRADES.count),
    say('dealing', deck.cite, `Cards are dealt from ${listed(ways)}.`, GRADES.dealing),
  ];
  if (deck.maxAgeHours !== null) {
    const hand =
      deck.maxAgeHandHours === null
        ? ''
        : `, ${many(deck.maxAgeHandHours, 'hour')} when dealt from the hand`;
    const text = `A deck stays in use for at most ${many(deck.maxAgeHours, 'hour')}${hand}.`;
    found.push(say('deck.age', deck.maxAgeCite, text, GRADES.age));
  }
  if (deck.alternate) {
    const text = 'Two batches with different backs take turns, one in play and one in the machine.';
    found.push(say('deck.alternate', deck.alternateCite, text, GRADES.alternate));
  }
  return found;
};

const SOURCE_WORDS: Readonly<Record<ShuffleSource, string>> = {
  hand: 'by hand',
  machine: 'by machine',
  preshuffled: 'as a preshuffled package',
};

const shuffleGrade = (rule: ShuffleRule): (typeof GRADES)[keyof typeof GRADES] => {
  if (!rule.sources.includes('machine')) return GRADES.handShuffle;
  return rule.sources.length === 1 ? GRADES.machineShuffle : GRADES.shuffleChoice;
};

const shuffleStatements = ({ shuffle, count }: Procedure): Statement[] => {
  const ways = listed(shuffle.sources.map((source) => SOURCE_WORDS[source]));
  const when =
    shuffle.when === 'each-round'
      ? 'before play and after each round'
      : 'before play and after each shoe';
  const found = [
    say('shuffle', shuffle.cite, `Cards are shuffled ${when}: ${ways}.`, shuffleGrade(shuffle)),
  ];
  if (shuffle.wash) {
    found.push(
      say('shuffle.wash', shuffle.cite, 'Before a hand shuffle the cards are washed.', GRADES.wash),
    );
  }
  if (shuffle.eachDealer) {
    const text = 'In a hand shuffle each dealer of the crew shuffles the stack on his own.';
    found.push(say('shuffle.dealers', shuffle.cite, text, GRADES.handShuffle));
  }
  if (shuffle.sources.includes('machine')) {
    const then =
      count.onWrong === 'remove-deck'
        ? 'the deck leaves the table'
        : 'the batch is out of play until a count is right';
    found.push(
      say('count', count.cite, `When the machine counts a wrong number, ${then}.`, GRADES.count),
    );
  }
  return found;
};

const cutStatements = (cut: CutRule): Statement[] => {
  const after = (['hand', 'machine', 'preshuffled'] as const).filter((s) => cut.requiredFor[s]);
  const words = after.map((s) => (s === 'preshuffled' ? 'preshuffled cards' : `a ${s} shuffle`));
  const bottom =
    cut.minFromBottom === null
      ? 'no minimum from the bottom'
      : `${cut.minFromBottom} from the bottom`;
  const from =
    cut.firstOffer === 'highest-seat'
      ? 'from the highest seat or after a reshuffle from the last curator'
      : 'from whoever accepts or declines first';
  const order =
    cut.cutter === 'dealer'
      ? 'The dealer cuts.'
      : `The players are offered the cut in turn, ${from}, clockwise; ` +
        'if all decline, the dealer cuts.';
  const found = [
    say('cut.required', cut.requiredCite, `A cut follows ${listed(words)}.`, GRADES.cutRequired),
    say('cut.order', cut.orderCite, order, GRADES.cutOrder),
    say(
      'cut.depth',
      cut.depthCite,
      `The cut is at least ${many(cut.minFromTop, 'card')} from the top, ${bottom}.`,
      GRADES.cutDepth,
    ),
  ];
  if (cut.coverToBottom) {
    const text =
      'The cover card used to cut ends at the bottom of the stack; when it comes out the stack ' +
      'is done.';
    found.push(say('cut.cover', cut.orderCite, text, GRADES.bottomCover));
  }
  if (cut.recut !== null) {
    const until = cut.recut.until === 'load' ? 'the stack is in the shoe' : 'a card is dealt';
    const who = cut.recut.by === 'dealer' ? 'the dealer' : 'the next person entitled';
    const order = `${cut.recut.authority} or above may order a recut`;
    const text = `Until ${until}, ${order}, made by ${who}.`;
    found.push(say('cut.recut', cut.recut.cite, text, GRADES.recut));
  }
  return found;
};

/** `A=1, 2=2, … T/J/Q/K=10`: ranks that burn the same are said together. */
const valueText = (values: Readonly<Record<Rank, number>>): string => {
  const by = new Map<number, string[]>();
  for (const rank of RANKS) by.set(values[rank], [...(by.get(values[rank]) ?? []), rank]);
  return [...by]
    .sort(([a], [b]) => a - b)
    .map(([n, ranks]) => `${ranks.join('/')}=${n}`)
    .join(', ');
};

const burnText = (burn: BurnRule): string => {
  const to = `to the discard ${burn.to}`;
  if (burn.kind === 'first-card-value') {
    const more = `with as many more face down as its value: ${valueText(burn.values)}`;
    return `After loading, the first card is shown and goes ${to}, ${more}.`;
  }
  const n = burn.kind === 'fixed' ? many(burn.cards, 'card') : 'as many cards as there are decks';
  const go = burn.kind === 'fixed' && burn.cards === 1 ? 'goes' : 'go';
  return `After loading, ${n} ${go} ${to}${burn.secret ? ', the rank shown to nobody' : ''}.`;
};

const consequenceText = (follows: CoverConsequence): string => {
  if (follows.shuffleNow) return 'no round begins and the cards are shuffled at once';
  const after =
    follows.roundsAfter === 0
      ? 'no more is dealt'
      : `${many(follows.roundsAfter, 'more round')} may be dealt`;
  const call = follows.announce ? ', the last one announced' : '';
  return `that round is finished and ${after}${call}; then the cards are shuffled`;
};

const shoeStatements = ({ marker, burn, dealerBurn, cover }: Procedure): Statement[] => {
  const found: Statement[] = [];
  if (marker !== null) {
    const behind =
      marker.minBehind === null
        ? 'no number behind it is given'
        : `at least ${many(marker.minBehind, 'card')} behind it`;
    const lies = marker.bottomCover ? 'A second cover card' : 'The cover card';
    found.push(
      say('marker', marker.cite, `${lies} goes into the stack with ${behind}.`, GRADES.marker),
    );
    if (marker.bottomCover) {
      const text =
        'The first cover card lies at the bottom; when it comes out the shoe is exhausted.';
      found.push(say('marker.bottom', marker.cite, text, GRADES.bottomCover));
    }
  }
  if (burn !== null) {
    const grade = burn.kind === 'first-card-value' ? GRADES.burnValue : GRADES.burn;
    found.push(say('burn', burn.cite, burnText(burn), grade));
  }
  if (dealerBurn !== null) {
    const secret = dealerBurn.secret ? ', the rank shown to nobody' : '';
    const text = `Each new dealer burns ${many(dealerBurn.cards, 'card')} before dealing${secret}.`;
    found.push(say('dealer-burn', dealerBurn.cite, text, GRADES.dealerBurn));
  }
  if (cover !== null) {
    const then = consequenceText(cover.first);
    const first = `When the cover card is the first card of a round, ${then}.`;
    const mid = `When the cover card comes out during a round, ${consequenceText(cover.mid)}.`;
    found.push(say('cover.first', cover.cite, first, GRADES.cover));
    found.push(say('cover.mid', cover.cite, mid, GRADES.cover));
    if (cover.first.announce || cover.mid.announce) {
      const text = 'The dealer announces the last hand before it begins.';
      found.push(say('cover.announce', cover.cite, text, GRADES.announce));
    }
  }
  return found;
};

const lastStatements = ({ idle, exemption, unseen }: Procedure): Statement[] => {
  const found: Statement[] = [];
  if (idle !== null) {
    const after = `After ${many(idle.minutes, 'minute')} without play the cards are taken out,`;
    const text = `${after} spread face down, and inspected and shuffled before play goes on.`;
    found.push(say('idle', idle.cite, text, GRADES.idle));
  }
  if (exemption !== null) {
    const lifted = listed(exemption.lifts, 'and');
    const text = `An approved device that reshuffles and counts lifts these duties: ${lifted}.`;
    found.push(say('exemption', exemption.cite, text, GRADES.exemption));
  }
  for (const rule of unseen) {
    found.push(
      say(`unseen.${rule.duty}`, rule.cite, `${rule.text.replace(/\.$/, '')}.`, GRADES.none),
    );
  }
  return found;
};

/** Every rule of a procedure in plain words, in the order a shoe runs. */
export const statementsOf = (procedure: Procedure): readonly Statement[] => [
  ...deckStatements(procedure),
  ...shuffleStatements(procedure),
  ...(procedure.cut === null ? [] : cutStatements(procedure.cut)),
  ...shoeStatements(procedure),
  ...roundStatements(procedure),
  ...stubStatements(procedure),
  ...lastStatements(procedure),
];
