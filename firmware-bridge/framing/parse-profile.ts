import { LineCounter, parseDocument } from 'yaml';
import { lintProfile } from './lint.js';
import { profileSchema, type Profile } from './profile.js';

/** Longest profile file, characters. */
export const PROFILE_CHARS_MAX = 100_000;

export interface FileFault {
  readonly file: string;
  /** From 1; 0 where no line can be named. */
  readonly line: number;
  readonly message: string;
}

export type ProfileResult =
  | { readonly ok: true; readonly profile: Profile }
  | { readonly ok: false; readonly faults: readonly FileFault[] };

/** Reads a device profile from YAML: form, then meaning. Every fault names its line. */
export const parseProfile = (text: string, file: string): ProfileResult => {
  if (text.length > PROFILE_CHARS_MAX) {
    return { ok: false, faults: [{ file, line: 0, message: 'longer than 100,000 characters' }] };
  }
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, uniqueKeys: true });
  if (document.errors.length > 0) {
    const faults = document.errors.map((e) => ({
      file,
      line: e.linePos?.[0].line ?? 0,
      message: e.message.split('\n')[0] ?? 'not YAML',
    }));
    return { ok: false, faults };
  }
  const lineOf = (path: readonly PropertyKey[]): number => lineAt(document, counter, path);
  const plain = plainOf(document);
  if (plain === null) {
    const message = 'uses an anchor and an alias: write the value out';
    return { ok: false, faults: [{ file, line: 0, message }] };
  }
  const parsed = profileSchema.safeParse(plain);
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => ({
      file,
      line: lineOf(issue.path),
      message: `${issue.path.join('.') || 'file'}: ${issue.message}`,
    }));
    return { ok: false, faults };
  }
  const faults = lintProfile(parsed.data).map((fault) => ({
    file,
    line: lineOf(fault.path),
    message: `${fault.path.join('.')}: ${fault.message}`,
  }));
  return faults.length > 0 ? { ok: false, faults } : { ok: true, profile: parsed.data };
};

/** The document as plain values; null where it refers to itself (a small file can grow huge so). */
const plainOf = (document: { toJS(options: { maxAliasCount: number }): unknown }): unknown => {
  try {
    return document.toJS({ maxAliasCount: 0 }) ?? {};
  } catch {
    return null;
  }
};

interface Positioned {
  getIn(path: Iterable<unknown>, keepScalar: true): unknown;
}

/** Line of the value at `path`, or of the nearest thing around it that has one. */
export const lineAt = (
  document: Positioned,
  counter: LineCounter,
  path: readonly PropertyKey[],
): number => {
  for (let length = path.length; length >= 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true);
    const offset = offsetOf(node);
    if (offset !== null) return counter.linePos(offset).line;
  }
  return 0;
};

const offsetOf = (node: unknown): number | null => {
  if (typeof node !== 'object' || node === null || !('range' in node)) return null;
  const range = node.range;
  return Array.isArray(range) && typeof range[0] === 'number' ? range[0] : null;
};
