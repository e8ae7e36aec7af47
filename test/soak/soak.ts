import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { join } from 'node:path';
import { demoRules } from '../../controller/runtime/demo/table.js';
import { fit, type Fit, type Series } from './fit.js';
import { GcWatch, type GcSeen } from './gc.js';
import { SoakTable } from './soak-table.js';

const MB = 1024 * 1024;
const DAY_NS = 86_400e9;
const NS_PER_MS = 1e6;
/** Samples of a run: enough for a line, few enough to leave the run alone. */
const SAMPLES = 56;
/** Games of the tables, in turn: a long shoe, a dealer's burn, a shuffle after each round. */
const GAMES = ['pa/627a-minibaccarat', 'pa/633a-blackjack', 'pa/663a-five-card-hi-lo'] as const;

/** How much each quantity may rise from the warm-up to the end of the run. */
export const MAY_GROW = {
  /** The allocator does not give back at once; a leak of 4 bytes a step shows as more. */
  rssMb: 8,
  heapMb: 1.5,
  externalMb: 1,
  handles: 1,
  files: 1,
  listeners: 0.5,
  timers: 3,
  walMb: 1,
  /** Of the file alone: what still lies in the write-ahead log comes into it late. */
  bytesPerRow: 60,
  queued: 500,
  delayMs: 20,
} as const;

export interface SoakOptions {
  readonly days: number;
  readonly tables: number;
  readonly seed: number;
  readonly folder: string;
  readonly progress: (done: number, of: number) => void;
}

export interface SoakReport {
  readonly soak: 1;
  readonly days: number;
  readonly tables: number;
  readonly seed: number;
  readonly steps: number;
  readonly restarts: number;
  readonly outages: number;
  readonly seconds: number;
  readonly fits: readonly Fit[];
  readonly gc: GcSeen;
  readonly warnings: readonly string[];
  readonly grows: readonly string[];
}

type Quantity = keyof typeof MAY_GROW;
type Sample = Readonly<Record<Quantity, number>>;

const UNITS: Readonly<Record<Quantity, string>> = {
  rssMb: 'MB',
  heapMb: 'MB',
  externalMb: 'MB',
  handles: '',
  files: '',
  listeners: '',
  timers: '',
  walMb: 'MB',
  bytesPerRow: 'bytes',
  queued: 'rows',
  delayMs: 'ms',
};

const isQuantity = (name: string): name is Quantity => Object.hasOwn(MAY_GROW, name);

const openFiles = (): number => {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return 0;
  }
};

const listeners = (): number =>
  process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);

const total = (tables: readonly SoakTable[], of: (table: SoakTable) => number): number =>
  tables.reduce((sum, table) => sum + of(table), 0);

/**
 * Nothing is collected for a sample: collections that are asked for would come instead of the
 * program's own, whose pauses are to be seen.
 */
const sample = (tables: readonly SoakTable[], heapBytes: number, delayMs: number): Sample => {
  const { rss, external } = process.memoryUsage();
  const steps = total(tables, (table) => table.steps);
  return {
    rssMb: rss / MB,
    heapMb: heapBytes / MB,
    externalMb: external / MB,
    handles: process.getActiveResourcesInfo().length,
    files: openFiles(),
    listeners: listeners(),
    timers: total(tables, ({ clock }) => clock.waiting),
    walMb: total(tables, (table) => table.sizes().wal) / MB,
    bytesPerRow: total(tables, (table) => table.sizes().journal) / Math.max(1, steps),
    queued: total(tables, ({ queued }) => queued),
    delayMs,
  };
};

const fitsOf = (samples: readonly Sample[]): readonly Fit[] =>
  Object.keys(MAY_GROW)
    .filter(isQuantity)
    .map(
      (name): Series => ({
        name,
        unit: UNITS[name],
        values: samples.map((one) => one[name]),
        mayGrow: MAY_GROW[name],
      }),
    )
    .map(fit);

/** Plays so many days on so many tables and says what grew. @throws where a table cannot go on. */
export const soak = async (options: SoakOptions): Promise<SoakReport> => {
  const { days, seed, folder, progress } = options;
  const startMs = performance.now();
  const warnings: string[] = [];
  const warned = (warning: Error): void => void warnings.push(warning.message);
  process.on('warning', warned);
  const tables = Array.from({ length: options.tables }, (_, i) => {
    const rules = demoRules(GAMES[i % GAMES.length] ?? GAMES[0]);
    return new SoakTable(rules, seed + i, join(folder, `table-${i + 1}`));
  });
  const watch = new GcWatch();
  const delay = monitorEventLoopDelay({ resolution: 5 });
  const samples: Sample[] = [];
  try {
    for (const table of tables) await table.start();
    delay.enable();
    for (let n = 1; n <= SAMPLES; n += 1) {
      for (const table of tables) await table.play((days * DAY_NS * n) / SAMPLES);
      // What the collector said of this part arrives with the next turn of the event loop.
      await new Promise((resolve) => setImmediate(resolve));
      const delayMs = delay.percentile(99) / NS_PER_MS;
      samples.push(sample(tables, watch.heapBytes, delayMs));
      delay.reset();
      progress(n, SAMPLES);
    }
    for (const table of tables) await table.stop();
  } finally {
    delay.disable();
    watch.stop();
    process.off('warning', warned);
  }
  const fits = fitsOf(samples);
  return {
    soak: 1,
    days,
    tables: options.tables,
    seed,
    steps: total(tables, (table) => table.steps),
    restarts: total(tables, (table) => table.restarts),
    outages: total(tables, (table) => table.outages),
    seconds: (performance.now() - startMs) / 1000,
    fits,
    gc: watch.seen(),
    warnings,
    grows: fits.filter(({ grows }) => grows).map(({ name }) => name),
  };
};
