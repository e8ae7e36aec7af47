import {
  type MessagePort,
  parentPort,
  receiveMessageOnPort,
  workerData,
} from 'node:worker_threads';
import { faultOf } from './fault.js';
import { type FromWriter, type ToWriter, toWire } from './messages.js';
import { MAX_GROUP_ROWS, Store } from './store.js';

/** A cursor that moved without rows behind it is written after this long. */
const CURSOR_DELAY_MS = 5000;

type Append = Extract<ToWriter, { readonly say: 'append' }>;

/** The writer's side of the port: takes messages in order, commits in groups, answers. */
class WriterThread {
  readonly #port: MessagePort;
  readonly #path: string;
  readonly #store: Store;
  #failed = false;
  #timer: NodeJS.Timeout | null = null;
  /** Taken from the port while gathering a group, but not part of it. */
  #carried: ToWriter | null = null;
  /** Rows put into a transaction whose group is not whole yet. */
  #gathered = 0;

  constructor(port: MessagePort, path: string) {
    this.#port = port;
    this.#path = path;
    this.#store = new Store(path);
  }

  start(): void {
    this.#port.on('message', (received: ToWriter) => this.#take(received));
    try {
      this.#tell({ say: 'opened', opened: this.#store.open() });
    } catch (cause) {
      this.#fail(cause);
    }
  }

  #take(received: ToWriter): void {
    let next: ToWriter | null = received;
    try {
      while (next !== null) {
        this.#carried = null;
        this.#handle(next);
        next = this.#carried;
      }
    } catch (cause) {
      this.#carried = null;
      this.#fail(cause);
    }
  }

  #handle(message: ToWriter): void {
    const store = this.#store;
    switch (message.say) {
      case 'append':
        if (!this.#failed) this.#commitFrom(message);
        break;
      case 'cursor':
        store.moveCursor(message.consumer, message.seq);
        this.#flushLater();
        break;
      case 'state':
        store.saveState(message.saved);
        break;
      case 'document':
        this.#answer(message.id, () => {
          store.putDocument(message.kind, message.hash, message.text);
          return 1;
        });
        break;
      case 'prune':
        this.#answer(message.id, () => {
          return store.prune(message.seq, message.consumer, message.wallMs);
        });
        break;
      case 'backup':
        void this.#backup(message.id, message.to);
        break;
      case 'close':
        this.#close(message.id);
        break;
    }
  }

  /**
   * Everything that arrived while the last commit ran, up to the limit, in one transaction. Where
   * the rest of a group is still being written out, the transaction waits open for it.
   */
  #commitFrom(first: Append): void {
    const store = this.#store;
    let part = first;
    let rows = this.#gathered;
    for (;;) {
      store.put(part.batch);
      rows += part.batch.bodies.length;
      const next = this.#nextPart(rows, part.rest);
      if (next === null) break;
      part = next;
    }
    this.#gathered = part.rest > 0 ? rows : 0;
    if (part.rest > 0) return;
    store.commit();
    this.#tell({ say: 'durable', seq: part.batch.firstSeq + part.batch.bodies.length - 1 });
  }

  /** More rows for the open transaction, if they are here and fit. */
  #nextPart(rows: number, rest: number): Append | null {
    for (;;) {
      const received: { message: ToWriter } | undefined = receiveMessageOnPort(this.#port);
      if (received === undefined) return null;
      const next = received.message;
      if (next.say === 'cursor') this.#store.moveCursor(next.consumer, next.seq);
      else if (next.say !== 'append') {
        this.#carried = next;
        return null;
      } else if (rest > 0 || rows + next.batch.bodies.length + next.rest <= MAX_GROUP_ROWS) {
        return next;
      } else {
        this.#carried = next;
        return null;
      }
    }
  }

  #answer(id: number, work: () => number): void {
    try {
      this.#tell({ say: 'done', id, n: work() });
    } catch (cause) {
      const fault = faultOf(this.#path, 'writing', cause);
      this.#tell({ say: 'fault', id, fault: toWire(fault) });
      // A refused request leaves the journal whole; a disk that failed does not.
      if (fault.code !== 'order') this.#fail(fault);
    }
  }

  /** The copy may fail (its own disk is full) without the journal being any worse. */
  async #backup(id: number, to: string): Promise<void> {
    try {
      await this.#store.backup(to);
      this.#tell({ say: 'done', id, n: 1 });
    } catch (cause) {
      this.#tell({ say: 'fault', id, fault: toWire(faultOf(to, 'copying', cause)) });
    }
  }

  #flushLater(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      try {
        if (this.#store.isGathering) this.#flushLater();
        else if (!this.#failed) this.#store.flush();
      } catch (cause) {
        this.#fail(cause);
      }
    }, CURSOR_DELAY_MS).unref();
  }

  #close(id: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#answer(id, () => {
      if (this.#failed) this.#store.abandon();
      else this.#store.close();
      return 1;
    });
    this.#port.close();
  }

  #fail(cause: unknown): void {
    if (this.#failed) return;
    this.#failed = true;
    this.#store.abandon();
    const fault = faultOf(this.#path, 'writing', cause);
    this.#tell({ say: 'fault', id: null, fault: toWire(fault) });
  }

  #tell(message: FromWriter): void {
    this.#port.postMessage(message);
  }
}

const given: unknown = workerData;
const hasPath = (value: unknown): value is { readonly path: string } =>
  typeof value === 'object' && value !== null && 'path' in value && typeof value.path === 'string';
if (parentPort === null || !hasPath(given)) {
  throw new Error('the journal writer runs as a worker thread of the journal only');
}
new WriterThread(parentPort, given.path).start();
