import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import {
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  Worker,
} from 'node:worker_threads';
import type { JournalReader } from './reader.js';
import { PARALLEL_ROWS, threadFile } from './thread-file.js';
import { readTexts, type Texts, type Unsound } from './texts.js';

/** Pieces the thread reads ahead of who takes them: some half a megabyte each. */
export const PIECES_AHEAD = 4;
/** A thread that gives nothing for so long is let go, and the rest read here. */
const SILENT_MS = 30_000;

/** Places of the numbers both threads see. */
export const SHARED = { given: 0, taken: 1, length: 2 } as const;

/** What the reading thread is told. */
export interface ReadOrder {
  readonly path: string;
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly port: MessagePort;
  readonly shared: Int32Array<SharedArrayBuffer>;
}

/**
 * Texts up to row `toSeq`: of many rows a second thread reads while the first works. Waits without
 * a promise, so that its caller need not become one. `threadFrom`: rows from which the thread is
 * started. @throws JournalFault as `readTexts`
 */
export function* readAhead(
  reader: JournalReader,
  fromSeq: number,
  toSeq: number,
  threadFrom = PARALLEL_ROWS,
): Generator<Texts | Unsound> {
  const file = threadFile('read-thread');
  const isWorthIt = toSeq - fromSeq >= threadFrom && availableParallelism() > 1;
  let next = fromSeq;
  if (isWorthIt && existsSync(file)) {
    for (const piece of inThread(file, reader.path, fromSeq, toSeq)) {
      yield piece;
      next = piece.toSeq + 1;
    }
  }
  // Also where the thread met a row it cannot read: what is wrong with it is said from here.
  yield* readTexts(reader, next, toSeq);
}

function* inThread(
  file: string,
  path: string,
  fromSeq: number,
  toSeq: number,
): Generator<Texts | Unsound> {
  const { port1: mine, port2: port } = new MessageChannel();
  const shared = new Int32Array(
    new SharedArrayBuffer(SHARED.length * Int32Array.BYTES_PER_ELEMENT),
  );
  const order: ReadOrder = { path, fromSeq, toSeq, port, shared };
  const worker = new Worker(file, {
    name: 'journal-read',
    workerData: order,
    transferList: [port],
  });
  // What ends it early is found again, and said, by who reads the rest.
  worker.on('error', () => undefined);
  worker.unref();
  try {
    for (let taken = 0; ; taken += 1) {
      if (Atomics.load(shared, SHARED.given) === taken) {
        if (Atomics.wait(shared, SHARED.given, taken, SILENT_MS) === 'timed-out') return;
      }
      const piece = pieceIn(receiveMessageOnPort(mine));
      if (piece === null) return;
      Atomics.store(shared, SHARED.taken, taken + 1);
      Atomics.notify(shared, SHARED.taken);
      yield piece;
    }
  } finally {
    mine.close();
    void worker.terminate();
  }
}

/** The piece in a message; null where it is the word that none follows. */
const pieceIn = (received: { readonly message: unknown } | undefined): Texts | Unsound | null => {
  const message = received?.message;
  return isPiece(message) ? message : null;
};
const isPiece = (value: unknown): value is Texts | Unsound =>
  typeof value === 'object' && value !== null && 'toSeq' in value;
