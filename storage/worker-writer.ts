import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { DocumentKind } from '../controller/core/ports.js';
import { JournalFault } from './fault.js';
import { type FromWriter, fromWire, Shared, type ToWriter, toWireRows } from './messages.js';
import type { Opened, SavedState } from './store.js';
import { threadFile } from './thread-file.js';
import type { GroupPart, Writer, WriterEvents } from './writer.js';

/** Longest time a moved cursor waits for rows to go along with, ms: the thread keeps it longer. */
const MOVED_MS = 200;
/**
 * A commit that takes no longer is waited for by looking: to be woken costs half as much again as
 * the commit. Between two looks the loop does whatever else there is.
 */
const WATCH_MS = 2;
const MEBIBYTES = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 } as const;

/** @throws JournalFault where the program was not built */
const writerFile = (): string => {
  const file = threadFile('writer-thread');
  if (existsSync(file)) return file;
  throw new JournalFault('stopped', `the journal writer ${file} is not built (npm run build)`);
};

interface Waiting {
  readonly resolve: (n: number) => void;
  readonly reject: (fault: JournalFault) => void;
}

/** Commits in a thread of its own, so that a slow disk never stalls the table's loop. */
export class WorkerWriter implements Writer {
  readonly #path: string;
  readonly #waiting = new Map<number, Waiting>();
  readonly #shared = new Shared();
  #worker: Worker | null = null;
  /** Resolves when the thread has ended, which it may have done long before `close`. */
  #ended: Promise<void> = Promise.resolve();
  #events: WriterEvents | null = null;
  #fault: JournalFault | null = null;
  #askId = 0;
  /** Last row sent and last row durable: the process lives on while they differ. */
  #sent = 0;
  #durable = 0;
  /** What `Shared` said last. */
  #durableRows = 0;
  #isWatching = false;
  /** When the rows not yet durable were first sent, ms. */
  #sentMs = 0;
  /** The last commit took no longer than is worth watching. */
  #isQuick = true;
  /** Cursors that moved and were not handed on: many PUBACKs cost one message to the thread. */
  readonly #moved = new Map<string, number>();
  #moving: NodeJS.Timeout | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  open(events: WriterEvents): Promise<Opened> {
    this.#events = events;
    return new Promise((resolve, reject) => {
      const worker = new Worker(writerFile(), {
        name: 'journal-writer',
        workerData: { path: this.#path, memory: this.#shared.memory },
        resourceLimits: MEBIBYTES,
      });
      this.#worker = worker;
      this.#ended = new Promise((ended) => worker.once('exit', () => ended()));
      worker.on('message', (message: FromWriter) => {
        if (message.say === 'opened') {
          this.#sent = message.opened.head.seq;
          this.#durable = this.#sent;
          worker.unref();
          resolve(message.opened);
        } else if (message.say === 'fault' && message.id === null) {
          const fault = fromWire(message.fault);
          reject(fault);
          this.#fail(fault);
        } else this.#heard(message);
      });
      worker.on('error', (cause: Error) => {
        const fault = new JournalFault('stopped', `journal writer: ${cause.message}`, cause);
        reject(fault);
        this.#fail(fault);
      });
      worker.on('exit', () => {
        const fault = new JournalFault('stopped', `journal ${this.#path}: its writer has ended`);
        reject(fault);
        this.#fail(fault);
      });
    });
  }

  append({ batch, rest }: GroupPart): void {
    if (this.#durable >= this.#sent) this.#sentMs = performance.now();
    this.#sent = batch.firstSeq + batch.bodies.length - 1;
    this.#worker?.ref();
    this.#handOnMoved();
    this.#post({ say: 'append', rows: toWireRows(batch), rest });
    if (rest > 0 || this.#isWatching || !this.#isQuick) return;
    this.#isWatching = true;
    this.#shared.watch(true);
    setImmediate(this.#look);
  }

  readonly #look = (): void => {
    this.#hearDurable();
    const isDue = this.#durable < this.#sent && this.#fault === null;
    if (isDue && performance.now() - this.#sentMs <= WATCH_MS) {
      setImmediate(this.#look);
      return;
    }
    if (isDue) this.#isQuick = false;
    this.#isWatching = false;
    this.#shared.watch(false);
    // Rows made durable between the look and this are told by nobody.
    this.#hearDurable();
  };

  #hearDurable(): void {
    const rows = this.#shared.durableRows;
    const more = (rows - this.#durableRows) >>> 0;
    if (more === 0 || this.#fault !== null) return;
    this.#durableRows = rows;
    this.#durable += more;
    const nowMs = performance.now();
    this.#isQuick = nowMs - this.#sentMs <= WATCH_MS;
    this.#sentMs = nowMs;
    this.#events?.durable(this.#durable);
    this.#rest();
  }

  moveCursor(consumer: string, seq: number): void {
    this.#moved.set(consumer, seq);
    this.#moving ??= setTimeout(() => this.#handOnMoved(), MOVED_MS).unref();
  }

  #handOnMoved(): void {
    if (this.#moving !== null) clearTimeout(this.#moving);
    this.#moving = null;
    for (const [consumer, seq] of this.#moved) this.#post({ say: 'cursor', consumer, seq });
    this.#moved.clear();
  }

  saveState(saved: SavedState): void {
    this.#post({ say: 'state', saved });
  }

  async putDocument(kind: DocumentKind, hash: string, text: string): Promise<void> {
    await this.#ask((id) => ({ say: 'document', id, kind, hash, text }));
  }

  prune(seq: number, consumer: string, wallMs: number): Promise<number> {
    this.#handOnMoved();
    return this.#ask((id) => ({ say: 'prune', id, seq, consumer, wallMs }));
  }

  async backup(to: string): Promise<void> {
    await this.#ask((id) => ({ say: 'backup', id, to }));
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker === null) return;
    this.#handOnMoved();
    this.#worker = null;
    worker.ref();
    worker.postMessage({ say: 'close', id: 0 } satisfies ToWriter);
    await this.#ended;
    this.#hearDurable();
  }

  #post(message: ToWriter): void {
    if (this.#fault === null) this.#worker?.postMessage(message);
  }

  #ask(make: (id: number) => ToWriter): Promise<number> {
    const worker = this.#worker;
    if (this.#fault !== null || worker === null) {
      return Promise.reject(
        this.#fault ?? new JournalFault('stopped', `journal ${this.#path} is closed`),
      );
    }
    this.#askId += 1;
    const id = this.#askId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      worker.ref();
      worker.postMessage(make(id));
    });
  }

  #heard(message: FromWriter): void {
    if (message.say === 'durable') this.#hearDurable();
    if (message.say === 'done' || message.say === 'fault') {
      const waiting = message.id === null ? undefined : this.#waiting.get(message.id);
      if (message.id !== null) this.#waiting.delete(message.id);
      if (message.say === 'done') waiting?.resolve(message.n);
      else waiting?.reject(fromWire(message.fault));
    }
    this.#rest();
  }

  /** The process need not live on for the thread where nothing is under way. */
  #rest(): void {
    if (this.#durable >= this.#sent && this.#waiting.size === 0) this.#worker?.unref();
  }

  #fail(fault: JournalFault): void {
    if (this.#fault !== null || this.#worker === null) return;
    // What became durable before counts, though nobody has looked yet.
    this.#hearDurable();
    this.#fault = fault;
    for (const { reject } of this.#waiting.values()) reject(fault);
    this.#waiting.clear();
    this.#worker.unref();
    void this.#worker.terminate();
    this.#events?.failed(fault);
  }
}
