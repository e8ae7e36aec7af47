import { statSync } from 'node:fs';
import Database from 'better-sqlite3';

/*
 * Rows lie in the write-ahead log until it is folded in, and a log that is taken away leaves a
 * file that looks like an older, whole journal. So before its first row a writer notes in the file
 * itself that a log belongs to it, and takes the note back when it folds the log in and closes.
 */

/** A reader's place nobody reads from: the one table that may change holds it. */
const MARK = ' log in use';
/** A log with less holds no commit. */
const LOG_HEAD_BYTES = 32;

type Db = Database.Database;

/** Whether the file says that a log belongs to it. */
export const isMarked = (db: Db): boolean =>
  db.prepare('SELECT 1 FROM cursor WHERE consumer = ?').get(MARK) !== undefined;

/** Whether the log beside the file holds anything; asked before SQLite opens it. */
export const hasLog = (path: string): boolean =>
  (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > LOG_HEAD_BYTES;

/** Puts the mark into the file itself. @returns false where a reader kept it in the log so far */
export const mark = (db: Db): boolean => {
  if (!isMarked(db)) db.prepare('INSERT INTO cursor (consumer, seq) VALUES (?, 0)').run(MARK);
  const said: unknown = db.pragma('wal_checkpoint(PASSIVE)');
  return Array.isArray(said) && isFolded(said[0]);
};

const isFolded = (done: unknown): boolean =>
  typeof done === 'object' &&
  done !== null &&
  'log' in done &&
  'checkpointed' in done &&
  done.log === done.checkpointed;

export const unmark = (db: Db): void => {
  if (isMarked(db)) db.prepare('DELETE FROM cursor WHERE consumer = ?').run(MARK);
};

/** Takes the mark out of a copy: it has all rows in it and no log. */
export const unmarkCopy = (path: string): void => {
  const db = new Database(path, { fileMustExist: true });
  try {
    unmark(db);
  } finally {
    db.close();
  }
};

/** Whether a cursor read from the file is a consumer's. */
export const isConsumer = (name: string): boolean => name !== MARK;

/** What is wrong, in plain words. */
export const LOST_LOG =
  'its write-ahead log is gone, and with it the rows written last: put the log back, or restore ' +
  'a copy';
