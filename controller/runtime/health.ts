import { readFile, statfs } from 'node:fs/promises';
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { type DiskWear, diskWear, UNKNOWN_WEAR } from './disk-wear.js';

/** Resolution of the event-loop probe, ms. */
const PROBE_MS = 10;
const THERMAL_ZONE = '/sys/class/thermal/thermal_zone0/temp';

/** Figures of the process and the machine; null where this machine does not say. */
export interface Health extends DiskWear {
  readonly uptimeS: number;
  readonly rssBytes: number;
  /** Free room where the journal is. */
  readonly diskFreeBytes: number | null;
  readonly temperatureC: number | null;
  /** Event-loop delay since the last look, ms. */
  readonly delayP50Ms: number;
  readonly delayP99Ms: number;
  readonly delayMaxMs: number;
  /** Happenings that wait to be decided. */
  readonly queued: number;
}

export interface HealthParts {
  readonly journalFolder: string | null;
  readonly queued: () => number;
  readonly thermalZone?: string;
}

/** Looks at the process when asked; keeps no history. */
export class HealthProbe {
  readonly #parts: HealthParts;
  readonly #startedMs = performance.now();
  #delay: IntervalHistogram | null = null;

  constructor(parts: HealthParts) {
    this.#parts = parts;
  }

  start(): void {
    if (this.#delay !== null) return;
    this.#delay = monitorEventLoopDelay({ resolution: PROBE_MS });
    this.#delay.enable();
  }

  stop(): void {
    this.#delay?.disable();
    this.#delay = null;
  }

  async look(): Promise<Health> {
    const { journalFolder } = this.#parts;
    const [wear, diskFreeBytes, temperatureC] = await Promise.all([
      journalFolder === null ? UNKNOWN_WEAR : diskWear(journalFolder),
      freeBytes(journalFolder),
      temperature(this.#parts.thermalZone ?? THERMAL_ZONE),
    ]);
    const delay = this.#delay;
    // The histogram counts its own interval: what is above it is delay.
    const ms = (ns: number): number => Math.max(0, Math.round(ns / 1e4) / 100 - PROBE_MS);
    const health: Health = {
      uptimeS: Math.round((performance.now() - this.#startedMs) / 1000),
      rssBytes: process.memoryUsage.rss(),
      diskFreeBytes,
      ...wear,
      temperatureC,
      delayP50Ms: delay === null ? 0 : ms(delay.percentile(50)),
      delayP99Ms: delay === null ? 0 : ms(delay.percentile(99)),
      delayMaxMs: delay === null ? 0 : ms(delay.max),
      queued: this.#parts.queued(),
    };
    delay?.reset();
    return health;
  }
}

const freeBytes = async (folder: string | null): Promise<number | null> => {
  if (folder === null) return null;
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return null;
  }
};

const temperature = async (zone: string): Promise<number | null> => {
  try {
    const milli = Number(await readFile(zone, 'utf8'));
    return Number.isFinite(milli) ? milli / 1000 : null;
  } catch {
    return null;
  }
};
