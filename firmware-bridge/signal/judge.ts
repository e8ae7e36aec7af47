import type { MouthCalibration } from './calibration.js';

/**
 * One edge may be dated wrong by so much: a false pulse (1.5 ms) that runs into the true edge with
 * less than `PART_NS` between. It changes one of the two skews, and so the length, by half of its
 * share.
 */
export const EDGE_DOUBT_NS = 2_500_000;
/** Scatter of the measured length of a single card without any false pulse, mm. */
export const LENGTH_SCATTER_MM = 1.5;

/**
 * Extra length from which one passage is two overlapped cards, mm: 3.9 at 0.3 m/s, 6.3 at 0.6,
 * 11 at 1.2 (beams 10 mm apart). A smaller shift cannot be told from one card at that speed, an
 * exact overlap cannot be seen by beams at all.
 */
export const doubleExtraMm = (speedMmS: number, calibration: MouthCalibration): number => {
  const skewNs = (calibration.spacingMm / speedMmS) * 1e9;
  return LENGTH_SCATTER_MM + (calibration.cardMm / 2) * (EDGE_DOUBT_NS / skewNs);
};

/** A length this close to a card's is that card's, where no colour was read; mm. */
export const LENGTH_TOLERANCE_MM = 3;

export type Passage =
  | 'card'
  | 'double'
  | 'cover'
  /** A card and the cover card overlapped. */
  | 'card-and-cover';

/**
 * What left the shoe. `lengthMm` NaN where it was not measured; `back` and `cover` say which
 * colours were seen with a margin while it passed. Without either, it is one card: something left.
 */
export const judgePassage = (
  lengthMm: number,
  speedMmS: number,
  back: boolean,
  cover: boolean,
  calibration: MouthCalibration,
): Passage => {
  const { cardMm, coverMm } = calibration;
  const isLong = lengthMm >= cardMm + doubleExtraMm(speedMmS, calibration);
  if (cover && back) return isLong ? 'card-and-cover' : 'cover';
  if (cover) return 'cover';
  if (!back && isNear(lengthMm, coverMm) && !isNear(lengthMm, cardMm)) return 'cover';
  const longest = 2 * cardMm + LENGTH_TOLERANCE_MM;
  return isLong && lengthMm <= longest ? 'double' : 'card';
};

const isNear = (lengthMm: number, mm: number): boolean =>
  Math.abs(lengthMm - mm) <= LENGTH_TOLERANCE_MM;

/** Lengths are told to a tenth of a millimetre, speeds in whole mm/s; null where not measured. */
export const tenth = (mm: number): number | null =>
  Number.isNaN(mm) ? null : Math.round(mm * 10) / 10;
export const whole = (mmS: number): number | null => (Number.isNaN(mmS) ? null : Math.round(mmS));
