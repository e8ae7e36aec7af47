import type { Transit } from './transit.js';

/** Readings of one back or cover that make what passed only beam B a card. */
const READINGS_MIN = 2;
/** Passages of beam A alone, one after the other, that a hand does not make. */
const ALONE_MAX = 3;
/** Shorter than this beam A alone is a touch, ns: the fastest card covers it for 48 ms. */
const ALONE_NS = 40_000_000;

/**
 * A receiver that shows light whatever passes it: cards leave and only one beam says so.
 *
 * Beam A blind: something passes B alone and the colour sensor, which lies between the beams, sees
 * a back. A finger has no back. Beam B blind: cards pass A alone, as a card does that is shown and
 * taken back; only that it happens again and again gives it away.
 */
export class BlindWatch {
  #alone = 0;

  /** A passage is over; `readings` agreed on one back or cover. Which beam is blind, if any. */
  passed({ alone, beganNs, endNs }: Transit, readings: number): 'A' | 'B' | null {
    if (alone === null) {
      this.#alone = 0;
      return null;
    }
    if (alone === 'outer') return readings >= READINGS_MIN ? 'A' : null;
    if (endNs - beganNs < ALONE_NS) return null;
    this.#alone += 1;
    if (this.#alone < ALONE_MAX) return null;
    this.#alone = 0;
    return 'B';
  }
}
