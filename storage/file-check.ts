import { statSync } from 'node:fs';
import { JournalFault } from './fault.js';

const sizeOf = (path: string): number | null =>
  statSync(path, { throwIfNoEntry: false })?.size ?? null;

/** What `path` is where it is there and no regular file; null otherwise. */
const otherKind = (path: string): string | null => {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isFile()) return null;
  return found.isDirectory() ? 'a folder' : found.isFIFO() ? 'a pipe' : 'no regular file';
};

/** @throws JournalFault where `path` is there and is no file: a pipe would never end. */
export const demandFile = (path: string): void => {
  const kind = otherKind(path);
  if (kind !== null) throw new JournalFault('format', `${path} is ${kind}, not a journal`);
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

/** Whether the journal's file is there and holds nothing. */
export const isBare = (path: string): boolean => sizeOf(path) === 0;

/** Whether nothing is in its write-ahead log either, where a journal just begun may lie whole. */
export const isEmptied = (path: string): boolean =>
  isBare(path) && (sizeOf(`${path}-wal`) ?? 0) === 0;

/** A file of 0 bytes is a journal that was lost: a new one has no file yet. */
export const emptied = (path: string): JournalFault =>
  new JournalFault(
    'corrupt',
    `journal ${path} was emptied: the file is there and holds nothing (to go on, set it aside ` +
      'with `cutcard journal set-aside` and restore a copy)',
  );
