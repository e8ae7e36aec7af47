import { JournalFault } from './fault.js';
import { otherKind, sizeOf } from './whole-file.js';

/** @throws JournalFault where `path` is there and is no file: a pipe would never end. */
export const demandFile = (path: string): void => {
  const kind = otherKind(path);
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
