import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { setPragmas } from './connection.js';
import { createSchema } from './schema.js';

const removeAll = (path: string): void => {
  for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true });
};

/**
 * Makes a new journal beside its place and moves it there whole: a full disk or a power cut in the
 * middle leaves no file of 0 bytes, which would be taken for a journal that was emptied.
 * @throws whatever the disk says; then there is no file at `path`
 */
export const makeJournal = (path: string): void => {
  const fresh = `${path}.new`;
  removeAll(fresh);
  try {
    const db = new Database(fresh);
    try {
      setPragmas(db);
      createSchema(db);
      db.pragma('wal_checkpoint(TRUNCATE)');
    } finally {
      db.close();
    }
    renameSync(fresh, path);
  } catch (cause) {
    removeAll(fresh);
    throw cause;
  }
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
};
