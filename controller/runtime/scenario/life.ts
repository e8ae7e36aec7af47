import type { Cancel, Scheduler } from '../../core/ports.js';

const nothing = (): void => undefined;

/**
 * Time as one run of the process has it: when the process dies, nothing it had planned happens any
 * more, while the table, the broker and the clock go on.
 */
export class ProcessLife implements Scheduler {
  readonly #clock: Scheduler;
  #isAlive = true;

  constructor(clock: Scheduler) {
    this.#clock = clock;
  }

  nowNs(): number {
    return this.#clock.nowNs();
  }

  wallMs(): number {
    return this.#clock.wallMs();
  }

  wallTrusted(): boolean {
    return this.#clock.wallTrusted();
  }

  at(dueNs: number, task: () => void): Cancel {
    if (!this.#isAlive) return nothing;
    return this.#clock.at(dueNs, () => {
      if (this.#isAlive) task();
    });
  }

  end(): void {
    this.#isAlive = false;
  }
}
