import type { JournalRow, TableStep } from '../controller/core/ports.js';
import { stepOfRow } from './decode.js';
import type { EvidenceSource } from './reader.js';

const ROWS_AT_A_TIME = 1000;

export interface WalkedRow {
  readonly row: JournalRow;
  readonly step: TableStep;
}

/** Rows of a span, oldest first, a thousand at a time. `toSeq` is included. */
export function* walkRows(
  reader: Pick<EvidenceSource, 'rows'>,
  fromSeq = 1,
  toSeq: number = Number.MAX_SAFE_INTEGER,
): Generator<JournalRow> {
  let after = fromSeq - 1;
  while (after < toSeq) {
    const rows = reader.rows(after, ROWS_AT_A_TIME);
    for (const row of rows) {
      if (row.seq > toSeq) return;
      yield row;
      after = row.seq;
    }
    if (rows.length < ROWS_AT_A_TIME) return;
  }
}

/** The same rows, read as steps. @throws JournalFault naming the row that cannot be read */
export function* walkSteps(
  reader: Pick<EvidenceSource, 'rows'>,
  fromSeq?: number,
  toSeq?: number,
): Generator<WalkedRow> {
  for (const row of walkRows(reader, fromSeq, toSeq)) {
    yield { row, step: stepOfRow(row.seq, row.body) };
  }
}
