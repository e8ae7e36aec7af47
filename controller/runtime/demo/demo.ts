import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { makeFolder } from '../../config/given-file.js';
import type { Rules } from '../../core/decide.js';
import { SimulatedClock } from '../../core/simulated-clock.js';
import { DeviceKey } from '../../../storage/checkpoint.js';
import { writeDurably } from '../../../surveillance/identity/files.js';
import { JournalFault } from '../../../storage/fault.js';
import { JournalReader } from '../../../storage/reader.js';
import { walkSteps } from '../../../storage/walk.js';
import { EmbeddedBroker } from '../../../surveillance/mqtt/embedded-broker.js';
import { createVirtualTable } from '../../../firmware-bridge/virtual/table.js';
import type { Hands } from '../../../firmware-bridge/virtual/hands.js';
import { EXIT, Refusal } from '../exit.js';
import type { HandAct } from '../scenario/schema.js';
import { actWithHands } from '../hands-way.js';
import { createLog } from '../log.js';
import { openTable, type RunningTable } from '../main.js';
import { drivePaced } from '../paced-drive.js';
import { plainAddress } from '../broker-target.js';
import { isPackTrouble } from '../procedure-files.js';
import { AFTERMATH_NS } from '../trace-run.js';
import { programVersion } from '../version.js';
import { deskKey, type DeskKey } from './desk-key.js';
import { MISTAKES, type Mistake, mistakeOf } from './mistakes.js';
import { Player } from './player.js';
import { demoRules } from './table.js';
import { Visitor } from './visitor.js';
import type { DemoFloor } from './wall.js';

const NS_PER_MS = 1e6;
/** Between the end of one act and the thought of the next, simulated ms. */
const BREATH_MS = 20;
/** Between two looks whether a person has settled what is left to them, simulated ms. */
const VISITOR_LOOK_MS = 500;
/** Devices open and set themselves up before the dealer begins, simulated ms. */
const READY_MS = 500;
const PLACE = { site: 'demo', pit: 'pit-1', table: 'table-1' } as const;

export interface DemoOptions {
  /** Simulated seconds per second; Infinity: as fast as it goes. */
  readonly speed: number;
  readonly mistakes: readonly string[];
  readonly procedure: string;
  /** Port of the page; 0 takes any free one. */
  readonly port: number;
  readonly shoes: number | null;
  readonly seed: number;
  readonly record: string | null;
  /** Folder that keeps the journal; null: a temporary one, removed at the end. */
  readonly data: string | null;
  readonly human: boolean;
  /** Port of the floor's wall, 0 takes any free one; null: neither wall nor further tables. */
  readonly wallPort: number | null;
}

/** What the demo tells whoever shows it. */
export interface DemoView {
  /** Addresses, before anything is played. */
  opened(parts: {
    readonly page: string;
    /** The floor's wall; null where it was not wanted. */
    readonly wall: string | null;
    readonly broker: string;
    readonly journal: string;
    /** What orders to the table may be signed with, and the table's name. */
    readonly desk: DeskKey;
    readonly table: string;
    readonly kept: boolean;
  }): void;
  running(table: RunningTable): void;
  /** A mistake is being made. */
  mistake(story: string, wallMs: number): void;
}

const chosen = (codes: readonly string[], rules: Rules): readonly Mistake[] =>
  codes.map((code) => {
    const mistake = mistakeOf(code);
    if (mistake?.fits(rules) === true) return mistake;
    const possible = MISTAKES.filter(({ fits }) => fits(rules)).map((known) => known.code);
    const why =
      mistake === undefined
        ? `there is no mistake \`${code}\``
        : `\`${code}\` cannot happen at this table of ${rules.procedure.id}`;
    throw new Refusal(EXIT.usage, `${why}; possible here: ${possible.join(', ')}`);
  });

const rulesFor = (procedure: string): Rules => {
  try {
    return demoRules(procedure);
  } catch (error) {
    if (isPackTrouble(error)) throw new Refusal(EXIT.usage, error.message, error);
    throw error;
  }
};

/**
 * Plays a whole table in this process: virtual hardware, journal, embedded broker, page.
 * @returns when the shoes asked for are played or the signal aborts; everything is stopped then.
 * @throws Refusal for what the user can put right: port in use, unknown mistake, locked journal.
 */
export const runDemo = async (
  options: DemoOptions,
  view: DemoView,
  signal: AbortSignal,
): Promise<void> => {
  const rules = rulesFor(options.procedure);
  const mistakes = chosen(options.mistakes, rules);
  const folder =
    options.data === null ? mkdtempSync(join(tmpdir(), 'cutcard-demo-')) : keptFolder(options.data);
  const broker = new EmbeddedBroker();
  let wall: DemoFloor | null = null;
  try {
    await broker.start();
    wall = await openFloor(options, broker);
    await playTable({ options, rules, mistakes, folder, broker, view, signal, wall });
  } finally {
    await wall?.stop();
    await broker.stop();
    if (options.data === null) rmSync(folder, { recursive: true, force: true });
  }
};

const keptFolder = (path: string): string => {
  try {
    makeFolder(path);
    return resolve(path);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Refusal(EXIT.usage, `--data ${why}`, cause);
  }
};

/** The floor is loaded only where it is wanted: it brings a store and a web side of its own. */
const openFloor = async (
  { wallPort, seed, speed, human }: DemoOptions,
  broker: EmbeddedBroker,
): Promise<DemoFloor | null> => {
  if (wallPort === null) return null;
  const { startDemoFloor } = await import('./wall.js');
  return startDemoFloor({
    site: PLACE.site,
    broker: broker.url,
    port: wallPort,
    seed,
    speed,
    human,
  });
};

interface Stage {
  readonly options: DemoOptions;
  readonly rules: Rules;
  readonly mistakes: readonly Mistake[];
  readonly folder: string;
  readonly broker: EmbeddedBroker;
  readonly view: DemoView;
  readonly signal: AbortSignal;
  readonly wall: DemoFloor | null;
}

/** A key of the demo's own, kept with a journal that is kept; its public half lies beside it. */
const deviceKey = (folder: string): DeviceKey => {
  const path = join(folder, 'device.key');
  const key = existsSync(path) ? DeviceKey.load(path) : DeviceKey.create(path);
  writeDurably(join(folder, 'device.pub'), key.publicPem(), 0o644);
  return key;
};

/** Simulated time goes on where a kept journal ends, and never back; null: it begins now. */
const lastWallMs = (path: string): number | null => {
  if (!existsSync(path)) return null;
  try {
    const reader = JournalReader.open(path);
    try {
      for (const { step } of walkSteps(reader, reader.lastSeq())) return step.observation.wallMs;
      return null;
    } finally {
      reader.close();
    }
  } catch (cause) {
    // Whoever opens it to write says what is wrong with it.
    if (cause instanceof JournalFault) return null;
    throw cause;
  }
};

const playTable = async (stage: Stage): Promise<void> => {
  const { options, rules, folder, broker, view, signal, wall } = stage;
  const journalPath = join(folder, 'table.journal');
  const clock = new SimulatedClock(lastWallMs(journalPath) ?? Date.now());
  // It runs at the pace asked for: nobody may take it for the time of day.
  clock.stepWall(0, false);
  const { bridge, hands } = createVirtualTable(clock, {
    seed: options.seed,
    table: rules.table,
    ...(options.record === null
      ? {}
      : { record: { file: options.record, procedure: rules.procedure.id } }),
  });
  const desk = deskKey(folder);
  const running = await openTable({
    rules,
    place: PLACE,
    journalPath,
    scheduler: clock,
    isSimulated: true,
    bridge,
    broker: {
      place: PLACE,
      address: plainAddress(broker.url, '3.1.1'),
      mqtt: '3.1.1',
      consumers: wall === null ? [] : [wall.consumer],
      cameras: [],
      keys: wall === null ? [desk.allowed] : [wall.key, desk.allowed],
    },
    page: {
      host: '127.0.0.1',
      port: options.port,
      first: true,
      entry: { by: 'demo', auditFile: join(folder, 'access.jsonl') },
    },
    key: deviceKey(folder),
    log: createLog('error'),
    version: programVersion(),
  });
  view.opened({
    page: running.page?.url ?? '',
    wall: wall?.url ?? null,
    broker: broker.url,
    journal: journalPath,
    desk,
    table: `${PLACE.site}/${PLACE.pit}/${PLACE.table}`,
    kept: options.data !== null,
  });
  view.running(running);
  const done = new AbortController();
  try {
    await running.start();
    await wall?.play();
    const game = new Game(stage, running, clock, hands, done);
    game.begin();
    await drivePaced({
      clock,
      speed: options.speed,
      settled: () => running.table.loop.settled(),
      signal: AbortSignal.any([signal, done.signal]),
    });
    game.check();
    await aftermath(clock, running);
  } finally {
    await running.stop();
  }
};

/** What is under way comes to its end, as it does behind the last line of a trace. */
const aftermath = async (clock: SimulatedClock, { table }: RunningTable): Promise<void> => {
  const endNs = clock.nowNs() + AFTERMATH_NS;
  while (clock.runNext(endNs)) await table.loop.settled();
};

/** Lets the player act on the simulated clock, one move after the other. */
class Game {
  readonly #stage: Stage;
  readonly #running: RunningTable;
  readonly #clock: SimulatedClock;
  readonly #hands: Hands;
  readonly #done: AbortController;
  readonly #player: Player;
  readonly #visitor: Visitor;
  #error: Error | null = null;

  constructor(
    stage: Stage,
    running: RunningTable,
    clock: SimulatedClock,
    hands: Hands,
    done: AbortController,
  ) {
    this.#stage = stage;
    this.#running = running;
    this.#clock = clock;
    this.#hands = hands;
    this.#done = done;
    const { rules, mistakes, options } = stage;
    const { seed, human, shoes } = options;
    // Played as fast as it goes, nobody at a page could follow.
    const isFollowed = stage.options.speed !== Infinity;
    this.#visitor = new Visitor(() => isFollowed && (running.page?.floorWatchers() ?? 0) > 0);
    const played = running.table.loop.state().shoe.no;
    this.#player = new Player({
      rules,
      seed,
      mistakes,
      human,
      shoes: shoes === null ? null : played + shoes,
    });
  }

  begin(): void {
    this.#later(READY_MS, () => this.#turn());
  }

  /** @throws what ended the game, where it was not its natural end. */
  check(): void {
    if (this.#error !== null) throw this.#error;
  }

  #later(ms: number, task: () => void): void {
    this.#clock.at(this.#clock.nowNs() + ms * NS_PER_MS, task);
  }

  #turn(): void {
    const { loop } = this.#running.table;
    if (loop.fault() !== null) {
      this.#end(new Error(loop.fault() ?? ''));
      return;
    }
    const state = loop.state();
    const open = state.findings.filter(({ id }) => !this.#player.hasAttended(id));
    const left = this.#visitor.leaves(open);
    if (open.some(({ id, severity }) => severity === 'stop' && left.has(id))) {
      this.#later(VISITOR_LOOK_MS, () => this.#turn());
      return;
    }
    const turn = this.#player.next(state, left);
    if (turn.kind === 'done') this.#end(null);
    else if (turn.kind === 'stuck') this.#end(new Error(`the table cannot go on: ${turn.why}`));
    else {
      const { finding } = turn;
      const { act, tookMs } = turn.move;
      if (turn.story !== null) this.#stage.view.mistake(turn.story, this.#clock.wallMs());
      this.#later(tookMs, () => this.#act(act, finding));
    }
  }

  #act(act: HandAct, finding: string | null): void {
    const state = this.#running.table.loop.state();
    // A person was faster.
    if (finding !== null && !state.findings.some(({ id }) => id === finding)) {
      this.#turn();
      return;
    }
    const endNs = actWithHands(this.#hands, act, state);
    this.#clock.at(endNs + BREATH_MS * NS_PER_MS, () => this.#turn());
  }

  #end(error: Error | null): void {
    this.#error = error;
    this.#done.abort();
  }
}
