import { CHECK_BYTES, checkOf, putCheck } from './checks.js';
import { BINARY_FIELD_BYTES, isReference } from './decode.js';
import type {
  BinaryField,
  BinaryProfile,
  FieldValue,
  FrameRule,
  Profile,
  TextField,
  TextProfile,
} from './profile.js';

/** What a machine would say, by the profile's own words: `observe` and the values it carries. */
export interface Saying {
  readonly observe: string;
  readonly values: Readonly<Record<string, FieldValue>>;
}

/** Number put into a message whose profile counts them, 0-255. */
export type Sequence = number;

/**
 * Encodes a saying as one frame, by the first sentence that can carry all of it.
 * Null when no sentence can. The virtual machines and the tests speak through this.
 */
export const encode = (profile: Profile, saying: Saying, sequence: Sequence): Uint8Array | null => {
  switch (profile.body) {
    case 'text':
      return encodeText(profile, saying, sequence);
    case 'binary':
      return encodeBinary(profile, saying, sequence);
    case 'json':
      return frameOf(profile.frame, jsonBytes(saying.values));
  }
};

interface Sentence<F> {
  readonly observe: string;
  readonly with: Readonly<Record<string, FieldValue>>;
  readonly fields: readonly F[];
}

/** Field values that make `sentence` say it; null when it cannot. */
const fieldsFor = <F extends { readonly name: string }>(
  sentence: Sentence<F>,
  saying: Saying,
): Map<string, FieldValue> | null => {
  if (sentence.observe !== saying.observe) return null;
  const fields = new Map<string, FieldValue>();
  for (const [key, source] of Object.entries(sentence.with)) {
    const value = saying.values[key];
    if (isReference(source)) {
      if (value !== undefined) fields.set(source.slice(1), value);
    } else if (source !== value) return null;
  }
  const carried = Object.keys(saying.values).every((key) => Object.hasOwn(sentence.with, key));
  return carried ? fields : null;
};

const encodeText = (
  profile: TextProfile,
  saying: Saying,
  sequence: Sequence,
): Uint8Array | null => {
  for (const sentence of profile.sentences) {
    const fields = fieldsFor(sentence, saying);
    if (fields === null) continue;
    const words = sentence.fields.map((field) => wordOf(field, fields.get(field.name)));
    if (words.includes(null)) continue;
    const marker = profile.repeat?.marker;
    const number = marker === undefined ? [] : [`${marker}${String(sequence).padStart(2, '0')}`];
    const text = [...number, sentence.code, ...words].join(profile.separator);
    return frameOf(profile.frame, asciiBytes(text));
  }
  return null;
};

/** The word on the wire; null where the field cannot say the value. */
const wordOf = (field: TextField, value: FieldValue | undefined): string | null => {
  if (value === undefined) return field.optional ? '-' : null;
  if (field.map === undefined) return String(value);
  const entry = Object.entries(field.map).find(([, mapped]) => mapped === value);
  return entry?.[0] ?? null;
};

const encodeBinary = (
  profile: BinaryProfile,
  saying: Saying,
  sequence: Sequence,
): Uint8Array | null => {
  for (const sentence of profile.sentences) {
    const fields = fieldsFor(sentence, saying);
    if (fields === null) continue;
    const payload = new Uint8Array(sentence.bytes);
    payload[profile.codeAt] = sentence.code;
    if (profile.repeat !== undefined) payload[profile.repeat.at] = sequence & 0xff;
    const put = sentence.fields.every((f) => putField(payload, f, fields.get(f.name)));
    if (put) return frameOf(profile.frame, payload);
  }
  return null;
};

const putField = (into: Uint8Array, field: BinaryField, value: FieldValue | undefined): boolean => {
  const raw = rawFor(field, value);
  if (raw === null) return false;
  if (field.type === 'bit') {
    into[field.at] = (into[field.at] ?? 0) | (raw << (field.bit ?? 0));
    return true;
  }
  const bytes = BINARY_FIELD_BYTES[field.type];
  const wire = field.type === 'bcd' ? Math.floor(raw / 10) * 16 + (raw % 10) : raw;
  putCheck(into, field.at, wire, bytes, { encoding: 'binary', endian: field.endian });
  return true;
};

const rawFor = (field: BinaryField, value: FieldValue | undefined): number | null => {
  if (value === undefined) return field.absent ?? null;
  if (field.map !== undefined) {
    const entry = Object.entries(field.map).find(([, mapped]) => mapped === value);
    if (entry === undefined) return null;
    return field.type === 'char' ? entry[0].charCodeAt(0) : Number(entry[0]);
  }
  if (typeof value === 'number') return value;
  return typeof value === 'string' && field.type === 'char' ? value.charCodeAt(0) : null;
};

/** Puts start, length, check and terminator around a payload. */
export const frameOf = (rule: FrameRule, payload: Uint8Array): Uint8Array => {
  const { start, end, check } = rule;
  const checkBytes = CHECK_BYTES[check.kind];
  const checkRoom = checkBytes * (check.encoding === 'hex' ? 2 : 1);
  const terminator = 'terminator' in end ? end.terminator : [];
  const header = 'length' in end ? end.length.at + end.length.bytes : Math.min(start.length, 1);
  const marker = checkBytes > 0 && check.marker !== undefined ? 1 : 0;
  const total = header + payload.length + marker + checkRoom + terminator.length;
  const frame = new Uint8Array(total);
  if (start[0] !== undefined) frame[0] = start[0];
  if ('length' in end) {
    const form = { encoding: 'binary', endian: end.length.endian } as const;
    putCheck(frame, end.length.at, total - end.length.adds, end.length.bytes, form);
  }
  frame.set(payload, header);
  const to = header + payload.length;
  const begin = check.coversStart ? 0 : Math.min(start.length, 1);
  if (check.place === 'after-end') {
    frame.set(terminator, to);
    const finish = check.coversEnd ? to + terminator.length : to;
    putCheck(
      frame,
      to + terminator.length,
      checkOf(check.kind, frame, begin, finish),
      checkBytes,
      check,
    );
    return frame;
  }
  if (marker === 1) frame[to] = check.marker?.charCodeAt(0) ?? 0;
  putCheck(frame, to + marker, checkOf(check.kind, frame, begin, to), checkBytes, check);
  frame.set(terminator, to + marker + checkRoom);
  return frame;
};

/** JSON in printable ASCII: all else is escaped, so that no byte looks like a frame's end. */
export const jsonBytes = (value: object): Uint8Array =>
  asciiBytes(
    JSON.stringify(value).replace(
      /[\u007f-\uffff]/g,
      (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  );

const asciiBytes = (text: string): Uint8Array => {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i) & 0x7f;
  return bytes;
};
