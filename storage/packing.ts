/**
 * How a row's text lies in the file. JSON text never holds a byte below 0x20, so those bytes stand
 * for words of a list that is kept in the same file (table `word`):
 *
 *   0x01             the digits of the row's `seq`
 *   0x02             the digits of its `at_ns`
 *   0x03             the digits of its `wall_ms`
 *   0x04 … 0x17      words 0 … 19
 *   0x18 … 0x1f, b   word 20 + (first - 0x18) × 128 + b, with b from 0 to 127
 *   anything else    itself (UTF-8)
 *
 * Only the unpacked text is hashed: packing saves room and proves nothing.
 */
const SEQ = 1;
const AT = 2;
const WALL = 3;
const FIRST_SHORT = 4;
const FIRST_LONG = 0x18;
const SHORT_WORDS = FIRST_LONG - FIRST_SHORT;
const LONG_SPAN = 128;
const FIRST_TEXT = 0x20;
/** Most words there are codes for; later ones are not used. */
const MAX_WORDS = SHORT_WORDS + (FIRST_TEXT - FIRST_LONG) * LONG_SPAN;
/** Longest word, in bytes. */
export const MAX_WORD_LENGTH = 200;
/** Shorter digits are left alone. */
const MIN_DIGITS = 3;
const ASCII = 128;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;

const firstByteOf = (index: number): number =>
  index < SHORT_WORDS
    ? FIRST_SHORT + index
    : FIRST_LONG + Math.floor((index - SHORT_WORDS) / LONG_SPAN);

/** The three numbers of a row that are columns of their own. */
export interface Columns {
  readonly seq: number;
  readonly atNs: number;
  readonly wallMs: number;
}

/** A letter of the tree while it is built. */
interface Branch {
  readonly next: Map<number, Branch>;
  word: number;
}

/**
 * Packs texts with one list of words: at each place the longest word that fits, by walking a tree
 * of letters. Most letters of a word have one letter behind them: those lie one behind the other
 * in `#only`, a byte each, so that a walk stays within the processor's cache. Only where words
 * part is there a table (128 places a branch). Words with letters beyond ASCII are left out.
 */
export class Packer {
  /** The one letter behind a node, which leads to the next node; 0 where there is none or more. */
  readonly #only: Uint8Array;
  /** Which table a node branches by; 0 where it does not. */
  readonly #branch: Uint16Array;
  readonly #tables: Uint16Array;
  /** Index of the word that ends in a node; -1 where none does. */
  readonly #ends: Int16Array;
  /** First byte of each word's code. */
  readonly #firsts: Uint8Array;
  #in: Buffer = Buffer.allocUnsafe(16_384);
  #out: Buffer = Buffer.allocUnsafe(16_384);

  constructor(words: readonly string[]) {
    this.#firsts = Uint8Array.from(words, (_, index) => firstByteOf(index));
    const { root, nodes, tables } = treeOf(words.slice(0, MAX_WORDS));
    this.#only = new Uint8Array(nodes);
    this.#branch = new Uint16Array(nodes);
    this.#ends = new Int16Array(nodes).fill(-1);
    this.#tables = new Uint16Array((tables + 1) * ASCII);
    this.#lay(root);
  }

  /** The packed bytes, in a buffer of the packer's: good until the next call. */
  pack(body: string, columns: Columns): Buffer {
    const most = body.length * 3;
    if (most > this.#in.length) {
      this.#in = Buffer.allocUnsafe(most);
      this.#out = Buffer.allocUnsafe(most);
    }
    const text = this.#in;
    const out = this.#out;
    const length = text.write(body, 0, 'utf8');
    let at = 0;
    let size = 0;
    while (at < length) {
      const byte = text[at] ?? 0;
      if (byte >= DIGIT_0 && byte <= DIGIT_9) {
        const end = digitsEnd(text, at, length);
        const code = columnOf(columns, text, at, end);
        if (code > 0) {
          out[size] = code;
          size += 1;
          at = end;
        } else {
          while (at < end) {
            out[size] = text[at] ?? 0;
            size += 1;
            at += 1;
          }
        }
      } else {
        const found = this.#longest(text, at, length);
        if (found < 0) {
          out[size] = byte;
          at += 1;
        } else {
          const word = found & WORD_MASK;
          at = found >> WORD_BITS;
          out[size] = this.#firsts[word] ?? 0;
          if (word >= SHORT_WORDS) {
            size += 1;
            out[size] = (word - SHORT_WORDS) % LONG_SPAN;
          }
        }
        size += 1;
      }
    }
    return out.subarray(0, size);
  }

  /** The longest word at `from`, with the place where it ends; -1 where none begins. */
  #longest(text: Buffer, from: number, length: number): number {
    const only = this.#only;
    let node = 0;
    let found = -1;
    for (let at = from; at < length; at += 1) {
      const byte = text[at] ?? 0;
      const single = only[node] ?? 0;
      if (single !== 0) {
        if (single !== byte) break;
        node += 1;
      } else {
        const table = this.#branch[node] ?? 0;
        if (table === 0 || byte >= ASCII) break;
        node = this.#tables[table * ASCII + byte] ?? 0;
        if (node === 0) break;
      }
      const ending = this.#ends[node] ?? -1;
      if (ending >= 0) found = ((at + 1) << WORD_BITS) | ending;
    }
    return found;
  }

  /** Numbers the letters so that an only child follows its parent. */
  #lay(root: Branch): void {
    let nodes = 0;
    let tables = 0;
    const put = (branch: Branch): number => {
      const node = nodes;
      nodes += 1;
      this.#ends[node] = branch.word;
      // The first node always has a table: it is the one place that says what can begin.
      const isChain = node > 0 && branch.next.size === 1;
      const table = isChain || branch.next.size === 0 ? 0 : (tables += 1);
      this.#branch[node] = table;
      for (const [byte, next] of branch.next) {
        const child = put(next);
        if (isChain) this.#only[node] = byte;
        else this.#tables[table * ASCII + byte] = child;
      }
      return node;
    };
    put(root);
  }
}

/** Most letters of the tree: what a node's number holds. */
const MAX_NODES = 65_535;
/** Bits that carry a word's index beside the place where it ends. */
const WORD_BITS = 11;
const WORD_MASK = (1 << WORD_BITS) - 1;

const treeOf = (
  words: readonly string[],
): { readonly root: Branch; readonly nodes: number; readonly tables: number } => {
  const root: Branch = { next: new Map(), word: -1 };
  let nodes = 1;
  let tables = 1;
  for (const [index, word] of words.entries()) {
    const bytes = Buffer.from(word, 'utf8');
    if (bytes.length === 0 || bytes.some((byte) => byte === 0 || byte >= ASCII)) continue;
    if (nodes + bytes.length > MAX_NODES) break;
    let branch = root;
    for (const byte of bytes) {
      let next = branch.next.get(byte);
      if (next === undefined) {
        next = { next: new Map(), word: -1 };
        branch.next.set(byte, next);
        nodes += 1;
        if (branch !== root && branch.next.size === 2) tables += 1;
      }
      branch = next;
    }
    if (branch.word < 0) branch.word = index;
  }
  return { root, nodes, tables };
};

/** Which column the digits are (1 to 3); 0 when none, or too short to be worth it. */
const columnOf = (
  { seq, atNs, wallMs }: Columns,
  text: Buffer,
  from: number,
  end: number,
): number => {
  if (end - from < MIN_DIGITS || text[from] === DIGIT_0) return 0;
  let value = 0;
  for (let i = from; i < end; i += 1) value = value * 10 + ((text[i] ?? 0) - DIGIT_0);
  // Above 2^53 two rows of digits can be the same number: compared as they are printed.
  if (!Number.isSafeInteger(value)) {
    const digits = text.toString('latin1', from, end);
    return [`${seq}`, `${atNs}`, `${wallMs}`].indexOf(digits) + 1;
  }
  if (value === seq) return SEQ;
  if (value === atNs) return AT;
  return value === wallMs ? WALL : 0;
};

const digitsEnd = (text: Buffer, from: number, length: number): number => {
  let end = from + 1;
  while (end < length) {
    const byte = text[end] ?? 0;
    if (byte < DIGIT_0 || byte > DIGIT_9) break;
    end += 1;
  }
  return end;
};

/** Unpacks rows into one buffer of its own: no garbage a row. */
export class Unpacker {
  /** All words in one piece, and where each begins and ends. */
  readonly #pool: Buffer;
  readonly #begins: Uint32Array;
  readonly #count: number;
  #out: Buffer = Buffer.allocUnsafe(16_384);

  constructor(words: readonly string[]) {
    const pieces = words.map((word) => Buffer.from(word, 'utf8'));
    this.#pool = Buffer.concat(pieces);
    this.#count = words.length;
    this.#begins = new Uint32Array(words.length + 1);
    for (const [i, piece] of pieces.entries()) {
      this.#begins[i + 1] = (this.#begins[i] ?? 0) + piece.length;
    }
  }

  /** The buffer last written to; `unpackAt` says how much of it is meant. */
  get out(): Buffer {
    return this.#out;
  }

  /** The row's text. @throws RangeError where the bytes name a word that is not there. */
  unpack(packed: Buffer, columns: Columns, from = 0, length: number = packed.length): string {
    const end = this.unpackAt(packed, columns, 0, from, length);
    return this.#out.toString('utf8', 0, end);
  }

  /**
   * Unpacks into `out` from `start` on and returns where the text ends. `from`, `length`: where
   * the packed text begins and ends in its buffer.
   * @throws RangeError where the bytes name a word that is not there.
   */
  unpackAt(
    packed: Buffer,
    columns: Columns,
    start: number,
    from = 0,
    length: number = packed.length,
  ): number {
    let at = start;
    this.#room(at + (length - from) * 2 + MAX_WORD_LENGTH);
    let out = this.#out;
    for (let i = from; i < length; i += 1) {
      const byte = packed[i] ?? 0;
      if (byte >= FIRST_TEXT) {
        out[at] = byte;
        at += 1;
      } else {
        if (at + (length - i) + MAX_WORD_LENGTH > out.length) {
          this.#room(at * 2 + (length - i) + MAX_WORD_LENGTH);
          out = this.#out;
        }
        if (byte > WALL) {
          const isLong = byte >= FIRST_LONG;
          if (isLong) i += 1;
          const low = i < length ? packed[i] : undefined;
          at = this.#word(at, isLong ? longIndex(byte, low) : byte - FIRST_SHORT);
        } else {
          at = putDigits(out, at, columnBehind(byte, columns));
        }
      }
    }
    return at;
  }

  #word(at: number, index: number): number {
    if (index < 0 || index >= this.#count) {
      throw new RangeError(`the text names word ${index}, which is not there`);
    }
    const pool = this.#pool;
    const out = this.#out;
    const end = this.#begins[index + 1] ?? 0;
    let to = at;
    for (let i = this.#begins[index] ?? 0; i < end; i += 1) {
      out[to] = pool[i] ?? 0;
      to += 1;
    }
    return to;
  }

  #room(bytes: number): void {
    if (bytes <= this.#out.length) return;
    const larger = Buffer.allocUnsafe(Math.max(bytes, this.#out.length * 2));
    this.#out.copy(larger);
    this.#out = larger;
  }
}

const longIndex = (lead: number, low: number | undefined): number =>
  low === undefined || low >= LONG_SPAN ? -1 : SHORT_WORDS + (lead - FIRST_LONG) * LONG_SPAN + low;

const columnBehind = (code: number, { seq, atNs, wallMs }: Columns): number => {
  if (code === SEQ) return seq;
  if (code === AT) return atNs;
  if (code === WALL) return wallMs;
  throw new RangeError('the text holds a zero byte');
};

/** Writes a number's digits as ECMAScript prints them; returns where they end. */
const putDigits = (out: Buffer, at: number, value: number): number => {
  if (!Number.isSafeInteger(value) || value < 0) return at + out.write(`${value}`, at, 'latin1');
  let size = 1;
  for (let least = 10; least <= value; least *= 10) size += 1;
  let rest = value;
  for (let i = at + size - 1; i >= at; i -= 1) {
    const tenth = Math.floor(rest / 10);
    out[i] = DIGIT_0 + (rest - tenth * 10);
    rest = tenth;
  }
  return at + size;
};
