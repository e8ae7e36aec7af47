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
 * Canonical JSON: the keys of every map in order of UTF-16 units, no spaces, numbers and strings
 * as ECMAScript writes them (RFC 8785). A key whose value is `undefined` is left out.
 * @throws TypeError for what JSON cannot carry (NaN, Infinity, a function, a hole in a list).
 */
export const canonicalJson = (value: unknown): string => write(value, 0);

const write = (value: unknown, depth: number): string => {
  switch (typeof value) {
    case 'string':
      return quoted(value);
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`${value} has no place in a journal`);
      return value === 0 ? '0' : `${value}`;
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      if (value === null) return 'null';
      if (depth >= MAX_DEPTH) throw new TypeError(`nested deeper than ${MAX_DEPTH}`);
      if (Array.isArray(value)) return writeList(value, depth);
      return isMap(value) ? writeMap(value, depth) : 'null';
    default:
      throw new TypeError(`a value of type ${typeof value} has no place in a journal`);
  }
};

const writeList = (list: readonly unknown[], depth: number): string => {
  let text = '[';
  for (let i = 0; i < list.length; i += 1) {
    text += (i === 0 ? '' : ',') + write(list[i], depth + 1);
  }
  return `${text}]`;
};

type Fields = Readonly<Record<string, unknown>>;
const isMap = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

const LONGEST_LOOK = 64;
/** Most texts of a journal need no escape: short ones are looked through here. */
const quoted = (text: string): string => {
  if (text.length > LONGEST_LOOK) return JSON.stringify(text);
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit < 0x20 || unit > 0x7e || unit === 0x22 || unit === 0x5c) return JSON.stringify(text);
  }
  return `"${text}"`;
};

/** Keys written out, by key: a journal knows some hundred. */
const keyTexts = new Map<string, string>();
const MAX_KEY_TEXTS = 2000;
const keyText = (key: string): string => {
  const known = keyTexts.get(key);
  if (known !== undefined) return known;
  const text = `${quoted(key)}:`;
  if (keyTexts.size < MAX_KEY_TEXTS) keyTexts.set(key, text);
  return text;
};

/** By UTF-16 units, in place: for a handful of keys quicker than the general sort. */
const sortKeys = (keys: string[]): void => {
  for (let i = 1; i < keys.length; i += 1) {
    const key = keys[i] ?? '';
    let at = i;
    for (; at > 0; at -= 1) {
      const before = keys[at - 1] ?? '';
      if (before <= key) break;
      keys[at] = before;
    }
    keys[at] = key;
  }
};

const writeMap = (map: Fields, depth: number): string => {
  const keys = Object.keys(map);
  sortKeys(keys);
  let text = '{';
  for (const key of keys) {
    const value = map[key];
    if (value === undefined) continue;
    if (text.length > 1) text += ',';
    text += keyText(key) + write(value, depth + 1);
  }
  return `${text}}`;
};

/** The text of one row: `{"decisions":[…],"observation":{…}}`, canonical. @throws as above. */
export const encodeStep = (step: TableStep): string => {
  const { observation } = step;
  const body = `{"decisions":${write(step.decisions, 1)},"observation":${write(observation, 1)}}`;
  if (body.length > MAX_BODY_LENGTH) {
    throw new TypeError(
      `step ${observation.seq} takes ${body.length} characters, more than ${MAX_BODY_LENGTH}`,
    );
  }
  return body;
};

/** Hash of a row: SHA-256 over the 64 hex digits of `prev` followed by the text, hex. */
export const hashRow = (prev: string, body: string): string => hash('sha256', prev + body, 'hex');

/** SHA-256 of the UTF-8 text, hex. */
export const hashText = (text: string): string => hash('sha256', text, 'hex');
