import { ackTopicOf } from '../contract/topics.js';
import { tableIdOf } from './api.js';
import type { Mark } from './store/row-store.js';

/** Least time between two acks to one table, ms: a table's cursor need not move at every card. */
const GAP_MS = 200;
/** After connecting, so long for the acks the broker kept to come in, ms. */
const SETTLE_MS = 3000;

interface Said {
  seq: number;
  atMs: number;
}

export interface AcksParts {
  readonly consumer: string;
  readonly publish: (topic: string, payload: string) => boolean;
  readonly nowMs: () => number;
}

/**
 * Tells each table how far its rows are held. Only what the store has committed is said, and what
 * the broker keeps is put right where it says less: another instance may have been overtaken by its
 * own older word.
 */
export class Acks {
  readonly #parts: AcksParts;
  readonly #held = new Map<string, Mark>();
  readonly #heard = new Map<string, number>();
  readonly #said = new Map<string, Said>();
  readonly #due = new Set<string>();
  #upMs: number | null = null;

  constructor(parts: AcksParts) {
    this.#parts = parts;
  }

  /** Acks still to be said. */
  get waiting(): number {
    return this.#due.size;
  }

  up(): void {
    this.#upMs = this.#parts.nowMs();
    this.#heard.clear();
  }

  down(): void {
    this.#upMs = null;
  }

  /** What the store holds of a table now; said at once or a little later. */
  held(mark: Mark): void {
    const known = this.#held.get(mark.table);
    if (known !== undefined && known.seq >= mark.seq) return;
    this.#held.set(mark.table, mark);
    this.#due.add(mark.table);
    this.#say(mark.table);
  }

  /** The store was emptied or exchanged: less is held than was said, and that is said too. */
  holdsLess(mark: Mark): void {
    this.#held.set(mark.table, mark);
    this.#due.add(mark.table);
  }

  /** An ack of this consumer's name went by: ours, another instance's, or one the broker kept. */
  heard(table: string, seq: number): void {
    this.#heard.set(table, seq);
    const mark = this.#held.get(table);
    if (mark !== undefined && seq < mark.seq && !this.#due.has(table)) this.#due.add(table);
  }

  /** Tables whose ack at the broker is ahead of what is held here; null while that may change. */
  ahead(): readonly string[] {
    if (this.#upMs === null || this.#parts.nowMs() - this.#upMs < SETTLE_MS) return [];
    return [...this.#heard].flatMap(([table, seq]) =>
      seq > (this.#held.get(table)?.seq ?? 0) ? [table] : [],
    );
  }

  /** Says what waits; call it some times a second. */
  tick(): void {
    for (const table of this.#due) this.#say(table);
    if (this.#upMs === null || this.#parts.nowMs() - this.#upMs < SETTLE_MS) return;
    for (const [table, { seq }] of this.#held) {
      // A broker that lost what it kept is told again; a seq of 0 asks for everything.
      if (!this.#heard.has(table) && seq >= 0) this.#due.add(table);
    }
  }

  #say(table: string): void {
    const mark = this.#held.get(table);
    const id = tableIdOf(table);
    if (mark === undefined || id === null || this.#upMs === null) return;
    const nowMs = this.#parts.nowMs();
    const said = this.#said.get(table);
    if (said !== undefined && nowMs - said.atMs < GAP_MS) return;
    const payload = JSON.stringify({ seq: mark.seq, hash: mark.hash });
    if (!this.#parts.publish(ackTopicOf(id, this.#parts.consumer), payload)) return;
    this.#said.set(table, { seq: mark.seq, atMs: nowMs });
    this.#due.delete(table);
  }
}
