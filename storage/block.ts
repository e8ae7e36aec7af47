import type { Database, Statement } from 'better-sqlite3';
import type { ChainHasher } from './chain.js';
import { decodeStep } from './decode.js';

/** How far a check has come: the last sound row. */
export interface Reached {
  /** Its hash, hex. */
  readonly prev: string;
  readonly seq: number;
  readonly atNs: number;
}

/** Many rows in one piece: each list runs in step with `seqs`. */
interface Block {
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
  FROM (SELECT seq, at_ns, wall_ms, hash, body FROM step
    WHERE seq >= ? AND seq <= ? ORDER BY seq LIMIT ?)`;

const HASH_DIGITS = 64;

/**
 * Says of many rows at once that all is well with them, or that one of them needs a closer look:
 * what is wrong with which row is found out one by one, elsewhere.
 */
export class BlockCheck {
  readonly #hasher: ChainHasher;
  readonly #isDeep: boolean;
  readonly #select: Statement<[number, number, number], Block>;

  constructor(db: Database, hasher: ChainHasher, isDeep: boolean) {
    this.#hasher = hasher;
    this.#isDeep = isDeep;
    this.#select = db.prepare<[number, number, number], Block>(BLOCK);
  }

  /**
   * The last of up to `limit` rows behind `end`, where each of them is there and follows the one
   * before; null where not all do. Never throws: a page that cannot be read is found elsewhere.
   */
  after(end: Reached, toSeq: number, limit: number): Reached | null {
    try {
      const block = this.#select.get(end.seq + 1, toSeq, limit);
      return block === undefined ? null : this.#follow(end, block);
    } catch {
      return null;
    }
  }

  #follow(end: Reached, block: Block): Reached | null {
    const { rows, plain, hashes, bodies } = block;
    if (rows === 0 || plain !== rows || hashes === null || bodies === null) return null;
    const [seqs, times, walls, sizes] = [
      numbersOf(block.seqs),
      numbersOf(block.times),
      numbersOf(block.walls),
      numbersOf(block.sizes),
    ];
    const digits = hashes.toString('hex');
    if (seqs.length !== rows || digits.length !== rows * HASH_DIGITS) return null;
    let { prev, atNs } = end;
    let from = 0;
    for (let i = 0; i < rows; i += 1) {
      const seq = end.seq + 1 + i;
      const columns = { seq, atNs: times[i] ?? Number.NaN, wallMs: walls[i] ?? Number.NaN };
      const to = from + (sizes[i] ?? Number.NaN);
      if (seqs[i] !== seq || !(columns.atNs >= atNs) || !(to <= bodies.length)) return null;
      const stored = digits.slice(i * HASH_DIGITS, (i + 1) * HASH_DIGITS);
      if (this.#hasher.hashPacked(prev, columns, bodies, from, to) !== stored) return null;
      if (this.#isDeep && !this.#isStep(columns)) return null;
      prev = stored;
      atNs = columns.atNs;
      from = to;
    }
    return from === bodies.length ? { prev, seq: end.seq + rows, atNs } : null;
  }

  /** Whether the text just hashed is a step that says what its columns say. */
  #isStep(columns: { readonly seq: number; readonly atNs: number; readonly wallMs: number }) {
    const decoded = decodeStep(this.#hasher.lastText());
    if (!decoded.ok) return false;
    const { seq, atNs, wallMs } = decoded.step.observation;
    return seq === columns.seq && atNs === columns.atNs && wallMs === columns.wallMs;
  }
}

/** The numbers SQLite listed; it prints whole numbers in full, and larger ones round alike. */
const numbersOf = (list: string | null): readonly number[] => {
  const value: unknown = JSON.parse(list ?? '[]');
  return isNumbers(value) ? value : [];
};

const isNumbers = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'number');
