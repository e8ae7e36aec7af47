import { LineCounter, parseDocument } from 'yaml';
import { lintProfile } from './lint.js';
import { profileSchema, type Profile } from './profile.js';
import { formFaults, lineAt, plainOf, type FileFault } from './yaml-faults.js';

/** Longest profile file, characters. */
export const PROFILE_CHARS_MAX = 100_000;

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
  const plain = plainOf(document);
  if (plain === null) {
    const message = 'uses an anchor and an alias: write the value out';
    return { ok: false, faults: [{ file, line: 0, message }] };
  }
  const parsed = profileSchema.safeParse(plain);
  if (!parsed.success) {
    return { ok: false, faults: formFaults(parsed.error, document, counter, file) };
  }
  const faults = lintProfile(parsed.data).map((fault) => ({
    file,
    line: lineAt(document, counter, fault.path),
    message: `${fault.path.join('.')}: ${fault.message}`,
  }));
  return faults.length > 0 ? { ok: false, faults } : { ok: true, profile: parsed.data };
};
