/** `sensed`: hardware saw it · `attested`: a person pressed it · `unseen`: nobody can tell. */
export type Evidence = 'sensed' | 'attested' | 'unseen';

/** The duties the rules themselves know; a pack names further ones that nobody can sense. */
export const DUTIES: readonly string[] = [
  'shuffle',
  'cut',
  'marker',
  'load',
  'burn',
  'burn-rank',
  'dealer-burn',
  'last-hand',
  'stub',
];

/** One thing a clause demands in one shoe (or one round, where the game shuffles every round). */
export interface Duty {
  /** `shuffle`, `cut`, `marker`, `load`, `burn`, `burn-rank`, `dealer-burn`, `stub`, ... */
  readonly duty: string;
  readonly clause: string;
  /** `waived` names the clause that lifts the duty in `detail`. */
  readonly status: 'due' | 'met' | 'not-met' | 'waived';
  readonly evidence: Evidence;
  readonly detail?: string;
  /** Journal row and watched time at which the status last changed. */
  readonly seq: number;
  readonly atNs: number;
}
