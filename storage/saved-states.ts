import { evolve } from '../controller/core/evolve.js';
import { initialState, type TableState } from '../controller/core/state.js';
import { canonicalJson } from './canonical.js';
import { JournalFault } from './fault.js';
import type { JournalReader } from './reader.js';
import { rulesOf } from './replay.js';
import { judgeSaved } from './snapshot.js';
import { walkSteps } from './walk.js';

/** The one difference that is no matter of versions. */
export const OTHER_STATE = 'the rows give another state';

export interface Compared {
  readonly rows: number;
  readonly saved: readonly {
    readonly seq: number;
    readonly ok: boolean;
    readonly why: string;
  }[];
}

/**
 * Folds every row from the first without a saved state, and says of each saved one whether it is
 * what the rows give. @throws JournalFault where the rows do not begin with a start
 */
export const compareSavedStates = (reader: JournalReader): Compared => {
  const first = reader.firstSeq();
  if (first !== 1) {
    throw new JournalFault('format', `journal ${reader.path} begins at row ${first} (pruned)`);
  }
  const waiting = new Map(reader.savedStates().map((saved) => [saved.seq, saved]));
  const said: { seq: number; ok: boolean; why: string }[] = [];
  let state: TableState | null = null;
  let rows = 0;
  for (const { row, step } of walkSteps(reader)) {
    const { observation, decisions } = step;
    if (state === null) {
      const isStart = observation.kind === 'power.boot';
      const [procedure, table] = isStart ? [observation.procedure, observation.table] : [];
      state = initialState(rulesOf(reader, procedure, table).table);
    }
    state = evolve(state, observation, decisions);
    rows += 1;
    const saved = waiting.get(row.seq);
    if (saved === undefined) continue;
    waiting.delete(row.seq);
    const judged = judgeSaved(saved, row.hash);
    if (!judged.ok) said.push({ seq: row.seq, ok: false, why: judged.why });
    else {
      const ok = canonicalJson(judged.snapshot.state) === canonicalJson(state);
      said.push({ seq: row.seq, ok, why: ok ? '' : OTHER_STATE });
    }
  }
  for (const { seq } of waiting.values()) said.push({ seq, ok: false, why: 'no such row' });
  return { rows, saved: said };
};
