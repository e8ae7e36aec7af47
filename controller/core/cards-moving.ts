import { burnCard, cardAfterBurn, dealerBurnCard, followShort, unburnCard } from './burn.js';
import type { Rank, Suit } from './cards.js';
import { countedIfRequired, countsDisagree } from './count.js';
import { cutMissing, markerMissing } from './cut.js';
import { extraRound, judgeNeverSeen } from './cover.js';
import type { Draft } from './draft.js';
import { countAfterWarning, raise, stopOpen } from './findings.js';
import { shuffleMissing } from './load.js';
import type { Sensed } from './observation.js';
import { mustLock } from './gate.js';
import { cardBeforeBets, roundCard, roundCardBack } from './round.js';
import { handDealt, load } from './stack.js';

type CardOut = Extract<Sensed, { kind: 'card.out' }>;

const POLICY_LOCKED = 'policy:locked-shoe';
const POLICY_BACK = 'policy:back-colour';
const POLICY_DOUBLE = 'policy:double-card';
const POLICY_JAM = 'policy:mouth-blocked';
/** Baccarat shoes need a device against cards moving backward: 58 Pa. Code 603a.17(c)(3). */
const BACKWARD = '603a.17';

/** One card left the shoe's mouth. */
export const cardOut = (draft: Draft, card: CardOut): void => {
  leave(draft);
  judgeBack(draft, card);
  place(draft, card.rank, card.suit);
};

/** What every card out does, whatever it turns out to be. */
const leave = (draft: Draft): void => {
  const { phase, prep } = draft.state;
  const locked = mustLock(draft.state);
  countAfterWarning(draft);
  if (phase === 'load-due' && !stopOpen(draft.state) && !handDealt(draft.table)) {
    // A card at the mouth proves that the stack is in the shoe, whatever was pressed.
    load(draft, 'sensed', 'a card left the shoe');
    countedIfRequired(draft, prep.batch);
  }
  if (locked) {
    raise(draft, 'card.locked', {
      cite: POLICY_LOCKED,
      expected: 'no card while the gate is to be locked',
      observed: `a card was drawn in ${phase}`,
      remedy: 'Keep the card where it is',
    });
  }
  const { shoe } = draft.state;
  if (!shoe.isLoaded) return;
  const out = shoe.out + 1;
  draft.note('shoe', { out });
  if (out > shoe.loaded && shoe.batch !== null && !handDealt(draft.table)) {
    countsDisagree(draft, shoe.batch, `loaded ${shoe.loaded}`, `shoe ${out} out`);
  }
};

/** A card of the other batch in this shoe. An unread back is not judged. */
const judgeBack = (draft: Draft, { back }: CardOut): void => {
  const { batch } = draft.state.shoe;
  if (back === undefined || batch === null || back === batch) return;
  raise(draft, 'batch.foreign-back', {
    cite: POLICY_BACK,
    expected: `${batch} backs`,
    observed: `a ${back.toUpperCase()} BACK in the ${batch} shoe`,
    remedy: 'Keep the card. Call the floor: both batches must be counted',
    batch,
  });
};

/** The state machine, not the sensor, knows a burn card from a dealt one. */
const place = (draft: Draft, rank: Rank | undefined, suit: Suit | undefined): void => {
  switch (draft.state.phase) {
    case 'burn':
      burnCard(draft, rank);
      followShort(draft);
      return;
    case 'ready':
      return betweenRounds(draft, rank, suit);
    case 'round':
    case 'stub-due':
      return roundCard(draft, rank, suit);
    case 'reshuffle-due':
      if (draft.state.cover.roundsLeft === 0) extraRound(draft);
      judgeNeverSeen(draft);
      return;
    case 'cut-due':
    case 'cut-made':
      return cutMissing(draft);
    case 'marker-due':
      return markerMissing(draft);
    case 'load-due':
    case 'dispute':
    case 'fault':
      return;
    case 'closed':
    case 'opening':
    case 'shuffle-due':
    case 'shuffling':
    case 'count-due':
    case 'idle-spread':
      return shuffleMissing(draft);
  }
};

const betweenRounds = (draft: Draft, rank: Rank | undefined, suit: Suit | undefined): void => {
  const { burn, shoe } = draft.state;
  if (burn.dealerOwed > 0) {
    dealerBurnCard(draft);
    return;
  }
  if (!shoe.played && draft.procedure.burn !== null) {
    cardAfterBurn(draft);
    return;
  }
  // With a stop open nobody may begin a round: the card is evidence, not play.
  if (stopOpen(draft.state)) return;
  cardBeforeBets(draft);
  roundCard(draft, rank, suit);
};

/** A card went back into the shoe. */
export const cardBack = (draft: Draft): void => {
  const { shoe, phase } = draft.state;
  if (shoe.isLoaded && shoe.out > 0) draft.note('shoe', { out: shoe.out - 1 });
  if (phase === 'burn') unburnCard(draft);
  if (phase === 'round') roundCardBack(draft);
  raise(draft, 'card.back', {
    cite: BACKWARD,
    expected: 'cards only leave the shoe',
    observed: 'a CARD WENT BACK in',
    remedy: 'Call the floor',
  });
};

/** Two cards left overlapped: both are counted, neither was read. */
export const cardDouble = (draft: Draft, lengthMm: number): void => {
  leave(draft);
  place(draft, undefined, undefined);
  leave(draft);
  place(draft, undefined, undefined);
  raise(draft, 'card.double', {
    cite: POLICY_DOUBLE,
    expected: 'one card at a time',
    observed: `two cards at once (${Math.round(lengthMm)} mm)`,
    remedy: 'TWO CARDS? Check the last cards',
  });
};

export const mouthBlocked = (draft: Draft): void => {
  raise(draft, 'card.jam', {
    cite: POLICY_JAM,
    expected: 'a free mouth',
    observed: 'something lies in the mouth of the shoe',
    remedy: 'Clear the mouth of the shoe',
  });
};
