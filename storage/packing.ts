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
/** Most words a file may list. */
export const MAX_WORDS = SHORT_WORDS + (FIRST_TEXT - FIRST_LONG) * LONG_SPAN;
/** Longest word, in bytes. */
export const MAX_WORD_LENGTH = 200;
/** Shorter digits are left alone. */
const MIN_SEQ_DIGITS = 3;
const MIN_TIME_DIGITS = 6;

const codeOf = (index: number): string => {
  if (index < SHORT_WORDS) return String.fromCharCode(FIRST_SHORT + index);
  const rest = index - SHORT_WORDS;
  return String.fromCharCode(FIRST_LONG + Math.floor(rest / LONG_SPAN), rest % LONG_SPAN);
};

const escaped = (word: string): string => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** The three numbers of a row that are columns of their own. */
export interface Columns {
  readonly seq: number;
  readonly atNs: number;
  readonly wallMs: number;
}

/** Packs texts with one list of words. */
export class Packer {
  readonly #codes = new Map<string, string>();
  readonly #pattern: RegExp;

  constructor(words: readonly string[]) {
    for (const [i, word] of words.entries()) this.#codes.set(word, codeOf(i));
    const longestFirst = [...words].sort((a, b) => b.length - a.length);
    this.#pattern = new RegExp(longestFirst.map(escaped).join('|'), 'g');
  }

  pack(body: string, { seq, atNs, wallMs }: Columns): Buffer {
    let text = body.replace(this.#pattern, (word) => this.#codes.get(word) ?? word);
    if (atNs >= 10 ** (MIN_TIME_DIGITS - 1)) text = text.replaceAll(`${atNs}`, '\x02');
    if (wallMs >= 10 ** (MIN_TIME_DIGITS - 1)) text = text.replaceAll(`${wallMs}`, '\x03');
    if (seq >= 10 ** (MIN_SEQ_DIGITS - 1)) text = text.replaceAll(`${seq}`, '\x01');
    return Buffer.from(text, 'utf8');
  }
}

/** Unpacks rows into one buffer of its own: no garbage a row. */
export class Unpacker {
  readonly #words: readonly Buffer[];
  #out: Buffer = Buffer.allocUnsafe(16_384);

  constructor(words: readonly string[]) {
    this.#words = words.map((word) => Buffer.from(word, 'utf8'));
  }

  /** The buffer last written to; `unpackAt` says how much of it is meant. */
  get out(): Buffer {
    return this.#out;
  }

  /** The row's text. @throws RangeError where the bytes name a word that is not there. */
  unpack(packed: Buffer, columns: Columns): string {
    return this.#out.toString('utf8', 0, this.unpackAt(packed, columns, 0));
  }

  /**
   * Unpacks into `out` from `start` on and returns where the text ends.
   * @throws RangeError where the bytes name a word that is not there.
   */
  unpackAt(packed: Buffer, columns: Columns, start: number): number {
    let at = start;
    const length = packed.length;
    this.#room(at + length * 2 + MAX_WORD_LENGTH);
    let out = this.#out;
    for (let i = 0; i < length; i += 1) {
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
          at = this.#word(at, isLong ? longIndex(byte, packed[i]) : byte - FIRST_SHORT);
        } else {
          at += out.write(digits(byte, columns), at, 'latin1');
        }
      }
    }
    return at;
  }

  #word(at: number, index: number): number {
    const word = this.#words[index];
    if (word === undefined)
      throw new RangeError(`the text names word ${index}, which is not there`);
    const out = this.#out;
    for (let i = 0; i < word.length; i += 1) out[at + i] = word[i] ?? 0;
    return at + word.length;
  }

  #room(bytes: number): void {
    if (bytes <= this.#out.length) return;
    const larger = Buffer.allocUnsafe(bytes);
    this.#out.copy(larger);
    this.#out = larger;
  }
}

const longIndex = (lead: number, low: number | undefined): number =>
  low === undefined || low >= LONG_SPAN ? -1 : SHORT_WORDS + (lead - FIRST_LONG) * LONG_SPAN + low;

const digits = (code: number, { seq, atNs, wallMs }: Columns): string => {
  if (code === SEQ) return `${seq}`;
  if (code === AT) return `${atNs}`;
  if (code === WALL) return `${wallMs}`;
  throw new RangeError('the text holds a zero byte');
};
