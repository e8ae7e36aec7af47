import { VALUES } from './support.js';

/** One edit of the sound pack, and what the lint must say of it. */
export interface Refusal {
  readonly name: string;
  readonly was: string;
  readonly is: string;
  readonly field: string;
  readonly cause: RegExp;
  readonly cure: RegExp;
}

export const REFUSALS_OF_CARDS: readonly Refusal[] = [
  {
    name: 'fewest decks above most decks',
    was: 'decks: { min: 1, max: 8 }',
    is: 'decks: { min: 8, max: 6 }',
    field: 'deck.decks',
    cause: /At least 8 decks and at most 6/,
    cure: /Swap/,
  },
  {
    name: 'alternating batches with one batch',
    was: 'batches: { count: 2, alternate: false }',
    is: 'batches: { count: 1, alternate: true }',
    field: 'deck.batches',
    cause: /only one/,
    cure: /count: 2/,
  },
  {
    name: 'a limit for hand dealing where the hand is not used',
    was: 'dealing: { value: [shoe, hand, auto-shoe], clause: "1.4" }',
    is: 'dealing: { value: [shoe, auto-shoe], clause: "1.4" }',
    field: 'deck.maxAge.handHours',
    cause: /never dealt from the hand/,
    cure: /Add hand to dealing/,
  },
  {
    name: 'cut minima larger than the stack',
    was: 'minFromBottom: 10',
    is: 'minFromBottom: 43',
    field: 'cut.minFromTop',
    cause: /10 cards from the top and 43 from the bottom do not fit in 52/,
    cure: /Lower the minima/,
  },
  {
    name: 'cut minima in decks larger than the stack',
    was: 'minFromBottom: 10',
    is: 'minFromBottom: { decks: 1 }',
    field: 'cut.minFromTop',
    cause: /10 cards from the top and 52 from the bottom/,
    cure: /deck\.decks\.min/,
  },
  {
    name: 'a cut after a shuffle that is not allowed',
    was: 'sources: [hand, machine, preshuffled]\n  wash',
    is: 'sources: [hand, machine]\n  wash',
    field: 'cut.requiredAfter',
    cause: /not allowed: preshuffled/,
    cure: /shuffle\.sources/,
  },
  {
    name: 'rules for a cut that is never demanded',
    was: 'requiredAfter: [hand, machine, preshuffled]',
    is: 'requiredAfter: []',
    field: 'cut.requiredAfter',
    cause: /never demanded/,
    cure: /cut: none/,
  },
  {
    name: 'a recut by the next person where only the dealer cuts',
    was: 'cutter: players',
    is: 'cutter: dealer',
    field: 'cut.recut.by',
    cause: /no next person/,
    cure: /by: dealer/,
  },
  {
    name: 'a marker deeper than the stack',
    was: 'minBehind: 14',
    is: 'minBehind: 52',
    field: 'marker.minBehind',
    cause: /52 cards cannot lie behind the cover card in a stack of 52/,
    cure: /Lower minBehind/,
  },
  {
    name: 'shares the wrong way round',
    was: 'share: { min: 0.1, max: 0.5 }',
    is: 'share: { min: 0.5, max: 0.1 }',
    field: 'marker.share',
    cause: /At least 0.5 and at most 0.1/,
    cure: /Swap/,
  },
  {
    name: 'a bottom cover card the cut does not leave',
    was: 'coverToBottom: true',
    is: 'coverToBottom: false',
    field: 'marker.bottomCover',
    cause: /the cut leaves none/,
    cure: /agree/,
  },
  {
    name: 'a bottom cover card the marker rule denies',
    was: 'bottomCover: true',
    is: 'bottomCover: false',
    field: 'marker.bottomCover',
    cause: /at the bottom, and here there is none/,
    cure: /agree/,
  },
  {
    name: 'a marker where cards are shuffled after each round',
    was: 'when: shoe-end',
    is: 'when: each-round',
    field: 'marker',
    cause: /shuffled after each round/,
    cure: /marker: none/,
  },
  {
    name: 'a burn by value without values',
    was: `values: ${VALUES}`,
    is: 'values: { A: 1 }',
    field: 'burn.values',
    cause: /these have none: 2, 3, 4, 5, 6, 7, 8, 9, T, J, Q, K/,
    cure: /every rank/,
  },
  {
    name: 'a burn of the whole stack',
    was: `kind: first-card-value\n  values: ${VALUES}\n  to: bucket`,
    is: 'kind: fixed\n  cards: 52\n  secret: false\n  to: rack',
    field: 'burn.cards',
    cause: /Burning 52 leaves nothing of 52/,
    cure: /Lower burn.cards/,
  },
];
