import { DEFAULT_POLICY, type Table } from '../../controller/core/procedure.js';
import type { Rules } from '../../controller/core/decide.js';
import type { TableState } from '../../controller/core/state.js';
import { viewOf } from '../../controller/core/view.js';
import { loadProcedure } from '../../controller/runtime/procedure-files.js';
import { CannotAct, type Depth, type Rig } from '../../controller/runtime/scenario/rig.js';
import { observationsRig } from '../../controller/runtime/scenario/rig-observations.js';
import { signalsRig } from '../../controller/runtime/scenario/rig-signals.js';
import type { HandAct } from '../../controller/runtime/scenario/schema.js';
import { Random } from '../../firmware-bridge/virtual/random.js';
import { nextActs } from './acts.js';
import { Checker } from './checker.js';

export interface SeedRun {
  readonly seed: number;
  readonly procedure: string;
  readonly rows: number;
  readonly shoes: number;
  /** Everything the checkers found; empty when the seed holds. */
  readonly faults: readonly string[];
  /** What was done, for reading a failing seed. */
  readonly acts: readonly string[];
}

/** Acts in one run: a few shoes of a short game, a good part of a long one. */
const ACTS = 250;
/** Whole shoes are long: with fewer decks their ends are reached. */
const TABLES: readonly (Partial<Table> & { readonly procedure: string })[] = [
  { procedure: 'pa/627a-minibaccarat', decks: 6, shuffler: 'counting' },
  { procedure: 'pa/631a-baccarat', decks: 6, crew: 2, seats: 14, shuffler: 'none' },
  { procedure: 'pa/651a-casino-war', decks: 6, shuffler: 'counting' },
  { procedure: 'pa/633a-blackjack', decks: 2, shuffler: 'counting', batches: ['red', 'blue'] },
  { procedure: 'pa/663a-five-card-hi-lo', decks: 1, seats: 6, shuffler: 'counting' },
  { procedure: 'pa/663a-five-card-hi-lo', decks: 1, seats: 6, shuffler: 'none' },
  {
    procedure: 'pa/677a-heads-up-hold-em',
    decks: 1,
    seats: 6,
    shuffler: 'not-counting',
    dealing: 'hand',
    batches: ['red', 'blue'],
  },
];

/** The table a seed plays at. */
export const rulesFor = (seed: number): Rules => {
  const { procedure, ...given } = TABLES[seed % TABLES.length] ?? { procedure: '' };
  const table: Table = {
    decks: 8,
    crew: 1,
    seats: 7,
    dealing: 'shoe',
    shuffler: 'none',
    reader: 'none',
    batches: ['red'],
    enforcement: 'lock',
    policy: DEFAULT_POLICY,
    ...given,
  };
  return { procedure: loadProcedure(procedure), table };
};

export const said = (act: HandAct): string => JSON.stringify(act);

/** What both depths must agree on; times and what hangs on them may differ by moments. */
const agreed = (state: TableState): string => {
  const { phase, out, loaded, shoe, round, cardsAfterWarning, findings, gate } = viewOf(state);
  const open = findings.map(({ code }) => code).sort((a, b) => a.localeCompare(b));
  return JSON.stringify({ phase, out, loaded, shoe, round, cardsAfterWarning, gate, open });
};

interface Side {
  readonly depth: Depth;
  readonly rig: Rig;
  readonly checker: Checker;
}

const sideOf = (depth: Depth, rules: Rules): Side => {
  const checker = new Checker(rules);
  const seen: Checker['see'] = (step, state) => {
    checker.see(step, state);
  };
  const rig = depth === 'signals' ? signalsRig(rules, seen, {}) : observationsRig(rules, seen);
  return { depth, rig, checker };
};

/**
 * Plays one seed on the whole box (at both depths unless told otherwise), with mistakes, faults and
 * power cuts, and checks it from outside: rules, journal, outbox, and that both depths agree.
 */
export const runSeed = async (
  seed: number,
  depths: readonly Depth[] = ['observations', 'signals'],
): Promise<SeedRun> => {
  const rules = rulesFor(seed);
  const random = new Random(seed);
  const sides = depths.map((depth) => sideOf(depth, rules));
  const lead = sides[0];
  if (lead === undefined) throw new Error('no depth was given');
  const acts: string[] = [];
  const faults: string[] = [];
  try {
    for (const { rig } of sides) await rig.start();
    while (acts.length < ACTS && faults.length === 0) {
      for (const act of nextActs(random, lead.rig.state(), rules)) {
        acts.push(said(act));
        for (const side of sides) await perform(side.rig, act);
        faults.push(...differences(sides, said(act)));
      }
      for (const { rig } of sides) await rig.advance(700);
      for (const { checker, depth } of sides) {
        faults.push(...checker.faults.map((fault) => `${depth}: ${fault}`));
      }
    }
    for (const { rig, depth } of sides) {
      faults.push(...(await rig.finish()).map((fault) => `${depth}: ${fault}`));
    }
  } catch (cause) {
    faults.push(cause instanceof Error ? (cause.stack ?? cause.message) : String(cause));
  } finally {
    for (const { rig } of sides) await rig.dispose();
  }
  const { seq, shoe } = lead.rig.state();
  return { seed, procedure: rules.procedure.id, rows: seq, shoes: shoe.no, faults, acts };
};

/** Does it where the table has the device for it. */
export const perform = async (rig: Rig, act: HandAct): Promise<void> => {
  try {
    await rig.act(act);
  } catch (cause) {
    // A table without the device for it: nothing happens at either depth.
    if (!(cause instanceof CannotAct)) throw cause;
  }
};

const differences = (sides: readonly Side[], act: string): readonly string[] => {
  const [first, ...others] = sides;
  if (first === undefined) return [];
  const wanted = agreed(first.rig.state());
  return others
    .filter(({ rig }) => agreed(rig.state()) !== wanted)
    .map(
      ({ rig, depth }) => `after ${act}: ${first.depth} ${wanted}, ${depth} ${agreed(rig.state())}`,
    );
};
