import type { Acknowledgement } from '../api.js';
import { LIMITS } from '../api.js';
import type { AuditLine, AuditPage, HandoverNote, SavedSearch } from '../api-records.js';
import { type Db, numberIn, type Raw, textIn, textOrNull, type Value } from './db.js';

/** Notes of one hand-over. */
const NOTES_MAX = 500;

export interface AuditQuery {
  readonly who?: string | undefined;
  readonly what?: string | undefined;
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  /** Lines before this one, newest first. */
  readonly before?: number | undefined;
  readonly limit?: number | undefined;
}

const auditOf = (row: Raw): AuditLine => ({
  id: numberIn(row, 'id'),
  atMs: numberIn(row, 'at_ms'),
  who: textIn(row, 'who'),
  what: textIn(row, 'what'),
  about: textIn(row, 'about'),
});

const noteOf = (row: Raw): HandoverNote => ({
  id: numberIn(row, 'id'),
  atMs: numberIn(row, 'at_ms'),
  by: textIn(row, 'by_whom'),
  table: textOrNull(row, 'place'),
  text: textIn(row, 'text'),
});

const searchOf = (row: Raw): SavedSearch => ({
  id: numberIn(row, 'id'),
  by: textIn(row, 'by_whom'),
  atMs: numberIn(row, 'at_ms'),
  title: textIn(row, 'title'),
  query: textIn(row, 'query'),
});

/** Statement parts joined by AND, with their values; `1 = 1` where there are none. */
export class Where {
  readonly #parts: string[] = [];
  readonly values: Value[] = [];

  /** Of one site, by its exact name; `p.key` is `site/pit/table`. */
  inSite(site: string): this {
    const start = `${site}/`;
    return site.includes('/')
      ? this.and('1 = 0')
      : this.and('substr(p.key, 1, ?) = ?', start.length, start);
  }

  /** Of pits of this exact name: only the middle of a key stands between two strokes. */
  inPit(pit: string): this {
    return this.and("replace(p.key, ?, '') <> p.key", `/${pit}/`);
  }

  and(part: string, ...values: readonly Value[]): this {
    this.#parts.push(part);
    this.values.push(...values);
    return this;
  }

  get text(): string {
    return this.#parts.length === 0 ? '1 = 1' : this.#parts.join(' AND ');
  }
}

/** What people of the surveillance room write: acknowledgements, notes, searches, and the audit. */
export class DeskStore {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /** False where somebody acknowledged it before. */
  async acknowledge(place: number, id: string, by: Acknowledgement): Promise<boolean> {
    const rows = await this.#db.all(
      `INSERT INTO acknowledged (place, id, by_whom, at_ms, note) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (place, id) DO NOTHING RETURNING id`,
      [place, id, by.by, by.atMs, by.note],
    );
    return rows.length > 0;
  }

  /** Acknowledgements since a time, or of one finding only. */
  async acknowledgements(
    sinceMs: number,
  ): Promise<
    readonly { readonly table: string; readonly id: string; readonly by: Acknowledgement }[]
  > {
    const rows = await this.#db.all(
      `SELECT p.key, a.id, a.by_whom, a.at_ms, a.note FROM acknowledged a
       JOIN place p ON p.id = a.place WHERE a.at_ms >= ? ORDER BY a.at_ms LIMIT 10000`,
      [sinceMs],
    );
    return rows.map((row) => ({
      table: textIn(row, 'key'),
      id: textIn(row, 'id'),
      by: {
        by: textIn(row, 'by_whom'),
        atMs: numberIn(row, 'at_ms'),
        note: textIn(row, 'note'),
      },
    }));
  }

  async audit(line: Omit<AuditLine, 'id'>): Promise<void> {
    await this.#db.run('INSERT INTO audit (at_ms, who, what, about) VALUES (?, ?, ?, ?)', [
      line.atMs,
      line.who,
      line.what,
      line.about,
    ]);
  }

  async auditPage(query: AuditQuery): Promise<AuditPage> {
    const limit = Math.min(query.limit ?? LIMITS.page, LIMITS.page);
    const where = new Where();
    if (query.who !== undefined) where.and('who = ?', query.who);
    if (query.what !== undefined) where.and('what = ?', query.what);
    if (query.fromMs !== undefined) where.and('at_ms >= ?', query.fromMs);
    if (query.toMs !== undefined) where.and('at_ms <= ?', query.toMs);
    if (query.before !== undefined) where.and('id < ?', query.before);
    const rows = await this.#db.all(
      `SELECT id, at_ms, who, what, about FROM audit WHERE ${where.text}
       ORDER BY id DESC LIMIT ?`,
      [...where.values, limit],
    );
    const lines = rows.map(auditOf);
    return { lines, next: lines.length < limit ? null : (lines.at(-1)?.id ?? null) };
  }

  async addNote(note: Omit<HandoverNote, 'id'>): Promise<HandoverNote> {
    const [row] = await this.#db.all(
      'INSERT INTO note (at_ms, by_whom, place, text) VALUES (?, ?, ?, ?) RETURNING id',
      [note.atMs, note.by, note.table, note.text],
    );
    return { ...note, id: row === undefined ? 0 : numberIn(row, 'id') };
  }

  async notes(sinceMs: number): Promise<readonly HandoverNote[]> {
    const rows = await this.#db.all(
      'SELECT id, at_ms, by_whom, place, text FROM note WHERE at_ms >= ? ORDER BY id DESC LIMIT ?',
      [sinceMs, NOTES_MAX],
    );
    return rows.map(noteOf);
  }

  async searches(by: string): Promise<readonly SavedSearch[]> {
    const rows = await this.#db.all(
      `SELECT id, by_whom, at_ms, title, query FROM search WHERE by_whom = ?
       ORDER BY title LIMIT ?`,
      [by, LIMITS.searches],
    );
    return rows.map(searchOf);
  }

  /** Null where this user keeps as many as there may be. */
  async saveSearch(search: Omit<SavedSearch, 'id'>): Promise<SavedSearch | null> {
    const mine = await this.searches(search.by);
    if (mine.length >= LIMITS.searches) return null;
    const [row] = await this.#db.all(
      'INSERT INTO search (by_whom, at_ms, title, query) VALUES (?, ?, ?, ?) RETURNING id',
      [search.by, search.atMs, search.title, search.query],
    );
    return { ...search, id: row === undefined ? 0 : numberIn(row, 'id') };
  }

  /** False where this user has none of that number. */
  async dropSearch(by: string, id: number): Promise<boolean> {
    const rows = await this.#db.all(
      'DELETE FROM search WHERE by_whom = ? AND id = ? RETURNING id',
      [by, id],
    );
    return rows.length > 0;
  }

  /** Takes or keeps a task that one instance does at a time. */
  async lease(name: string, owner: string, nowMs: number, forMs: number): Promise<boolean> {
    await this.#db.run(
      `INSERT INTO lease (name, owner, until_ms) VALUES (?, ?, 0) ON CONFLICT (name) DO NOTHING`,
      [name, owner],
    );
    const rows = await this.#db.all(
      `UPDATE lease SET owner = ?, until_ms = ? WHERE name = ? AND (owner = ? OR until_ms < ?)
       RETURNING name`,
      [owner, nowMs + forMs, name, owner, nowMs],
    );
    return rows.length > 0;
  }

  async release(name: string, owner: string): Promise<void> {
    const sql = 'UPDATE lease SET until_ms = 0 WHERE name = ? AND owner = ?';
    await this.#db.run(sql, [name, owner]);
  }
}
