import type { ColourReference } from './calibration.js';

/**
 * Farther than this from every reference a reading is no known class. Distances are in parts of
 * the reading's own colour (r, g, b shares) with brightness counted weakly: backs of different
 * colours lie 0.3 to 0.6 apart, the same back read twice under 0.03.
 */
export const DISTANCE_MAX = 0.16;
/** The second nearest class must be this much farther off, or the answer is unknown. */
export const MARGIN_MIN = 0.06;
/** Weight of ln(brightness): a lamp that fades by 20 % moves a reading by 0.05 only. */
export const BRIGHTNESS_WEIGHT = 0.22;
/** Fewer counts than this cannot be told from the sensor's dark counts. */
export const CLEAR_MIN = 8;
export const UNKNOWN = -1;

const DIMENSIONS = 4;

/** Nearest-reference classifier; results stand in its fields so that a reading costs no object. */
export class ColourClassifier {
  /** Of the last reading: distance to the nearest class, and how much farther the next one is. */
  distance = NaN;
  margin = NaN;
  readonly classes: readonly ColourReference[];
  readonly #points: Float64Array;
  readonly #point = new Float64Array(DIMENSIONS);
  /** Brightness of the sensor's own lamp against calibration; follows dust and ageing slowly. */
  #gain = 1;

  constructor(classes: readonly ColourReference[]) {
    this.classes = classes;
    this.#points = new Float64Array(classes.length * DIMENSIONS);
    classes.forEach((reference, i) => {
      project(reference.clear, reference.red, reference.green, reference.blue, this.#point);
      this.#points.set(this.#point, i * DIMENSIONS);
    });
  }

  /** Index of the class, or UNKNOWN. */
  classify(clear: number, red: number, green: number, blue: number): number {
    this.distance = NaN;
    this.margin = NaN;
    if (clear < CLEAR_MIN || red + green + blue <= 0) return UNKNOWN;
    project(clear / this.#gain, red, green, blue, this.#point);
    let best = UNKNOWN;
    let nearest = Infinity;
    let second = Infinity;
    for (let i = 0; i < this.classes.length; i += 1) {
      const distance = this.#distanceTo(i);
      if (distance < nearest) {
        second = nearest;
        nearest = distance;
        best = i;
      } else if (distance < second) second = distance;
    }
    this.distance = nearest;
    this.margin = second - nearest;
    return nearest <= DISTANCE_MAX && this.margin >= MARGIN_MIN ? best : UNKNOWN;
  }

  /** Sets what the lamp's brightness has drifted to; 1 is as calibrated. */
  setGain(gain: number): void {
    this.#gain = gain;
  }

  #distanceTo(index: number): number {
    let sum = 0;
    for (let k = 0; k < DIMENSIONS; k += 1) {
      const d = (this.#point[k] ?? 0) - (this.#points[index * DIMENSIONS + k] ?? 0);
      sum += d * d;
    }
    return Math.sqrt(sum);
  }
}

const project = (c: number, r: number, g: number, b: number, into: Float64Array): void => {
  const sum = Math.max(r + g + b, 1);
  into[0] = r / sum;
  into[1] = g / sum;
  into[2] = b / sum;
  into[3] = BRIGHTNESS_WEIGHT * Math.log(Math.max(c, 1));
};

/** How far apart two classes are, in the classifier's own measure: for the calibration report. */
export const separation = (a: ColourReference, b: ColourReference): number => {
  const pa = new Float64Array(DIMENSIONS);
  const pb = new Float64Array(DIMENSIONS);
  project(a.clear, a.red, a.green, a.blue, pa);
  project(b.clear, b.red, b.green, b.blue, pb);
  let sum = 0;
  for (let k = 0; k < DIMENSIONS; k += 1) sum += ((pa[k] ?? 0) - (pb[k] ?? 0)) ** 2;
  return Math.sqrt(sum);
};
