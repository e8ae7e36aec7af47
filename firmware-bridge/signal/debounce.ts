/**
 * A level must hold this long before it counts, ns. Bounce and flutter at a card's edge last 1 to
 * 5 ms in pulses well under 2 ms; the shortest true cover of a beam is 48 ms (bridge card at
 * 1.2 m/s). Measured again by `cutcard calibrate`.
 */
export const GLITCH_NS = 2_500_000;

/**
 * The old level held this long inside a burst parts it: what came before was a glitch of its own
 * and must not date the change. Flutter returns for less, ns.
 */
export const PART_NS = 1_000_000;
/** Only a burst as short as a false pulse is parted; a long one is the true edge's own bounce. */
export const FALSE_PULSE_NS = 2_000_000;

/** No time: nothing pending, nothing due. */
export const NEVER = -1;

/**
 * Glitch filter of one line. The change is dated to the FIRST edge of the burst that led to it, so
 * the length of the bounce does not lengthen or shorten a card. Numbers only; no object per edge.
 *
 *   raw     ____|~|_|~~~~~~~~~~~~      level ________________|~~~~~~~
 *               ^ changedNs = here                           ^ known here (raw held GLITCH_NS)
 */
export class Debounce {
  level: boolean;
  raw: boolean;
  /** When the settled level last began, ns. */
  changedNs = NEVER;
  /** First edge of a burst that is not settled yet. */
  pendingNs = NEVER;
  #rawSinceNs = 0;
  readonly #stableNs: number;

  constructor(level: boolean, stableNs: number = GLITCH_NS) {
    this.level = level;
    this.raw = level;
    this.#stableNs = stableNs;
  }

  /** Call `settle(atNs)` first: a burst may have ended before this edge. */
  edge(active: boolean, atNs: number): void {
    const returnedNs = this.#rawSinceNs;
    this.#rawSinceNs = atNs;
    if (active === this.raw) return;
    this.raw = active;
    if (active === this.level) return;
    const parted = atNs - returnedNs >= PART_NS && returnedNs - this.pendingNs <= FALSE_PULSE_NS;
    if (this.pendingNs === NEVER || parted) this.pendingNs = atNs;
  }

  /** True when the level changed: see `level` and `changedNs`. */
  settle(nowNs: number): boolean {
    if (this.pendingNs === NEVER || nowNs - this.#rawSinceNs < this.#stableNs) return false;
    const began = this.pendingNs;
    this.pendingNs = NEVER;
    if (this.raw === this.level) return false;
    this.level = this.raw;
    this.changedNs = began;
    return true;
  }

  /** When `settle` can decide, ns; NEVER while nothing is pending. */
  dueNs(): number {
    return this.pendingNs === NEVER ? NEVER : this.#rawSinceNs + this.#stableNs;
  }

  /** Starts afresh from a level that was read. */
  reset(level: boolean): void {
    this.level = level;
    this.raw = level;
    this.pendingNs = NEVER;
  }
}
