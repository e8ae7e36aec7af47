import type { MouthCalibration } from './calibration.js';

/**
 * Extra length from which one passage is two overlapped cards, mm. The measured length of a single
 * card at 1.2 m/s is good to about 1 mm (0.1 ms on an 8 ms skew); a smaller overlap shift than this
 * cannot be told from one card, an exact one cannot be seen by beams at all.
 */
export const DOUBLE_EXTRA_MM = 5;
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
  back: boolean,
  cover: boolean,
  calibration: MouthCalibration,
): Passage => {
  const { cardMm, coverMm } = calibration;
  if (cover && back) return lengthMm >= cardMm + DOUBLE_EXTRA_MM ? 'card-and-cover' : 'cover';
  if (cover) return 'cover';
  if (!back && isNear(lengthMm, coverMm) && !isNear(lengthMm, cardMm)) return 'cover';
  const longest = 2 * cardMm + LENGTH_TOLERANCE_MM;
  return lengthMm >= cardMm + DOUBLE_EXTRA_MM && lengthMm <= longest ? 'double' : 'card';
};

const isNear = (lengthMm: number, mm: number): boolean =>
  Math.abs(lengthMm - mm) <= LENGTH_TOLERANCE_MM;
