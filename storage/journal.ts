import type {
  Cancel,
  DocumentKind,
  Journal,
  JournalRow,
  Snapshot,
  TableStep,
} from '../controller/core/ports.js';
import { hashText } from './canonical.js';
import { type DeviceKey } from './checkpoint.js';
import { JournalFault } from './fault.js';
import { JournalReader } from './reader.js';
import { signMarks } from './rebuilt.js';
import { batchOf, chainSteps, type ChainEnd, RecentRows } from './rows.js';
import { judgeSaved, savedOf } from './snapshot.js';
import { retirableTo, type Retirement } from './retention.js';
import { CheckpointSigner } from './signer.js';
import { MAX_GROUP_ROWS, type Opened, type SignedCheckpoint } from './store.js';
import { WorkerWriter } from './worker-writer.js';
import { InlineWriter, type Writer } from './writer.js';

/** Newest rows kept in memory for whoever publishes them. */
const RECENT_ROWS = 2048;
/** Most rows one `read` gives. */
export const MAX_READ_ROWS = 10_000;
/** Steps written out before the writer gets them; a divisor of its largest group. */
const PART_ROWS = 16;
/** Most steps not yet durable; a disk that slow is a fault, not a reason to fill the memory. */
const MAX_PENDING_ROWS = 100_000;

export interface JournalOptions {
  /** `worker`: a thread commits (the product) · `inline`: in place (simulated time, tests). */
  readonly writer: 'worker' | 'inline';
  /** Told in plain words what was passed over: an unsound saved state, for one. */
  readonly notice?: (text: string) => void;
  /** Signs checkpoints; without it there are none. */
  readonly key?: DeviceKey;
  /** Between two checkpoints at most so many rows or so much watched time. */
  readonly checkpointRows?: number;
  readonly checkpointNs?: number;
}

interface Pending {
  readonly lastSeq: number;
  readonly rows: readonly JournalRow[];
  readonly checkpoints: readonly SignedCheckpoint[];
  readonly resolve: () => void;
  readonly reject: (fault: JournalFault) => void;
}

/**
 * Opens the journal in the file `path`, or makes it. One process at a time.
 * @throws JournalFault (`locked`, `corrupt`, `format`, `read-only`, `full`, `io`): nothing was
 * changed, and a damaged file stays as it is.
 */
export const openJournal = async (
  path: string,
  options: JournalOptions,
): Promise<SqliteJournal> => {
  const writer = options.writer === 'worker' ? new WorkerWriter(path) : new InlineWriter(path);
  const journal = new SqliteJournal(path, writer, options);
  await journal.open();
  return journal;
};

/** The journal in an SQLite file. Made by `openJournal`. */
export class SqliteJournal implements Journal {
  readonly path: string;
  readonly #writer: Writer;
  readonly #options: JournalOptions;
  readonly #recent = new RecentRows(RECENT_ROWS);
  readonly #cursors = new Map<string, number>();
  readonly #signer: CheckpointSigner | null;
  readonly #listeners = new Set<(signed: SignedCheckpoint) => void>();
  #checkpoint: SignedCheckpoint | null = null;
  #pending: Pending[] = [];
  #pendingRows = 0;
  /** Last durable row. */
  #head: { readonly seq: number; readonly hash: string } = { seq: 0, hash: '' };
  /** Last row handed to the writer. */
  #end: ChainEnd = { seq: 0, hash: '', atNs: 0 };
  #reader: JournalReader | null = null;
  #fault: JournalFault | null = null;
  #opened: Opened | null = null;

  constructor(path: string, writer: Writer, options: JournalOptions) {
    this.path = path;
    this.#writer = writer;
    this.#options = options;
    this.#signer = options.key === undefined ? null : new CheckpointSigner(options.key, options);
  }

  /** Used by `openJournal`. */
  async open(): Promise<void> {
    const opened = await this.#writer.open({
      durable: (seq) => this.#durable(seq),
      failed: (fault) => this.#fail(fault),
    });
    this.#opened = opened;
    this.#head = opened.head;
    this.#end = { ...opened.head, atNs: opened.atNs };
    for (const [consumer, seq] of opened.cursors) {
      this.#cursors.set(consumer, Math.min(seq, opened.head.seq));
    }
    const reader = JournalReader.open(this.path);
    this.#reader = reader;
    this.#checkpoint = reader.checkpointsBackFrom(opened.head.seq, 1)[0] ?? null;
    const { key, notice } = this.#options;
    for (const { seq } of key === undefined ? [] : signMarks(this.path, reader, opened.head, key)) {
      notice?.(
        `journal ${this.path}: rows up to ${seq} were put back (rebuilt); that is signed now`,
      );
    }
    this.#signer?.startAfter(this.#checkpoint, opened.atNs);
  }

  /** The file was not closed by its last writer. */
  get unclean(): boolean {
    return this.#opened?.unclean ?? false;
  }

  /** Why nothing is written any more; null while all is well. */
  get fault(): JournalFault | null {
    return this.#fault;
  }

  head(): { readonly seq: number; readonly hash: string } {
    return this.#head;
  }

  append(steps: readonly TableStep[]): Promise<void> {
    if (this.#fault !== null) return Promise.reject(this.#fault);
    if (steps.length === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const rows: JournalRow[] = [];
      const checkpoints: SignedCheckpoint[] = [];
      const lastSeq = this.#end.seq + steps.length;
      this.#pending.push({ lastSeq, rows, checkpoints, resolve, reject });
      try {
        if (this.#pendingRows + steps.length > MAX_PENDING_ROWS) {
          throw new JournalFault('io', `journal ${this.path}: ${this.#pendingRows} rows wait`);
        }
        this.#pendingRows += steps.length;
        this.#hand(steps, rows, checkpoints);
      } catch (cause) {
        const isFault = cause instanceof JournalFault;
        const what = `journal ${this.path}: ${String(cause)}`;
        this.#fail(isFault ? cause : new JournalFault('order', what, cause));
      }
    });
  }

  async read(afterSeq: number, limit: number): Promise<readonly JournalRow[]> {
    await Promise.resolve();
    const most = Math.min(limit, MAX_READ_ROWS, this.#head.seq - afterSeq);
    if (most <= 0) return [];
    return this.#recent.after(afterSeq, most) ?? this.#reading().rows(afterSeq, most);
  }

  cursor(consumer: string): number {
    return this.#cursors.get(consumer) ?? 0;
  }

  moveCursor(consumer: string, seq: number): void {
    this.#cursors.set(consumer, seq);
    if (this.#fault === null) this.#writer.moveCursor(consumer, seq);
  }

  async snapshot(): Promise<Snapshot | null> {
    await Promise.resolve();
    const reader = this.#reading();
    const { key } = this.#options;
    const keys = key === undefined ? null : [key.publicKey];
    // Where the rows before are gone, a state an older program saved unsigned is all there is.
    const trusts = keys !== null && reader.firstSeq() > 1 ? [keys, null] : [keys];
    for (const trusted of trusts) {
      for (const saved of reader.savedStates()) {
        const judged = judgeSaved(saved, reader.hashAt(saved.seq), trusted);
        if (judged.ok) return judged.snapshot;
        this.#options.notice?.(`journal ${this.path}: ${judged.why}`);
      }
    }
    return null;
  }

  saveSnapshot(snapshot: Snapshot): void {
    if (this.#fault === null) this.#writer.saveState(savedOf(snapshot, this.#options.key ?? null));
  }

  putDocument(kind: DocumentKind, hash: string, text: string): Promise<void> {
    if (hashText(text) !== hash) {
      const what = `journal ${this.path}: the ${kind} document is not the one its hash names`;
      return Promise.reject(new JournalFault('order', what));
    }
    return this.#writer.putDocument(kind, hash, text);
  }

  async document(hash: string): Promise<string | null> {
    await Promise.resolve();
    const found = this.#reading().document(hash);
    if (found === null) return null;
    if (hashText(found.text) === hash) return found.text;
    throw new JournalFault('corrupt', `journal ${this.path}: document ${hash} was changed`);
  }

  /** The newest durable signed checkpoint; null where there is none. */
  get checkpoint(): SignedCheckpoint | null {
    return this.#checkpoint;
  }

  /** Called with each signed checkpoint once it is durable. */
  onCheckpoint(listener: (signed: SignedCheckpoint) => void): Cancel {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Lets rows go that are older than `keepNs` of watched time, that every consumer named has
   * proved to hold (cursors `ack.<consumer>`), and that a saved state makes needless for a start.
   * The chain then begins at a signed checkpoint. A step of the wall clock expires nothing.
   * @returns rows removed. @throws JournalFault
   */
  async retire({ keepNs, consumers, wallMs }: Retirement): Promise<number> {
    const proved = consumers.map((consumer) => this.cursor(`ack.${consumer}`));
    const upTo = proved.length === 0 ? 0 : Math.min(...proved);
    const seq = retirableTo(this.#reading(), this.#head.seq, {
      upTo,
      beforeNs: this.#end.atNs - keepNs,
    });
    if (seq === null) return 0;
    this.#recent.dropBefore(seq);
    let removed = 0;
    for (;;) {
      const some = await this.#writer.prune(seq, consumers.join(','), wallMs);
      if (some === 0) return removed;
      removed += some;
    }
  }

  /** A whole copy in a new file, while the journal is in use. @throws JournalFault */
  backup(to: string): Promise<void> {
    return this.#writer.backup(to);
  }

  /** Resolves when everything appended is durable and the file is let go; safe twice. */
  async close(): Promise<void> {
    const reader = this.#reader;
    if (reader === null) return;
    this.#reader = null;
    // The reader first: the last connection to close folds the log into the file.
    reader.close();
    await this.#writer.close();
    this.#fail(new JournalFault('stopped', `journal ${this.path} is closed`));
  }

  #reading(): JournalReader {
    if (this.#reader !== null) return this.#reader;
    throw new JournalFault('stopped', `journal ${this.path} is closed`);
  }

  /** Writes the steps out part by part: the writer packs one while the next is written out. */
  #hand(steps: readonly TableStep[], rows: JournalRow[], signed: SignedCheckpoint[]): void {
    for (let from = 0; from < steps.length; from += PART_ROWS) {
      const part = steps.slice(from, from + PART_ROWS);
      const chained = chainSteps(this.#end, part, this.path);
      const checkpoints = this.#signer?.after(part, chained.rows) ?? [];
      this.#end = chained.end;
      rows.push(...chained.rows);
      signed.push(...checkpoints);
      const batch = batchOf(part, chained.rows, checkpoints, this.#options.key ?? null);
      this.#writer.append({ batch, rest: restOf(from + part.length, steps.length) });
    }
  }

  #durable(seq: number): void {
    let settled = 0;
    for (const { lastSeq, rows, checkpoints, resolve } of this.#pending) {
      if (lastSeq > seq) break;
      for (const signed of checkpoints) {
        this.#checkpoint = signed;
        for (const listener of this.#listeners) listener(signed);
      }
      this.#recent.add(rows);
      this.#pendingRows -= rows.length;
      const last = rows.at(-1);
      if (last !== undefined) this.#head = { seq: last.seq, hash: last.hash };
      resolve();
      settled += 1;
    }
    if (settled > 0) this.#pending.splice(0, settled);
  }

  #fail(fault: JournalFault): void {
    this.#fault ??= fault;
    const pending = this.#pending;
    this.#pending = [];
    this.#pendingRows = 0;
    for (const { reject } of pending) reject(this.#fault);
  }
}

/** Rows of the same group behind the first `done` of `count`: groups end at the writer's limit. */
const restOf = (done: number, count: number): number =>
  Math.min(count, Math.ceil(done / MAX_GROUP_ROWS) * MAX_GROUP_ROWS) - done;
