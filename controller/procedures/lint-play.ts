import { DUTIES } from '../core/duty.js';
import { smallestStack } from './deck-size.js';
import type { Complain } from './lint.js';
import type { Pack } from './schema.js';

/** A baccarat round takes four to six cards: 627a.9(d). */
const BACCARAT_CARDS = { min: 4, max: 6 } as const;

const lintShuffle = (pack: Pack, complain: Complain): void => {
  const { shuffle, dealing, handDealing } = pack;
  const machine = shuffle.sources.includes('machine');
  const byHand = shuffle.sources.includes('hand');
  if (handDealing !== null && !dealing.includes('hand')) {
    complain(
      ['handDealing'],
      'There are rules for dealing from the hand, which is not allowed.',
      'Add hand to dealing, or write handDealing: none.',
    );
  }
  if (handDealing?.needsMachineShuffle === true && !machine) {
    complain(
      ['handDealing', 'needsMachineShuffle'],
      'Hand dealing needs a machine shuffle, and no machine may be used.',
      'Add machine to shuffle.sources, or set needsMachineShuffle: false.',
    );
  }
  if (pack.autoShoe !== null && !dealing.includes('auto-shoe')) {
    complain(
      ['autoShoe'],
      'There are rules for an automated shoe, which is not allowed.',
      'Add auto-shoe to dealing, or write autoShoe: none.',
    );
  }
  if ((shuffle.wash || shuffle.eachDealer) && !byHand) {
    complain(
      ['shuffle', shuffle.eachDealer ? 'eachDealer' : 'wash'],
      'Cards are washed or shuffled by dealers, and a hand shuffle is not allowed.',
      'Add hand to shuffle.sources, or set wash and eachDealer to false.',
    );
  }
};

const lintConsequence = (pack: Pack, when: 'first' | 'mid', complain: Complain): void => {
  const follows = pack.cover?.[when];
  if (follows === undefined) return;
  if (follows.announce && follows.roundsAfter === 0) {
    complain(
      ['cover', when, 'announce'],
      'A last hand is announced, and no round may begin any more.',
      'Set announce: false, or roundsAfter: 1.',
    );
  }
  if (follows.shuffleNow && follows.roundsAfter > 0) {
    complain(
      ['cover', when, 'shuffleNow'],
      `The cards are shuffled at once, and ${follows.roundsAfter} more may be dealt.`,
      'Set roundsAfter: 0, or shuffleNow: false.',
    );
  }
  if (follows.shuffleNow && when === 'mid') {
    complain(
      ['cover', 'mid', 'shuffleNow'],
      'A round that has begun cannot be broken off for a shuffle.',
      'Set shuffleNow: false here; it belongs to cover.first.',
    );
  }
  const { max } = pack.round.cards;
  const behind = pack.marker?.minBehind ?? null;
  const rounds = follows.roundsAfter + (follows.shuffleNow ? 0 : 1);
  if (max !== null && behind !== null && max * rounds > behind) {
    const need = `${rounds} rounds of up to ${max} cards need ${max * rounds}`;
    complain(
      ['cover', when, 'roundsAfter'],
      `${need}, and only ${behind} lie behind the cover card.`,
      'Raise marker.minBehind or lower roundsAfter.',
    );
  }
};

const lintRound = (pack: Pack, complain: Complain): void => {
  const { cards, countsCalled, tableau, faceUp } = pack.round;
  const { min, max } = cards;
  if (min !== null && max !== null && min > max) {
    complain(
      ['round', 'cards'],
      `At least ${min} cards and at most ${max} cannot both hold.`,
      'Swap the two numbers or correct one.',
    );
  }
  if (max !== null && max > smallestStack(pack)) {
    complain(
      ['round', 'cards', 'max'],
      `A round of ${max} cards does not fit in ${smallestStack(pack)}.`,
      'Lower round.cards.max or raise deck.decks.min.',
    );
  }
  if (countsCalled !== null && max !== null && countsCalled.after > max) {
    complain(
      ['round', 'countsCalled', 'after'],
      `The counts are called after ${countsCalled.after} cards, and a round has at most ${max}.`,
      'Lower countsCalled.after or raise round.cards.max.',
    );
  }
  if (tableau !== null && !faceUp) {
    complain(
      ['round', 'tableau'],
      'A drawing rule needs ranks, and the cards lie face down.',
      'Set faceUp: true, or tableau: none.',
    );
  }
  if (tableau !== null && (min !== BACCARAT_CARDS.min || max !== BACCARAT_CARDS.max)) {
    complain(
      ['round', 'tableau'],
      'The baccarat drawing rule takes four to six cards.',
      'Set round.cards to min: 4 and max: 6, or tableau: none.',
    );
  }
};

const lintStub = (pack: Pack, complain: Complain): void => {
  const { stub } = pack;
  if (stub === null) return;
  const hands = stub.fixedHands ?? pack.maxSeats + (stub.dealerHand ? 1 : 0);
  const dealt = stub.perHand * hands + stub.community + stub.burns;
  const stack = smallestStack(pack);
  if (dealt > stack) {
    complain(
      ['stub'],
      `With ${hands} hands the formula deals ${dealt} of ${stack} cards: the stub is below zero.`,
      'Check perHand, community and burns, or lower maxSeats.',
    );
  }
  const extra = stub.dealing.filter((way) => !pack.dealing.includes(way));
  if (extra.length > 0) {
    complain(
      ['stub', 'dealing'],
      `The stub is counted in a way of dealing that is not allowed: ${extra.join(', ')}.`,
      'Add it to dealing, or take it out here.',
    );
  }
  if (stub.exemptIfCounting && !pack.shuffle.sources.includes('machine')) {
    complain(
      ['stub', 'exemptIfCounting'],
      'A counting machine lifts the duty, and no machine may be used.',
      'Add machine to shuffle.sources, or set exemptIfCounting: false.',
    );
  }
};

const lintExemption = (pack: Pack, complain: Complain): void => {
  const there = {
    cut: pack.cut !== null,
    idle: pack.idle !== null,
    stub: pack.stub !== null,
    count: pack.shuffle.sources.includes('machine'),
  };
  for (const [at, duty] of (pack.exemption?.lifts ?? []).entries()) {
    if (there[duty]) continue;
    complain(
      ['exemption', 'lifts', at],
      `An approved device lifts \`${duty}\`, a duty this game does not have.`,
      duty === 'count'
        ? 'Add machine to shuffle.sources, or take count out.'
        : `Describe ${duty}, or take it out here.`,
    );
  }
};

/** Duties the core keeps itself, and those the compiler adds for values no rule can judge. */
const TAKEN: ReadonlySet<string> = new Set([
  ...DUTIES,
  ...['marker-share', 'dead-game-burn', 'auto-shoe-stack', 'inspection'],
]);

const lintUnseen = (pack: Pack, complain: Complain): void => {
  const seen = new Set<string>();
  for (const [at, { duty }] of pack.unseen.entries()) {
    if (TAKEN.has(duty)) {
      complain(
        ['unseen', at, 'duty'],
        `The name \`${duty}\` belongs to a duty the controller keeps itself.`,
        'Give what nobody can see another name.',
      );
    } else if (seen.has(duty)) {
      complain(
        ['unseen', at, 'duty'],
        `Two entries are called \`${duty}\`.`,
        'Give each a name of its own.',
      );
    }
    seen.add(duty);
  }
};

/** Contradictions in how the game is shuffled, dealt and ended. */
export const lintPlay = (pack: Pack, complain: Complain): void => {
  lintShuffle(pack, complain);
  lintConsequence(pack, 'first', complain);
  lintConsequence(pack, 'mid', complain);
  lintRound(pack, complain);
  lintStub(pack, complain);
  lintExemption(pack, complain);
  lintUnseen(pack, complain);
};
