import { evolve } from '../core/evolve.js';
import type { Journal, TableStep } from '../core/ports.js';
import { initialState, type TableState } from '../core/state.js';
import type { Table } from '../core/procedure.js';

const ROWS_AT_A_TIME = 1000;

export interface Restored {
  readonly state: TableState;
  /** The last row is a `power.off`, or there is no row yet. */
  readonly clean: boolean;
  /** Rows folded after the snapshot. */
  readonly folded: number;
}

const isStep = (value: unknown): value is TableStep => {
  if (typeof value !== 'object' || value === null) return false;
  if (!('observation' in value) || !('decisions' in value)) return false;
  const { observation, decisions } = value;
  if (typeof observation !== 'object' || observation === null) return false;
  return 'seq' in observation && 'kind' in observation && Array.isArray(decisions);
};

/** The step of one stored row. @throws Error naming the row when the text is not a step. */
export const stepOfBody = (seq: number, body: string): TableStep => {
  const value: unknown = JSON.parse(body);
  if (isStep(value)) return value;
  throw new Error(`journal row ${seq} holds no step; run \`cutcard journal verify\``);
};

/** The exact state after the last durable row: newest sound snapshot, then every row behind it. */
export const restore = async (journal: Journal, table: Table): Promise<Restored> => {
  const head = journal.head();
  const snapshot = head.seq === 0 ? null : await journal.snapshot();
  let state = snapshot?.state ?? initialState(table);
  let clean = head.seq === 0;
  let folded = 0;
  // One row before the snapshot's end is read too: a clean stop ends in a snapshot.
  let after = Math.max(0, Math.min(state.seq, head.seq - 1));
  while (after < head.seq) {
    const rows = await journal.read(after, ROWS_AT_A_TIME);
    if (rows.length === 0) throw new Error(`journal rows after ${after} are missing`);
    for (const row of rows) {
      const step = stepOfBody(row.seq, row.body);
      after = row.seq;
      clean = step.observation.kind === 'power.off';
      if (row.seq <= state.seq) continue;
      state = evolve(state, step.observation, step.decisions);
      folded += 1;
    }
  }
  return { state, clean, folded };
};
