import type { LineCounter } from 'yaml';
import type { z } from 'zod';
import { plainIssue } from '../../controller/config/plain-issue.js';

export interface FileFault {
  readonly file: string;
  /** From 1; 0 where no line can be named. */
  readonly line: number;
  readonly message: string;
}

/** The document as plain values; null where it refers to itself (a small file can grow huge so). */
export const plainOf = (document: {
  toJS(options: { maxAliasCount: number }): unknown;
}): unknown => {
  try {
    return document.toJS({ maxAliasCount: 0 }) ?? {};
  } catch {
    return null;
  }
};

export interface Positioned {
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

/** Every fault of form, each with its line; an unknown key is named and pointed at. */
export const formFaults = (
  error: z.ZodError,
  document: Positioned,
  counter: LineCounter,
  file: string,
): FileFault[] =>
  error.issues.flatMap((issue) => {
    const paths =
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => ({ path: [...issue.path, key], message: 'is no key here' }))
        : [{ path: issue.path, message: plainIssue(issue) }];
    return paths.map(({ path, message }) => ({
      file,
      line: lineAt(document, counter, path),
      message: path.length === 0 ? message : `${path.join('.')}: ${message}`,
    }));
  });
