import type { Cancel, Scheduler } from '../core/ports.js';
import type { LoopMode } from './loop.js';

/** What is asked of the loop: whether it runs, waits for nothing, or gets on with its rows. */
export interface Watched {
  readonly mode: LoopMode;
  readonly idle: boolean;
  state(): { readonly seq: number };
}

/**
 * Feeds the service manager's watchdog, but never from a bare timer: only while the loop runs and
 * has either nothing to do or brought a row further since the last time. A journal that hangs, or
 * a loop that spins, is not fed and the service is started again.
 */
export class Watchdog {
  readonly #watched: Watched;
  readonly #scheduler: Scheduler;
  readonly #feed: () => void;
  readonly #everyNs: number;
  #cancel: Cancel = () => undefined;
  #lastSeq = -1;

  /** `limitMs`: how long the service manager waits; it is fed three times in that. */
  constructor(watched: Watched, scheduler: Scheduler, limitMs: number, feed: () => void) {
    this.#watched = watched;
    this.#scheduler = scheduler;
    this.#feed = feed;
    this.#everyNs = (limitMs * 1e6) / 3;
  }

  start(): void {
    this.#cancel();
    this.#cancel = this.#scheduler.at(this.#scheduler.nowNs() + this.#everyNs, () => {
      this.#look();
      this.start();
    });
  }

  stop(): void {
    this.#cancel();
  }

  #look(): void {
    const { mode, idle } = this.#watched;
    const { seq } = this.#watched.state();
    // A journal fault is shown and waits for a technician: starting again would not cure it.
    if (mode === 'fault' || (mode === 'run' && (idle || seq > this.#lastSeq))) this.#feed();
    this.#lastSeq = seq;
  }
}

/** The service manager's limit in ms, as systemd tells it; null where there is none. */
export const watchdogLimitMs = (
  env: Readonly<Record<string, string | undefined>>,
): number | null => {
  const us = Number(env['WATCHDOG_USEC']);
  return Number.isFinite(us) && us > 0 ? us / 1000 : null;
};
