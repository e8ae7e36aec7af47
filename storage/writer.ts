import type { DocumentKind } from '../controller/core/ports.js';
import { JournalFault } from './fault.js';
import { type Opened, type RowBatch, type SavedState, Store } from './store.js';

/** What a writer tells the journal; a fault is its last word. */
export interface WriterEvents {
  /** Every row up to `seq` is durable. */
  durable(seq: number): void;
  failed(fault: JournalFault): void;
}

/** Some rows of a group, and how many more follow. */
export interface GroupPart {
  readonly batch: RowBatch;
  /** Rows of the same group still to come; 0 in its last part. */
  readonly rest: number;
}

/** Puts rows on the disk: in a thread of its own, or in place. */
export interface Writer {
  /** @throws JournalFault */
  open(events: WriterEvents): Promise<Opened>;
  /** A part of a group; the rows of a group are durable together, after its last part. */
  append(part: GroupPart): void;
  moveCursor(consumer: string, seq: number): void;
  saveState(saved: SavedState): void;
  putDocument(kind: DocumentKind, hash: string, text: string): Promise<void>;
  prune(seq: number, consumer: string, wallMs: number): Promise<number>;
  backup(to: string): Promise<void>;
  close(): Promise<void>;
}

/** Commits in the caller's turn: for simulated time and tests, where order must repeat exactly. */
export class InlineWriter implements Writer {
  readonly #store: Store;
  #events: WriterEvents | null = null;
  #fault: JournalFault | null = null;

  /** `store`: where the rows go; a simulated disk gives its own. */
  constructor(path: string, store: Store = new Store(path)) {
    this.#store = store;
  }

  open(events: WriterEvents): Promise<Opened> {
    this.#events = events;
    return new Promise((resolve) => resolve(this.#store.open()));
  }

  append({ batch, rest }: GroupPart): void {
    if (this.#fault !== null) return;
    try {
      this.#store.put(batch);
      if (rest > 0) return;
      this.#store.commit();
      this.#events?.durable(batch.firstSeq + batch.bodies.length - 1);
    } catch (cause) {
      this.#fail(cause);
    }
  }

  moveCursor(consumer: string, seq: number): void {
    this.#store.moveCursor(consumer, seq);
  }

  saveState(saved: SavedState): void {
    this.#store.saveState(saved);
  }

  putDocument(kind: DocumentKind, hash: string, text: string): Promise<void> {
    return this.#try(() => this.#store.putDocument(kind, hash, text));
  }

  prune(seq: number, consumer: string, wallMs: number): Promise<number> {
    return this.#try(() => this.#store.prune(seq, consumer, wallMs));
  }

  async backup(to: string): Promise<void> {
    await this.#store.backup(to);
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#fault === null) this.#store.close();
      resolve();
    });
  }

  async #try<T>(work: () => T): Promise<T> {
    await Promise.resolve();
    if (this.#fault !== null) throw this.#fault;
    try {
      return work();
    } catch (cause) {
      throw this.#fail(cause);
    }
  }

  #fail(cause: unknown): JournalFault {
    const fault =
      cause instanceof JournalFault ? cause : new JournalFault('stopped', String(cause), cause);
    this.#fault = fault;
    this.#store.abandon();
    this.#events?.failed(fault);
    return fault;
  }
}
