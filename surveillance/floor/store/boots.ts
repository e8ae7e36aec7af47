import { z } from 'zod';
import { HASH_HEX } from '../../contract/messages.js';
import { type Db, numberIn, type Raw, textIn, textOrNull, type Value } from './db.js';
import type { HeardRow } from './row-store.js';

/** What the rows of a table say is in force: SHA-256 of the documents; null where they say none. */
export interface Named {
  readonly table: string;
  /** Row that says so. */
  readonly seq: number;
  readonly procedure: string | null;
  readonly configuration: string | null;
}

const MARK = '"kind":"power.boot"';

/** Whether a row can be a start, told from its text; may say yes too often, never no wrongly. */
export const mayBeBoot = ({ body }: Pick<HeardRow, 'body'>): boolean => body.includes(MARK);

const hash = z.string().regex(HASH_HEX).nullable().catch(null).default(null);
const bootSchema = z.object({
  observation: z.object({ kind: z.literal('power.boot'), procedure: hash, table: hash }),
});

/** Documents that a start names; null where the row is none. */
export const documentsOf = (
  row: Pick<HeardRow, 'body'>,
): { readonly procedure: string | null; readonly table: string | null } | null => {
  if (!mayBeBoot(row)) return null;
  const boot = bootSchema.safeParse(JSON.parse(row.body));
  return boot.success ? boot.data.observation : null;
};

/** Notes the starts among rows that were stored, in the transaction that stores them. */
export const noteBoots = async (
  db: Db,
  rows: readonly { readonly place: number; readonly row: HeardRow }[],
): Promise<void> => {
  const lists: (readonly Value[])[] = [];
  for (const { place, row } of rows) {
    const named = documentsOf(row);
    if (named !== null) lists.push([place, row.seq, row.hash, named.procedure, named.table]);
  }
  if (lists.length === 0) return;
  await db.runMany(
    `INSERT INTO boot (place, seq, hash, procedure, configuration) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (place, seq, hash) DO NOTHING`,
    lists,
  );
};

/** A start counts once its row stands in the chain, and no row before it is missing. */
const NEWEST = `SELECT p.key AS key, b.seq AS seq, b.procedure AS procedure,
    b.configuration AS configuration
  FROM place p JOIN boot b ON b.place = p.id
  JOIN journal_row r ON r.place = b.place AND r.seq = b.seq AND r.hash = b.hash
  WHERE b.seq = (SELECT max(b2.seq) FROM boot b2
    JOIN mark m ON m.place = b2.place AND b2.seq <= m.seq
    JOIN journal_row r2 ON r2.place = b2.place AND r2.seq = b2.seq AND r2.hash = b2.hash
    WHERE b2.place = p.id)`;

const namedOf = (row: Raw): Named => ({
  table: textIn(row, 'key'),
  seq: numberIn(row, 'seq'),
  procedure: textOrNull(row, 'procedure'),
  configuration: textOrNull(row, 'configuration'),
});

/** What the newest start of a table names, or of every table; those without one are left out. */
export const namedBy = async (db: Db, table: string | null): Promise<readonly Named[]> =>
  (table === null ? await db.all(NEWEST) : await db.all(`${NEWEST} AND p.key = ?`, [table])).map(
    namedOf,
  );
