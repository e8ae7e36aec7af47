import { countsDisagree } from './count.js';
import type { Draft } from './draft.js';

/**
 * The discard rack counted its cards: at the end of a shoe it holds what left the shoe, before
 * that at most as much.
 */
export const rackCount = (draft: Draft, n: number): void => {
  const { shoe, phase, burn } = draft.state;
  if (!shoe.isLoaded || shoe.batch === null || !shoe.outKnown) return;
  const atEnd = phase === 'reshuffle-due';
  // Cards burned into a bucket never reach the rack.
  const due = shoe.out - (draft.procedure.burn?.to === 'bucket' ? burn.done : 0);
  const wrong = atEnd ? n !== due : n > shoe.out;
  if (wrong) countsDisagree(draft, shoe.batch, `rack ${n}`, `shoe ${shoe.out} out`);
};
