import { BusError } from '../../firmware-bridge/bus/errors.js';
import { notifySystemd } from '../../firmware-bridge/bus/notify.js';
import { FileError } from '../../firmware-bridge/files.js';
import { DeviceKey } from '../../storage/checkpoint.js';
import type { SiteConfig } from '../config/schema.js';
import type { Bridge, Scheduler } from '../core/ports.js';
import type { Rules } from '../core/decide.js';
import { Arming } from './arming.js';
import { clockTrust } from './clock-trust.js';
import { ClockWatch } from './clock-watch.js';
import { loadConfig, nameOrFile, rulesOf } from './config-check.js';
import type { LoadedConfig } from './config-file.js';
import { EXIT, Refusal } from './exit.js';
import { createLog } from './log.js';
import type { Log } from './log-port.js';
import type { TableLoop } from './loop.js';
import { openTable, type RunningTable } from './main.js';
import { pagePlanOf } from './open-page.js';
import { type BrokerTarget, plainAddress, targetOf, trustedBy } from './broker-target.js';
import { RealScheduler } from './real-scheduler.js';
import { Reloader } from './reload.js';
import { programVersion } from './version.js';
import { Watchdog, watchdogLimitMs } from './watchdog.js';

/** Old rows are looked for this often. */
const RETIRE_MS = 3_600_000;
const DAY_NS = 86_400e9;
/** Longest a stop on purpose may take, ms. */
const STOP_MS = 10_000;

export interface RunOptions {
  readonly config: string;
  /** Overrides the configuration's broker: plain MQTT on this machine. */
  readonly broker: string | null;
  readonly record: string | null;
}

/** A broker given on the command line. @throws Refusal for an address that is none. */
export const brokerOf = (url: string, place: BrokerTarget['place']): BrokerTarget => {
  if (!/^mqtt:\/\/(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/.test(url)) {
    throw new Refusal(
      EXIT.usage,
      `--broker ${url}: takes mqtt://127.0.0.1:PORT; a broker elsewhere needs TLS and stands in ` +
        'the configuration',
    );
  }
  const address = plainAddress(url, '5');
  return { place, address, mqtt: '5', consumers: [], cameras: [], keys: [] };
};

const deviceKey = ({ config, resolve }: LoadedConfig): DeviceKey | null => {
  if (config.deviceKeyFile === undefined) return null;
  try {
    return DeviceKey.load(resolve(config.deviceKeyFile));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Refusal(EXIT.config, `deviceKeyFile: ${why}`, cause);
  }
};

const openBridge = async (
  loaded: LoadedConfig,
  rules: Rules,
  scheduler: Scheduler,
  file: string | null,
): Promise<Bridge> => {
  const { config, resolve } = loaded;
  const { board, shufflerProfile, calibration, lampTap } = config;
  const { table, procedure } = rules;
  const record = file === null ? {} : { record: { file, procedure: procedure.id, table } };
  if (board === 'virtual') {
    const { createVirtualTable } = await import('../../firmware-bridge/virtual/table.js');
    return createVirtualTable(scheduler, { seed: 1, table, lampTap, ...record }).bridge;
  }
  const { openBoardBridge } = await import('../../firmware-bridge/open-board.js');
  const fitted = {
    shuffler: table.shuffler !== 'none',
    reader: table.reader === 'rank',
    lampTap,
    blockedMs: table.policy.blockedMs,
  };
  try {
    return await openBoardBridge(nameOrFile(board, resolve), fitted, scheduler, {
      ...record,
      ...(shufflerProfile === undefined
        ? {}
        : { shufflerProfile: nameOrFile(shufflerProfile, resolve) }),
      ...(calibration === undefined ? {} : { calibration: resolve(calibration) }),
    });
  } catch (error) {
    if (error instanceof FileError) throw new Refusal(EXIT.config, error.message, error);
    if (error instanceof BusError) {
      const cure = error.cure === '' ? '' : `; ${error.cure}`;
      throw new Refusal(EXIT.config, `board: ${error.message}${cure}`, error);
    }
    throw error;
  }
};

/**
 * Runs one table on its configuration until the signal aborts.
 * @throws Refusal with exit code 78 for a configuration that cannot be used.
 */
export const runTable = async (options: RunOptions, signal: AbortSignal): Promise<void> => {
  const loaded = loadConfig(options.config);
  const { config } = loaded;
  const rules = rulesOf(loaded);
  const log = createLog(config.log);
  const scheduler = new RealScheduler();
  const bridge = await openBridge(loaded, rules, scheduler, options.record);
  const running = await openTable({
    rules,
    place: config.place,
    journalPath: loaded.resolve(config.journal),
    scheduler,
    bridge,
    broker:
      options.broker === null
        ? targetOf(loaded)
        : { ...brokerOf(options.broker, config.place), ...trustedBy(loaded) },
    page: await pagePlanOf(config, loaded.resolve, log),
    key: deviceKey(loaded),
    log,
    version: programVersion(),
    armed: () => arming.ask(),
  });
  const { loop } = running.table;
  const arming = armingOf(running, bridge, config, scheduler, log);
  arming.listen();
  const watchdog = watchdogFor(loop, scheduler);
  const watch = new ClockWatch({
    scheduler,
    tell: (happening) => {
      loop.tell(happening);
    },
    askTrust: clockTrust,
    setTrust: (trusted) => scheduler.trust(trusted),
  });
  try {
    await running.start();
    if (running.page !== null) log.info({ page: running.page.url }, 'page of the table');
    void watch.start();
    watchdog?.start();
    const retiring = retireOldRows(running, config, log);
    const reloader = new Reloader({
      loaded,
      log,
      apply: (next) => {
        log.level = next.log;
        retiring.keep(next.keepDays);
      },
    });
    reloader.start();
    await aborted(signal);
    reloader.stop();
    retiring.stop();
  } finally {
    // A start that failed is to end too.
    endAnyway(() => loop.fault(), log);
    notifySystemd('STOPPING=1');
    arming.stop();
    watch.stop();
    watchdog?.stop();
    await running.stop();
    scheduler.close();
    log.info({}, 'stopped');
  }
};

const armingOf = (
  running: RunningTable,
  bridge: Bridge,
  config: SiteConfig,
  scheduler: Scheduler,
  log: Log,
): Arming =>
  new Arming({
    ...{ loop: running.table.loop, bridge, scheduler, log },
    next: () => (config.page === undefined || running.page !== null ? '' : '; its page comes next'),
    // Ready even where hardware is away: starting again would not bring it back, and meanwhile
    // nobody would hold the gate, show the finding or write the journal.
    said: (away) => notifySystemd(`READY=1\nSTATUS=${away ?? 'the table is watched'}`),
  });

/** A stop that hangs, on a dead disk or a half-open line: the journal needs no farewell. */
const endAnyway = (fault: () => string | null, log: Log): void => {
  const late = setTimeout(() => {
    log.error({}, `not stopped within ${STOP_MS / 1000} s: ended`);
    process.exit(fault() === null ? EXIT.ok : EXIT.internal);
  }, STOP_MS);
  late.unref();
};

const watchdogFor = (loop: TableLoop, scheduler: Scheduler): Watchdog | null => {
  const limitMs = watchdogLimitMs(process.env);
  if (limitMs === null) return null;
  return new Watchdog(loop, scheduler, limitMs, () => notifySystemd('WATCHDOG=1'));
};

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** Rows that every consumer has proved to hold leave after the days the site keeps them. */
const retireOldRows = (
  { journal }: RunningTable,
  { consumers, keepDays }: SiteConfig,
  log: Log,
): { readonly keep: (days: number) => void; readonly stop: () => void } => {
  let days = keepDays;
  const retire = async (): Promise<void> => {
    try {
      const keepNs = days * DAY_NS;
      const removed = await journal.retire({ keepNs, consumers, wallMs: Date.now() });
      if (removed > 0) log.info({ removed }, 'old rows left the journal');
    } catch (cause) {
      log.error({ reason: String(cause) }, 'old rows could not leave the journal');
    }
  };
  const timer = setInterval(() => void retire(), RETIRE_MS);
  return {
    keep: (next) => {
      days = next;
    },
    stop: () => clearInterval(timer),
  };
};
