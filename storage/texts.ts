import { BlockReader } from './block.js';
import { faultOf } from './fault.js';
import type { JournalReader } from './reader.js';

/** Rows read in one piece. */
export const ROWS_AT_A_TIME = 1000;

/** The texts of neighbouring rows, one behind the other. */
export interface Texts {
  readonly fromSeq: number;
  readonly toSeq: number;
  /** UTF-8. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Where each row's text ends. */
  readonly ends: Uint32Array<ArrayBuffer>;
}

/** Rows of which not each is there, whole and of the right types: to be looked at one by one. */
export interface Unsound {
  readonly fromSeq: number;
  readonly toSeq: number;
}

export const isSound = (piece: Texts | Unsound): piece is Texts => 'bytes' in piece;

/** Reads the texts of many rows in half the time of `JournalReader.rows`, without their hashes. */
export class TextReader {
  readonly #reader: JournalReader;
  readonly #blocks: BlockReader;

  constructor(reader: JournalReader) {
    this.#reader = reader;
    this.#blocks = new BlockReader(reader.db);
  }

  /** @throws JournalFault naming a row whose words are not there */
  read(fromSeq: number, toSeq: number): Texts | Unsound {
    const block = this.#blocks.read(fromSeq, toSeq);
    if (block === null) return { fromSeq, toSeq };
    const { seqs, times, walls, sizes, bodies } = block;
    const { hasher, path } = this.#reader;
    const ends = new Uint32Array(seqs.length);
    let from = 0;
    let at = 0;
    for (const [i, seq] of seqs.entries()) {
      const to = from + (sizes[i] ?? 0);
      const columns = { seq, atNs: times[i] ?? 0, wallMs: walls[i] ?? 0 };
      try {
        at = hasher.unpackAt(columns, bodies, at, from, to);
      } catch (cause) {
        throw faultOf(path, `reading row ${seq}`, cause);
      }
      ends[i] = at;
      from = to;
    }
    const bytes = new Uint8Array(at);
    bytes.set(hasher.unpacked(at));
    return { fromSeq, toSeq, bytes, ends };
  }
}

/** Texts up to row `toSeq`, a thousand at a time. @throws JournalFault as above */
export function* readTexts(
  reader: JournalReader,
  fromSeq: number,
  toSeq: number,
): Generator<Texts | Unsound> {
  const texts = new TextReader(reader);
  for (let from = fromSeq; from <= toSeq; from += ROWS_AT_A_TIME) {
    yield texts.read(from, Math.min(toSeq, from + ROWS_AT_A_TIME - 1));
  }
}
