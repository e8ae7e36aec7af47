import { isUtf8 } from 'node:buffer';
import { closeSync, existsSync, lstatSync, openSync, readSync } from 'node:fs';
import { fileWords, otherKind } from '../controller/config/given-file.js';
import { JournalFault } from './fault.js';
import { sizeOf } from './whole-file.js';

/** Bytes looked at to tell a text; the first page of a journal holds zeros within the first 100. */
const LOOK_BYTES = 1024;

/** Whether the file begins as a text does: pages of a journal, damaged or not, hold zero bytes. */
const isText = (path: string): boolean => {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    // Missing or not ours to read: whoever opens it says so.
    return false;
  }
  try {
    const bytes = Buffer.alloc(LOOK_BYTES);
    const head = bytes.subarray(0, readSync(file, bytes, 0, LOOK_BYTES, 0));
    return head.length > 0 && isUtf8(head) && head.every((byte) => byte >= 0x20 || isBlank(byte));
  } finally {
    closeSync(file);
  }
};

const isBlank = (byte: number): boolean => byte === 0x09 || byte === 0x0a || byte === 0x0d;

/** A new journal would take the place of the link, on another disk than the one that was meant. */
const leadsNowhere = (path: string): boolean =>
  !existsSync(path) && lstatSync(path, { throwIfNoEntry: false }) !== undefined;

const kindOf = (path: string): string | null => {
  try {
    return (
      otherKind(path) ??
      (leadsNowhere(path) ? 'a link to nothing' : null) ??
      (isText(path) ? 'a text' : null)
    );
  } catch (cause) {
    const what = `${path} cannot be opened: ${fileWords(cause)}; look at the path`;
    throw new JournalFault('asked', what, cause);
  }
};

/** @throws JournalFault where `path` is there and cannot be a journal: a pipe would never end. */
export const demandFile = (path: string): void => {
  const kind = kindOf(path);
  if (kind !== null) throw new JournalFault('format', `${path} is ${kind}, not a journal`);
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

/** SQLite would read the log of the journal that is gone into the new one. */
export const leftLog = (path: string): JournalFault =>
  new JournalFault(
    'corrupt',
    `journal ${path} is not there and its log is: ${path}-wal holds the rows written last`,
    undefined,
    'put the journal back beside it, or move the log to where the journal was moved',
  );
