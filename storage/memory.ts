import type {
  DocumentKind,
  Journal,
  JournalRow,
  Snapshot,
  TableStep,
} from '../controller/core/ports.js';
import { hashText, NO_HASH } from './canonical.js';
import { JournalFault } from './fault.js';
import { chainSteps, type ChainEnd } from './rows.js';
import { judgeSaved, savedOf } from './snapshot.js';
import type { SavedState } from './store.js';

const WHERE = 'in memory';

/** What outlives a journal in memory: pass the same store to the next one, as to a disk. */
export interface MemoryStore {
  readonly rows: JournalRow[];
  readonly times: number[];
  readonly cursors: Map<string, number>;
  readonly documents: Map<string, string>;
  saved: SavedState | null;
}

export const memoryStore = (): MemoryStore => ({
  rows: [],
  times: [],
  cursors: new Map(),
  documents: new Map(),
  saved: null,
});

/**
 * A journal with the same text, hashes and promises as the one on disk, for fast runs: a row is
 * durable once `append` has resolved, in the same turn of the loop.
 */
export class MemoryJournal implements Journal {
  readonly #store: MemoryStore;
  #end: ChainEnd;
  #fault: JournalFault | null = null;

  constructor(store: MemoryStore = memoryStore()) {
    this.#store = store;
    const last = store.rows.at(-1);
    this.#end = {
      seq: last?.seq ?? 0,
      hash: last?.hash ?? NO_HASH,
      atNs: store.times.at(-1) ?? 0,
    };
  }

  head(): { readonly seq: number; readonly hash: string } {
    return { seq: this.#end.seq, hash: this.#end.hash };
  }

  append(steps: readonly TableStep[]): Promise<void> {
    if (this.#fault !== null) return Promise.reject(this.#fault);
    try {
      const { rows, end } = chainSteps(this.#end, steps, WHERE);
      for (const row of rows) this.#store.rows.push(row);
      for (const { observation } of steps) this.#store.times.push(observation.atNs);
      this.#end = end;
      return Promise.resolve();
    } catch (cause) {
      const fault =
        cause instanceof JournalFault
          ? cause
          : new JournalFault('order', `journal ${WHERE}: ${String(cause)}`, cause);
      this.#fault = fault;
      return Promise.reject(fault);
    }
  }

  /** Breaks the journal as a disk would: what is appended from now on is refused. */
  breakDown(fault: JournalFault): void {
    this.#fault ??= fault;
  }

  /** Ends it without a word, as a power cut would; the store keeps every acknowledged row. */
  kill(): void {
    this.#fault ??= new JournalFault('stopped', `journal ${WHERE} lost its power`);
  }

  read(afterSeq: number, limit: number): Promise<readonly JournalRow[]> {
    return Promise.resolve(this.#store.rows.slice(afterSeq, afterSeq + limit));
  }

  cursor(consumer: string): number {
    return this.#store.cursors.get(consumer) ?? 0;
  }

  moveCursor(consumer: string, seq: number): void {
    if (this.#fault === null) this.#store.cursors.set(consumer, seq);
  }

  snapshot(): Promise<Snapshot | null> {
    const { saved, rows } = this.#store;
    if (saved === null) return Promise.resolve(null);
    const judged = judgeSaved(saved, rows[saved.seq - 1]?.hash ?? null);
    return Promise.resolve(judged.ok ? judged.snapshot : null);
  }

  saveSnapshot(snapshot: Snapshot): void {
    if (this.#fault === null) this.#store.saved = savedOf(snapshot, null);
  }

  putDocument(kind: DocumentKind, hash: string, text: string): Promise<void> {
    if (hashText(text) !== hash) {
      const what = `journal ${WHERE}: the ${kind} document is not the one its hash names`;
      return Promise.reject(new JournalFault('order', what));
    }
    if (this.#fault !== null) return Promise.reject(this.#fault);
    this.#store.documents.set(hash, text);
    return Promise.resolve();
  }

  document(hash: string): Promise<string | null> {
    return Promise.resolve(this.#store.documents.get(hash) ?? null);
  }

  close(): Promise<void> {
    this.#fault ??= new JournalFault('stopped', `journal ${WHERE} is closed`);
    return Promise.resolve();
  }
}
