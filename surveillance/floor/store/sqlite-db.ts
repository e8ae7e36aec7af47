import { closeSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';
import { otherKind } from '../../../controller/config/given-file.js';
import { type Db, type InsertInto, marks, type Raw, StoreError, type Value } from './db.js';

/** Statements kept ready. */
const PREPARED_MAX = 200;
const BUSY_MS = 5000;
const CACHE_KIB = 32_768;

type Statement = Database.Statement<Value[], Raw>;

/**
 * SQLite behind the store. Everything is synchronous underneath; a transaction holds the
 * connection until it ended, so that nobody else's statement slips into it.
 */
export class SqliteDb implements Db {
  readonly kind = 'sqlite';
  readonly #db: Database.Database;
  readonly #prepared = new Map<string, Statement>();
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(db: Database.Database) {
    this.#db = db;
  }

  /** @throws StoreError naming the file. */
  static open(path: string): SqliteDb {
    try {
      const kind = path === ':memory:' ? null : otherKind(path);
      if (kind !== null) throw new Error(`it is ${kind}; name a file`);
      // What people did, with names: for this service's user alone, and its side files with it.
      if (path !== ':memory:') closeSync(openSync(path, 'a', 0o600));
      const db = new Database(path, { timeout: BUSY_MS });
      db.pragma('journal_mode = WAL');
      db.pragma('synchronous = FULL');
      db.pragma(`cache_size = -${CACHE_KIB}`);
      db.pragma('foreign_keys = ON');
      return new SqliteDb(db);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new StoreError(`the floor's store ${path} cannot be opened: ${why}`, cause);
    }
  }

  all(sql: string, values: readonly Value[] = []): Promise<readonly Raw[]> {
    return this.#inTurn(() => this.#inner.all(sql, values));
  }

  run(sql: string, values: readonly Value[] = []): Promise<void> {
    return this.#inTurn(() => this.#inner.run(sql, values));
  }

  insertNew(into: InsertInto, rows: readonly (readonly Value[])[]): Promise<readonly Raw[]> {
    return this.#inTurn(() => this.#inner.insertNew(into, rows));
  }

  runMany(sql: string, lists: readonly (readonly Value[])[]): Promise<void> {
    return this.#inTurn(() => this.#inner.runMany(sql, lists));
  }

  transaction<T>(work: (db: Db) => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      this.#db.exec('BEGIN IMMEDIATE');
      try {
        const result = await work(this.#inner);
        this.#db.exec('COMMIT');
        return result;
      } catch (cause) {
        if (this.#db.inTransaction) this.#db.exec('ROLLBACK');
        throw cause;
      }
    });
  }

  close(): Promise<void> {
    return this.#inTurn(() => {
      this.#db.close();
      return Promise.resolve();
    });
  }

  /** What runs once it is this caller's turn. */
  readonly #inner: Db = {
    kind: 'sqlite',
    all: (sql, values = []) => attempt(() => this.#statement(sql).all(...values)),
    run: (sql, values = []) =>
      attempt(() => {
        if (values.length === 0) this.#db.exec(sql);
        else this.#statement(sql).run(...values);
      }),
    insertNew: ({ table, columns, conflict, returning }, rows) =>
      attempt(() => {
        const names = columns.map(([name]) => name).join(', ');
        const insert = this.#statement(
          `INSERT INTO ${table} (${names}) VALUES (${marks(columns.length)}) ` +
            `ON CONFLICT (${conflict}) DO NOTHING RETURNING ${returning}`,
        );
        return rows.flatMap((row) => insert.all(...row));
      }),
    runMany: (sql, lists) =>
      attempt(() => {
        const statement = this.#statement(sql);
        for (const values of lists) statement.run(...values);
      }),
    transaction: () => Promise.reject(new StoreError('a transaction in a transaction')),
    close: () => Promise.resolve(),
  };

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#turn;
    const mine = (async () => {
      await before;
      return work();
    })();
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  #statement(sql: string): Statement {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    if (this.#prepared.size >= PREPARED_MAX) this.#prepared.clear();
    const made = this.#db.prepare<Value[], Raw>(sql);
    this.#prepared.set(sql, made);
    return made;
  }
}

const attempt = <T>(work: () => T): Promise<T> => {
  try {
    return Promise.resolve(work());
  } catch (cause) {
    return Promise.reject(cause instanceof Error ? cause : new Error(String(cause)));
  }
};
