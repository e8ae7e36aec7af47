import type { Database } from 'better-sqlite3';
import { JOURNAL_FORMAT } from './canonical.js';
import { JournalFault } from './fault.js';
import { STARTING_WORDS } from './words.js';

/** `CCJ1` in ASCII: tells a journal from any other SQLite file (`file`, `PRAGMA`). */
export const APPLICATION_ID = 0x43_43_4a_31;

/** The file's tables, format 1. Described for other readers in docs/JOURNAL.md. */
const TABLES = `
  CREATE TABLE step (
    seq INTEGER PRIMARY KEY,
    at_ns INTEGER NOT NULL,
    wall_ms INTEGER NOT NULL,
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    body BLOB NOT NULL
  ) STRICT;
  CREATE TABLE word (
    code INTEGER PRIMARY KEY,
    text TEXT NOT NULL
  ) STRICT;
  CREATE TABLE document (
    hash TEXT PRIMARY KEY CHECK (length(hash) = 64),
    kind TEXT NOT NULL,
    text TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE checkpoint (
    seq INTEGER PRIMARY KEY,
    body TEXT NOT NULL,
    signature BLOB NOT NULL CHECK (length(signature) = 64)
  ) STRICT;
  CREATE TABLE key (
    name TEXT PRIMARY KEY CHECK (length(name) = 64),
    public BLOB NOT NULL CHECK (length(public) = 32)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE pruned (
    seq INTEGER PRIMARY KEY,
    prev BLOB NOT NULL CHECK (length(prev) = 32),
    consumer TEXT NOT NULL,
    wall_ms INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE cursor (
    consumer TEXT PRIMARY KEY,
    seq INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE snapshot (
    seq INTEGER PRIMARY KEY,
    hash BLOB NOT NULL,
    state TEXT NOT NULL,
    digest BLOB NOT NULL
  ) STRICT;
`;

const refuse = (table: string, verb: 'UPDATE' | 'DELETE', when = ''): string => `
  CREATE TRIGGER ${table}_no_${verb.toLowerCase()} BEFORE ${verb} ON ${table} ${when}
  BEGIN SELECT RAISE(ABORT, 'the journal is append-only: ${table}'); END;
`;

/** Rows may leave only behind a recorded pruning, and never the row it names. */
const UNLESS_PRUNED = 'WHEN OLD.seq >= (SELECT coalesce(max(seq), 0) FROM pruned)';

const TRIGGERS = [
  refuse('step', 'UPDATE'),
  refuse('step', 'DELETE', UNLESS_PRUNED),
  refuse('word', 'UPDATE'),
  refuse('word', 'DELETE'),
  refuse('document', 'UPDATE'),
  refuse('document', 'DELETE'),
  refuse('checkpoint', 'UPDATE'),
  refuse('checkpoint', 'DELETE', UNLESS_PRUNED),
  refuse('key', 'UPDATE'),
  refuse('key', 'DELETE'),
  refuse('pruned', 'UPDATE'),
  refuse('pruned', 'DELETE'),
].join('');

const numberOf = (db: Database, pragma: string): number => {
  const value: unknown = db.pragma(pragma, { simple: true });
  return typeof value === 'number' ? value : -1;
};

/** Whether the file holds nothing at all yet. */
export const isEmpty = (db: Database): boolean =>
  numberOf(db, 'user_version') === 0 &&
  db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;

/** Makes the tables of a new journal, in one transaction. */
export const createSchema = (db: Database): void => {
  const word = 'INSERT INTO word (code, text) VALUES (?, ?)';
  db.transaction(() => {
    db.exec(TABLES + TRIGGERS);
    const insert = db.prepare<[number, string]>(word);
    for (const [code, text] of STARTING_WORDS.entries()) insert.run(code, text);
    db.pragma(`application_id = ${APPLICATION_ID}`);
    db.pragma(`user_version = ${JOURNAL_FORMAT}`);
  }).immediate();
};

/** @throws JournalFault `format` where the file is no journal, or of a later format. */
export const checkFormat = (db: Database, path: string): void => {
  const [id, version] = [numberOf(db, 'application_id'), numberOf(db, 'user_version')];
  if (id !== APPLICATION_ID) {
    throw new JournalFault('format', `${path} is an SQLite file but not a journal`);
  }
  if (version > JOURNAL_FORMAT) {
    throw new JournalFault(
      'format',
      `journal ${path} has format ${version}, and this program knows up to ${JOURNAL_FORMAT}`,
    );
  }
};

/** The file's own list of words, in order of code. */
export const readWords = (db: Database): readonly string[] =>
  db.prepare<[], string>('SELECT text FROM word ORDER BY code').pluck().all();
