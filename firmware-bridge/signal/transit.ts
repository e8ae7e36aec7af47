import { NEVER } from './debounce.js';

/** Above this one pull is `held`: the hand stopped, so its length says nothing. ns. */
export const HELD_NS = 400_000_000;
/** Anything that lies in the mouth this long blocks it, ns, where the house says nothing else. */
export const BLOCKED_NS = 2_000_000_000;
/** Both skews must agree within this factor, else the hand stopped or turned: no length. */
export const SKEW_RATIO_MAX = 3;

/**
 * `out`: A then B, left by B · `back`: B then A, left by A · `returned`: shown at A and taken back
 * in · `touched`: something came from outside and left again (a finger).
 */
export type TransitKind = 'out' | 'back' | 'returned' | 'touched';

const CLEAR = 0;
const A_ONLY = 1;
const B_ONLY = 2;
const BOTH = 3;

/**
 * The two beams as a quadrature pair: A inside the shoe, B outside, `spacingMm` apart.
 *
 *   card out     A ~~~~~~~~~~~~~________     tA1 rise A   tA2 fall A
 *                B ____~~~~~~~~~~~~~____     tB1 rise B   tB2 fall B
 *
 * With a steady pull (constant acceleration) the four times give speed and length in mm:
 * x(tB1) = x(tB2) - x(tA2) = spacing, length = x(tA2).
 */
export class Transit {
  kind: TransitKind = 'touched';
  /** First edge of what is passing now; NEVER while the mouth is clear. */
  startNs = NEVER;
  /** First and last edge of the last passage. */
  beganNs = NEVER;
  endNs = NEVER;
  /** NaN where it cannot be judged. */
  lengthMm = NaN;
  speedMmS = NaN;
  held = false;
  /** Whether the last passage covered both beams at once, and which it came to first. */
  alone: 'inner' | 'outer' | null = null;
  /** Of the last measured passage, ns: leading skew, A covered, trailing skew. NaN with length. */
  leadNs = NaN;
  coverNs = NaN;
  trailNs = NaN;
  state = CLEAR;

  readonly #spacingMm: number;
  #entry = CLEAR;
  #sawBoth = false;
  #regular = true;
  #riseA = NEVER;
  #riseB = NEVER;
  #fallA = NEVER;
  #fallB = NEVER;

  constructor(spacingMm: number) {
    this.#spacingMm = spacingMm;
  }

  /** Beam 0 is A, 1 is B. True when the mouth is clear again: the result stands in the fields. */
  step(beam: 0 | 1, covered: boolean, atNs: number): boolean {
    const bit = beam === 0 ? A_ONLY : B_ONLY;
    if (((this.state & bit) !== 0) === covered) return false;
    if (this.state === CLEAR) this.#begin(bit, atNs);
    this.state = covered ? this.state | bit : this.state & ~bit;
    if (this.state === BOTH) this.#sawBoth = true;
    this.#note(beam, covered, atNs);
    if (this.state !== CLEAR) return false;
    this.endNs = atNs;
    this.#conclude(bit);
    return true;
  }

  /** True while A and B are covered by something that came from the inside. */
  leaving(): boolean {
    return this.#entry === A_ONLY && this.state === BOTH;
  }

  /** True while only B is covered, by something that came from the outside. */
  outside(): boolean {
    return this.#entry === B_ONLY && this.state === B_ONLY && !this.#sawBoth;
  }

  fromInside(): boolean {
    return this.#entry === A_ONLY;
  }

  /** Starts afresh from levels that were read; whatever was passing is not judged. */
  reset(a: boolean, b: boolean, atNs: number): void {
    this.state = (a ? A_ONLY : CLEAR) | (b ? B_ONLY : CLEAR);
    this.#begin(this.state, atNs);
    this.#regular = false;
    if (this.state === CLEAR) this.startNs = NEVER;
  }

  #begin(entry: number, atNs: number): void {
    this.#entry = entry;
    this.startNs = atNs;
    this.#sawBoth = false;
    this.#regular = true;
    this.#riseA = NEVER;
    this.#riseB = NEVER;
    this.#fallA = NEVER;
    this.#fallB = NEVER;
  }

  #note(beam: 0 | 1, covered: boolean, atNs: number): void {
    if (beam === 0) {
      if (covered) {
        if (this.#riseA !== NEVER) this.#regular = false;
        this.#riseA = atNs;
      } else this.#fallA = atNs;
    } else if (covered) {
      if (this.#riseB !== NEVER) this.#regular = false;
      this.#riseB = atNs;
    } else this.#fallB = atNs;
  }

  #conclude(exit: number): void {
    const entry = this.#entry;
    this.beganNs = this.startNs;
    if (this.#sawBoth || entry !== exit) this.alone = null;
    else this.alone = entry === A_ONLY ? 'inner' : 'outer';
    this.held = this.endNs - this.startNs > HELD_NS;
    this.lengthMm = NaN;
    this.speedMmS = NaN;
    this.leadNs = NaN;
    this.coverNs = NaN;
    this.trailNs = NaN;
    if (entry === A_ONLY) this.kind = exit === B_ONLY && this.#sawBoth ? 'out' : 'returned';
    else this.kind = exit === A_ONLY && this.#sawBoth && entry === B_ONLY ? 'back' : 'touched';
    if (this.kind === 'out' && this.#regular && !this.held) {
      this.#measure(
        this.#riseB - this.#riseA,
        this.#fallA - this.#riseA,
        this.#fallB - this.#riseA,
      );
    }
    this.startNs = NEVER;
  }

  /** Solves d = v t1 + a t1²/2 and d = v (t3-t2) + a (t3²-t2²)/2 for v and a; ns in, mm out. */
  #measure(t1Ns: number, t2Ns: number, t3Ns: number): void {
    const t1 = t1Ns / 1e9;
    const t2 = t2Ns / 1e9;
    const t3 = t3Ns / 1e9;
    const lead = t1;
    const trail = t3 - t2;
    if (!(lead > 0 && trail > 0 && t2 > 0)) return;
    if (lead > trail * SKEW_RATIO_MAX || trail > lead * SKEW_RATIO_MAX) return;
    const d = this.#spacingMm;
    const sum = (t3 + t2) * trail;
    const denominator = lead * sum - trail * lead * lead;
    if (denominator === 0) return;
    const half = (d * lead - d * trail) / denominator;
    const v = (d - half * lead * lead) / lead;
    this.leadNs = t1Ns;
    this.coverNs = t2Ns;
    this.trailNs = t3Ns - t2Ns;
    this.lengthMm = v * t2 + half * t2 * t2;
    this.speedMmS = (d / lead + d / trail) / 2;
  }
}
