import type { Acks } from './acks.js';
import { tableIdOf } from './api.js';
import type { FloorLog } from './log.js';
import type { Papers } from './papers.js';
import type { FloorStore } from './store/floor-store.js';
import type { Mark } from './store/row-store.js';
import type { TableRecord } from './tile.js';
import type { WallBook } from './wall-book.js';

export interface MarksParts {
  readonly store: FloorStore;
  readonly book: WallBook;
  readonly acks: Acks;
  readonly papers: Papers;
  readonly log: FloorLog;
  /** A line of the audit. */
  readonly note: (what: string, about: string) => Promise<void>;
}

/** How far each table's rows are held: told to the wall and to the tables. */
export class Marks {
  readonly #parts: MarksParts;
  #isLooking = false;

  constructor(parts: MarksParts) {
    this.#parts = parts;
  }

  take(mark: Mark): void {
    const { book, acks } = this.#parts;
    const id = tableIdOf(mark.table);
    const record = id === null ? null : book.meet(id);
    if (record === null) return;
    book.holding(record, mark);
    acks.held(mark);
  }

  /** The table no longer has the rows before the lowest one held: its run begins there. */
  async adopt(record: TableRecord): Promise<void> {
    const { store, note } = this.#parts;
    const lowest = await store.rows.lowest(record.key);
    if (lowest === null || lowest === 1) return;
    const mark = await store.rows.adopt(record.key, lowest);
    if (mark === null) return;
    await note('adopt', `${record.key}: the table has no rows before ${lowest}`);
    this.take(mark);
  }

  /** What other instances moved; and a store that holds less than was said. */
  async lookUp(): Promise<void> {
    const { store, book, acks, papers, log } = this.#parts;
    const isShared = store.db.kind === 'postgresql';
    if (!isShared && acks.ahead().length === 0) return;
    const marks = await store.rows.marks();
    for (const mark of marks) this.take(mark);
    if (isShared) await papers.look();
    const held = new Map(marks.map((mark) => [mark.table, mark]));
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      for (const table of acks.ahead()) {
        const id = tableIdOf(table);
        if (id === null) continue;
        const mark = held.get(table) ?? (await this.#emptyMark(table));
        const record = book.meet(id);
        if (record !== null) book.holdsLess(record, mark);
        acks.holdsLess(mark);
        log.warn({ table, seq: mark.seq }, 'the store holds less than was acknowledged');
      }
    } finally {
      this.#isLooking = false;
    }
  }

  async #emptyMark(table: string): Promise<Mark> {
    const { rows } = this.#parts.store;
    await rows.placeOf(table);
    const mark = (await rows.marks()).find((one) => one.table === table);
    if (mark === undefined) throw new Error(`table ${table} has no mark`);
    return mark;
  }
}
