import type { Rules } from '../../controller/core/decide.js';
import { evolve } from '../../controller/core/evolve.js';
import type { TableStep } from '../../controller/core/ports.js';
import { initialState, type TableState } from '../../controller/core/state.js';
import type { Depth, Rig } from '../../controller/runtime/scenario/rig.js';
import { observationsRig } from '../../controller/runtime/scenario/rig-observations.js';
import { signalsRig } from '../../controller/runtime/scenario/rig-signals.js';
import { Random } from '../../firmware-bridge/virtual/random.js';
import { nextActs } from './acts.js';
import { perform, rulesFor, said, type SeedRun } from './box.js';
import { Checker } from './checker.js';
import { DiskPlace, type DiskTrouble, SimulatedDisk } from './disk.js';
import { DiskWatch } from './disk-watch.js';

const ACTS = 200;
/** Of a hundred turns at the table so many make the disk slow, or quick again. */
const SLOW_TURNS = 4;
/** And so many break it. */
const BREAK_TURNS = 3;
const MAX_SLOW_MS = 1500;
const MAX_COMMITS_BEFORE = 4;
/** Turns people go on for before somebody sees to it. */
const MAX_TURNS_BROKEN = 8;
/** The longest wait between two attempts to reach the broker is shorter, ms. */
const HEARD_BY_MS = 180_000;
const TURN_MS = 700;
const TROUBLES: readonly DiskTrouble[] = ['EIO', 'EIO', 'full', 'read-only'];

interface DiskSeedRun extends SeedRun {
  /** Writes the disk refused. */
  readonly failures: number;
  /** Rows found at a start that nobody had been told were durable. */
  readonly recovered: number;
  /** Times a journal fault was seen and cured. */
  readonly cured: number;
}

/** One table on one simulated disk, and all who watch it. */
class DiskTable {
  readonly disk = new SimulatedDisk();
  readonly rig: Rig;
  readonly place: DiskPlace;
  readonly acts: string[] = [];
  recovered = 0;
  cured = 0;
  readonly #random: Random;
  readonly #rules: Rules;
  readonly #checker: Checker;
  readonly #watch: DiskWatch;
  #state: TableState;

  constructor(seed: number, depth: Depth) {
    this.#random = new Random(seed);
    this.#rules = rulesFor(seed);
    this.#checker = new Checker(this.#rules);
    this.#state = initialState(this.#rules.table);
    this.place = new DiskPlace(this.disk, (step) => this.#found(step));
    const seen = (step: TableStep, state: TableState): void => {
      this.#watch.see(step);
      this.#checker.see(step, state);
      this.#state = state;
    };
    this.rig =
      depth === 'signals'
        ? signalsRig(this.#rules, seen, {}, this.place)
        : observationsRig(this.#rules, seen, this.place);
    this.#watch = new DiskWatch(this.disk, this.rig);
    this.disk.clock = this.rig.clock;
  }

  get procedure(): string {
    return this.#rules.procedure.id;
  }

  faults(): readonly string[] {
    return [...this.#checker.faults, ...this.#watch.faults, ...this.place.faults];
  }

  /** What the people at the table do next, and what the disk does. */
  async turn(): Promise<void> {
    const dice = this.#random.between(0, 100);
    if (dice < SLOW_TURNS) {
      this.disk.slowMs = this.disk.slowMs > 0 ? 0 : this.#random.whole(1, MAX_SLOW_MS);
      this.acts.push(`disk: ${this.disk.slowMs} ms a commit`);
    } else if (dice < SLOW_TURNS + BREAK_TURNS) this.#break();
    await this.#play();
    if (this.rig.journalFault() !== null) await this.#cure();
  }

  async #play(): Promise<void> {
    for (const act of nextActs(this.#random, this.rig.state(), this.#rules)) {
      this.acts.push(said(act));
      // A disk that breaks while a table comes up keeps it from starting.
      await this.#orStart(() => perform(this.rig, act));
      this.#watch.look();
    }
    await this.rig.advance(TURN_MS);
    this.#watch.look();
  }

  #break(): void {
    const trouble = TROUBLES[this.#random.whole(0, TROUBLES.length - 1)] ?? 'EIO';
    const after = this.#random.whole(0, MAX_COMMITS_BEFORE);
    // Whether the rows of a sync that failed are there, nobody can know.
    const landed = trouble === 'EIO' && this.#random.whole(0, 1) === 1;
    this.disk.break(trouble, { after, landed });
    this.acts.push(`disk: ${trouble} after ${after} commits${landed ? ', the rows land' : ''}`);
  }

  /** People go on for a while, then the disk is mended and the table started again. */
  async #cure(): Promise<void> {
    const { rig, disk } = this;
    for (let turns = this.#random.whole(0, MAX_TURNS_BROKEN); turns > 0; turns -= 1) {
      if (rig.journalFault() === null) break;
      await this.#play();
    }
    if (rig.journalFault() !== null) {
      await rig.act({ do: 'network', set: 'up' });
      await rig.advance(HEARD_BY_MS);
      this.#watch.look();
      this.#watch.surveillanceKnows();
    }
    const clean = this.#random.whole(0, 1) === 1;
    this.acts.push(`disk: mended, then ${clean ? 'stopped and started' : 'a power cut'}`);
    disk.mend();
    disk.slowMs = 0;
    await rig.act({ do: 'power', offMs: 1000, clean });
    this.#watch.look();
    this.cured += 1;
  }

  /** Where the table does not start because of its disk, that is mended and it is tried again. */
  async #orStart(work: () => Promise<void>): Promise<void> {
    const { failures } = this.disk;
    try {
      await work();
      return;
    } catch (cause) {
      // Anything but the disk's own refusal is a fault of the program.
      if (this.disk.failures === failures) throw cause;
    }
    this.acts.push('disk: mended, because the table does not start');
    this.disk.mend();
    if (this.rig.isOn) await this.rig.act({ do: 'power', offMs: 1000, clean: false });
    else await this.rig.start();
    this.cured += 1;
  }

  async start(): Promise<void> {
    await this.#orStart(() => this.rig.start());
  }

  /** A row the table had written and was told had failed: it counts from the next start on. */
  #found(step: TableStep): void {
    this.recovered += 1;
    this.#state = evolve(this.#state, step.observation, step.decisions);
    this.#checker.see(step, this.#state);
  }
}

/**
 * Plays one seed at one depth on a disk that is slow, fails, is full or cannot be written, and
 * comes back; with all the mistakes, power cuts and outages of the other seeds.
 */
export const runDiskSeed = async (seed: number, depth: Depth): Promise<DiskSeedRun> => {
  const table = new DiskTable(seed, depth);
  const { rig, acts, disk } = table;
  const faults: string[] = [];
  try {
    await table.start();
    while (acts.length < ACTS && table.faults().length === 0) await table.turn();
    disk.mend();
    disk.slowMs = 0;
    if (table.faults().length === 0) faults.push(...(await rig.finish()));
  } catch (cause) {
    faults.push(cause instanceof Error ? (cause.stack ?? cause.message) : String(cause));
  }
  // What a journal told at its openings stands in both lists.
  faults.push(...table.faults().filter((fault) => !faults.includes(fault)));
  const { seq, shoe } = rig.state();
  await rig.dispose();
  const { procedure, recovered, cured } = table;
  const run = { seed, procedure, rows: seq, shoes: shoe.no, faults, acts };
  return { ...run, failures: disk.failures, recovered, cured };
};

/** Control: a short run and a power cut, on a sound disk or on one that forgets. */
export const nothingGoesWrong = async (
  seed: number,
  { forgets }: { readonly forgets: boolean },
): Promise<readonly string[]> => {
  const table = new DiskTable(seed, 'observations');
  const { rig, disk } = table;
  await table.start();
  disk.forgets = forgets;
  await rig.act({ do: 'lid', open: true });
  await rig.act({ do: 'lid', open: false });
  await rig.act({ do: 'power', offMs: 1000, clean: false });
  const faults = table.faults();
  await rig.dispose();
  return faults;
};
