import type Database from 'better-sqlite3';
import { JournalFault } from './fault.js';

type Db = Database.Database;

/** Prepared once: made anew for every commit they cost as much as the row. */
export interface Statements {
  readonly begin: Database.Statement<[]>;
  readonly commit: Database.Statement<[]>;
  readonly rollback: Database.Statement<[]>;
  readonly insert: Database.Statement<[number, number, number, Buffer, Buffer]>;
}

export const statementsOf = (db: Db): Statements => ({
  begin: db.prepare('BEGIN IMMEDIATE'),
  commit: db.prepare('COMMIT'),
  rollback: db.prepare('ROLLBACK'),
  insert: db.prepare('INSERT INTO step (seq, at_ns, wall_ms, hash, body) VALUES (?, ?, ?, ?, ?)'),
});

/**
 * Bytes of a page of a new journal (an older one keeps its 4096). A commit of one row writes a
 * page and 24 bytes: with small pages that is one block of the card, with pages as large as its
 * blocks always two.
 */
const PAGE_BYTES = 1024;
/** The log is folded into the file when it has grown to this. */
const LOG_BYTES = 4 * 1024 * 1024;

/** What every connection that writes is set to. @throws JournalFault where there is no log */
export const setPragmas = (db: Db): void => {
  db.pragma(`page_size = ${PAGE_BYTES}`);
  db.pragma('locking_mode = NORMAL');
  if (db.pragma('journal_mode = WAL', { simple: true }) !== 'wal') {
    throw new JournalFault('io', `journal ${db.name}: the disk does not allow write-ahead logging`);
  }
  // After WAL, or it falls back to NORMAL and a power cut forgets acknowledged rows.
  db.pragma('synchronous = FULL');
  // The log is overwritten, never cut short: twice as fast on every commit, and kinder to a card.
  const pageBytes: unknown = db.pragma('page_size', { simple: true });
  db.pragma(`wal_autocheckpoint = ${Math.floor(LOG_BYTES / Number(pageBytes))}`);
  db.pragma('journal_size_limit = -1');
  db.pragma('cache_size = -2048');
  db.pragma('mmap_size = 0');
  db.pragma('temp_store = MEMORY');
  db.pragma('trusted_schema = OFF');
  db.pragma('cell_size_check = ON');
  db.pragma('recursive_triggers = ON');
};
