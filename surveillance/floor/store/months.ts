import { type Db, numberIn, numberOrNull, textIn } from './db.js';

/** Rows with a wall time outside of these years go to one part: their clock was wrong. */
const FROM_MS = Date.UTC(2020, 0);
const TO_MS = Date.UTC(2100, 0);
/**
 * A part is made for the months about now only, ms: each part costs every question a little, and a
 * table whose clock is wrong could have a thousand of them made. Other rows lie in the one part
 * that takes what fits nowhere else.
 */
const PAST_MS = 2200 * 86_400_000;
const AHEAD_MS = 32 * 86_400_000;
/** PostgreSQL: rows of that month lie in the part for all others already. */
const LIES_ELSEWHERE = '23514';
/** Rows deleted in one go, where there are no parts. */
const DELETE_ROWS = 5000;

const monthOf = (ms: number): { readonly name: string; readonly from: number; to: number } => {
  const date = new Date(ms);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return {
    name: `journal_row_${year}_${String(month + 1).padStart(2, '0')}`,
    from: Date.UTC(year, month),
    to: Date.UTC(year, month + 1),
  };
};

/**
 * The monthly parts of the rows. PostgreSQL drops a whole month at once when its years are over;
 * SQLite, which has no parts, deletes the same rows.
 */
export class Months {
  readonly #db: Db;
  readonly #nowMs: () => number;
  readonly #made = new Set<string>();

  constructor(db: Db, nowMs: () => number) {
    this.#db = db;
    this.#nowMs = nowMs;
  }

  /** Where a row with this wall time belongs; the same for the same row always. */
  static partOf(wallMs: number): number {
    return wallMs >= FROM_MS && wallMs < TO_MS ? Math.round(wallMs) : 0;
  }

  /** Makes the months of these wall times, where they are about now and not there. */
  async ready(wallMs: readonly number[]): Promise<void> {
    if (this.#db.kind === 'sqlite') return;
    for (const ms of wallMs) {
      if (Months.partOf(ms) === 0 || !this.#isAboutNow(ms)) continue;
      const { name, from, to } = monthOf(ms);
      if (this.#made.has(name)) continue;
      await this.#make(name, from, to);
      this.#made.add(name);
    }
  }

  /**
   * Takes away rows whose wall time and whose arrival both lie before `beforeMs`.
   * @returns what was taken away, in words, for the audit.
   */
  async retire(beforeMs: number): Promise<readonly string[]> {
    if (this.#db.kind === 'sqlite') return this.#deleteRows('journal_row', beforeMs);
    const months = await this.#dropMonths(beforeMs);
    return [...months, ...(await this.#deleteRows('journal_row_other', beforeMs))];
  }

  #isAboutNow(ms: number): boolean {
    const aheadMs = ms - this.#nowMs();
    return aheadMs < AHEAD_MS && aheadMs > -PAST_MS;
  }

  /** Two instances may try at once: one of them waits and finds it made. */
  async #make(name: string, from: number, to: number): Promise<void> {
    try {
      await this.#db.transaction(async (db) => {
        await db.all('SELECT pg_advisory_xact_lock(hashtext(?))', [name]);
        await db.run(
          `CREATE TABLE IF NOT EXISTS ${name} PARTITION OF journal_row
           FOR VALUES FROM (${from}) TO (${to})`,
        );
      });
    } catch (cause) {
      // A fast clock was here first: its rows and this month's stay together where they are.
      const code = cause instanceof Error && 'code' in cause ? cause.code : null;
      if (code !== LIES_ELSEWHERE) throw cause;
    }
  }

  async #dropMonths(beforeMs: number): Promise<readonly string[]> {
    const parts = await this.#db.all(
      `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
       WHERE i.inhparent = 'journal_row'::regclass ORDER BY c.relname`,
    );
    const told: string[] = [];
    for (const part of parts) {
      const name = textIn(part, 'name');
      const [, year, month] = /^journal_row_(\d{4})_(\d{2})$/.exec(name) ?? [];
      if (year === undefined || month === undefined) continue;
      if (Date.UTC(Number(year), Number(month)) > beforeMs) continue;
      const sql = `SELECT count(*) AS rows, max(heard_ms) AS newest FROM ${name}`;
      const [held] = await this.#db.all(sql);
      // A clock that stood wrong puts new rows into an old month: those stay.
      if (held === undefined || (numberOrNull(held, 'newest') ?? 0) >= beforeMs) continue;
      await this.#db.run(`DROP TABLE ${name}`);
      this.#made.delete(name);
      told.push(`${numberIn(held, 'rows')} rows of ${year}-${month}`);
    }
    if (told.length > 0) await this.#moveFirst();
    return told;
  }

  async #deleteRows(from: string, beforeMs: number): Promise<readonly string[]> {
    let rows = 0;
    for (;;) {
      const gone = await this.#db.all(
        `DELETE FROM ${from} WHERE (place, seq) IN (
           SELECT place, seq FROM ${from}
           WHERE part_ms > 0 AND part_ms < ? AND heard_ms < ? LIMIT ${DELETE_ROWS})
         RETURNING seq`,
        [beforeMs, beforeMs],
      );
      rows += gone.length;
      if (gone.length < DELETE_ROWS) break;
    }
    if (rows === 0) return [];
    await this.#moveFirst();
    return [`${rows} rows from before ${new Date(beforeMs).toISOString()}`];
  }

  async #moveFirst(): Promise<void> {
    await this.#db.run(
      `DELETE FROM boot WHERE NOT EXISTS (
         SELECT 1 FROM journal_row r WHERE r.place = boot.place AND r.seq = boot.seq)`,
    );
    await this.#db.run(
      `UPDATE mark SET first_seq = coalesce(
         (SELECT min(seq) FROM journal_row r WHERE r.place = mark.place), seq + 1)`,
    );
  }
}
