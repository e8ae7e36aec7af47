import {
  type MessagePort,
  parentPort,
  receiveMessageOnPort,
  workerData,
} from 'node:worker_threads';
import { faultOf } from './fault.js';
import {
  type FromWriter,
  fromWireRows,
  NUMBERS,
  Shared,
  type ToWriter,
  toWire,
} from './messages.js';
import { MAX_GROUP_ROWS, Store } from './store.js';

/** A cursor that moved without rows behind it is written after this long. */
const CURSOR_DELAY_MS = 5000;

/**
 * After a commit the next rows are looked for so long before the thread lies down: whoever waits
 * for one row to write the next sends it at once, and to be woken costs as much as half a commit.
 */
const LOOK_MS = 0.2;
/** And after so long timers and a copy under way get their turn, however quick the rows come. */
const TURN_MS = 5;

type Append = Extract<ToWriter, { readonly say: 'append' }>;

const rowsIn = ({ rows }: Append): number => rows.numbers.length / NUMBERS;

/** The writer's side of the port: takes messages in order, commits in groups, answers. */
class WriterThread {
  readonly #port: MessagePort;
  readonly #path: string;
  readonly #store: Store;
  readonly #shared: Shared;
  #failed = false;
  #timer: NodeJS.Timeout | null = null;
  /** Taken from the port while gathering a group, but not part of it. */
  #carried: ToWriter | null = null;
  /** Rows put into a transaction whose group is not whole yet. */
  #gathered = 0;
  #copies = 0;

  constructor(port: MessagePort, path: string, shared: Shared) {
    this.#port = port;
    this.#path = path;
    this.#shared = shared;
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
    const untilMs = performance.now() + TURN_MS;
    let next: ToWriter | null = received;
    try {
      while (next !== null) {
        this.#carried = null;
        this.#handle(next);
        next = this.#behind(next, untilMs);
      }
    } catch (cause) {
      this.#carried = null;
      this.#fail(cause);
    }
  }

  /** What is there already, or, behind rows, comes within a moment; null where nothing does. */
  #behind(handled: ToWriter, untilMs: number): ToWriter | null {
    if (this.#carried !== null) return this.#carried;
    if (handled.say !== 'append' || this.#failed || this.#copies > 0) return null;
    const lastMs = Math.min(untilMs, performance.now() + LOOK_MS);
    do {
      const received: { message: ToWriter } | undefined = receiveMessageOnPort(this.#port);
      if (received !== undefined) return received.message;
    } while (performance.now() < lastMs);
    return null;
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
      const batch = fromWireRows(part.rows);
      store.put(batch);
      rows += batch.bodies.length;
      const next = this.#nextPart(rows, part.rest);
      if (next === null) break;
      part = next;
    }
    this.#gathered = part.rest > 0 ? rows : 0;
    if (part.rest > 0) return;
    store.commit();
    this.#shared.addDurable(rows);
    if (!this.#shared.isWatched) this.#tell({ say: 'durable' });
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
      } else if (rest > 0 || rows + rowsIn(next) + next.rest <= MAX_GROUP_ROWS) {
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
    this.#copies += 1;
    try {
      await this.#store.backup(to);
      this.#tell({ say: 'done', id, n: 1 });
    } catch (cause) {
      this.#tell({ say: 'fault', id, fault: toWire(faultOf(to, 'copying', cause)) });
    } finally {
      this.#copies -= 1;
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

interface Given {
  readonly path: string;
  readonly memory: SharedArrayBuffer;
}
const given: unknown = workerData;
const isGiven = (value: unknown): value is Given =>
  typeof value === 'object' &&
  value !== null &&
  'path' in value &&
  typeof value.path === 'string' &&
  'memory' in value &&
  value.memory instanceof SharedArrayBuffer;
if (parentPort === null || !isGiven(given)) {
  throw new Error('the journal writer runs as a worker thread of the journal only');
}
new WriterThread(parentPort, given.path, new Shared(given.memory)).start();
