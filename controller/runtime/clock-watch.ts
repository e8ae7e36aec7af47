import type { Happening } from '../core/observation.js';
import type { Cancel, Scheduler } from '../core/ports.js';

/** How often wall and monotonic clock are laid side by side. */
export const WATCH_MS = 10_000;
/** A smaller jump is a time service at work, not a step. */
export const STEP_MIN_MS = 500;

export interface ClockWatchParts {
  readonly scheduler: Scheduler;
  readonly tell: (happening: Happening) => void;
  /** What the time service says now; null: nobody knows, which counts as not trusted. */
  readonly askTrust: () => Promise<boolean | null>;
  readonly setTrust: (trusted: boolean) => void;
}

/**
 * Tells the rules when the wall clock steps or its trust changes. Says nothing while nothing
 * changes, so that an idle table writes nothing.
 */
export class ClockWatch {
  readonly #parts: ClockWatchParts;
  #cancel: Cancel = () => undefined;
  #running = false;
  #baseMs = 0;
  #trusted: boolean | null = null;

  constructor(parts: ClockWatchParts) {
    this.#parts = parts;
  }

  async start(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    this.#baseMs = this.#differenceMs();
    await this.check();
  }

  stop(): void {
    this.#running = false;
    this.#cancel();
  }

  /** Looks at once; while it runs, again after `WATCH_MS`. */
  async check(): Promise<void> {
    this.#cancel();
    const differenceMs = this.#differenceMs();
    const stepMs = Math.round(differenceMs - this.#baseMs);
    this.#baseMs = differenceMs;
    if (Math.abs(stepMs) >= STEP_MIN_MS) this.#parts.tell({ kind: 'clock.step', stepMs });
    const trusted = (await this.#parts.askTrust()) ?? false;
    if (trusted !== this.#trusted) {
      this.#trusted = trusted;
      this.#parts.setTrust(trusted);
      this.#parts.tell({ kind: 'clock.trust', trusted });
    }
    if (!this.#running) return;
    const { scheduler } = this.#parts;
    this.#cancel = scheduler.at(scheduler.nowNs() + WATCH_MS * 1e6, () => void this.check());
  }

  #differenceMs(): number {
    const { scheduler } = this.#parts;
    return scheduler.wallMs() - scheduler.nowNs() / 1e6;
  }
}
