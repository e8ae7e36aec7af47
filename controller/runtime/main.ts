import { dirname } from 'node:path';
import type { Rules } from '../core/decide.js';
import type { Bridge, Scheduler } from '../core/ports.js';
import type { SiteConfig } from '../config/schema.js';
import { BoardBridge } from '../../firmware-bridge/bridge.js';
import type { DeviceKey } from '../../storage/checkpoint.js';
import { JournalFault } from '../../storage/fault.js';
import { openJournal, type SqliteJournal } from '../../storage/journal.js';
import type { TablePage } from '../../surveillance/table-page/server.js';
import { CardTable } from './card-table.js';
import { writeCrashRecord } from './crash-record.js';
import { EXIT, Refusal } from './exit.js';
import { HealthProbe } from './health.js';
import { LiveLines, pageSource } from './live.js';
import type { Log } from './log-port.js';
import type { BrokerTarget, Surveillance } from './publish.js';
import { RealScheduler } from './real-scheduler.js';

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
  readonly bridge: Bridge;
  readonly broker: BrokerTarget | null;
  readonly page: { readonly host: string; readonly port: number } | null;
  /** Signs checkpoints; null: none are made. */
  readonly key: DeviceKey | null;
  readonly log: Log;
  readonly version: string;
}

export interface RunningTable {
  readonly rules: Rules;
  readonly table: CardTable;
  readonly journal: SqliteJournal;
  readonly lines: LiveLines;
  readonly page: TablePage | null;
  readonly health: HealthProbe;
  readonly surveillance: Surveillance | null;
  /** Writes `power.boot` and listens to the hardware. */
  start(): Promise<void>;
  /** Stops on purpose; safe twice. */
  stop(): Promise<void>;
}

const refuse = (error: unknown): never => {
  if (error instanceof JournalFault) throw new Refusal(EXIT.internal, error.message, error);
  throw error;
};

/** Modules that only some tables need are loaded only there: a start is not to wait for them. */
const openSurveillance = async (
  plan: TablePlan,
  parts: {
    readonly table: CardTable;
    readonly journal: SqliteJournal;
    readonly health: HealthProbe;
  },
): Promise<Surveillance | null> => {
  const { broker, log, version } = plan;
  if (broker === null) return null;
  const { Surveillance } = await import('./publish.js');
  // Real time, even where the table runs on a simulated clock.
  const scheduler = new RealScheduler();
  const { table, journal, health } = parts;
  return new Surveillance(broker, { loop: table.loop, journal, health, log, version, scheduler });
};

const openPage = async (
  plan: TablePlan,
  table: CardTable,
  lines: LiveLines,
): Promise<TablePage | null> => {
  const { page, place, rules, scheduler } = plan;
  if (page === null) return null;
  const { startTablePage, TablePageError } = await import(
    '../../surveillance/table-page/server.js'
  );
  const source = pageSource(table.loop, { table: place.table, rules, scheduler, lines });
  try {
    return await startTablePage({ source, ...page });
  } catch (error) {
    if (error instanceof TablePageError) throw new Refusal(EXIT.usage, error.message, error);
    throw error;
  }
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
  const lines = new LiveLines();
  try {
    await table.restore();
    lines.follow(table.loop);
    const page = await openPage(plan, table, lines);
    const surveillance = await openSurveillance(plan, { table, journal, health });
    const parts = { rules, table, journal, lines, page, health, surveillance };
    return { ...parts, start: () => start(parts), stop: () => stop(parts, bridge) };
  } catch (error) {
    await journal.close();
    throw error;
  }
};

type Parts = Omit<RunningTable, 'start' | 'stop'>;

const start = async ({ table, health, surveillance }: Parts): Promise<void> => {
  health.start();
  surveillance?.start();
  await table.start();
};

const stop = async (
  { table, health, surveillance, page }: Parts,
  bridge: Bridge,
): Promise<void> => {
  await table.stop(async () => {
    if (surveillance !== null) {
      await drained(surveillance);
      await surveillance.stop();
    }
  });
  // A recording is complete once the buses are let go.
  if (bridge instanceof BoardBridge) await bridge.close();
  health.stop();
  await page?.stop();
};

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The last rows, `power.off` among them, reach the broker where one is there. */
const drained = async ({ publisher }: Surveillance): Promise<void> => {
  for (let ms = 0; ms < DRAIN_MS; ms += DRAIN_STEP_MS) {
    const { isUp, queued } = publisher.stats();
    if (!isUp || queued === 0) return;
    await pause(DRAIN_STEP_MS);
  }
};
