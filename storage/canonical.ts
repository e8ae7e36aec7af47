import { hash } from 'node:crypto';
import type { TableStep } from '../controller/core/ports.js';

/** Version of the row's text and of the chain, told in the file and in docs/JOURNAL.md. */
export const JOURNAL_FORMAT = 1;
/** What stands for the row before the first. */
export const NO_HASH = '0'.repeat(64);
/** Longest canonical text of one step, in UTF-16 units; a real one has some hundreds. */
export const MAX_BODY_LENGTH = 65_536;
/** Deepest nesting of a canonical value; a real step has 6. */
const MAX_DEPTH = 24;

/**
 * The text grows in one buffer, byte by byte: strings put together with `+` stay ropes until
 * somebody reads them, and a journal that keeps thousands of them keeps the collector busy.
 */
let out = Buffer.allocUnsafe(16_384);
let at = 0;
let isAscii = true;

/**
 * Canonical JSON: the keys of every map in order of UTF-16 units, no spaces, numbers and strings
 * as ECMAScript writes them (RFC 8785). A key whose value is `undefined` is left out.
 * @throws TypeError for what JSON cannot carry (NaN, Infinity, a function, a hole in a list).
 */
export const canonicalJson = (value: unknown): string => {
  begin();
  write(value, 0);
  return written();
};

/** The text of one row: `{"decisions":[…],"observation":{…}}`, canonical. @throws as above. */
export const encodeStep = (step: TableStep): string => {
  const { observation } = step;
  begin();
  putAscii('{"decisions":');
  write(step.decisions, 1);
  putAscii(',"observation":');
  write(observation, 1);
  putByte(CLOSE_MAP);
  const body = written();
  if (body.length > MAX_BODY_LENGTH) {
    throw new TypeError(
      `step ${observation.seq} takes ${body.length} characters, more than ${MAX_BODY_LENGTH}`,
    );
  }
  return body;
};

/**
 * Whether the canonical text of the value lies between `from` and `to`, told without making a text.
 * @throws as `canonicalJson`
 */
export const isCanonicalAt = (
  value: unknown,
  bytes: Uint8Array,
  from: number,
  to: number,
): boolean => {
  begin();
  write(value, 0);
  return at === to - from && out.compare(bytes, from, to, 0, at) === 0;
};

/** Hash of a row: SHA-256 over the 64 hex digits of `prev` followed by the text, hex. */
export const hashRow = (prev: string, body: string): string => hash('sha256', prev + body, 'hex');

/** SHA-256 of the UTF-8 text, hex. */
export const hashText = (text: string): string => hash('sha256', text, 'hex');

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_MAP = 0x7b;
const CLOSE_MAP = 0x7d;
const DIGIT_0 = 0x30;
const FIRST_PLAIN = 0x20;
const LAST_PLAIN = 0x7e;
/** Most bytes one UTF-16 unit takes in UTF-8. */
const UTF8_BYTES = 3;
/** A buffer that grew beyond this for one large state is let go again. */
const KEPT_BYTES = 1 << 20;

const begin = (): void => {
  if (out.length > KEPT_BYTES) out = Buffer.allocUnsafe(KEPT_BYTES);
  at = 0;
  isAscii = true;
};

const written = (): string => out.toString(isAscii ? 'latin1' : 'utf8', 0, at);

const room = (bytes: number): void => {
  if (at + bytes <= out.length) return;
  const larger = Buffer.allocUnsafe((at + bytes) * 2);
  out.copy(larger, 0, 0, at);
  out = larger;
};

const putByte = (byte: number): void => {
  room(1);
  out[at] = byte;
  at += 1;
};

const putAscii = (text: string): void => {
  const length = text.length;
  room(length);
  for (let i = 0; i < length; i += 1) out[at + i] = text.charCodeAt(i);
  at += length;
};

const LONGEST_LOOK = 64;
/** Most texts of a journal need no escape: short ones are looked through here. */
const putQuoted = (text: string): void => {
  const length = text.length;
  if (length > LONGEST_LOOK) return putEscaped(text);
  room(length + 2);
  out[at] = QUOTE;
  for (let i = 0; i < length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit < FIRST_PLAIN || unit > LAST_PLAIN || unit === QUOTE || unit === BACKSLASH) {
      return putEscaped(text);
    }
    out[at + 1 + i] = unit;
  }
  out[at + 1 + length] = QUOTE;
  at += length + 2;
};

const putEscaped = (text: string): void => {
  const quoted = JSON.stringify(text);
  room(quoted.length * UTF8_BYTES);
  const bytes = out.write(quoted, at, 'utf8');
  if (bytes !== quoted.length) isAscii = false;
  at += bytes;
};

const putNumber = (value: number): void => {
  if (!Number.isFinite(value)) throw new TypeError(`${value} has no place in a journal`);
  if (!Number.isSafeInteger(value) || value < 0) return putAscii(`${value}`);
  let size = 1;
  for (let least = 10; least <= value; least *= 10) size += 1;
  room(size);
  let rest = value;
  for (let i = at + size - 1; i >= at; i -= 1) {
    const tenth = Math.floor(rest / 10);
    out[i] = DIGIT_0 + (rest - tenth * 10);
    rest = tenth;
  }
  at += size;
};

const write = (value: unknown, depth: number): void => {
  switch (typeof value) {
    case 'string':
      return putQuoted(value);
    case 'number':
      return putNumber(value);
    case 'boolean':
      return putAscii(value ? 'true' : 'false');
    case 'object':
      if (value === null) return putAscii('null');
      if (depth >= MAX_DEPTH) throw new TypeError(`nested deeper than ${MAX_DEPTH}`);
      if (Array.isArray(value)) return writeList(value, depth);
      return isMap(value) ? writeMap(value, depth) : undefined;
    default:
      throw new TypeError(`a value of type ${typeof value} has no place in a journal`);
  }
};

const writeList = (list: readonly unknown[], depth: number): void => {
  putByte(OPEN_LIST);
  for (let i = 0; i < list.length; i += 1) {
    if (i > 0) putByte(COMMA);
    write(list[i], depth + 1);
  }
  putByte(CLOSE_LIST);
};

type Fields = Readonly<Record<string, unknown>>;
const isMap = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/** Keys written out, by key: a journal knows some hundred, all of them plain. */
const keyTexts = new Map<string, string>();
const MAX_KEY_TEXTS = 2000;
const PLAIN_KEY = /^[\w.:/-]+$/;
const putKey = (key: string): void => {
  const known = keyTexts.get(key);
  if (known !== undefined) return putAscii(known);
  if (PLAIN_KEY.test(key) && keyTexts.size < MAX_KEY_TEXTS) keyTexts.set(key, `"${key}":`);
  putQuoted(key);
  putByte(COLON);
};

/** By UTF-16 units, in place: for a handful of keys quicker than the general sort. */
const sortKeys = (keys: string[]): void => {
  for (let i = 1; i < keys.length; i += 1) {
    const key = keys[i] ?? '';
    let to = i;
    for (; to > 0; to -= 1) {
      const before = keys[to - 1] ?? '';
      if (before <= key) break;
      keys[to] = before;
    }
    keys[to] = key;
  }
};

const writeMap = (map: Fields, depth: number): void => {
  const keys = Object.keys(map);
  sortKeys(keys);
  putByte(OPEN_MAP);
  let isFirst = true;
  for (let i = 0; i < keys.length; i += 1) {
    const key = keys[i] ?? '';
    const value = map[key];
    if (value === undefined) continue;
    if (!isFirst) putByte(COMMA);
    isFirst = false;
    putKey(key);
    write(value, depth + 1);
  }
  putByte(CLOSE_MAP);
};
