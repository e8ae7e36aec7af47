import { dirname } from 'node:path';
import type { Rules } from '../core/decide.js';
import type { Bridge, Scheduler } from '../core/ports.js';
import type { SiteConfig } from '../config/schema.js';
import { BoardBridge } from '../../firmware-bridge/bridge.js';
import type { DeviceKey } from '../../storage/checkpoint.js';
import { JournalFault } from '../../storage/fault.js';
import { openJournal, type SqliteJournal } from '../../storage/journal.js';
import type { TablePage } from '../../surveillance/table-page/server.js';
import type { BrokerTarget } from './broker-target.js';
import { CardTable } from './card-table.js';
import { writeCrashRecord } from './crash-record.js';
import { endAll } from './end-all.js';
import { EXIT, journalExit, Refusal } from './exit.js';
import { HealthProbe } from './health.js';
import { LiveLines } from './live.js';
import type { Log } from './log-port.js';
import type { Surveillance } from './publish.js';
import { openPage, type PagePlan } from './open-page.js';
import type { ReadingsNow } from './read-quality.js';
import { RealScheduler } from './real-scheduler.js';
import { StepKeeper } from './steps-since.js';
import { Supervisor } from './supervisor.js';

/** Longest wait for the broker to take the last rows before the program ends, ms. */
const DRAIN_MS = 2000;
const DRAIN_STEP_MS = 20;

/** Everything one running table is made of. */
export interface TablePlan {
  readonly rules: Rules;
  readonly place: SiteConfig['place'];
  readonly journalPath: string;
  /** The table's own clock: real, or simulated in the demo. */
  readonly scheduler: Scheduler;
  /** Its wall clock is none, and is never trusted; what talks to others goes by this machine's. */
  readonly isSimulated?: true;
  readonly bridge: Bridge;
  readonly broker: BrokerTarget | null;
  readonly page: PagePlan | null;
  /** Signs checkpoints; null: none are made. */
  readonly key: DeviceKey | null;
  readonly log: Log;
  readonly version: string;
  /** Called as soon as the hardware is being opened; broker and page wait for it. */
  readonly armed?: () => Promise<void>;
}

export interface RunningTable {
  readonly rules: Rules;
  readonly table: CardTable;
  readonly journal: SqliteJournal;
  readonly lines: LiveLines;
  readonly page: TablePage | null;
  /** Writes `power.boot` and listens to the hardware. */
  start(): Promise<void>;
  /** Stops on purpose; safe twice. */
  stop(): Promise<void>;
}

const refuse = (error: unknown): never => {
  if (error instanceof JournalFault) {
    throw new Refusal(journalExit(error.code), error.message, error);
  }
  throw error;
};

interface Opened {
  readonly table: CardTable;
  readonly journal: SqliteJournal;
  readonly lines: LiveLines;
  readonly supervisor: Supervisor;
}

/** Loaded only once the table is watched: a start is not to wait for the network's library. */
const openSurveillance = async (
  plan: TablePlan,
  broker: BrokerTarget,
  { table, journal, supervisor }: Opened,
): Promise<Surveillance> => {
  const { log, version, rules, key } = plan;
  const { Surveillance } = await import('./publish.js');
  // Real time, even where the table runs on a simulated clock. Orders are judged by this one.
  const scheduler = new RealScheduler(plan.isSimulated === true ? null : plan.scheduler);
  if (plan.isSimulated === true) scheduler.trust(true);
  const parts = { loop: table.loop, journal, supervisor, log, version, scheduler, rules, key };
  return new Surveillance(broker, { ...parts, readings: () => readingsOf(plan.bridge) });
};

const readingsOf = (bridge: Bridge): ReturnType<ReadingsNow> => {
  const devices = bridge instanceof BoardBridge ? Object.entries(bridge.status()) : [];
  return Object.fromEntries(devices.map(([name, { readings }]) => [name, readings]));
};

const pageOf = async (plan: TablePlan, opened: Opened): Promise<TablePage | null> => {
  const { page, place, rules, scheduler, bridge, log, journalPath } = plan;
  if (page === null) return null;
  const { loop } = opened.table;
  const { technicianSource } = await import('./technician.js');
  const technician = technicianSource({
    bridge,
    loop,
    scheduler,
    journalFolder: dirname(journalPath),
  });
  const { lines } = opened;
  const isSimulated = plan.isSimulated === true;
  const parts = { table: place.table, loop, rules, scheduler, lines, technician, log };
  return openPage(page, { ...parts, isSimulated });
};

/**
 * Opens a table: journal, rules, page and broker, ready to `start`. The state is restored.
 * @throws Refusal in plain words when journal or page cannot be had.
 */
export const openTable = async (plan: TablePlan): Promise<RunningTable> => {
  const { journalPath, log, rules, scheduler, bridge, version } = plan;
  const folder = dirname(journalPath);
  const notice = (text: string): void => log.warn({}, text);
  const signing = plan.key === null ? {} : { key: plan.key };
  const journal = await openJournal(journalPath, { writer: 'worker', notice, ...signing }).catch(
    refuse,
  );
  const table = new CardTable({
    rules,
    journal,
    scheduler,
    bridge,
    log,
    version,
    crashed: (record) => {
      const file = writeCrashRecord(folder, record);
      log.fatal({ file }, 'an invariant is broken: start again, and send this file');
      process.exit(EXIT.internal);
    },
  });
  const health = new HealthProbe({ journalFolder: folder, queued: () => table.loop.queued });
  const supervisor = new Supervisor(health, new RealScheduler(), log);
  const lines = new LiveLines();
  try {
    await table.restore();
    lines.follow(table.loop);
    const opened = { table, journal, lines, supervisor };
    const page = plan.page?.first === true ? await pageOf(plan, opened) : null;
    return new OpenTable(plan, opened, page);
  } catch (error) {
    await journal.close();
    throw error;
  }
};

/** A table with everything around it, started and stopped in the right order. */
class OpenTable implements RunningTable {
  readonly rules: Rules;
  readonly table: CardTable;
  readonly journal: SqliteJournal;
  readonly lines: LiveLines;
  page: TablePage | null;
  readonly #plan: TablePlan;
  readonly #opened: Opened;
  #surveillance: Surveillance | null = null;

  constructor(plan: TablePlan, opened: Opened, page: TablePage | null) {
    this.#plan = plan;
    this.#opened = opened;
    this.rules = plan.rules;
    this.table = opened.table;
    this.journal = opened.journal;
    this.lines = opened.lines;
    this.page = page;
  }

  async start(): Promise<void> {
    const { table, supervisor } = this.#opened;
    const keeper = new StepKeeper(table.loop);
    supervisor.start();
    await table.start();
    await this.#plan.armed?.();
    const { broker } = this.#plan;
    if (broker !== null) {
      this.#surveillance = await openSurveillance(this.#plan, broker, this.#opened);
      this.#surveillance.start(keeper.handOver());
    } else keeper.handOver();
    this.page ??= await this.#latePage();
  }

  /** A table goes on being watched where its page cannot be served. */
  async #latePage(): Promise<TablePage | null> {
    try {
      return await pageOf(this.#plan, this.#opened);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#plan.log.error({}, error.message);
      return null;
    }
  }

  async stop(): Promise<void> {
    const { table, supervisor } = this.#opened;
    const { bridge } = this.#plan;
    await endAll([
      () => table.stop(() => this.#farewell()),
      // A recording is complete once the buses are let go.
      () => (bridge instanceof BoardBridge ? bridge.close() : undefined),
      () => supervisor.stop(),
      () => this.page?.stop(),
    ]);
  }

  async #farewell(): Promise<void> {
    const surveillance = this.#surveillance;
    if (surveillance === null) return;
    await drained(surveillance);
    await surveillance.stop();
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The last rows, `power.off` among them, reach the broker where one is there. */
const drained = async ({ publisher }: Surveillance): Promise<void> => {
  for (let ms = 0; ms < DRAIN_MS; ms += DRAIN_STEP_MS) {
    const { isUp, queued } = publisher.stats();
    if (!isUp || queued === 0) return;
    await pause(DRAIN_STEP_MS);
  }
};
