import { RANKS } from '../core/cards.js';
import { cardsOf, smallestStack } from './deck-size.js';
import type { Complain } from './lint.js';
import type { Pack } from './schema.js';

const lintDeck = (pack: Pack, complain: Complain): void => {
  const { decks, batches, maxAge } = pack.deck;
  if (decks.min > decks.max) {
    complain(
      ['deck', 'decks'],
      `At least ${decks.min} decks and at most ${decks.max} cannot both hold.`,
      'Swap the two numbers or correct one.',
    );
  }
  if (batches.alternate && batches.count < 2) {
    complain(
      ['deck', 'batches'],
      'Batches cannot take turns: there is only one.',
      'Set count: 2, or alternate: false.',
    );
  }
  if (maxAge !== null && maxAge.handHours !== null && !pack.dealing.includes('hand')) {
    complain(
      ['deck', 'maxAge', 'handHours'],
      'A limit for hand dealing is given, and cards are never dealt from the hand.',
      'Add hand to dealing, or take handHours out.',
    );
  }
};

const lintCut = (pack: Pack, complain: Complain): void => {
  const { cut, shuffle } = pack;
  if (cut === null) return;
  const top = cardsOf(pack, cut.minFromTop);
  const bottom = cut.minFromBottom === null ? 0 : cardsOf(pack, cut.minFromBottom);
  const stack = smallestStack(pack);
  if (top + bottom > stack) {
    complain(
      ['cut', 'minFromTop'],
      `${top} cards from the top and ${bottom} from the bottom do not fit in ${stack} cards.`,
      'Lower the minima or raise deck.decks.min.',
    );
  }
  const extra = cut.requiredAfter.filter((source) => !shuffle.sources.includes(source));
  if (extra.length > 0) {
    complain(
      ['cut', 'requiredAfter'],
      `A cut is demanded after a shuffle that is not allowed: ${extra.join(', ')}.`,
      'Add it to shuffle.sources, or take it out here.',
    );
  }
  if (cut.requiredAfter.length === 0) {
    complain(
      ['cut', 'requiredAfter'],
      'There are rules for a cut that is never demanded.',
      'Name the shuffles after which cards are cut, or write cut: none.',
    );
  }
  if (cut.cutter === 'dealer' && cut.recut?.by === 'next-entitled') {
    complain(
      ['cut', 'recut', 'by'],
      'Only the dealer cuts, so there is no next person entitled.',
      'Set by: dealer, or cutter: players.',
    );
  }
};

const lintMarker = (pack: Pack, complain: Complain): void => {
  const { marker, cut, cover, shuffle } = pack;
  const stack = smallestStack(pack);
  const leftBelow = cut?.coverToBottom ?? false;
  if (marker === null) {
    if (cover !== null) {
      complain(
        ['cover'],
        'There are consequences for a cover card that is never put in.',
        'Describe the cover card under marker, or write cover: none.',
      );
    }
    return;
  }
  if (cover === null) {
    complain(
      ['marker'],
      'A cover card is put in and nothing says what follows when it comes out.',
      'Describe cover.first and cover.mid, or write marker: none.',
    );
  }
  if (marker.minBehind !== null && marker.minBehind >= stack) {
    complain(
      ['marker', 'minBehind'],
      `${marker.minBehind} cards cannot lie behind the cover card in a stack of ${stack}.`,
      'Lower minBehind or raise deck.decks.min.',
    );
  }
  const { min, max } = marker.share ?? { min: null, max: null };
  if (min !== null && max !== null && min > max) {
    complain(
      ['marker', 'share'],
      `At least ${min} and at most ${max} cannot both hold.`,
      'Swap the two numbers.',
    );
  }
  if (marker.bottomCover !== leftBelow) {
    complain(
      ['marker', 'bottomCover'],
      marker.bottomCover
        ? 'A second cover card lies at the bottom, and the cut leaves none there.'
        : 'The cut leaves its cover card at the bottom, and here there is none.',
      'Make marker.bottomCover and cut.coverToBottom agree.',
    );
  }
  if (shuffle.when === 'each-round') {
    complain(
      ['marker'],
      'Cards are shuffled after each round, so a cover card can end nothing.',
      'Write marker: none and cover: none, or shuffle.when: shoe-end.',
    );
  }
};

const lintBurn = (pack: Pack, complain: Complain): void => {
  const { burn } = pack;
  if (burn === null) return;
  if (burn.kind === 'first-card-value') {
    const missing = RANKS.filter((rank) => burn.values[rank] === undefined);
    if (missing.length > 0) {
      complain(
        ['burn', 'values'],
        `The burn follows the first card's value, and these have none: ${missing.join(', ')}.`,
        'Give a number for every rank: A, 2 to 9, T, J, Q, K.',
      );
    }
  }
  if (burn.kind === 'fixed' && burn.cards >= smallestStack(pack)) {
    complain(
      ['burn', 'cards'],
      `Burning ${burn.cards} leaves nothing of ${smallestStack(pack)} cards.`,
      'Lower burn.cards or raise deck.decks.min.',
    );
  }
};

/** Contradictions between numbers of cards: decks, cut, cover card, burn. */
export const lintCards = (pack: Pack, complain: Complain): void => {
  lintDeck(pack, complain);
  lintCut(pack, complain);
  lintMarker(pack, complain);
  lintBurn(pack, complain);
};
