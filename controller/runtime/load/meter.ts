/** Times kept for the percentiles; beyond it every further one replaces a random older one. */
const SAMPLES_MAX = 200_000;

export interface Spread {
  readonly count: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly p99Ms: number | null;
  readonly maxMs: number | null;
}

/** A set of times, for percentiles. */
export class Times {
  readonly #samples: number[] = [];
  #count = 0;
  #max = 0;

  add(ms: number): void {
    this.#count += 1;
    this.#max = Math.max(this.#max, ms);
    if (this.#samples.length < SAMPLES_MAX) this.#samples.push(ms);
    else {
      const at = Math.floor(Math.random() * this.#count);
      if (at < SAMPLES_MAX) this.#samples[at] = ms;
    }
  }

  spread(): Spread {
    const sorted = [...this.#samples].sort((a, b) => a - b);
    const at = (share: number): number | null => {
      const ms = sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)];
      return ms === undefined ? null : Math.round(ms * 10) / 10;
    };
    return {
      count: this.#count,
      p50Ms: at(0.5),
      p95Ms: at(0.95),
      p99Ms: at(0.99),
      maxMs: this.#count === 0 ? null : Math.round(this.#max * 10) / 10,
    };
  }
}

interface TableTimes {
  /** When each row was first published; taken off when the last stage has seen it. */
  readonly published: Map<number, number>;
  newest: number;
  acked: number;
  shown: number;
  held: number;
}

/**
 * Follows each row from being published to being acknowledged by the historian, shown on the wall
 * (the tile of a state at or after it) and shown there as held.
 */
export class LoadMeter {
  readonly acked = new Times();
  readonly shown = new Times();
  readonly held = new Times();
  readonly #tables = new Map<string, TableTimes>();
  #isMeasuring = false;
  #sent = 0;

  /** Rows published, each counted once. */
  get sent(): number {
    return this.#sent;
  }

  /** Times count from now on: what went before was warming up. */
  measure(): void {
    this.#isMeasuring = true;
  }

  published(table: string, seq: number, nowMs: number): void {
    const times = this.#of(table);
    if (seq <= times.newest) return;
    times.newest = seq;
    times.published.set(seq, nowMs);
    this.#sent += 1;
  }

  ack(table: string, seq: number, nowMs: number): void {
    const times = this.#of(table);
    this.#pass(times, times.acked, seq, nowMs, this.acked);
    times.acked = Math.max(times.acked, seq);
    this.#forget(times);
  }

  tile(table: string, shownSeq: number | null, heldSeq: number, nowMs: number): void {
    const times = this.#of(table);
    if (shownSeq !== null) {
      this.#pass(times, times.shown, shownSeq, nowMs, this.shown);
      times.shown = Math.max(times.shown, shownSeq);
    }
    this.#pass(times, times.held, heldSeq, nowMs, this.held);
    times.held = Math.max(times.held, heldSeq);
    this.#forget(times);
  }

  /** Rows published that the historian has not acknowledged. */
  unacknowledged(): number {
    let rows = 0;
    for (const { newest, acked } of this.#tables.values()) {
      rows += Math.max(0, newest - acked);
    }
    return rows;
  }

  ackOf(table: string): number {
    return this.#of(table).acked;
  }

  #pass(times: TableTimes, from: number, to: number, nowMs: number, into: Times): void {
    if (!this.#isMeasuring) return;
    for (let seq = from + 1; seq <= to; seq += 1) {
      const at = times.published.get(seq);
      if (at !== undefined) into.add(nowMs - at);
    }
  }

  #forget(times: TableTimes): void {
    const done = Math.min(times.acked, times.shown, times.held);
    for (const seq of times.published.keys()) {
      if (seq > done) break;
      times.published.delete(seq);
    }
  }

  #of(table: string): TableTimes {
    const known = this.#tables.get(table);
    if (known !== undefined) return known;
    const made = { published: new Map(), newest: 0, acked: 0, shown: 0, held: 0 };
    this.#tables.set(table, made);
    return made;
  }
}
