import { readFileSync, statSync } from 'node:fs';
import { fileWords, otherKind } from '../controller/config/given-file.js';

/** Bytes of the file; null where it is not there. */
export const sizeOf = (path: string): number | null =>
  statSync(path, { throwIfNoEntry: false })?.size ?? null;

/** Largest text read into memory: evidence of 100,000 rows has some 60 MB. */
const MAX_TEXT_BYTES = 256 * 1024 * 1024;

/**
 * Why `path` cannot be read into memory: no regular file (a pipe or /dev/zero would never end), or
 * too large; null where it can, or is not there.
 */
export const unreadable = (path: string): string | null => {
  const kind = otherKind(path);
  if (kind !== null) return `it is ${kind}`;
  const size = sizeOf(path) ?? 0;
  return size > MAX_TEXT_BYTES ? `it has ${size} bytes, more than ${MAX_TEXT_BYTES}` : null;
};

/** A whole file as text. @throws Error with the cause in plain words and without the path */
export const readWhole = (path: string): string => {
  try {
    const trouble = unreadable(path);
    if (trouble !== null) throw new Error(trouble);
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new Error(fileWords(cause), { cause });
  }
};
