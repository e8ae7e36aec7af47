import { stringify } from 'yaml';
import type { ColourReference, MouthCalibration } from '../signal/calibration.js';
import { DISTANCE_MAX, MARGIN_MIN, separation } from '../signal/colour.js';

/** Readings of one colour; fewer say too little about its scatter. */
export const READINGS_MIN = 16;
/** Pulls of a card of known length; the median of so many is good to a tenth of a millimetre. */
export const PULLS_MIN = 10;
/** Spacings outside these are no shoe head of ours, mm. */
export const SPACING_MIN_MM = 4;
export const SPACING_MAX_MM = 30;

interface Counts {
  readonly clear: number;
  readonly red: number;
  readonly green: number;
  readonly blue: number;
}

/** Collects readings of one surface. */
export class ColourLearner {
  readonly name: string;
  readonly kind: ColourReference['kind'];
  readonly #readings: Counts[] = [];

  constructor(name: string, kind: ColourReference['kind']) {
    this.name = name;
    this.kind = kind;
  }

  get readings(): number {
    return this.#readings.length;
  }

  add(clear: number, red: number, green: number, blue: number): void {
    this.#readings.push({ clear, red, green, blue });
  }

  /** The mean of the readings, whole counts. */
  reference(): ColourReference {
    const mean = (key: keyof Counts): number =>
      Math.round(this.#readings.reduce((sum, r) => sum + r[key], 0) / this.#readings.length);
    return {
      name: this.name,
      kind: this.kind,
      clear: mean('clear'),
      red: mean('red'),
      green: mean('green'),
      blue: mean('blue'),
    };
  }

  /** Farthest reading from the mean, in the classifier's measure. */
  scatter(): number {
    const centre = this.reference();
    return Math.max(
      ...this.#readings.map((r) => separation(centre, { name: '', kind: this.kind, ...r })),
    );
  }
}

/** Learns the beams' distance from pulls of a card whose length is known. */
export class SpacingLearner {
  readonly #cardMm: number;
  readonly #spacings: number[] = [];

  constructor(cardMm: number) {
    this.#cardMm = cardMm;
  }

  get pulls(): number {
    return this.#spacings.length;
  }

  /** Times of one passage, ns: leading skew, A covered, trailing skew. */
  add(leadNs: number, coverNs: number, trailNs: number): void {
    if (!(leadNs > 0 && coverNs > 0 && trailNs > 0)) return;
    this.#spacings.push((this.#cardMm * (leadNs + trailNs)) / 2 / coverNs);
  }

  /** Median, mm; NaN before the first pull. */
  spacingMm(): number {
    return quantile(this.#spacings, 0.5);
  }

  /** Half the middle half, mm: how well the pulls agree. */
  spreadMm(): number {
    return (quantile(this.#spacings, 0.75) - quantile(this.#spacings, 0.25)) / 2;
  }
}

const quantile = (values: readonly number[], q: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? NaN;
};

export interface Apart {
  readonly a: string;
  readonly b: string;
  /** Distance of the two classes, and the larger scatter of either. */
  readonly distance: number;
  readonly scatter: number;
  /** `good`: never confused · `near`: some readings will be unknown · `same`: not usable. */
  readonly verdict: 'good' | 'near' | 'same';
}

/** How far every two classes are apart, nearest first. */
export const apartness = (learners: readonly ColourLearner[]): readonly Apart[] => {
  const pairs: Apart[] = [];
  for (const [i, one] of learners.entries()) {
    for (const other of learners.slice(i + 1)) {
      const distance = separation(one.reference(), other.reference());
      const scatter = Math.max(one.scatter(), other.scatter());
      // A reading at the edge of its scatter must still be nearer by the margin.
      const room = distance - 2 * scatter;
      const verdict = room >= 2 * MARGIN_MIN ? 'good' : room >= MARGIN_MIN ? 'near' : 'same';
      pairs.push({ a: one.name, b: other.name, distance, scatter, verdict });
    }
  }
  return pairs.sort((a, b) => a.distance - b.distance);
};

/** What stands against the use of a calibration, in plain words; none: it is sound. */
export const calibrationFaults = (
  calibration: MouthCalibration,
  learners: readonly ColourLearner[],
): readonly string[] => {
  const faults: string[] = [];
  const { spacingMm } = calibration;
  if (!(spacingMm >= SPACING_MIN_MM && spacingMm <= SPACING_MAX_MM)) {
    faults.push(`a beam spacing of ${spacingMm} mm is not possible: were the beams swapped?`);
  }
  for (const learner of learners) {
    if (learner.scatter() > DISTANCE_MAX) {
      faults.push(`${learner.name}: the readings differ too much; hold it still, shade the mouth`);
    }
  }
  for (const { a, b, verdict } of apartness(learners)) {
    if (verdict === 'same') faults.push(`${a} and ${b} look the same to the sensor`);
  }
  return faults;
};

/** The file `shoe-mouth` reads under `calibration`. */
export const calibrationFile = (calibration: MouthCalibration, made: string): string =>
  `# Calibration of one shoe head, written by \`cutcard calibrate\` on ${made}.\n` +
  `# Name it under \`calibration\` in the table's configuration.\n${stringify(calibration)}`;
