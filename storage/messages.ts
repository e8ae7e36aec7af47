import type { DocumentKind } from '../controller/core/ports.js';
import { HASH_DIGITS } from './chain.js';
import { type FaultCode, JournalFault } from './fault.js';
import type { Opened, RowBatch, SavedState } from './store.js';

/**
 * Rows on their way between threads: one text and one list of numbers, because every list and
 * every text of its own makes the copy dearer.
 */
interface WireRows {
  readonly firstSeq: number;
  /** For each row `atNs`, `wallMs` and the length of its body. */
  readonly numbers: readonly number[];
  /** For each row the 64 hex digits of its hash and its body. */
  readonly text: string;
  /** Null where nothing was signed. */
  readonly signed: Pick<RowBatch, 'checkpoints' | 'key'> | null;
}

/** Numbers a row has in `WireRows`. */
export const NUMBERS = 3;

export const toWireRows = (batch: RowBatch): WireRows => {
  const { firstSeq, atNs, wallMs, hashes, bodies, checkpoints, key } = batch;
  const numbers: number[] = [];
  let text = '';
  for (const [i, body] of bodies.entries()) {
    numbers.push(atNs[i] ?? Number.NaN, wallMs[i] ?? Number.NaN, body.length);
    text += (hashes[i] ?? '') + body;
  }
  return { firstSeq, numbers, text, signed: key === null ? null : { checkpoints, key } };
};

export const fromWireRows = ({ firstSeq, numbers, text, signed }: WireRows): RowBatch => {
  const [atNs, wallMs]: [number[], number[]] = [[], []];
  const [hashes, bodies]: [string[], string[]] = [[], []];
  let at = 0;
  for (let i = 0; i < numbers.length; i += NUMBERS) {
    atNs.push(numbers[i] ?? Number.NaN);
    wallMs.push(numbers[i + 1] ?? Number.NaN);
    const begin = at + HASH_DIGITS;
    hashes.push(text.slice(at, begin));
    at = begin + (numbers[i + 2] ?? 0);
    bodies.push(text.slice(begin, at));
  }
  const { checkpoints, key } = signed ?? { checkpoints: [], key: null };
  return { firstSeq, atNs, wallMs, hashes, bodies, checkpoints, key };
};

/**
 * What both threads see: how far the rows are durable, and whether the journal's thread looks at
 * it by itself. Only where it does not, is it told by a message, which wakes it.
 */
export class Shared {
  readonly #words: Int32Array;

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(8)) {
    this.#words = new Int32Array(memory);
  }

  get memory(): ArrayBufferLike {
    return this.#words.buffer;
  }

  /** Rows made durable since the journal was opened, counted round at 2^32. */
  get durableRows(): number {
    return Atomics.load(this.#words, 0) >>> 0;
  }

  addDurable(rows: number): void {
    Atomics.add(this.#words, 0, rows);
  }

  get isWatched(): boolean {
    return Atomics.load(this.#words, 1) !== 0;
  }

  watch(isWatched: boolean): void {
    Atomics.store(this.#words, 1, isWatched ? 1 : 0);
  }
}

/** What the journal sends its writer's thread. `id`: the reply carries the same. */
export type ToWriter =
  | { readonly say: 'append'; readonly rows: WireRows; readonly rest: number }
  | { readonly say: 'cursor'; readonly consumer: string; readonly seq: number }
  | { readonly say: 'state'; readonly saved: SavedState }
  | {
      readonly say: 'document';
      readonly id: number;
      readonly kind: DocumentKind;
      readonly hash: string;
      readonly text: string;
    }
  | {
      readonly say: 'prune';
      readonly id: number;
      readonly seq: number;
      readonly consumer: string;
      readonly wallMs: number;
    }
  | { readonly say: 'backup'; readonly id: number; readonly to: string }
  | { readonly say: 'close'; readonly id: number };

export type FromWriter =
  | { readonly say: 'opened'; readonly opened: Opened }
  /** `Shared` says how far. */
  | { readonly say: 'durable' }
  | { readonly say: 'done'; readonly id: number; readonly n: number }
  /** `id` null: the writer as a whole has failed and will write nothing more. */
  | { readonly say: 'fault'; readonly id: number | null; readonly fault: WireFault };

/** A fault on its way between threads, where classes do not travel. */
export interface WireFault {
  readonly code: FaultCode;
  readonly what: string;
}

export const toWire = (fault: JournalFault): WireFault => ({ code: fault.code, what: fault.what });
export const fromWire = ({ code, what }: WireFault): JournalFault => new JournalFault(code, what);
