import { SqliteError } from 'better-sqlite3';

/**
 * `full`: no room · `read-only` · `io`: the disk refused · `corrupt`: the file is damaged ·
 * `locked`: another process has it · `format`: not a journal, or a newer one · `order`: rows do
 * not follow on · `asked`: what was asked for cannot be had; the message says the cure ·
 * `stopped`: closed, or its writer died.
 */
export type FaultCode =
  | 'full'
  | 'read-only'
  | 'io'
  | 'corrupt'
  | 'locked'
  | 'format'
  | 'order'
  | 'asked'
  | 'stopped';

const CURE: Readonly<Record<FaultCode, string>> = {
  full: 'make room on the disk, then start again',
  'read-only': 'make the folder writable for this user, then start again',
  io: 'check the disk and its cable (dmesg), then start again',
  corrupt:
    'keep the file as it is: `cutcard journal verify` names the first bad row, and `cutcard ' +
    'journal set-aside` lets the table begin a new journal',
  locked: 'stop the other process first: one journal has one writer',
  format: 'name a journal of this program or an older one',
  order: 'this is a defect of the program: keep the journal and report it',
  asked: '',
  stopped: 'open the journal again',
};

/** Why a journal cannot be used. Nothing was repaired, replaced or dropped because of it. */
export class JournalFault extends Error {
  readonly code: FaultCode;
  /** True where the same call may succeed once the cause is gone and the journal was reopened. */
  readonly retryAfterCure: boolean;
  /** The message without the cure. */
  readonly what: string;

  /** `what`: file and what happened to it; the cure of the code is added, or another one. */
  constructor(code: FaultCode, what: string, cause?: unknown, cure = CURE[code]) {
    super(cure === '' ? what : `${what}; ${cure}`, cause === undefined ? undefined : { cause });
    this.name = 'JournalFault';
    this.code = code;
    this.what = what;
    this.retryAfterCure = code === 'full' || code === 'read-only' || code === 'locked';
  }
}

/** There is no file at a path where a journal is to be read. */
export const missingJournal = (path: string): JournalFault =>
  new JournalFault(
    'format',
    `there is no journal ${path}`,
    undefined,
    'look at the path (`journal:` in the configuration); a table makes its own at its first start',
  );

const codeOf = (sqlite: string): FaultCode => {
  if (sqlite.startsWith('SQLITE_FULL')) return 'full';
  if (sqlite.startsWith('SQLITE_READONLY') || sqlite === 'SQLITE_PERM') return 'read-only';
  if (sqlite.startsWith('SQLITE_CORRUPT')) return 'corrupt';
  if (sqlite.startsWith('SQLITE_NOTADB')) return 'corrupt';
  if (sqlite.startsWith('SQLITE_BUSY') || sqlite.startsWith('SQLITE_LOCKED')) return 'locked';
  if (sqlite.startsWith('SQLITE_CANTOPEN')) return 'read-only';
  if (sqlite.startsWith('SQLITE_CONSTRAINT')) return 'order';
  return 'io';
};

/** What the system says of a file; the rest is a path that cannot be used. */
const SYSTEM: Readonly<Record<string, FaultCode>> = {
  ENOSPC: 'full',
  EROFS: 'read-only',
  EACCES: 'read-only',
  EIO: 'io',
};

/** Turns what SQLite threw into a fault that names the file. */
export const faultOf = (path: string, doing: string, cause: unknown): JournalFault => {
  if (cause instanceof JournalFault) return cause;
  if (cause instanceof SqliteError) {
    const what = `journal ${path}: ${doing} failed (${cause.code}: ${cause.message})`;
    return new JournalFault(codeOf(cause.code), what, cause);
  }
  const why = cause instanceof Error ? cause.message : String(cause);
  if (cause instanceof Error && 'syscall' in cause && 'code' in cause) {
    const code = SYSTEM[String(cause.code)] ?? 'asked';
    return new JournalFault(code, `journal ${path}: ${doing} failed (${why})`, cause);
  }
  return new JournalFault('stopped', `journal ${path}: ${doing} failed (${why})`, cause);
};
