import type { Scheduler } from '../../controller/core/ports.js';

/** A row sent later than this after it became durable is historical, ns. */
export const LATE_AFTER_NS = 5e9;
/** Rows of one stretch of time share a mark. */
const MARK_EVERY_NS = 100e6;

/** Tells which rows are too old to be sent as live ones. Holds some fifty numbers at most. */
export class LateMark {
  readonly #scheduler: Scheduler;
  #late = 0;
  #marks: { seq: number; readonly atNs: number }[] = [];

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  /** What the journal held when the link came up was not heard live by anybody. */
  connected(headSeq: number): void {
    this.#late = Math.max(this.#late, headSeq);
    this.#marks = [];
  }

  committed(seq: number): void {
    const atNs = this.#scheduler.nowNs();
    const last = this.#marks.at(-1);
    if (last !== undefined && atNs - last.atNs < MARK_EVERY_NS) last.seq = seq;
    else {
      this.#marks.push({ seq, atNs });
      this.#expire(atNs);
    }
  }

  /** Rows up to this one are late. */
  seq(): number {
    this.#expire(this.#scheduler.nowNs());
    return this.#late;
  }

  #expire(nowNs: number): void {
    for (;;) {
      const first = this.#marks[0];
      if (first === undefined || nowNs - first.atNs < LATE_AFTER_NS + MARK_EVERY_NS) return;
      this.#late = Math.max(this.#late, first.seq);
      this.#marks.shift();
    }
  }
}
