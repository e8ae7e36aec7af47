import { type ChainHasher, ROW_COLUMNS, type StoredRow } from './chain.js';
import type { JournalReader } from './reader.js';

/**
 * `torn page`: a page of the file is half written, zeroed or unreadable · `changed byte`: a row's
 * text or times were changed · `changed hash`: only its hash was · `missing row` · `reordered`: a
 * row lies where another belongs · `not a step`: chained, but no program wrote it ·
 * `checkpoint`: a signed checkpoint does not fit · `document`: a procedure or table the rows were
 * judged by is not there or was changed · `saved state`: one a start would be misled by ·
 * `rebuilt`: the mark of a journal made anew does not fit it ·
 * `lost log`: the write-ahead log is gone, and the rows in it · `other history`: whole, but not the
 * one asked for.
 */
export type DamageKind =
  | 'torn page'
  | 'changed byte'
  | 'changed hash'
  | 'missing row'
  | 'reordered'
  | 'not a step'
  | 'checkpoint'
  | 'document'
  | 'saved state'
  | 'rebuilt'
  | 'lost log'
  | 'other history';

export interface Damage {
  readonly kind: DamageKind;
  /** First row that cannot be trusted. */
  readonly seq: number;
  readonly what: string;
}

/** Rows looked at on either side to find where a misplaced one belongs. */
const WINDOW_ROWS = 24;
const LONGEST_SHIFT = 8;
const ZERO_RUN_BYTES = 16;
const PAGE_REPORTS = 3;

/** What SQLite itself says of the pages; null when it finds nothing. */
export const damagedPages = (reader: JournalReader): string | null => {
  try {
    const lines: unknown = reader.db.pragma(`quick_check(${PAGE_REPORTS})`);
    const words = Array.isArray(lines)
      ? lines.map((line: unknown) => Object.values(line ?? {}).join(' '))
      : [];
    return words.join('; ') === 'ok' ? null : words.join('; ').replaceAll('\n', ' ');
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause);
  }
};

const hashOr = (hasher: ChainHasher, prev: string, row: StoredRow, seq?: number): string => {
  try {
    return hasher.hashOf(prev, row, seq);
  } catch {
    return '';
  }
};

const hasZeroRun = (bytes: Buffer): boolean => bytes.includes(Buffer.alloc(ZERO_RUN_BYTES));

/** The place a row's own text names; null where it names none. */
const seqInText = (hasher: ChainHasher, row: StoredRow): number | null => {
  try {
    const digits = /"seq":(\d{1,15}),[^{}]*\}\}$/.exec(hasher.bodyOf(row))?.[1];
    return digits === undefined ? null : Number(digits);
  } catch {
    return null;
  }
};

/** Where the row's text and hash belong, if that is near: its real place; null if not found. */
const realPlace = (
  hasher: ChainHasher,
  row: StoredRow,
  near: readonly StoredRow[],
  prev: string,
): number | null => {
  const hash = row.hash.toString('hex');
  const before = [prev, ...near.map((other) => other.hash.toString('hex'))];
  for (const { seq } of near) {
    if (before.some((other) => hashOr(hasher, other, row, seq) === hash)) {
      const place = seqInText(hasher, { ...row, seq });
      return place === row.seq ? null : place;
    }
  }
  return null;
};

/** How far the rows were shifted to close a gap; 0 when they were not. */
const shiftOf = (hasher: ChainHasher, row: StoredRow, next: StoredRow | undefined): number => {
  if (next === undefined) return 0;
  const [prev, hash] = [row.hash.toString('hex'), next.hash.toString('hex')];
  if (hashOr(hasher, prev, next) === hash) {
    // Short numbers stand in the text as they are: the text still names the old place.
    return Math.max(0, (seqInText(hasher, row) ?? row.seq) - row.seq);
  }
  for (let shift = 1; shift <= LONGEST_SHIFT; shift += 1) {
    if (hashOr(hasher, prev, next, next.seq + shift) === hash) return shift;
  }
  return 0;
};

/** Says what kind of damage makes row `row` not follow from `prev`, from the rows around it. */
export const diagnose = (reader: JournalReader, row: StoredRow, prev: string): Damage => {
  const { seq } = row;
  const { hasher } = reader;
  const pages = damagedPages(reader);
  if (pages !== null) return { kind: 'torn page', seq, what: pages };
  const sql = `SELECT ${ROW_COLUMNS} FROM step WHERE seq > ? AND seq <= ? ORDER BY seq`;
  const near = reader.db
    .prepare<[number, number], StoredRow>(sql)
    .all(seq - WINDOW_ROWS, seq + WINDOW_ROWS);
  const place = realPlace(hasher, row, near, prev);
  if (place !== null) {
    return { kind: 'reordered', seq, what: `here lies what was written as row ${place}` };
  }
  const next = near.find((other) => other.seq === seq + 1);
  const shift = shiftOf(hasher, row, next);
  if (shift > 0) {
    const rows = shift === 1 ? 'a row was' : `${shift} rows were`;
    const what = `${rows} taken out before it and the rest renumbered`;
    return { kind: 'missing row', seq, what };
  }
  if (hasZeroRun(row.body) || hasZeroRun(row.hash)) {
    return { kind: 'torn page', seq, what: 'a stretch of zero bytes lies in the row' };
  }
  const computed = hashOr(hasher, prev, row);
  const nextHash = next?.hash.toString('hex');
  if (next !== undefined && computed !== '' && hashOr(hasher, computed, next) === nextHash) {
    return { kind: 'changed hash', seq, what: 'its text is whole, its stored hash was changed' };
  }
  if (next !== undefined && hashOr(hasher, row.hash.toString('hex'), next) === nextHash) {
    return { kind: 'changed byte', seq, what: 'its text or its times do not give its hash' };
  }
  const what =
    next === undefined
      ? 'its text, its times or its hash was changed (it is the last row, so none behind it tells)'
      : `neither it nor row ${seq + 1} gives its hash`;
  return { kind: 'changed byte', seq, what };
};
