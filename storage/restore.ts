import { evolve } from '../controller/core/evolve.js';
import type { Stamp } from '../controller/core/observation.js';
import type { Journal } from '../controller/core/ports.js';
import type { TableState } from '../controller/core/state.js';
import { stepOfRow } from './decode.js';

const ROWS_AT_A_TIME = 1000;

export interface Restored {
  readonly state: TableState;
  /** Stamp of the last row; null in an empty journal. */
  readonly last: Stamp | null;
  /** Rows folded behind the saved state. */
  readonly folded: number;
}

/**
 * The exact state after the last durable row: the newest sound saved state, and every row behind
 * it folded. @throws Error naming the row that cannot be read; JournalFault.
 */
export const restore = async (journal: Journal, initial: TableState): Promise<Restored> => {
  const head = journal.head();
  if (head.seq === 0) return { state: initial, last: null, folded: 0 };
  const snapshot = await journal.snapshot();
  let state = snapshot?.state ?? initial;
  let last: Stamp | null = null;
  let folded = 0;
  // The last row is read even where the saved state covers it: for its stamp.
  let after = Math.min(state.seq, head.seq - 1);
  while (after < head.seq) {
    const rows = await journal.read(after, ROWS_AT_A_TIME);
    if (rows.length === 0) throw new Error(`journal rows after ${after} are missing`);
    for (const row of rows) {
      const { observation, decisions } = stepOfRow(row.seq, row.body);
      const { seq, atNs, wallMs, wallTrusted } = observation;
      last = { seq, atNs, wallMs, wallTrusted };
      after = seq;
      if (seq <= state.seq) continue;
      state = evolve(state, observation, decisions);
      folded += 1;
    }
  }
  return { state, last, folded };
};
