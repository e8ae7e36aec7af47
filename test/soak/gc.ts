import { readFileSync } from 'node:fs';
import { createHistogram, PerformanceObserver } from 'node:perf_hooks';
import { Control, type ControlSeen } from './control.js';

/** No pause while playing may be longer, ms. */
export const PAUSE_LIMIT_MS = 5;
/** The performance entry's own numbers: a collection of the whole heap, and one asked for. */
const FULL = '4';
const FORCED = 4;
const US_PER_MS = 1000;

export interface GcSeen {
  readonly pauses: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly longestMs: number;
  readonly totalMs: number;
  /** Pauses over the limit, by kind: 1 young, 4 mark and sweep, 8 incremental, 16 weak. */
  readonly over: Readonly<Record<string, number>>;
  /** Plain work of the same length in the same thread, as often: what the machine alone does. */
  readonly control: ControlSeen;
  /** This thread stood ready and had no processor, ms; null where the kernel does not say. */
  readonly unservedMs: number | null;
}

/** Time this process's main thread waited for a processor since it began, ms. */
const unservedMs = (): number | null => {
  try {
    const [, waitedNs] = readFileSync('/proc/self/schedstat', 'utf8').split(' ');
    return Number(waitedNs) / 1e6;
  } catch {
    return null;
  }
};

/**
 * Watches the collector of this thread, and after each of its pauses does plain work as long as
 * the median pause: what that is over the limit, the machine did and not the collector. Keeps a
 * histogram and no list, for what the instrument keeps the collector must carry.
 */
export class GcWatch {
  #longestMs = 0;
  #totalMs = 0;
  #heapBytes: number | null = null;
  readonly #pauses = createHistogram();
  readonly #control = new Control(PAUSE_LIMIT_MS);
  readonly #over: Record<string, number> = {};
  readonly #observer: PerformanceObserver;
  readonly #unservedMs = unservedMs();

  constructor() {
    this.#observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        this.#note(entry.duration, 'detail' in entry ? entry.detail : null);
      }
    });
    this.#observer.observe({ entryTypes: ['gc'] });
  }

  seen(): GcSeen {
    const waited = unservedMs();
    const pauses = this.#pauses.count;
    return {
      pauses,
      medianMs: pauses === 0 ? 0 : this.#pauses.percentile(50) / US_PER_MS,
      p99Ms: pauses === 0 ? 0 : this.#pauses.percentile(99) / US_PER_MS,
      longestMs: this.#longestMs,
      totalMs: this.#totalMs,
      over: { ...this.#over },
      control: this.#control.seen(),
      unservedMs: waited === null ? null : waited - (this.#unservedMs ?? 0),
    };
  }

  /** The heap as the last collection of all of it left it, bytes; as it is where none was yet. */
  get heapBytes(): number {
    return this.#heapBytes ?? process.memoryUsage().heapUsed;
  }

  stop(): void {
    this.#observer.disconnect();
  }

  #note(ms: number, detail: unknown): void {
    const { kind, flags } = kindOf(detail);
    if (kind === FULL) this.#heapBytes = process.memoryUsage().heapUsed;
    if ((flags & FORCED) !== 0) return;
    this.#pauses.record(Math.max(1, Math.round(ms * US_PER_MS)));
    this.#totalMs += ms;
    this.#longestMs = Math.max(this.#longestMs, ms);
    if (ms > PAUSE_LIMIT_MS) this.#over[kind] = (this.#over[kind] ?? 0) + 1;
    this.#control.work(this.#pauses.percentile(50) / US_PER_MS);
  }
}

const kindOf = (detail: unknown): { readonly kind: string; readonly flags: number } => {
  if (typeof detail !== 'object' || detail === null) return { kind: '?', flags: 0 };
  const kind = 'kind' in detail ? String(detail.kind) : '?';
  const flags = 'flags' in detail && typeof detail.flags === 'number' ? detail.flags : 0;
  return { kind, flags };
};
