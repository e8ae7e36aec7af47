import type { Cancel, Scheduler } from '../core/ports.js';

/** setTimeout takes 31 bits of milliseconds; longer waits are cut in pieces. */
const LONGEST_WAIT_MS = 2_000_000_000;

const nothing = (): void => undefined;

/**
 * CLOCK_MONOTONIC, the clock the kernel stamps GPIO edges with, and the machine's wall clock.
 * Whether the wall clock is trusted is told from outside (`clock-trust.ts`): nobody here knows.
 */
export class RealScheduler implements Scheduler {
  readonly #waiting = new Set<NodeJS.Timeout>();
  #trusted = false;
  #closed = false;
  readonly #clock: Pick<Scheduler, 'wallTrusted'> | null;

  /** `clock`: whose word on the wall clock counts; left out: what `trust` was told last. */
  constructor(clock: Pick<Scheduler, 'wallTrusted'> | null = null) {
    this.#clock = clock;
  }

  nowNs(): number {
    return Number(process.hrtime.bigint());
  }

  wallMs(): number {
    return Date.now();
  }

  wallTrusted(): boolean {
    return this.#clock?.wallTrusted() ?? this.#trusted;
  }

  trust(trusted: boolean): void {
    this.#trusted = trusted;
  }

  at(dueNs: number, task: () => void): Cancel {
    let cancelled = false;
    let cancelTimeout = nothing;
    const wait = (): void => {
      const leftMs = Math.ceil((dueNs - this.nowNs()) / 1e6);
      const timeout = setTimeout(
        () => {
          this.#waiting.delete(timeout);
          fire();
        },
        Math.min(Math.max(0, leftMs), LONGEST_WAIT_MS),
      );
      this.#waiting.add(timeout);
      cancelTimeout = () => {
        clearTimeout(timeout);
        this.#waiting.delete(timeout);
      };
    };
    // Node's timers may fire up to a millisecond early: then the rest is waited for.
    const fire = (): void => {
      if (cancelled) return;
      if (this.nowNs() < dueNs) wait();
      else task();
    };
    if (!this.#closed) wait();
    return () => {
      cancelled = true;
      cancelTimeout();
    };
  }

  /** Nothing fires any more: what it served was stopped, and the process may end. */
  close(): void {
    this.#closed = true;
    for (const timeout of this.#waiting) clearTimeout(timeout);
    this.#waiting.clear();
  }
}
