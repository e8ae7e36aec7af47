import type { Database, Statement } from 'better-sqlite3';
import { type ChainHasher, HASH_DIGITS } from './chain.js';
import { decodeStep } from './decode.js';
import type { Columns } from './packing.js';

/** How far a check has come: the last sound row. */
export interface Reached {
  /** Its hash, hex. */
  readonly prev: string;
  readonly seq: number;
  readonly atNs: number;
}

/** Many rows in one piece; the lists run in step, row by row. */
interface Block {
  readonly seqs: readonly number[];
  readonly times: readonly number[];
  readonly walls: readonly number[];
  /** Bytes of each body. */
  readonly sizes: readonly number[];
  /** 64 hex digits a row. */
  readonly digits: string;
  readonly bodies: Buffer;
}

/** The same as SQLite gives it: lists as JSON. */
interface Piece {
  readonly rows: number;
  /** Rows whose columns have the types a writer gives them. */
  readonly plain: number | null;
  readonly seqs: string | null;
  readonly times: string | null;
  readonly walls: string | null;
  readonly sizes: string | null;
  readonly hashes: Buffer | null;
  readonly bodies: Buffer | null;
}

/**
 * A row of its own costs four times its share of a block: an array, four numbers and a buffer, all
 * made in passing from SQLite to JavaScript.
 */
const BLOCK = `
  SELECT count(*) AS rows,
    sum(typeof(at_ns) = 'integer' AND typeof(wall_ms) = 'integer' AND typeof(body) = 'blob'
      AND length(hash) = 32) AS plain,
    '[' || group_concat(seq) || ']' AS seqs,
    '[' || group_concat(at_ns) || ']' AS times,
    '[' || group_concat(wall_ms) || ']' AS walls,
    '[' || group_concat(length(body)) || ']' AS sizes,
    CAST(group_concat(hash, '') AS BLOB) AS hashes,
    CAST(group_concat(body, '') AS BLOB) AS bodies
  FROM step WHERE seq >= ? AND seq <= ?`;

/** Reads rows a thousand at a time, or says that some are not as a writer leaves them. */
export class BlockReader {
  readonly #select: Statement<[number, number], Piece>;

  constructor(db: Database) {
    this.#select = db.prepare<[number, number], Piece>(BLOCK);
  }

  /**
   * Rows `fromSeq` to `toSeq`; null where not each of them is there, whole and of the right types.
   * Never throws: a page that cannot be read is found by who then looks at the rows one by one.
   */
  read(fromSeq: number, toSeq: number): Block | null {
    try {
      const piece = this.#select.get(fromSeq, toSeq);
      return piece === undefined ? null : blockOf(piece, toSeq - fromSeq + 1);
    } catch {
      return null;
    }
  }
}

const blockOf = (piece: Piece, rows: number): Block | null => {
  const { hashes, bodies } = piece;
  if (piece.rows !== rows || piece.plain !== rows || hashes === null || bodies === null) {
    return null;
  }
  const [seqs, times, walls, sizes] = [
    numbersOf(piece.seqs),
    numbersOf(piece.times),
    numbersOf(piece.walls),
    numbersOf(piece.sizes),
  ];
  const digits = hashes.toString('hex');
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  const isWhole = digits.length === rows * HASH_DIGITS && bytes === bodies.length;
  return isWhole ? { seqs, times, walls, sizes, digits, bodies } : null;
};

/**
 * Says of many rows at once that all is well with them, or that one of them needs a closer look:
 * what is wrong with which row is found out one by one, elsewhere.
 */
export class BlockCheck {
  readonly #hasher: ChainHasher;
  readonly #isDeep: boolean;
  readonly #reader: BlockReader;

  constructor(db: Database, hasher: ChainHasher, isDeep: boolean) {
    this.#hasher = hasher;
    this.#isDeep = isDeep;
    this.#reader = new BlockReader(db);
  }

  /**
   * Row `toSeq`, where each row up to it is there and follows the one before; null where not all
   * do.
   */
  after(end: Reached, toSeq: number): Reached | null {
    const block = this.#reader.read(end.seq + 1, toSeq);
    try {
      return block === null ? null : this.#follow(end, block);
    } catch (cause) {
      // A word that is not there.
      if (cause instanceof RangeError) return null;
      throw cause;
    }
  }

  #follow(end: Reached, { seqs, times, walls, sizes, digits, bodies }: Block): Reached | null {
    let { prev, seq, atNs } = end;
    let from = 0;
    for (let i = 0; i < seqs.length; i += 1) {
      const columns = {
        seq: seqs[i] ?? Number.NaN,
        atNs: times[i] ?? Number.NaN,
        wallMs: walls[i] ?? Number.NaN,
      };
      if (columns.seq !== seq + 1 || !(columns.atNs >= atNs)) return null;
      const to = from + (sizes[i] ?? 0);
      const stored = digits.slice(i * HASH_DIGITS, (i + 1) * HASH_DIGITS);
      if (this.#hasher.hashPacked(prev, columns, bodies, from, to) !== stored) return null;
      if (this.#isDeep && !this.#isStep(columns)) return null;
      prev = stored;
      seq = columns.seq;
      atNs = columns.atNs;
      from = to;
    }
    return { prev, seq, atNs };
  }

  /** Whether the text just hashed is a step that says what its columns say. */
  #isStep({ seq, atNs, wallMs }: Columns): boolean {
    const decoded = decodeStep(this.#hasher.lastText());
    if (!decoded.ok) return false;
    const said = decoded.step.observation;
    return said.seq === seq && said.atNs === atNs && said.wallMs === wallMs;
  }
}

/** The numbers SQLite listed; it prints whole numbers in full, and larger ones round alike. */
const numbersOf = (list: string | null): readonly number[] => {
  const value: unknown = JSON.parse(list ?? '[]');
  return isNumbers(value) ? value : [];
};

const isNumbers = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'number');
