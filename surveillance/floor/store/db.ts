/**
 * The little that the floor's store asks of a database, so that its statements are written once
 * and run on SQLite and on PostgreSQL. Placeholders are `?`; what comes back is read by the
 * accessors below, which refuse a column of another type.
 */
export type Value = string | number | null;
export type Raw = Readonly<Record<string, unknown>>;

export type ColumnType = 'text' | 'bigint';
/** Columns of a many-row insert, in order. */
export type Columns = readonly (readonly [name: string, type: ColumnType])[];

export interface Db {
  readonly kind: 'sqlite' | 'postgresql';
  all(sql: string, values?: readonly Value[]): Promise<readonly Raw[]>;
  /** Statements without a result; several may stand in one text where there are no values. */
  run(sql: string, values?: readonly Value[]): Promise<void>;
  /**
   * Inserts many rows at once and gives back `returning` of those that were not there before.
   * `conflict` names the columns of the key.
   */
  insertNew(into: InsertInto, rows: readonly (readonly Value[])[]): Promise<readonly Raw[]>;
  /** The same statement once for each list of values, in order. */
  runMany(sql: string, lists: readonly (readonly Value[])[]): Promise<void>;
  /** All or nothing. Never nested. */
  transaction<T>(work: (db: Db) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface InsertInto {
  readonly table: string;
  readonly columns: Columns;
  readonly conflict: string;
  readonly returning: string;
}

/** The database holds what it should not, or cannot be used; the message says what to do. */
export class StoreError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'StoreError';
  }
}

/** Of PostgreSQL: data exceptions and constraints, not the connection or the server. */
const DATA_STATE = /^2[23]\w{3}$/;
const DATA_CODE = /^SQLITE_(?:CONSTRAINT|MISMATCH|RANGE|TOOBIG)/;

/**
 * Whether a statement failed for what it was given, so that it fails every time: a number out of
 * range, a text the database cannot hold. False where trying again may help.
 */
export const isDataFault = (cause: unknown): boolean => {
  // A driver that cannot bind a value says so by one of the first two, a text that is no JSON by
  // the third.
  const isGiven = [TypeError, RangeError, SyntaxError].some((kind) => cause instanceof kind);
  if (isGiven) return true;
  const code = cause instanceof Error && 'code' in cause ? cause.code : null;
  return typeof code === 'string' && (DATA_STATE.test(code) || DATA_CODE.test(code));
};

/** A full or read-only disk, of SQLite and of PostgreSQL. */
const NO_ROOM_CODE = /^(?:SQLITE_(?:FULL|IOERR|READONLY)|53100$)/;

/** Whether nothing can be written down now, and it may be tried again later. */
export const hasNoRoom = (cause: unknown): boolean => {
  const code = cause instanceof Error && 'code' in cause ? cause.code : null;
  return typeof code === 'string' && NO_ROOM_CODE.test(code);
};

const wrong = (row: Raw, column: string, wanted: string): StoreError =>
  new StoreError(
    `column ${column} of the floor's store is ${typeof row[column]} and not ${wanted}: another ` +
      'program wrote it, or the store is of another version',
  );

export const numberIn = (row: Raw, column: string): number => {
  const value = row[column];
  if (typeof value === 'number') return value;
  throw wrong(row, column, 'a number');
};

export const textIn = (row: Raw, column: string): string => {
  const value = row[column];
  if (typeof value === 'string') return value;
  throw wrong(row, column, 'text');
};

export const numberOrNull = (row: Raw, column: string): number | null =>
  row[column] === null || row[column] === undefined ? null : numberIn(row, column);

export const textOrNull = (row: Raw, column: string): string | null =>
  row[column] === null || row[column] === undefined ? null : textIn(row, column);

/**
 * `IN` over a list of any length with one placeholder, so that a statement stays one statement:
 * give `JSON.stringify(numbers)` for it.
 */
export const inList = (db: Db): string =>
  db.kind === 'sqlite'
    ? 'IN (SELECT value FROM json_each(?))'
    : 'IN (SELECT json_array_elements_text(?::text::json)::bigint)';

/** `?, ?, ?` */
export const marks = (count: number): string => Array.from({ length: count }, () => '?').join(', ');
