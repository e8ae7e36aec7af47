import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { plainIssue } from '../config/plain-issue.js';
import { tableSchema } from '../config/schema.js';
import type { Rules } from '../core/decide.js';
import { SimulatedClock } from '../core/simulated-clock.js';
import { FileError } from '../../firmware-bridge/files.js';
import { TraceBridge } from '../../firmware-bridge/trace/play.js';
import { EXIT, Refusal } from './exit.js';
import type { Log } from './log-port.js';
import { openTable } from './main.js';
import { isPackTrouble, loadProcedure } from './procedure-files.js';
import type { BrokerTarget } from './broker-target.js';
import { type RunSummary, RunTally } from './summary.js';

/** After the last line of a trace: filters, timers and messages under way come to an end, ns. */
export const AFTERMATH_NS = 2e9;
const PROGRESS_MS = 250;

export interface TraceRun {
  readonly file: string;
  readonly broker: BrokerTarget | null;
  readonly log: Log;
  readonly version: string;
  /** Told now and then how far it is: simulated seconds and rows. */
  readonly progress?: (seconds: number, rows: number) => void;
}

/** The rules a trace was recorded under, as its first line says. @throws Refusal */
const rulesOfTrace = (file: string, header: TraceBridge['header']): Rules => {
  const table = tableSchema.safeParse(header.table);
  if (!table.success) {
    const [issue] = table.error.issues;
    const field = issue?.path.join('.') ?? '';
    const why = issue === undefined ? 'not usable' : plainIssue(issue);
    const text = `${file}:1: table.${field}: ${why}; record it again`;
    throw new Refusal(EXIT.usage, text);
  }
  try {
    return { procedure: loadProcedure(header.procedure), table: table.data };
  } catch (error) {
    if (isPackTrouble(error)) throw new Refusal(EXIT.usage, `${file}:1: ${error.message}`, error);
    throw error;
  }
};

const openTrace = (file: string, clock: SimulatedClock): TraceBridge => {
  try {
    return new TraceBridge(file, clock);
  } catch (error) {
    if (error instanceof FileError) throw new Refusal(EXIT.usage, error.message, error);
    throw error;
  }
};

/**
 * Feeds a recorded trace through the whole controller on simulated time: devices, rules, journal
 * and, where there is one, the broker. The same file gives the same findings, byte for byte.
 * @throws Refusal when the file is no trace or is damaged, naming the line.
 */
export const runTrace = async (run: TraceRun, signal: AbortSignal): Promise<RunSummary> => {
  const folder = mkdtempSync(join(tmpdir(), 'cutcard-trace-'));
  try {
    return await play(run, join(folder, 'table.journal'), signal);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const play = async (
  run: TraceRun,
  journalPath: string,
  signal: AbortSignal,
): Promise<RunSummary> => {
  const { file, broker, log, version } = run;
  // The header is read twice: once for the wall clock it began at, once by the bridge.
  const { wallStartMs } = openTrace(file, new SimulatedClock()).header;
  const clock = new SimulatedClock(wallStartMs);
  const bridge = openTrace(file, clock);
  const rules = rulesOfTrace(file, bridge.header);
  const place = broker?.place ?? { site: 'trace', pit: 'trace', table: 'trace' };
  const running = await openTable({
    rules,
    place,
    journalPath,
    scheduler: clock,
    bridge,
    broker,
    page: null,
    key: null,
    log,
    version,
  });
  const tally = new RunTally();
  const { loop } = running.table;
  loop.onStep((step) => tally.add(step));
  try {
    await running.start();
    let shownMs = performance.now();
    while (bridge.ended === null && !signal.aborted && clock.runNext(Infinity)) {
      if (!loop.idle) await loop.settled();
      if (run.progress === undefined || performance.now() - shownMs < PROGRESS_MS) continue;
      shownMs = performance.now();
      run.progress(Math.floor(clock.nowNs() / 1e9), loop.state().seq);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const endNs = clock.nowNs() + AFTERMATH_NS;
    while (clock.runNext(endNs)) if (!loop.idle) await loop.settled();
    const damage = bridge.ended?.error ?? null;
    if (damage !== null) throw new Refusal(EXIT.usage, damage.message, damage);
  } finally {
    await running.stop();
  }
  return tally.summary(rules.procedure.id, loop.state());
};
