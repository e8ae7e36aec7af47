import type { Rules } from '../../controller/core/decide.js';
import type { Table } from '../../controller/core/procedure.js';
import { demoRules } from '../../controller/runtime/demo/table.js';
import { builtInIds } from '../../controller/runtime/procedure-files.js';

export interface TruthTable {
  /** `pa/631a-baccarat hand-shuffled` */
  readonly name: string;
  readonly rules: Rules;
}

/** A table of each way a house may fit a procedure: by machine, by hand, dealt from the hand. */
const waysOf = (id: string): readonly TruthTable[] => {
  const base = demoRules(id);
  const { procedure, table } = base;
  const fitted = (name: string, changes: Partial<Table>): TruthTable => ({
    name: `${id} ${name}`,
    rules: { procedure, table: { ...table, ...changes } },
  });
  const { sources, eachDealer } = procedure.shuffle;
  const hand = procedure.dealing.includes('hand');
  const shoe = table.dealing !== 'hand';
  const counts = procedure.stub?.appliesTo.includes('hand') === true;
  return [
    { name: `${id} ${table.shuffler}`, rules: base },
    ...(shoe && sources.includes('hand') && table.shuffler !== 'none'
      ? [fitted('hand-shuffled', { shuffler: 'none', crew: eachDealer ? 3 : 1 })]
      : []),
    ...(shoe && sources.includes('machine') && !eachDealer
      ? [fitted('not-counting', { shuffler: 'not-counting' })]
      : []),
    ...(shoe && hand
      ? [fitted('hand-dealt', { dealing: 'hand', shuffler: counts ? 'not-counting' : 'counting' })]
      : []),
  ];
};

let known: readonly TruthTable[] | null = null;

/** Every built-in procedure at each kind of table, in a fixed order. */
export const truthTables = (): readonly TruthTable[] => {
  known ??= builtInIds().flatMap(waysOf);
  return known;
};
