import type { Pack } from './schema.js';

/** Cards of one deck by composition. */
export const CARDS_PER_DECK: Readonly<Record<Pack['deck']['composition'], number>> = {
  standard: 52,
  'one-joker': 53,
  'two-jokers': 54,
  'no-tens': 48,
};

/** Cards in the smallest stack the pack allows. */
export const smallestStack = (pack: Pack): number =>
  CARDS_PER_DECK[pack.deck.composition] * pack.deck.decks.min;

/** A number of cards, or of whole decks, as cards. */
export const cardsOf = (pack: Pack, depth: number | { readonly decks: number }): number =>
  typeof depth === 'number' ? depth : depth.decks * CARDS_PER_DECK[pack.deck.composition];
