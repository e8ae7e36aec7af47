import type { TableStep } from '../controller/core/ports.js';
import { decodeStep } from './decode.js';
import type { JournalReader } from './reader.js';
import { CHECKPOINT_NS, CHECKPOINT_ROWS, endsShoe } from './signer.js';

/** A checkpoint that the rules of the journal demand and that is not there. */
export interface MissingCheckpoint {
  /** Row it should have signed. */
  readonly seq: number;
  /** Why that row should carry one. */
  readonly why: string;
}

const whyDue = (step: TableStep): string | null => {
  if (step.observation.kind === 'power.boot') return 'a start';
  if (step.observation.kind === 'power.off') return 'a stop';
  return endsShoe(step) ? "a shoe's end" : null;
};

/**
 * The first checkpoint missing behind the last one there: a start, a stop, a shoe's end, the
 * thousandth row or the first five minutes later that nothing signs. Looks at a thousand rows at
 * most.
 */
export const missingCheckpoint = (
  reader: JournalReader,
  signedSeq: number,
): MissingCheckpoint | null => {
  const rows = reader.rows(signedSeq, CHECKPOINT_ROWS);
  const signedNs = reader.atNsOf(signedSeq) ?? 0;
  for (const { seq, body } of rows) {
    const decoded = decodeStep(body);
    if (!decoded.ok) continue;
    const why = whyDue(decoded.step);
    if (why !== null) return { seq, why };
    if (decoded.step.observation.atNs - signedNs >= CHECKPOINT_NS) return { seq, why: '5 minutes' };
  }
  const last = rows.at(-1);
  return last === undefined || rows.length < CHECKPOINT_ROWS
    ? null
    : { seq: last.seq, why: `${CHECKPOINT_ROWS} rows` };
};
