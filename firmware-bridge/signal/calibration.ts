/** What one surface looks like to the colour sensor: means of raw counts at the reference gain. */
export interface ColourReference {
  /** `red`, `blue`, ... a batch's name; `cover`; `nothing` for the empty mouth. */
  readonly name: string;
  readonly kind: 'back' | 'cover' | 'nothing';
  readonly clear: number;
  readonly red: number;
  readonly green: number;
  readonly blue: number;
}

/** Learnt by `cutcard calibrate` for one shoe head. */
export interface MouthCalibration {
  readonly spacingMm: number;
  /** Along the travel: 63.5 for a poker card pulled by its short way. */
  readonly cardMm: number;
  readonly coverMm: number;
  readonly colours: readonly ColourReference[];
}

/** Distance of beam A from beam B, mm: 8 ms at the fastest hand, three times the glitch filter. */
export const DEFAULT_SPACING_MM = 10;
