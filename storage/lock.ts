import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { faultOf, JournalFault } from './fault.js';

const LOCK_WAIT_MS = 250;

/**
 * One writer a journal: an exclusive lock on an empty file beside it, held by the kernel, so it
 * goes when the process goes. Readers do not take it. @throws JournalFault `locked`
 */
export const takeLock = (path: string): Database.Database => {
  const lock = new Database(`${path}.lock`, { timeout: LOCK_WAIT_MS });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (cause) {
    lock.close();
    if (faultOf(path, 'locking', cause).code !== 'locked') throw cause;
    throw new JournalFault('locked', `journal ${path} is open in another process`, cause);
  }
};

/** Whether a process has the journal open for writing. Makes no file where there is none. */
export const isInUse = (path: string): boolean => {
  if (!existsSync(`${path}.lock`)) return false;
  try {
    takeLock(path).close();
    return false;
  } catch (cause) {
    return faultOf(path, 'locking', cause).code === 'locked';
  }
};
