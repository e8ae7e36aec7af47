import type {
  BinaryField,
  BinaryProfile,
  BinarySentence,
  FieldValue,
  Profile,
  TextField,
  TextProfile,
} from './profile.js';
import { saysOf, type Decoded } from './says.js';

/** A decoded message and the key by which a repeated one is known; null: never a repeat. */
export interface Message {
  readonly decoded: Decoded;
  readonly repeatKey: string | null;
}

type Values = Record<string, FieldValue>;
type Read =
  | { readonly ok: true; readonly values: Values }
  | { readonly ok: false; readonly why: string };
const no = (why: string): { ok: false; why: string } => ({ ok: false, why });

/** ASCII text of `bytes[from, to)`; null where a byte is no printable character. */
export const asciiOf = (bytes: Uint8Array, from: number, to: number): string | null => {
  let text = '';
  for (let i = from; i < to; i += 1) {
    const code = bytes[i] ?? 0;
    if (code < 0x20 || code > 0x7e) {
      if (code === 0x0d && i === to - 1) break;
      return null;
    }
    text += String.fromCharCode(code);
  }
  return text;
};

/** Decodes one frame's payload by its profile. Never throws on any bytes. */
export const decode = (profile: Profile, bytes: Uint8Array, from: number, to: number): Message => {
  switch (profile.body) {
    case 'text':
      return decodeText(profile, asciiOf(bytes, from, to));
    case 'binary':
      return decodeBinary(profile, bytes, from, to);
    case 'json':
      return decodeJson(asciiOf(bytes, from, to), profile.repeat?.key ?? null);
  }
};

const decodeText = (profile: TextProfile, text: string | null): Message => {
  if (text === null) return { decoded: no('a byte that is no printable ASCII'), repeatKey: null };
  const words = text.split(profile.separator).filter((w) => w !== '');
  const marker = profile.repeat?.marker;
  const numbered = marker !== undefined && words[0]?.startsWith(marker) === true;
  const repeatKey = numbered ? text : null;
  const [code, ...rest] = numbered ? words.slice(1) : words;
  const sentence = profile.sentences.find((s) => s.code === code);
  if (sentence === undefined) {
    return { decoded: no(`no sentence has the code \`${code ?? ''}\``), repeatKey };
  }
  const read = readWords(sentence.fields, rest, profile.separator);
  if (!read.ok) return { decoded: no(`${sentence.code}: ${read.why}`), repeatKey };
  return { decoded: tell(sentence, read.values), repeatKey };
};

const readWords = (
  fields: readonly TextField[],
  words: readonly string[],
  separator: string,
): Read => {
  const values: Values = {};
  for (const [i, field] of fields.entries()) {
    const given = field.type === 'text' ? words.slice(i).join(separator) : words[i];
    if (given === undefined || given === '' || (given === '-' && field.optional)) {
      if (!field.optional) return no(`field ${field.name} is missing`);
      continue;
    }
    const value = readWord(field, given);
    if (value === null) return no(`field ${field.name} cannot be \`${given}\``);
    values[field.name] = value;
  }
  const open = fields.some((f) => f.type === 'text');
  if (!open && words.length > fields.length) return no('more words than the sentence has fields');
  return { ok: true, values };
};

const readWord = (field: TextField, given: string): FieldValue | null => {
  if (field.map !== undefined) return own(field.map, given);
  if (field.type !== 'int') return given;
  if (!/^-?\d{1,9}$/.test(given)) return null;
  return inRange(Number(given), field) ? Number(given) : null;
};

const own = (map: Readonly<Record<string, FieldValue>>, key: string): FieldValue | null =>
  Object.hasOwn(map, key) ? (map[key] ?? null) : null;

const inRange = (value: number, field: { min?: number | undefined; max?: number | undefined }) =>
  value >= (field.min ?? -Infinity) && value <= (field.max ?? Infinity);

const decodeBinary = (
  profile: BinaryProfile,
  bytes: Uint8Array,
  from: number,
  to: number,
): Message => {
  const length = to - from;
  const repeatAt = profile.repeat?.at;
  const repeatKey = repeatAt === undefined || repeatAt >= length ? null : hexOf(bytes, from, to);
  if (profile.codeAt >= length) return { decoded: no('too short to have a code'), repeatKey };
  const code = bytes[from + profile.codeAt] ?? 0;
  const sentence = profile.sentences.find((s) => s.code === code);
  if (sentence === undefined) return { decoded: no(`no sentence has the code ${code}`), repeatKey };
  if (sentence.bytes !== length) {
    return { decoded: no(`${code}: ${length} bytes where ${sentence.bytes} belong`), repeatKey };
  }
  const read = readBytes(sentence, bytes, from);
  if (!read.ok) return { decoded: no(`${code}: ${read.why}`), repeatKey };
  return { decoded: tell(sentence, read.values), repeatKey };
};

const readBytes = (sentence: BinarySentence, bytes: Uint8Array, from: number): Read => {
  const values: Values = {};
  for (const field of sentence.fields) {
    const raw = rawOf(field, bytes, from + field.at);
    if (field.absent !== undefined && raw === field.absent) continue;
    const key = field.type === 'char' ? String.fromCharCode(raw) : String(raw);
    const plain = field.type === 'char' ? key : raw;
    const value = field.map === undefined ? plain : own(field.map, key);
    const bad = value === null || (typeof value === 'number' && !inRange(value, field));
    if (bad || raw < 0) return no(`field ${field.name} cannot be ${raw}`);
    values[field.name] = value;
  }
  return { ok: true, values };
};

/** The field's raw number; -1 where BCD digits are none. */
const rawOf = (field: BinaryField, bytes: Uint8Array, at: number): number => {
  const b = (i: number) => bytes[at + i] ?? 0;
  switch (field.type) {
    case 'u8':
    case 'char':
      return b(0);
    case 'bit':
      return (b(0) >> (field.bit ?? 0)) & 1;
    case 'u16':
      return field.endian === 'big' ? b(0) * 256 + b(1) : b(1) * 256 + b(0);
    case 'u32': {
      const [w, x, y, z] = field.endian === 'big' ? [0, 1, 2, 3] : [3, 2, 1, 0];
      return ((b(w) * 256 + b(x)) * 256 + b(y)) * 256 + b(z);
    }
    case 'bcd': {
      const high = b(0) >> 4;
      const low = b(0) & 15;
      return high > 9 || low > 9 ? -1 : high * 10 + low;
    }
  }
};

export const BINARY_FIELD_BYTES: Readonly<Record<BinaryField['type'], number>> = {
  u8: 1,
  char: 1,
  bit: 1,
  bcd: 1,
  u16: 2,
  u32: 4,
};

const decodeJson = (text: string | null, key: string | null): Message => {
  if (text === null) return { decoded: no('a byte that is no printable ASCII'), repeatKey: null };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { decoded: no('the payload is not JSON'), repeatKey: null };
  }
  const map = typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : null;
  const repeatKey = key !== null && map?.has(key) === true ? text : null;
  return { decoded: { ok: true, says: { say: 'json', value } }, repeatKey };
};

interface Tells {
  readonly observe: string;
  readonly with: Readonly<Record<string, FieldValue>>;
}

const tell = (sentence: Tells, values: Values): Decoded => {
  const told: Values = {};
  for (const [key, source] of Object.entries(sentence.with)) {
    const value = isReference(source) ? values[source.slice(1)] : source;
    if (value !== undefined) told[key] = value;
  }
  return saysOf(sentence.observe, told);
};

/** `$count` in a profile's `with`. */
export const isReference = (source: FieldValue): source is string =>
  typeof source === 'string' && source.startsWith('$');

const hexOf = (bytes: Uint8Array, from: number, to: number): string => {
  let text = '';
  for (let i = from; i < to; i += 1) text += (bytes[i] ?? 0).toString(16).padStart(2, '0');
  return text;
};
