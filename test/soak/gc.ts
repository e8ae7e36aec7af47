import { PerformanceObserver } from 'node:perf_hooks';

/** No pause while playing may be longer, ms. */
export const PAUSE_LIMIT_MS = 5;
/** The performance entry's own number for a collection that was asked for. */
const FORCED = 4;

export interface GcSeen {
  readonly pauses: number;
  readonly longestMs: number;
  readonly totalMs: number;
  /** Pauses over the limit, by kind: 1 young, 4 mark and sweep, 8 incremental, 16 weak. */
  readonly over: Readonly<Record<string, number>>;
}

/** Watches the collector of this thread. The collections that a sample asks for do not count. */
export class GcWatch {
  #pauses = 0;
  #longestMs = 0;
  #totalMs = 0;
  readonly #over: Record<string, number> = {};
  readonly #observer: PerformanceObserver;

  constructor() {
    this.#observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        this.#note(entry.duration, 'detail' in entry ? entry.detail : null);
      }
    });
    this.#observer.observe({ entryTypes: ['gc'] });
  }

  seen(): GcSeen {
    return {
      pauses: this.#pauses,
      longestMs: this.#longestMs,
      totalMs: this.#totalMs,
      over: { ...this.#over },
    };
  }

  stop(): void {
    this.#observer.disconnect();
  }

  #note(ms: number, detail: unknown): void {
    const { kind, flags } = kindOf(detail);
    if ((flags & FORCED) !== 0) return;
    this.#pauses += 1;
    this.#totalMs += ms;
    this.#longestMs = Math.max(this.#longestMs, ms);
    if (ms > PAUSE_LIMIT_MS) this.#over[kind] = (this.#over[kind] ?? 0) + 1;
  }
}

const kindOf = (detail: unknown): { readonly kind: string; readonly flags: number } => {
  if (typeof detail !== 'object' || detail === null) return { kind: '?', flags: 0 };
  const kind = 'kind' in detail ? String(detail.kind) : '?';
  const flags = 'flags' in detail && typeof detail.flags === 'number' ? detail.flags : 0;
  return { kind, flags };
};
