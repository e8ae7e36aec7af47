import type { Happening } from '../core/observation.js';
import type { TableStep } from '../core/ports.js';

export interface Arrived {
  readonly happening: Happening;
  /** On the scheduler's clock. */
  readonly atNs: number;
  /** Told once: the durable row it became, or null when it never became one. */
  readonly settle?: (step: TableStep | null) => void;
}

/** Waiting happenings: more than an hour of play at three cards a second never waits this long. */
export const INBOX_MAX = 4096;

/**
 * A bounded queue in order of arrival. When it is full, what comes is counted and one
 * `journal.fault` row tells how many were not taken, in the place where they would have stood.
 */
export class Inbox {
  readonly #max: number;
  #items: Arrived[] = [];
  #next = 0;
  #lost = 0;
  #lostNs = 0;

  constructor(max: number = INBOX_MAX) {
    this.#max = max;
  }

  get size(): number {
    return this.#items.length - this.#next + (this.#lost > 0 ? 1 : 0);
  }

  /** False when the happening was not taken. */
  put(happening: Happening, atNs: number, settle?: Arrived['settle']): boolean {
    if (this.#lost > 0 || this.#items.length - this.#next >= this.#max) {
      if (this.#lost === 0) this.#lostNs = atNs;
      this.#lost += 1;
      return false;
    }
    this.#items.push({ happening, atNs, ...(settle === undefined ? {} : { settle }) });
    return true;
  }

  /** The oldest one; null when nothing waits. */
  take(): Arrived | null {
    const item = this.#items[this.#next];
    if (item !== undefined) {
      this.#next += 1;
      if (this.#next === this.#items.length) {
        this.#items = [];
        this.#next = 0;
      }
      return item;
    }
    if (this.#lost === 0) return null;
    const reason = `inbox full: ${this.#lost} happenings were not taken`;
    this.#lost = 0;
    return { happening: { kind: 'journal.fault', reason }, atNs: this.#lostNs };
  }

  clear(): number {
    const waiting = this.#items.length - this.#next + this.#lost;
    for (const { settle } of this.#items.slice(this.#next)) settle?.(null);
    this.#items = [];
    this.#next = 0;
    this.#lost = 0;
    return waiting;
  }
}
