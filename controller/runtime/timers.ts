import type { Cancel, Scheduler } from '../core/ports.js';

/** Timers a table may have armed at once; the rules use fewer than ten. */
const TIMERS_MAX = 64;

/**
 * The rules' timers on the scheduler. Armed only after the row that decided them is durable; what
 * fires comes back as an observation.
 */
export class Timers {
  readonly #scheduler: Scheduler;
  readonly #fire: (timer: string) => void;
  readonly #armed = new Map<string, Cancel>();

  constructor(scheduler: Scheduler, fire: (timer: string) => void) {
    this.#scheduler = scheduler;
    this.#fire = fire;
  }

  /** `dueNs` on the scheduler's clock; null disarms. */
  set(timer: string, dueNs: number | null): void {
    this.#armed.get(timer)?.();
    this.#armed.delete(timer);
    if (dueNs === null) return;
    if (this.#armed.size >= TIMERS_MAX) {
      throw new Error(`more than ${TIMERS_MAX} timers armed; the last one is \`${timer}\``);
    }
    const cancel = this.#scheduler.at(dueNs, () => {
      this.#armed.delete(timer);
      this.#fire(timer);
    });
    this.#armed.set(timer, cancel);
  }

  clear(): void {
    for (const cancel of this.#armed.values()) cancel();
    this.#armed.clear();
  }
}
