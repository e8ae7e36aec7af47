import type { Fault } from './fault.js';
import { BOX, UNSEEN } from './faults-box.js';
import { DEALING } from './faults-deal.js';
import { PREPARING } from './faults-prepare.js';
import { truthTables, type TruthTable } from './tables.js';

/** The catalogue: everything that is injected. */
export const FAULTS: readonly Fault[] = [...PREPARING, ...DEALING, ...BOX, ...UNSEEN];

export const faultNamed = (kind: string): Fault | undefined =>
  FAULTS.find((fault) => fault.kind === kind);

const cache = new Map<Fault, readonly TruthTable[]>();

/** The tables at which a fault can be made; taken in turn. */
export const tablesFor = (fault: Fault): readonly TruthTable[] => {
  let tables = cache.get(fault);
  if (tables === undefined) {
    tables = truthTables().filter(({ rules }) => fault.fits(rules));
    cache.set(fault, tables);
  }
  return tables;
};
