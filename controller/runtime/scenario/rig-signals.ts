import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Rules } from '../../core/decide.js';
import type { Happening } from '../../core/observation.js';
import type { Bridge, Journal, Scheduler } from '../../core/ports.js';
import type { TableState } from '../../core/state.js';
import { BoardBridge } from '../../../firmware-bridge/bridge.js';
import type { Hands, VirtualTable } from '../../../firmware-bridge/virtual/hands.js';
import { createVirtualTable, READY_NS } from '../../../firmware-bridge/virtual/table.js';
import { openJournal, type SqliteJournal } from '../../../storage/journal.js';
import { verifyChain } from '../../../storage/verify.js';
import { boardOf, pluggable } from './board.js';
import {
  CannotAct,
  noShuffler,
  Rig,
  type Shown,
  type StepSeen,
  type Store,
  type TableAct,
} from './rig.js';
import type { Way } from './rig.js';
import type { SignalOptions } from './run.js';
import type { CardOut } from './schema.js';

/** One seed for every scenario: the same edges, registers and bytes in every run. */
const SEED = 1;
/**
 * No jitter, bounce or drift where nothing else is asked for: a scenario tries rules and wiring and
 * has to come out the same at both depths. Noise is measured on whole shoes by `npm run truth`.
 */
const NOISE = 0;
/** The devices have opened and said who they are by then, ns. */
const START_NS = 2 * READY_NS;
const MEMORY_FOLDER = '/dev/shm';

/** A face as the hands take it: a card always has a suit, whether or not the author gave one. */
const face = ({ rank, suit }: CardOut): string =>
  rank === undefined ? '?' : `${rank}${suit ?? 's'}`;

/** Every card is beam edges, every press keys or panel bytes, every message serial bytes. */
class SignalWay implements Way {
  readonly bridge: Bridge;
  readonly startNs = START_NS;
  readonly devices: readonly string[];
  readonly #hands: Hands;
  readonly #board: Bridge;
  readonly #scheduler: Scheduler;
  readonly #rules: Rules;
  #tell: ((happening: Happening, atNs: number) => void) | null = null;

  constructor(scheduler: Scheduler, rules: Rules, { bridge, hands }: VirtualTable) {
    this.#scheduler = scheduler;
    this.#rules = rules;
    this.#hands = hands;
    this.devices = pluggable(boardOf(rules.table));
    this.#board = bridge;
    this.bridge = {
      start: (tell) => {
        this.#tell = tell;
        return bridge.start(tell);
      },
      perform: (directive) => bridge.perform(directive),
      stop: () => bridge.stop(),
    };
  }

  act(act: TableAct, state: TableState): number {
    const hands = this.#hands;
    switch (act.do) {
      case 'cards':
        return this.#cards(act.cards, state);
      case 'cover':
        return this.#times(act.n, () => hands.cover());
      case 'back':
        return this.#times(act.n, () => hands.back());
      case 'double':
        return this.#times(act.n, () => hands.double(this.#backOf({}, state)));
      case 'block':
        return hands.block(act.ms);
      case 'press':
        return hands.press(act.press);
      case 'shuffler':
        this.#needShuffler('shuffler');
        return hands.shuffler(act.message);
      case 'serial':
        this.#needShuffler('serial');
        return hands.serial(act.bytes);
      case 'link':
        return this.#link(act);
      case 'lid':
        return hands.lid(act.open);
      case 'shoe':
        return hands.shoe(act.loaded);
      case 'rack':
        // The reference table has no counting rack: its word comes from beside the board.
        this.#tell?.({ kind: 'rack.count', n: act.n }, this.#scheduler.nowNs());
        return this.#scheduler.nowNs();
    }
  }

  /** Lets the buses go; a recording is complete only then. */
  async close(): Promise<void> {
    if (this.#board instanceof BoardBridge) await this.#board.close();
    else await this.#board.stop();
  }

  shown(): Shown {
    return { gate: this.#hands.gate(), tower: this.#hands.tower() };
  }

  #needShuffler(entry: string): void {
    if (this.#rules.table.shuffler === 'none') throw noShuffler(entry);
  }

  #times(n: number, once: () => number): number {
    let untilNs = this.#scheduler.nowNs();
    for (let i = 0; i < n; i += 1) untilNs = once();
    return untilNs;
  }

  #backOf({ back }: CardOut, { shoe, prep }: TableState): string {
    return back ?? shoe.batch ?? prep.batch;
  }

  /** Neighbours of one back go in one pull after another of the same hand. */
  #cards(cards: readonly CardOut[], state: TableState): number {
    let untilNs = this.#scheduler.nowNs();
    for (const card of cards) untilNs = this.#hands.cards([face(card)], this.#backOf(card, state));
    return untilNs;
  }

  #link({ state, device, identity }: Extract<TableAct, { do: 'link' }>): number {
    const untilNs = this.#hands.link(device, state === 'up');
    if (identity === undefined) return untilNs;
    if (device !== 'shuffler') throw new CannotAct('`link`: only a shuffler says who it is');
    return Math.max(untilNs, this.#hands.serial(`\u0002ID ${identity}\u0003`));
  }
}

/** A file system in memory where there is one: a thousand syncs a shoe wear out a card. */
const scratch = (): string => {
  try {
    accessSync(MEMORY_FOLDER, constants.W_OK);
    return MEMORY_FOLDER;
  } catch {
    return tmpdir();
  }
};

/**
 * A real journal in a folder of its own. When the power goes, database and write-ahead log are
 * copied as they lie there at that instant, as a kill would leave them, and the copy is opened.
 */
class SqlitePlace implements Store {
  readonly #folder = mkdtempSync(join(scratch(), 'cutcard-scenario-'));
  #no = 0;
  #journal: SqliteJournal | null = null;

  get #path(): string {
    return join(this.#folder, String(this.#no), 'journal.db');
  }

  async open(): Promise<Journal> {
    mkdirSync(join(this.#folder, String(this.#no)), { recursive: true });
    this.#journal = await openJournal(this.#path, { writer: 'inline' });
    return this.#journal;
  }

  async cut(): Promise<void> {
    const from = this.#path;
    this.#no += 1;
    mkdirSync(join(this.#folder, String(this.#no)), { recursive: true });
    for (const suffix of ['', '-wal']) {
      if (existsSync(from + suffix)) copyFileSync(from + suffix, this.#path + suffix);
    }
    await this.#journal?.close();
    this.#journal = null;
  }

  async verify(): Promise<readonly string[]> {
    const { damage } = await verifyChain(this.#path, { deep: true });
    return damage === null ? [] : [`journal: ${JSON.stringify(damage)}`];
  }

  async dispose(): Promise<void> {
    await this.#journal?.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/**
 * The whole controller: virtual lines, registers and bytes, journal on disk, outbox.
 * @param store where its journal lies; by default in a folder that goes with the rig
 */
export const signalsRig = (
  rules: Rules,
  seen: StepSeen,
  { noise, seed, record }: Partial<SignalOptions>,
  store: Store = new SqlitePlace(),
): Rig =>
  new Rig({
    rules,
    way: (clock) => {
      const table = createVirtualTable(clock, {
        seed: seed ?? SEED,
        noise: noise ?? NOISE,
        table: rules.table,
        ...(record === undefined
          ? {}
          : { record: { file: record, procedure: rules.procedure.id } }),
      });
      return new SignalWay(clock, rules, table);
    },
    store,
    seen,
  });
