import type { JournalRow, TableStep } from '../controller/core/ports.js';
import { encodeStep, hashRow } from './canonical.js';
import { JournalFault } from './fault.js';
import type { RowBatch, SignedCheckpoint } from './store.js';

/** Where a chain stands: the row the next one must follow. */
export interface ChainEnd {
  readonly seq: number;
  readonly hash: string;
  /** Watched time of that row, ns. */
  readonly atNs: number;
}

export interface Chained {
  readonly rows: readonly JournalRow[];
  readonly end: ChainEnd;
}

/**
 * Writes out steps and chains them behind `end`.
 * @throws JournalFault `order` when a step's place or time does not follow.
 */
export const chainSteps = (end: ChainEnd, steps: readonly TableStep[], path: string): Chained => {
  const rows: JournalRow[] = [];
  let { seq, hash, atNs } = end;
  for (const step of steps) {
    const { observation } = step;
    if (observation.seq !== seq + 1) {
      throw new JournalFault('order', `journal ${path}: row ${observation.seq} after row ${seq}`);
    }
    if (!(observation.atNs >= atNs)) {
      throw new JournalFault(
        'order',
        `journal ${path}: row ${observation.seq} at ${observation.atNs} ns, before ${atNs} ns`,
      );
    }
    const body = encodeStep(step);
    const row = { seq: observation.seq, prev: hash, hash: hashRow(hash, body), body };
    rows.push(row);
    seq = row.seq;
    hash = row.hash;
    atNs = observation.atNs;
  }
  return { rows, end: { seq, hash, atNs } };
};

/** The rows as the writer takes them. */
export const batchOf = (
  steps: readonly TableStep[],
  rows: readonly JournalRow[],
  checkpoints: readonly SignedCheckpoint[],
  key: RowBatch['key'],
): RowBatch => ({
  firstSeq: rows[0]?.seq ?? 0,
  atNs: steps.map(({ observation }) => observation.atNs),
  wallMs: steps.map(({ observation }) => observation.wallMs),
  hashes: rows.map(({ hash }) => hash),
  bodies: rows.map(({ body }) => body),
  checkpoints,
  key: checkpoints.length === 0 ? null : key,
});

/** The newest durable rows, kept in memory: whoever publishes reads them without touching disk. */
export class RecentRows {
  readonly #limit: number;
  #rows: JournalRow[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(rows: readonly JournalRow[]): void {
    this.#rows.push(...rows);
    if (this.#rows.length > this.#limit * 2) this.#rows = this.#rows.slice(-this.#limit);
  }

  /** Forgets rows before `seq`: they were pruned. */
  dropBefore(seq: number): void {
    this.#rows = this.#rows.filter((row) => row.seq >= seq);
  }

  /** Rows behind `afterSeq`; null where they are not all here. */
  after(afterSeq: number, limit: number): readonly JournalRow[] | null {
    const first = this.#rows[0];
    if (first === undefined || afterSeq + 1 < first.seq) return null;
    const from = afterSeq + 1 - first.seq;
    return this.#rows.slice(from, from + limit);
  }
}
