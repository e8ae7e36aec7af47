import { workerData } from 'node:worker_threads';
import { PIECES_AHEAD, type ReadOrder, SHARED } from './read-ahead.js';
import { JournalReader } from './reader.js';
import { isSound, readTexts } from './texts.js';

const given: unknown = workerData;
const isOrder = (value: unknown): value is ReadOrder =>
  typeof value === 'object' && value !== null && 'port' in value && 'shared' in value;
if (!isOrder(given)) throw new Error('this file runs as a worker thread of `journal replay` only');
const { path, fromSeq, toSeq, port, shared } = given;

let sent = 0;
const give = (message: unknown, transfer: readonly ArrayBuffer[]): void => {
  port.postMessage(message, transfer);
  sent += 1;
  Atomics.store(shared, SHARED.given, sent);
  Atomics.notify(shared, SHARED.given);
};

/** Waits while enough lies ready. */
const waitForRoom = (): void => {
  for (;;) {
    const taken = Atomics.load(shared, SHARED.taken);
    if (sent - taken < PIECES_AHEAD) return;
    Atomics.wait(shared, SHARED.taken, taken);
  }
};

const readAll = (): void => {
  const reader = JournalReader.open(path);
  try {
    for (const piece of readTexts(reader, fromSeq, toSeq)) {
      waitForRoom();
      give(piece, isSound(piece) ? [piece.bytes.buffer, piece.ends.buffer] : []);
    }
  } finally {
    reader.close();
  }
};

try {
  readAll();
} finally {
  // None follows: all is read, or the row after the last piece cannot be.
  give(null, []);
}
