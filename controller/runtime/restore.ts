import { stepOfRow } from '../../storage/decode.js';
import { restore as restoreState } from '../../storage/restore.js';
import type { Journal } from '../core/ports.js';
import type { Table } from '../core/procedure.js';
import { initialState, type TableState } from '../core/state.js';

export interface RestoredTable {
  readonly state: TableState;
  /** The run before ended on purpose (its last row is `power.off`), or there was none. */
  readonly clean: boolean;
  /** Rows folded after the saved state. */
  readonly folded: number;
}

/**
 * The exact state after the last durable row, and whether the run that wrote it ended on purpose.
 * @throws Error naming the row that cannot be read; JournalFault.
 */
export const restoreTable = async (journal: Journal, table: Table): Promise<RestoredTable> => {
  const { state, folded } = await restoreState(journal, initialState(table));
  const { seq } = journal.head();
  const [last] = seq === 0 ? [] : await journal.read(seq - 1, 1);
  const kind = last === undefined ? null : stepOfRow(last.seq, last.body).observation.kind;
  return { state, clean: kind === null || kind === 'power.off', folded };
};
