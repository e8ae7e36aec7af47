import type { TableStep } from '../controller/core/ports.js';
import { decodeStep } from './decode.js';
import type { JournalReader } from './reader.js';
import { CHECKPOINT_ROWS, endsShoe } from './signer.js';

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
 * The first checkpoint missing behind the last one there: a start, a stop, a shoe's end or the
 * thousandth row that nothing signs. Looks at a thousand rows at most.
 */
export const missingCheckpoint = (
  reader: JournalReader,
  signedSeq: number,
): MissingCheckpoint | null => {
  const rows = reader.rows(signedSeq, CHECKPOINT_ROWS);
  for (const { seq, body } of rows) {
    const decoded = decodeStep(body);
    const why = decoded.ok ? whyDue(decoded.step) : null;
    if (why !== null) return { seq, why };
  }
  const last = rows.at(-1);
  return last === undefined || rows.length < CHECKPOINT_ROWS
    ? null
    : { seq: last.seq, why: `${CHECKPOINT_ROWS} rows` };
};
