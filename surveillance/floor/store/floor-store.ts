import { LIMITS } from '../api.js';
import { type Db, inList, numberIn, type Raw, textIn, textOrNull, type Value } from './db.js';
import { DeskStore, Where } from './desk-store.js';
import {
  findingOf,
  type FindingLife,
  type LifeChanges,
  roundOf,
  type RoundLife,
  shoeOf,
  type ShoeLife,
  voidOf,
  type VoidLife,
  writeLife,
} from './life-store.js';
import { PostgresDb } from './postgres-db.js';
import { ProofStore } from './proof-store.js';
import { RowStore } from './row-store.js';
import { migrate } from './schema.js';
import { SqliteDb } from './sqlite-db.js';

/** A row that was not followed yet. */
export interface Unfollowed {
  readonly table: string;
  readonly seq: number;
  readonly body: string;
}

/** Rows `from + 1` to `to` of a table were followed, and gave this. */
export interface FollowedSpan {
  readonly table: string;
  readonly from: number;
  readonly to: number;
  readonly changes: LifeChanges;
  /** The state after row `to`, where it is to be kept. */
  readonly saved: string | null;
}

export interface StoredFinding {
  readonly table: string;
  readonly life: FindingLife;
  readonly acknowledged: {
    readonly by: string;
    readonly atMs: number;
    readonly note: string;
  } | null;
}

export interface FindingQuery {
  readonly table?: string | undefined;
  readonly site?: string | undefined;
  readonly pit?: string | undefined;
  readonly id?: string | undefined;
  readonly code?: string | undefined;
  readonly severity?: string | undefined;
  readonly game?: string | undefined;
  readonly badge?: string | undefined;
  readonly shoe?: number | undefined;
  readonly isOpen?: boolean | undefined;
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  /** Raised before this time, or at it with a smaller key: for the next page. */
  readonly before?: { readonly ms: number; readonly key: string } | undefined;
  readonly limit: number;
}

/** Everything the floor service keeps. */
export class FloorStore {
  readonly db: Db;
  readonly rows: RowStore;
  readonly desk: DeskStore;
  readonly proofs: ProofStore;

  private constructor(db: Db, nowMs: () => number) {
    this.db = db;
    this.rows = new RowStore(db, nowMs);
    this.desk = new DeskStore(db);
    this.proofs = new ProofStore(db);
  }

  /**
   * Opens and migrates a store: a file for SQLite, or `postgres://…`.
   * @throws StoreError in plain words.
   */
  static async open(place: string, nowMs: () => number = Date.now): Promise<FloorStore> {
    const isPostgres = /^postgres(ql)?:\/\//.test(place);
    const db = isPostgres ? await PostgresDb.open(place) : SqliteDb.open(place);
    try {
      await migrate(db);
    } catch (cause) {
      await db.close();
      throw cause;
    }
    return new FloorStore(db, nowMs);
  }

  /** Rows held without a gap and not followed yet, table by table, in order. */
  async unfollowed(
    limit: number,
    sinceMs: number,
    except: readonly string[] = [],
  ): Promise<readonly Unfollowed[]> {
    const places: number[] = [];
    for (const table of except) places.push(await this.rows.placeOf(table));
    const rows = await this.db.all(
      `SELECT p.key, r.seq, r.body FROM mark m JOIN place p ON p.id = m.place
       JOIN journal_row r ON r.place = m.place AND r.seq > m.projected AND r.seq <= m.seq
         AND r.part_ms >= ?
       WHERE m.projected < m.seq AND m.place NOT ${inList(this.db)}
       ORDER BY r.place, r.seq LIMIT ?`,
      [sinceMs, JSON.stringify(places), limit],
    );
    return rows.map((row) => ({
      table: textIn(row, 'key'),
      seq: numberIn(row, 'seq'),
      body: textIn(row, 'body'),
    }));
  }

  /**
   * Writes down what following the rows of some tables gave, all in one transaction.
   * @returns tables at which another instance was first: of those nothing is written.
   */
  async followed(all: readonly FollowedSpan[]): Promise<ReadonlySet<string>> {
    const placed: { readonly place: number; readonly one: FollowedSpan }[] = [];
    for (const one of all) placed.push({ place: await this.rows.placeOf(one.table), one });
    return this.db.transaction(async (db) => {
      const taken = new Set<string>();
      for (const { place, one } of placed) {
        const moved = await db.all(
          'UPDATE mark SET projected = ? WHERE place = ? AND projected = ? RETURNING place',
          [one.to, place, one.from],
        );
        if (moved.length === 0) {
          taken.add(one.table);
          continue;
        }
        await writeLife(db, place, one.changes);
        if (one.saved !== null) {
          await db.run(
            `INSERT INTO saved (place, seq, state) VALUES (?, ?, ?)
             ON CONFLICT (place, seq) DO UPDATE SET state = excluded.state`,
            [place, one.to, one.saved],
          );
        }
      }
      return taken;
    });
  }

  /** How far a table was followed. */
  async followedTo(table: string): Promise<number> {
    const sql = 'SELECT projected FROM mark WHERE place = ?';
    const [row] = await this.db.all(sql, [await this.rows.placeOf(table)]);
    return row === undefined ? 0 : numberIn(row, 'projected');
  }

  /** The newest saved state at or before a row. */
  async savedAt(
    table: string,
    seq: number,
  ): Promise<{ readonly seq: number; readonly state: string } | null> {
    const [row] = await this.db.all(
      'SELECT seq, state FROM saved WHERE place = ? AND seq <= ? ORDER BY seq DESC LIMIT 1',
      [await this.rows.placeOf(table), seq],
    );
    return row === undefined ? null : { seq: numberIn(row, 'seq'), state: textIn(row, 'state') };
  }

  async shoes(table: string, limit: number): Promise<readonly ShoeLife[]> {
    const rows = await this.db.all(
      'SELECT * FROM shoe WHERE place = ? ORDER BY shoe DESC LIMIT ?',
      [await this.rows.placeOf(table), limit],
    );
    return rows.map(shoeOf);
  }

  async shoe(table: string, shoe: number): Promise<ShoeLife | null> {
    const sql = 'SELECT * FROM shoe WHERE place = ? AND shoe = ?';
    const [row] = await this.db.all(sql, [await this.rows.placeOf(table), shoe]);
    return row === undefined ? null : shoeOf(row);
  }

  async round(table: string, shoe: number, round: number): Promise<RoundLife | null> {
    const sql = 'SELECT * FROM round WHERE place = ? AND shoe = ? AND round = ?';
    const [row] = await this.db.all(sql, [await this.rows.placeOf(table), shoe, round]);
    return row === undefined ? null : roundOf(row);
  }

  async rounds(table: string, shoe: number): Promise<readonly RoundLife[]> {
    const rows = await this.db.all(
      'SELECT * FROM round WHERE place = ? AND shoe = ? ORDER BY round LIMIT 2000',
      [await this.rows.placeOf(table), shoe],
    );
    return rows.map(roundOf);
  }

  async voids(table: string, fromMs: number, toMs: number): Promise<readonly VoidLife[]> {
    const rows = await this.db.all(
      `SELECT * FROM voided WHERE place = ? AND at_ms >= ? AND at_ms <= ?
       ORDER BY seq DESC LIMIT 500`,
      [await this.rows.placeOf(table), fromMs, toMs],
    );
    return rows.map(voidOf);
  }

  /** Newest first. */
  async findings(query: FindingQuery): Promise<readonly StoredFinding[]> {
    const where = whereOf(query);
    const rows = await this.db.all(
      `SELECT p.key, f.*, a.by_whom AS ack_by, a.at_ms AS ack_ms, a.note AS ack_note
       FROM finding f JOIN place p ON p.id = f.place
       LEFT JOIN acknowledged a ON a.place = f.place AND a.id = f.id
       WHERE ${where.text} ORDER BY f.raised_ms DESC, p.key || ' ' || f.id DESC LIMIT ?`,
      [...where.values, Math.min(query.limit, LIMITS.page)],
    );
    return rows.map(storedFindingOf);
  }

  /** One sum over the lives, for reports and trends. */
  all(sql: string, values: readonly Value[]): Promise<readonly Raw[]> {
    return this.db.all(sql, values);
  }

  close(): Promise<void> {
    return this.db.close();
  }
}

const storedFindingOf = (row: Raw): StoredFinding => {
  const by = textOrNull(row, 'ack_by');
  return {
    table: textIn(row, 'key'),
    life: findingOf(row),
    acknowledged:
      by === null ? null : { by, atMs: numberIn(row, 'ack_ms'), note: textIn(row, 'ack_note') },
  };
};

const whereOf = (query: FindingQuery): Where => {
  const where = new Where();
  const { table, site, pit, isOpen, before } = query;
  if (table !== undefined) where.and('p.key = ?', table);
  if (site !== undefined) where.inSite(site);
  if (pit !== undefined) where.inPit(pit);
  const same: readonly (readonly [string, Value | undefined])[] = [
    ['f.id', query.id],
    ['f.code', query.code],
    ['f.severity', query.severity],
    ['f.game', query.game],
    ['f.dealer', query.badge],
    ['f.shoe', query.shoe],
  ];
  for (const [column, value] of same) if (value !== undefined) where.and(`${column} = ?`, value);
  if (isOpen !== undefined) where.and(`f.cleared_ms IS ${isOpen ? '' : 'NOT '}NULL`);
  if (query.fromMs !== undefined) where.and('f.raised_ms >= ?', query.fromMs);
  if (query.toMs !== undefined) where.and('f.raised_ms <= ?', query.toMs);
  if (before !== undefined) {
    where.and(
      "(f.raised_ms < ? OR (f.raised_ms = ? AND p.key || ' ' || f.id < ?))",
      before.ms,
      before.ms,
      before.key,
    );
  }
  return where;
};
