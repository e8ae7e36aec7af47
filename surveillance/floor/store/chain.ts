import { z } from 'zod';
import { type Db, inList, numberIn, type Raw, textIn } from './db.js';
import { Months } from './months.js';
import type { HeardRow } from './row-store.js';

/** Rows looked at in one go behind a mark. */
const WALK_ROWS = 5000;

export interface Fork {
  readonly table: string;
  readonly seq: number;
  readonly hashes: readonly string[];
}

/** A table's mark while a transaction moves it. */
export interface Standing {
  readonly place: number;
  readonly table: string;
  firstSeq: number;
  seq: number;
  hash: string;
  top: number;
}

interface Link {
  readonly seq: number;
  readonly prev: string;
  readonly hash: string;
}

const timed = z.object({ observation: z.object({ wallMs: z.number() }) });

export const linkOf = (row: Raw): Link => ({
  seq: numberIn(row, 'seq'),
  prev: textIn(row, 'prev'),
  hash: textIn(row, 'hash'),
});

/**
 * Of rows that were there already: those with another hash. Both are kept: the one that does not
 * stand among the rows as evidence beside them.
 */
export const findForks = async (
  db: Db,
  { place, table, seq: markSeq }: Standing,
  rows: readonly HeardRow[],
  fresh: readonly HeardRow[],
): Promise<readonly Fork[]> => {
  if (rows.length === 0) return [];
  // Those rows and no others: the first and the newest of a table may come in one batch.
  const held = await db.all(
    `SELECT seq, hash FROM journal_row WHERE place = ? AND seq ${inList(db)}`,
    [place, JSON.stringify([...new Set(rows.map(({ seq }) => seq))])],
  );
  const hashes = new Map<number, string[]>();
  for (const row of held) {
    const seq = numberIn(row, 'seq');
    hashes.set(seq, [...(hashes.get(seq) ?? []), textIn(row, 'hash')]);
  }
  const forked = rows.filter(({ seq, hash }) =>
    (hashes.get(seq) ?? []).some((known) => known !== hash),
  );
  await db.runMany(
    `INSERT INTO fork (place, seq, hash, prev, body, heard_ms, historical)
     VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (place, seq, hash) DO NOTHING`,
    forked.map((row) => [
      ...[place, row.seq, row.hash, row.prev, row.body, row.heardMs],
      row.isHistorical ? 1 : 0,
    ]),
  );
  // With another month in its key, PostgreSQL took a second version in beside the first.
  const beside = forked.filter((row) => fresh.includes(row) && row.seq <= markSeq);
  await db.runMany(
    'DELETE FROM journal_row WHERE place = ? AND seq = ? AND hash = ?',
    beside.map(({ seq, hash }) => [place, seq, hash]),
  );
  return forked.map(({ seq, hash }) => ({
    table,
    seq,
    hashes: [...new Set([...(hashes.get(seq) ?? []), hash])],
  }));
};

/**
 * Moves a mark over every row that follows without a gap. Where two versions of a row are held,
 * the one that follows from the row before stands among the rows, whichever came first.
 * @returns the row that comes next and does not follow from the one before; else null.
 */
export const advance = async (
  db: Db,
  standing: Standing,
  fresh: readonly HeardRow[],
): Promise<number | null> => {
  const ahead = standing.top > standing.seq;
  standing.top = Math.max(standing.top, ...fresh.map(({ seq }) => seq));
  if (!ahead) {
    const walked = walk(
      standing,
      [...fresh].sort((a, b) => a.seq - b.seq),
    );
    await setBeside(db, standing.place, walked.beside);
    if (walked.broken === null || !(await exchange(db, standing))) return walked.broken;
  }
  for (;;) {
    const stored = await db.all(
      `SELECT seq, prev, hash FROM journal_row WHERE place = ? AND seq > ?
       ORDER BY seq LIMIT ${WALK_ROWS}`,
      [standing.place, standing.seq],
    );
    const before = standing.seq;
    const walked = walk(standing, stored.map(linkOf));
    await setBeside(db, standing.place, walked.beside);
    if (walked.broken !== null) {
      if (await exchange(db, standing)) continue;
      return walked.broken;
    }
    if (standing.seq === before || stored.length < WALK_ROWS) return null;
  }
};

interface Walked {
  readonly broken: number | null;
  /** Versions of rows passed that do not stand in the chain. */
  readonly beside: readonly Link[];
}

const walk = (standing: Standing, links: readonly Link[]): Walked => {
  let broken: Link | null = null;
  let waiting: Link[] = [];
  const beside: Link[] = [];
  const first = standing.seq;
  for (const link of links) {
    if (link.seq <= standing.seq) {
      if (link.seq > first && link.hash !== standing.hash) beside.push(link);
      continue;
    }
    if (link.seq > standing.seq + 1) break;
    if (link.prev !== standing.hash) {
      // A second version of the same row may follow that does fit.
      broken = link;
      waiting.push(link);
      continue;
    }
    beside.push(...waiting);
    waiting = [];
    broken = null;
    standing.seq = link.seq;
    standing.hash = link.hash;
  }
  return { broken: broken?.seq ?? null, beside };
};

/** Takes versions that do not stand in the chain out of the rows, and keeps them as evidence. */
const setBeside = async (db: Db, place: number, links: readonly Link[]): Promise<void> => {
  const keys = links.map(({ seq, hash }) => [place, seq, hash]);
  if (keys.length === 0) return;
  await db.runMany(
    `INSERT INTO fork (place, seq, hash, prev, body, heard_ms, historical)
     SELECT place, seq, hash, prev, body, heard_ms, historical FROM journal_row
     WHERE place = ? AND seq = ? AND hash = ? ON CONFLICT (place, seq, hash) DO NOTHING`,
    keys,
  );
  await db.runMany('DELETE FROM journal_row WHERE place = ? AND seq = ? AND hash = ?', keys);
};

/**
 * Where the next row does not follow, and a version that does was set beside it, they change
 * places. False where there is none.
 */
const exchange = async (db: Db, { place, seq, hash }: Standing): Promise<boolean> => {
  const [found] = await db.all(
    `SELECT seq, prev, hash, body, heard_ms, historical FROM fork
     WHERE place = ? AND seq = ? AND prev = ? ORDER BY heard_ms, hash LIMIT 1`,
    [place, seq + 1, hash],
  );
  if (found === undefined) return false;
  const body = textIn(found, 'body');
  const { wallMs } = timed.parse(JSON.parse(body)).observation;
  const held = await db.all('SELECT seq, prev, hash FROM journal_row WHERE place = ? AND seq = ?', [
    place,
    seq + 1,
  ]);
  await setBeside(db, place, held.map(linkOf));
  await db.run(
    `INSERT INTO journal_row
       (place, seq, part_ms, wall_ms, heard_ms, historical, prev, hash, body)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      ...[place, seq + 1, Months.partOf(wallMs), Math.round(wallMs), numberIn(found, 'heard_ms')],
      ...[numberIn(found, 'historical'), hash, textIn(found, 'hash'), body],
    ],
  );
  await db.run('DELETE FROM fork WHERE place = ? AND seq = ? AND hash = ?', [
    ...[place, seq + 1],
    textIn(found, 'hash'),
  ]);
  return true;
};
