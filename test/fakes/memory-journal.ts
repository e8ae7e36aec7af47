import { createHash } from 'node:crypto';
import type {
  DocumentKind,
  Journal,
  JournalRow,
  Snapshot,
  TableStep,
} from '../../controller/core/ports.js';

const ZERO = '0'.repeat(64);

/** A journal in memory with the port's promises: order, one hash chain, faults on request. */
export class MemoryJournal implements Journal {
  readonly rows: JournalRow[] = [];
  readonly batches: number[] = [];
  readonly documents = new Map<string, { kind: DocumentKind; text: string }>();
  saved: Snapshot | null = null;
  /** The next append fails with this, and so does every one after it. */
  failWith: string | null = null;
  /** Where given, an append becomes durable only when this resolves. */
  hold: Promise<void> | null = null;
  readonly #cursors = new Map<string, number>();

  head(): { readonly seq: number; readonly hash: string } {
    const last = this.rows.at(-1);
    return last === undefined ? { seq: 0, hash: ZERO } : { seq: last.seq, hash: last.hash };
  }

  async append(steps: readonly TableStep[]): Promise<void> {
    if (this.hold !== null) await this.hold;
    await Promise.resolve();
    if (this.failWith !== null) throw new Error(this.failWith);
    this.batches.push(steps.length);
    for (const step of steps) {
      const { seq, hash: prev } = this.head();
      if (step.observation.seq !== seq + 1) throw new Error(`row ${seq + 1} is missing`);
      const body = JSON.stringify(step);
      const hash = createHash('sha256').update(prev).update(body).digest('hex');
      this.rows.push({ seq: seq + 1, prev, hash, body });
    }
  }

  read(afterSeq: number, limit: number): Promise<readonly JournalRow[]> {
    return Promise.resolve(this.rows.slice(afterSeq, afterSeq + limit));
  }

  cursor(consumer: string): number {
    return this.#cursors.get(consumer) ?? 0;
  }

  moveCursor(consumer: string, seq: number): void {
    this.#cursors.set(consumer, seq);
  }

  snapshot(): Promise<Snapshot | null> {
    return Promise.resolve(this.saved);
  }

  saveSnapshot(snapshot: Snapshot): void {
    this.saved = snapshot;
  }

  putDocument(kind: DocumentKind, hash: string, text: string): Promise<void> {
    this.documents.set(hash, { kind, text });
    return Promise.resolve();
  }

  document(hash: string): Promise<string | null> {
    return Promise.resolve(this.documents.get(hash)?.text ?? null);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
