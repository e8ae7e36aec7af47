import type { JournalRow, TableStep } from '../controller/core/ports.js';
import { BlockReader } from './block.js';
import { stepOfRow } from './decode.js';
import { faultOf } from './fault.js';
import type { Columns } from './packing.js';
import type { EvidenceSource, JournalReader } from './reader.js';

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

/** The same rows, read as steps. @throws Error naming the row that cannot be read */
export function* walkSteps(
  reader: Pick<EvidenceSource, 'rows'>,
  fromSeq?: number,
  toSeq?: number,
): Generator<WalkedRow> {
  for (const row of walkRows(reader, fromSeq, toSeq)) {
    yield { row, step: stepOfRow(row.seq, row.body) };
  }
}

/** A row's text without its hashes. */
export interface WalkedText {
  readonly seq: number;
  readonly body: string;
}

/**
 * The texts alone, in half the time. Rows that are not as a writer leaves them are read as
 * `walkRows` does. @throws JournalFault as there
 */
export function* walkTexts(reader: JournalReader, fromSeq: number): Generator<WalkedText> {
  const blocks = new BlockReader(reader.db);
  let after = fromSeq - 1;
  for (;;) {
    const toSeq = after + ROWS_AT_A_TIME;
    const block = blocks.read(after + 1, toSeq);
    if (block === null) {
      const rows = reader.rows(after, ROWS_AT_A_TIME);
      yield* rows;
      if (rows.length < ROWS_AT_A_TIME) return;
      after = rows.at(-1)?.seq ?? toSeq;
      continue;
    }
    let from = 0;
    for (const [i, seq] of block.seqs.entries()) {
      const to = from + (block.sizes[i] ?? 0);
      const columns = { seq, atNs: block.times[i] ?? 0, wallMs: block.walls[i] ?? 0 };
      yield { seq, body: textOf(reader, columns, block.bodies, from, to) };
      from = to;
    }
    after = toSeq;
  }
}

const textOf = (
  reader: JournalReader,
  columns: Columns,
  bodies: Buffer,
  from: number,
  to: number,
): string => {
  try {
    return reader.hasher.textAt(columns, bodies, from, to);
  } catch (cause) {
    throw faultOf(reader.path, `reading row ${columns.seq}`, cause);
  }
};
