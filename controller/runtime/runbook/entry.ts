/**
 * What each person does about one thing that went wrong: plain orders, in the order to do them.
 * Empty where that person has nothing to do.
 */
export interface RunbookEntry {
  /** What it means, and what the table does by itself. */
  readonly means: string;
  readonly dealer: string;
  readonly floor: string;
  readonly surveillance: string;
  readonly technician: string;
}

/** The people in the order the runbook names them. */
export const READERS = ['dealer', 'floor', 'surveillance', 'technician'] as const;
