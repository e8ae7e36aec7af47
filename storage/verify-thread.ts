import { parentPort, workerData } from 'node:worker_threads';
import { JournalReader } from './reader.js';
import { checkStretch, type Stretch } from './verify.js';

const given: unknown = workerData;
const isStretch = (value: unknown): value is Stretch =>
  typeof value === 'object' && value !== null && 'path' in value && 'fromSeq' in value;
if (parentPort === null || !isStretch(given)) {
  throw new Error('this file runs as a worker thread of `journal verify` only');
}
const reader = JournalReader.open(given.path);
try {
  parentPort.postMessage(checkStretch(reader, given));
} finally {
  reader.close();
}
