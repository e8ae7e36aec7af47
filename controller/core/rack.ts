import { countsDisagree } from './count.js';
import type { Draft } from './draft.js';

/**
 * The discard rack counted its cards: at the end of a shoe it holds what left the shoe, before
 * that at most as much.
 */
export const rackCount = (draft: Draft, n: number): void => {
  const { shoe, phase } = draft.state;
  if (!shoe.isLoaded || shoe.batch === null || !shoe.outKnown) return;
  const atEnd = phase === 'reshuffle-due';
  const wrong = atEnd ? n !== shoe.out : n > shoe.out;
  if (wrong) countsDisagree(draft, shoe.batch, `rack ${n}`, `shoe ${shoe.out} out`);
};
