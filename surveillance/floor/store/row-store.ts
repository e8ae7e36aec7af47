import { noteBoots } from './boots.js';
import { advance, findForks, type Fork, linkOf, type Standing } from './chain.js';
import { type Columns, type Db, inList, numberIn, type Raw, textIn, type Value } from './db.js';
import { Months } from './months.js';
import { ROW_KEY } from './schema.js';

/** A row as it was heard. `body`: the canonical text that was hashed, byte for byte. */
export interface HeardRow {
  /** `site/pit/table`. */
  readonly table: string;
  readonly seq: number;
  readonly prev: string;
  readonly hash: string;
  readonly wallMs: number;
  readonly heardMs: number;
  readonly isHistorical: boolean;
  readonly body: string;
}

export type HeldRow = Omit<HeardRow, 'table' | 'heardMs'>;

/** How far a table's rows are held without a gap. */
export interface Mark {
  readonly table: string;
  /** First row of the contiguous run; 1 unless the table no longer had the ones before. */
  readonly firstSeq: number;
  /** Last row of it; `firstSeq - 1` where none is held. */
  readonly seq: number;
  readonly hash: string;
  /** Newest row held, beyond a gap or not. */
  readonly top: number;
}

export interface Appended {
  /** Marks of all tables in the batch, as they stand now. */
  readonly marks: readonly Mark[];
  readonly stored: number;
  readonly repeats: number;
  readonly forks: readonly Fork[];
  /** Rows that come next and do not follow from the one before. */
  readonly breaks: readonly { readonly table: string; readonly seq: number }[];
}

export const NO_HASH = '0'.repeat(64);

const COLUMNS: Columns = [
  ['place', 'bigint'],
  ['seq', 'bigint'],
  ['part_ms', 'bigint'],
  ['wall_ms', 'bigint'],
  ['heard_ms', 'bigint'],
  ['historical', 'bigint'],
  ['prev', 'text'],
  ['hash', 'text'],
  ['body', 'text'],
];
const MARK_COLUMNS = 'place, first_seq, seq, hash, top';

/**
 * The rows of all tables. A batch is stored, de-duplicated and its marks moved in one transaction;
 * the mark is worked out from what the database holds and under its lock, so it is right whichever
 * instance got which row.
 */
export class RowStore {
  readonly #db: Db;
  readonly #places = new Map<string, number>();
  readonly #months: Months;

  constructor(db: Db, nowMs: () => number) {
    this.#db = db;
    this.#months = new Months(db, nowMs);
  }

  /** The number a table has in the store, given at first sight. */
  async placeOf(table: string): Promise<number> {
    const known = this.#places.get(table);
    if (known !== undefined) return known;
    const place = await this.#db.transaction(async (db) => {
      await db.run('INSERT INTO place (key) VALUES (?) ON CONFLICT (key) DO NOTHING', [table]);
      const [row] = await db.all('SELECT id FROM place WHERE key = ?', [table]);
      if (row === undefined) throw new Error(`table ${table} has no place in the store`);
      const id = numberIn(row, 'id');
      await db.run(
        `INSERT INTO mark (place, first_seq, seq, hash, projected, top, since_ms)
         VALUES (?, 1, 0, ?, 0, 0, ?) ON CONFLICT (place) DO NOTHING`,
        [id, NO_HASH, Date.now()],
      );
      return id;
    });
    this.#places.set(table, place);
    return place;
  }

  async append(rows: readonly HeardRow[]): Promise<Appended> {
    const placed: { readonly place: number; readonly row: HeardRow }[] = [];
    for (const row of rows) placed.push({ place: await this.placeOf(row.table), row });
    await this.#months.ready(rows.map(({ wallMs }) => wallMs));
    return this.#db.transaction(async (db) => {
      const values = placed.map(({ place, row }) => valuesOf(place, row));
      const isNew = new Set<string>();
      const into = { table: 'journal_row', columns: COLUMNS, conflict: ROW_KEY[db.kind] };
      const returned = await db.insertNew({ ...into, returning: 'place, seq, hash' }, values);
      for (const row of returned) {
        isNew.add(`${numberIn(row, 'place')}:${numberIn(row, 'seq')}:${textIn(row, 'hash')}`);
      }
      await noteBoots(db, placed);
      const standings = await lockMarks(db, placed);
      const forks: Fork[] = [];
      const breaks: { table: string; seq: number }[] = [];
      for (const standing of standings) {
        const mine = placed.filter(({ place }) => place === standing.place).map(({ row }) => row);
        const fresh = mine.filter((row) => isNew.has(`${standing.place}:${row.seq}:${row.hash}`));
        const doubtful = mine.filter((row) => !fresh.includes(row) || row.seq <= standing.seq);
        forks.push(...(await findForks(db, standing, doubtful, fresh)));
        const broken = await advance(db, standing, fresh);
        if (broken !== null) breaks.push({ table: standing.table, seq: broken });
      }
      await db.runMany(
        'UPDATE mark SET first_seq = ?, seq = ?, hash = ?, top = ? WHERE place = ?',
        standings.map(({ place, firstSeq, seq, hash, top }) => [firstSeq, seq, hash, top, place]),
      );
      return {
        marks: standings.map(markOf),
        stored: isNew.size,
        repeats: rows.length - isNew.size,
        forks,
        breaks,
      };
    });
  }

  async marks(): Promise<readonly Mark[]> {
    const rows = await this.#db.all(
      `SELECT p.id, p.key, m.first_seq, m.seq, m.hash, m.top
       FROM mark m JOIN place p ON p.id = m.place`,
    );
    for (const row of rows) this.#places.set(textIn(row, 'key'), numberIn(row, 'id'));
    return rows.map((row) => ({
      table: textIn(row, 'key'),
      firstSeq: numberIn(row, 'first_seq'),
      seq: numberIn(row, 'seq'),
      hash: textIn(row, 'hash'),
      top: numberIn(row, 'top'),
    }));
  }

  /** Ranges missing below the newest row held, oldest first. */
  async gaps(
    table: string,
    limit: number,
  ): Promise<readonly { readonly from: number; readonly to: number }[]> {
    const place = await this.placeOf(table);
    const rows = await this.#db.all(
      `SELECT before + 1 AS from_seq, seq - 1 AS to_seq FROM (
         SELECT r.seq AS seq, lag(r.seq, 1, m.seq) OVER (ORDER BY r.seq) AS before
         FROM journal_row r JOIN mark m ON m.place = r.place
         WHERE r.place = ? AND r.seq > m.seq) AS pairs
       WHERE seq > before + 1 ORDER BY seq LIMIT ?`,
      [place, limit],
    );
    return rows.map((row) => ({ from: numberIn(row, 'from_seq'), to: numberIn(row, 'to_seq') }));
  }

  /**
   * Begins a table's run at `firstSeq`, for it no longer has the rows before. Only where nothing
   * contiguous is held yet. Null where that is not so.
   */
  async adopt(table: string, firstSeq: number): Promise<Mark | null> {
    const place = await this.placeOf(table);
    return this.#db.transaction(async (db) => {
      const [standing] = await lockMarks(db, [{ place, row: { table } }]);
      const sql = 'SELECT seq, prev, hash FROM journal_row WHERE place = ? AND seq = ?';
      const [first] = await db.all(sql, [place, firstSeq]);
      if (standing === undefined || standing.seq !== 0 || first === undefined) return null;
      standing.firstSeq = firstSeq;
      standing.seq = firstSeq - 1;
      standing.hash = textIn(first, 'prev');
      await advance(db, standing, []);
      await db.run(
        'UPDATE mark SET first_seq = ?, seq = ?, hash = ?, projected = ? WHERE place = ?',
        [firstSeq, standing.seq, standing.hash, firstSeq - 1, place],
      );
      return markOf(standing);
    });
  }

  /** Rows `from` to `to`, oldest first, at most `limit`; those held, gaps or not. */
  async rows(table: string, from: number, to: number, limit: number): Promise<readonly HeldRow[]> {
    const rows = await this.#db.all(
      `SELECT seq, prev, hash, wall_ms, historical, body FROM journal_row
       WHERE place = ? AND seq >= ? AND seq <= ? ORDER BY seq LIMIT ?`,
      [await this.placeOf(table), from, to, limit],
    );
    return rows.map((row) => ({
      ...linkOf(row),
      wallMs: numberIn(row, 'wall_ms'),
      isHistorical: numberIn(row, 'historical') === 1,
      body: textIn(row, 'body'),
    }));
  }

  /** Lowest row held; null where none is. */
  async lowest(table: string): Promise<number | null> {
    const sql = 'SELECT seq FROM journal_row WHERE place = ? ORDER BY seq LIMIT 1';
    const [row] = await this.#db.all(sql, [await this.placeOf(table)]);
    return row === undefined ? null : numberIn(row, 'seq');
  }

  /** First and last row with a wall time in a span, ms. */
  async seqsBetween(
    table: string,
    fromMs: number,
    toMs: number,
  ): Promise<{ readonly from: number; readonly to: number } | null> {
    const [row] = await this.#db.all(
      `SELECT min(seq) AS low, max(seq) AS high FROM journal_row
       WHERE place = ? AND wall_ms >= ? AND wall_ms <= ?`,
      [await this.placeOf(table), fromMs, toMs],
    );
    if (row === undefined || row['low'] === null) return null;
    return { from: numberIn(row, 'low'), to: numberIn(row, 'high') };
  }

  async forks(table: string): Promise<readonly Fork[]> {
    const rows = await this.#db.all(
      `SELECT f.seq AS seq, f.hash AS other, r.hash AS held FROM fork f
       JOIN journal_row r ON r.place = f.place AND r.seq = f.seq
       WHERE f.place = ? ORDER BY f.seq LIMIT 100`,
      [await this.placeOf(table)],
    );
    return rows.map((row) => ({
      table,
      seq: numberIn(row, 'seq'),
      hashes: [textIn(row, 'held'), textIn(row, 'other')],
    }));
  }

  /** Tables whose chain is in doubt, each with the newest row that says so, and why. */
  async doubts(): Promise<
    readonly { readonly table: string; readonly seq: number; why: string }[]
  > {
    const forked = await this.#db.all(
      `SELECT p.key AS key, max(f.seq) AS seq FROM fork f JOIN place p ON p.id = f.place
       GROUP BY p.key`,
    );
    const broken = await this.#db.all(
      `SELECT p.key AS key, r.seq AS seq FROM mark m JOIN place p ON p.id = m.place
       JOIN journal_row r ON r.place = m.place AND r.seq = m.seq + 1 AND r.prev <> m.hash`,
    );
    const saying = (rows: readonly Raw[], why: (seq: number) => string) =>
      rows.map((row) => {
        const seq = numberIn(row, 'seq');
        return { table: textIn(row, 'key'), seq, why: why(seq) };
      });
    return [
      ...saying(forked, (seq) => `row ${seq} came with two hashes`),
      ...saying(broken, (seq) => `row ${seq} does not follow from row ${seq - 1}`),
    ];
  }

  /** @see Months.retire */
  retire(beforeMs: number): Promise<readonly string[]> {
    return this.#months.retire(beforeMs);
  }
}

const valuesOf = (place: number, row: HeardRow): readonly Value[] => [
  place,
  row.seq,
  Months.partOf(row.wallMs),
  Math.round(row.wallMs),
  row.heardMs,
  row.isHistorical ? 1 : 0,
  row.prev,
  row.hash,
  row.body,
];

const markOf = ({ table, firstSeq, seq, hash, top }: Standing): Mark => ({
  table,
  firstSeq,
  seq,
  hash,
  top,
});

/** The marks of a batch, each held until the transaction ends; always taken in one order. */
const lockMarks = async (
  db: Db,
  placed: readonly { readonly place: number; readonly row: { readonly table: string } }[],
): Promise<readonly Standing[]> => {
  const names = new Map(placed.map(({ place, row }) => [place, row.table]));
  const rows = await db.all(
    `SELECT ${MARK_COLUMNS} FROM mark WHERE place ${inList(db)} ORDER BY place` +
      (db.kind === 'postgresql' ? ' FOR UPDATE' : ''),
    [JSON.stringify([...names.keys()])],
  );
  return rows.map((row) => ({
    place: numberIn(row, 'place'),
    table: names.get(numberIn(row, 'place')) ?? '',
    firstSeq: numberIn(row, 'first_seq'),
    seq: numberIn(row, 'seq'),
    hash: textIn(row, 'hash'),
    top: numberIn(row, 'top'),
  }));
};
