import { CHECK_BYTES } from './checks.js';
import { BINARY_FIELD_BYTES, isReference } from './decode.js';
import type { BinaryProfile, FieldValue, Profile, TextProfile } from './profile.js';
import { OBSERVE_KEYS } from './says.js';

/** A fault of meaning in a profile; `path` leads to the value: `sentences`, 2, `with`. */
export interface Fault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** What each kind of device may say. */
const MAY_SAY: Readonly<Record<Profile['device'], (observe: string) => boolean>> = {
  shuffler: (o) => o.startsWith('shuffler.') || o === 'alive' || o === 'identity',
  'rank-reader': (o) => o === 'rank' || o === 'alive' || o === 'identity',
  'badge-reader': (o) => o === 'badge' || o === 'alive' || o === 'identity',
  panel: (o) => o === 'press' || o === 'alive' || o === 'identity',
  rack: (o) => o === 'rack.count' || o === 'alive' || o === 'identity',
};

/** Everything that is well formed and still cannot be meant. */
export const lintProfile = (profile: Profile): readonly Fault[] => {
  const faults: Fault[] = [...lintFrame(profile)];
  if (profile.body === 'json') {
    if (profile.device !== 'panel') {
      faults.push({ path: ['body'], message: 'only a panel speaks JSON' });
    }
    return faults;
  }
  if (profile.body === 'text') faults.push(...lintText(profile));
  else faults.push(...lintBinary(profile));
  profile.sentences.forEach((sentence, i) => {
    const path = ['sentences', i];
    if (!MAY_SAY[profile.device](sentence.observe)) {
      faults.push({
        path: [...path, 'observe'],
        message: `a ${profile.device} cannot say \`${sentence.observe}\``,
      });
    }
    faults.push(...lintTell(sentence, path));
  });
  const hasAlive = profile.sentences.some((s) => s.observe === 'alive');
  if (profile.heartbeat !== undefined && !hasAlive) {
    faults.push({
      path: ['heartbeat'],
      message: 'a silence limit needs a sentence that says `alive`, or a quiet machine looks lost',
    });
  }
  return faults;
};

const lintFrame = (profile: Profile): Fault[] => {
  const faults: Fault[] = [];
  const { start, end, check, maxBytes } = profile.frame;
  const terminated = 'terminator' in end;
  if (terminated && end.terminator.length === 0) {
    faults.push({ path: ['frame', 'end'], message: 'the terminator has no byte' });
  }
  if (terminated && end.terminator.some((b) => start.includes(b))) {
    faults.push({ path: ['frame', 'start'], message: 'a start byte is also in the terminator' });
  }
  if ('fixed' in end && end.fixed > maxBytes) {
    faults.push({ path: ['frame', 'end'], message: `longer than maxBytes (${maxBytes})` });
  }
  if ('length' in end && end.length.at < Math.min(start.length, 1)) {
    faults.push({ path: ['frame', 'end'], message: 'the length field lies on the start byte' });
  }
  if (!terminated && check.place === 'after-end') {
    faults.push({ path: ['frame', 'check'], message: '`after-end` needs a terminator' });
  }
  if (check.optional && (check.marker === undefined || check.place === 'after-end')) {
    faults.push({
      path: ['frame', 'check', 'optional'],
      message: 'a check that may be missing needs a marker in front of it, before the terminator',
    });
  }
  if (check.marker !== undefined && check.encoding === 'binary' && terminated) {
    faults.push({
      path: ['frame', 'check', 'encoding'],
      message: 'a marked check is in hex: a binary one could look like the terminator',
    });
  }
  if (terminated && check.place === 'before-end' && check.encoding === 'binary') {
    if (CHECK_BYTES[check.kind] > 0) {
      faults.push({
        path: ['frame', 'check', 'encoding'],
        message: 'a binary check before the terminator can look like it: use hex or `after-end`',
      });
    }
  }
  if (profile.body === 'binary' && terminated) {
    faults.push({ path: ['body'], message: 'binary payloads need a length or a fixed size' });
  }
  return faults;
};

const lintText = (profile: TextProfile): Fault[] => {
  const faults = repeated(profile.sentences.map((s) => s.code));
  profile.sentences.forEach((sentence, i) => {
    const path = ['sentences', i, 'fields'];
    faults.push(
      ...repeated(
        sentence.fields.map((f) => f.name),
        path,
      ),
    );
    sentence.fields.forEach((field, k) => {
      const next = sentence.fields[k + 1];
      if (field.type === 'text' && next !== undefined) {
        faults.push({ path: [...path, k], message: '`text` takes the rest: it must stand last' });
      }
    });
  });
  return faults;
};

const lintBinary = (profile: BinaryProfile): Fault[] => {
  const faults = repeated(profile.sentences.map((s) => String(s.code)));
  profile.sentences.forEach((sentence, i) => {
    const path = ['sentences', i, 'fields'];
    faults.push(
      ...repeated(
        sentence.fields.map((f) => f.name),
        path,
      ),
    );
    sentence.fields.forEach((field, k) => {
      if (field.at + BINARY_FIELD_BYTES[field.type] > sentence.bytes) {
        faults.push({ path: [...path, k], message: `ends behind the payload (${sentence.bytes})` });
      }
      if ((field.type === 'bit') !== (field.bit !== undefined)) {
        faults.push({ path: [...path, k], message: '`bit` belongs to type bit, and to it alone' });
      }
    });
  });
  return faults;
};

const lintTell = (
  sentence: {
    readonly observe: string;
    readonly with: Readonly<Record<string, FieldValue>>;
    readonly fields: readonly { readonly name: string }[];
  },
  path: readonly (string | number)[],
): Fault[] => {
  const faults: Fault[] = [];
  const keys = OBSERVE_KEYS[sentence.observe];
  if (keys === undefined) return faults;
  for (const need of keys.need) {
    if (!Object.hasOwn(sentence.with, need)) {
      faults.push({ path: [...path, 'with'], message: `\`${sentence.observe}\` needs ${need}` });
    }
  }
  for (const [key, source] of Object.entries(sentence.with)) {
    if (!keys.need.includes(key) && !keys.may.includes(key)) {
      const known = [...keys.need, ...keys.may].join(', ') || 'none';
      faults.push({
        path: [...path, 'with', key],
        message: `\`${sentence.observe}\` has no ${key}; its keys: ${known}`,
      });
    }
    if (isReference(source) && !sentence.fields.some((f) => f.name === source.slice(1))) {
      faults.push({ path: [...path, 'with', key], message: `there is no field ${source}` });
    }
  }
  return faults;
};

const repeated = (
  names: readonly string[],
  path: readonly (string | number)[] = ['sentences'],
): Fault[] =>
  names.flatMap((name, i) =>
    names.indexOf(name) < i ? [{ path: [...path, i], message: `\`${name}\` stands twice` }] : [],
  );
