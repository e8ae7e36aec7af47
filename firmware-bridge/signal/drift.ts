/** Share of each new empty-mouth reading that moves the baseline: about five minutes at 5 s. */
export const DRIFT_SHARE = 1 / 64;
/** Outside these bounds the lamp is dead, the window is covered, or daylight falls in. */
export const GAIN_MIN = 0.5;
export const GAIN_MAX = 2;
/** A single reading farther than this from the baseline is an event, not drift: not learnt. */
export const STEP_MAX = 1.25;

/** Slow baseline of the empty mouth: what lamp and window have become since calibration. */
export class DriftTracker {
  /** Brightness now against calibration. */
  gain = 1;
  readonly #reference: number;

  /** `referenceClear`: clear counts of the empty mouth at calibration. */
  constructor(referenceClear: number) {
    this.#reference = Math.max(referenceClear, 1);
  }

  /** One reading of the empty mouth; false when it lies outside what drift can explain. */
  idle(clear: number): boolean {
    const ratio = clear / this.#reference;
    const step = ratio / this.gain;
    if (step <= STEP_MAX && step >= 1 / STEP_MAX) this.gain += (ratio - this.gain) * DRIFT_SHARE;
    return ratio >= GAIN_MIN && ratio <= GAIN_MAX;
  }
}
