import { statSync } from 'node:fs';

/** Bytes of the file; null where it is not there. */
export const sizeOf = (path: string): number | null =>
  statSync(path, { throwIfNoEntry: false })?.size ?? null;

/** What `path` is where it is there and no regular file; null otherwise. */
export const otherKind = (path: string): string | null => {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isFile()) return null;
  return found.isDirectory() ? 'a folder' : found.isFIFO() ? 'a pipe' : 'no regular file';
};

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
