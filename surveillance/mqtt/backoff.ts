/**
 * Waits between attempts: full jitter under a limit that doubles, so that a floor of tables does
 * not come back in step. It begins anew only after a link has held for `STABLE_MS`: a broker that
 * lets a client in and throws it out at once must not be stormed.
 */
export interface BackoffLimits {
  readonly baseMs: number;
  readonly capMs: number;
  /** Shortest wait whatever the dice say. */
  readonly floorMs: number;
}

export const BACKOFF: BackoffLimits = { baseMs: 500, capMs: 60_000, floorMs: 100 };
/** How long a link must hold before the next failure counts as the first. */
export const STABLE_MS = 30_000;
/** Least wait after another client came with our id, or the broker refused us. */
export const REFUSED_FLOOR_MS = 15_000;

const MAX_DOUBLINGS = 16;

export class Backoff {
  readonly #limits: BackoffLimits;
  readonly #random: () => number;
  #failures = 0;

  constructor(limits: BackoffLimits, random: () => number) {
    this.#limits = limits;
    this.#random = random;
  }

  /** Failures since the last stable link. */
  get failures(): number {
    return this.#failures;
  }

  /** The wait before the next attempt, ms. `upMs`: how long the last link held, 0 for none. */
  nextMs(upMs: number, least = 0): number {
    if (upMs >= STABLE_MS) this.#failures = 0;
    const { baseMs, capMs, floorMs } = this.#limits;
    const limit = Math.min(capMs, baseMs * 2 ** Math.min(this.#failures, MAX_DOUBLINGS));
    this.#failures += 1;
    const wait = Math.floor(this.#random() * limit);
    // A floor with its own jitter: two boxes with one id must not answer one another in step.
    return Math.max(floorMs, least === 0 ? wait : least + Math.floor(this.#random() * least), wait);
  }
}
