import type { Rules } from '../core/decide.js';
import type { Bridge, Journal, Scheduler } from '../core/ports.js';
import { endAll } from './end-all.js';
import type { Log } from './log-port.js';
import { type CrashRecord, TableLoop } from './loop.js';

export interface CardTableParts {
  readonly rules: Rules;
  readonly journal: Journal;
  readonly scheduler: Scheduler;
  readonly bridge: Bridge;
  readonly log: Log;
  readonly version: string;
  readonly crashed?: (record: CrashRecord) => void;
}

/** One whole table: hardware, rules and journal, started and stopped in the right order. */
export class CardTable {
  readonly loop: TableLoop;
  readonly #parts: CardTableParts;
  #isUp = false;

  constructor(parts: CardTableParts) {
    this.#parts = parts;
    this.loop = new TableLoop({
      rules: parts.rules,
      journal: parts.journal,
      scheduler: parts.scheduler,
      log: parts.log,
      version: parts.version,
      perform: (directive) => {
        if (this.#isUp) parts.bridge.perform(directive);
      },
      ...(parts.crashed === undefined ? {} : { crashed: parts.crashed }),
    });
  }

  /** Reads the journal; safe to leave out. Surveillance starts between this and `start`. */
  async restore(): Promise<void> {
    await this.loop.restore();
  }

  /**
   * Restores the table, writes `power.boot`, then listens to the hardware and shows what the
   * restored table shows. @throws JournalFault, BusError.
   */
  async start(): Promise<void> {
    if (this.#isUp) return;
    await this.loop.start();
    await this.#parts.bridge.start((happening, atNs) => {
      this.loop.tell(happening, atNs);
    });
    this.#isUp = true;
    this.loop.reassert();
  }

  /**
   * Hardware to its safe state, `power.off`, journal closed. Safe twice.
   * @param last done after the last row is durable and before the journal closes.
   */
  async stop(last?: () => Promise<void>): Promise<void> {
    this.#isUp = false;
    const { bridge, journal } = this.#parts;
    await endAll([
      () => bridge.stop(),
      () => this.loop.stop(),
      () => last?.(),
      () => journal.close(),
    ]);
  }
}
