import { hash } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import { NO_HASH } from './canonical.js';
import { JournalFault } from './fault.js';
import { type Columns, Unpacker } from './packing.js';
import { readWords } from './schema.js';

/** A row as it lies in the file. */
export interface StoredRow {
  readonly seq: number;
  readonly at_ns: number;
  readonly wall_ms: number;
  readonly hash: Buffer;
  readonly body: Buffer;
}

export const ROW_COLUMNS = 'seq, at_ns, wall_ms, hash, body';
export const HASH_DIGITS = 64;

/** Works out row hashes in one buffer of its own. */
export class ChainHasher {
  readonly #unpacker: Unpacker;
  #end = HASH_DIGITS;

  constructor(words: readonly string[]) {
    this.#unpacker = new Unpacker(words);
  }

  /**
   * SHA-256 (hex) of a row that follows `prev`, its text taken as that of row `seq`.
   * @throws RangeError where the packed bytes name a word that is not there.
   */
  hashOf(prev: string, row: StoredRow, seq: number = row.seq): string {
    return this.hashPacked(prev, { seq, atNs: row.at_ns, wallMs: row.wall_ms }, row.body, 0);
  }

  /** The same, of a packed text that lies between `from` and `to` in its buffer. */
  hashPacked(
    prev: string,
    columns: Columns,
    packed: Buffer,
    from: number,
    to: number = packed.length,
  ): string {
    const end = this.#unpacker.unpackAt(packed, columns, HASH_DIGITS, from, to);
    const { out } = this.#unpacker;
    out.write(prev, 0, HASH_DIGITS, 'latin1');
    this.#end = end;
    return hash('sha256', out.subarray(0, end), 'hex');
  }

  /** The text hashed last. */
  lastText(): string {
    return this.#unpacker.out.toString('utf8', HASH_DIGITS, this.#end);
  }

  /**
   * Unpacks the text packed between `from` and `to` into the hasher's buffer from `start` on; says
   * where it ends. @throws RangeError as above
   */
  unpackAt(columns: Columns, packed: Buffer, start: number, from: number, to: number): number {
    return this.#unpacker.unpackAt(packed, columns, start, from, to);
  }

  /** What was unpacked last, up to `end`: good until the next call. */
  unpacked(end: number): Buffer {
    return this.#unpacker.out.subarray(0, end);
  }

  bodyOf(row: StoredRow): string {
    const columns = { seq: row.seq, atNs: row.at_ns, wallMs: row.wall_ms };
    return this.#unpacker.unpack(row.body, columns);
  }
}

interface Tail {
  readonly head: { readonly seq: number; readonly hash: string };
  readonly atNs: number;
}

/** Checks the chain over the last rows and says where it ends. @throws JournalFault `corrupt` */
export const checkTail = (db: Database, path: string, rows: number): Tail => {
  const hasher = new ChainHasher(readWords(db));
  const newest = db
    .prepare<[number], StoredRow>(`SELECT ${ROW_COLUMNS} FROM step ORDER BY seq DESC LIMIT ?`)
    .all(rows + 1)
    .reverse();
  const [oldest] = newest;
  if (oldest === undefined) return { head: { seq: 0, hash: NO_HASH }, atNs: 0 };
  const first = firstRow(db);
  // The row before the tail is taken at its word.
  let prev = oldest.seq === 1 ? NO_HASH : '';
  let [seq, atNs] = [oldest.seq - 1, 0];
  for (const row of newest) {
    const stored = row.hash.toString('hex');
    if (row.seq !== seq + 1) throw broken(path, row.seq, `rows after ${seq} are missing`);
    if (prev !== '' && tryHash(hasher, prev, row) !== stored) {
      throw broken(path, row.seq, 'its hash does not follow from its text and the row before');
    }
    if (row.at_ns < atNs) throw broken(path, row.seq, 'its time is before the row before it');
    [prev, seq, atNs] = [stored, row.seq, row.at_ns];
  }
  if (oldest.seq > 1 && newest.length <= rows && first !== oldest.seq) {
    throw broken(path, oldest.seq, `rows before it are missing and no pruning is recorded`);
  }
  return { head: { seq, hash: prev }, atNs };
};

/** Where the chain begins: row 1, or the row that the last pruning left as the first. */
export const firstRow = (db: Database): number =>
  db.prepare<[], number>('SELECT coalesce(max(seq), 1) FROM pruned').pluck().get() ?? 1;

const tryHash = (hasher: ChainHasher, prev: string, row: StoredRow): string => {
  try {
    return hasher.hashOf(prev, row);
  } catch {
    return '';
  }
};

const broken = (path: string, seq: number, why: string): JournalFault =>
  new JournalFault('corrupt', `journal ${path} is damaged at row ${seq}: ${why}`);
