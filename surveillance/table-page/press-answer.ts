import type { Finding } from '../../controller/core/finding.js';

export type PressFound = Pick<Finding, 'code' | 'clause' | 'severity' | 'observed' | 'remedy'>;

/** What came of a press. Where there is a `seq` it stands in the journal, taken or refused. */
export type PressAnswer =
  | { readonly is: 'taken'; readonly seq: number; readonly found: readonly PressFound[] }
  | {
      readonly is: 'refused';
      readonly seq: number;
      readonly clause: string;
      readonly reason: string;
      readonly found: readonly PressFound[];
    }
  /** No press at all: a value is missing or wrong. */
  | { readonly is: 'unfit'; readonly reason: string }
  /** The table does not take presses now; nothing was written down. */
  | { readonly is: 'lost'; readonly reason: string };

/** Whether a body has an answer's outline; what is in it comes from a server of this version. */
export const isPressAnswer = (value: unknown): value is PressAnswer => {
  if (typeof value !== 'object' || value === null || !('is' in value)) return false;
  if (value.is === 'taken') return 'found' in value && Array.isArray(value.found);
  const isTold = 'reason' in value && typeof value.reason === 'string';
  if (value.is === 'refused') return isTold && 'clause' in value;
  return isTold && (value.is === 'unfit' || value.is === 'lost');
};
