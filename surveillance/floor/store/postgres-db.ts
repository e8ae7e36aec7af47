import postgres from 'postgres';
import { type Db, type InsertInto, type Raw, StoreError, type Value } from './db.js';

/** Connections of one instance. */
const CONNECTIONS = 6;
const CONNECT_S = 10;
const IDLE_S = 60;
const BIGINT_OID = 20;

type Sql = postgres.Sql<{ bigint: number }>;
/** What statements run on: the pool, or one connection inside a transaction. */
type Runner = Pick<Sql, 'unsafe'>;

/** `?` → `$1`, `$2`, …; the store's statements hold no `?` in a text. */
const numbered = (sql: string): string => {
  let n = 0;
  return sql.replaceAll('?', () => {
    n += 1;
    return `$${n}`;
  });
};

const allOn = async (
  on: Runner,
  sql: string,
  values: readonly Value[],
): Promise<readonly Raw[]> => {
  const rows: readonly Raw[] = await on.unsafe(numbered(sql), [...values], { prepare: true });
  return [...rows];
};

const insertOn = async (
  on: Runner,
  { table, columns, conflict, returning }: InsertInto,
  rows: readonly (readonly Value[])[],
): Promise<readonly Raw[]> => {
  if (rows.length === 0) return [];
  const names = columns.map(([name]) => name).join(', ');
  const arrays = columns.map(([, type], i) => `$${i + 1}::${type}[]`).join(', ');
  const lists = columns.map((_, i) => rows.map((row) => row[i] ?? null));
  const inserted: readonly Raw[] = await on.unsafe(
    `INSERT INTO ${table} (${names}) SELECT * FROM unnest(${arrays}) ` +
      `ON CONFLICT (${conflict}) DO NOTHING RETURNING ${returning}`,
    lists,
    { prepare: true },
  );
  return [...inserted];
};

const dbOn = (on: Runner): Db => ({
  kind: 'postgresql',
  all: (sql, values = []) => allOn(on, sql, values),
  run: async (sql, values = []) => {
    if (values.length === 0) await on.unsafe(sql);
    else await allOn(on, sql, values);
  },
  insertNew: (into, rows) => insertOn(on, into, rows),
  // Sent one behind the other without waiting between: they keep their order on one connection.
  runMany: async (sql, lists) => {
    const text = numbered(sql);
    await Promise.all(lists.map((values) => on.unsafe(text, [...values], { prepare: true })));
  },
  transaction: () => Promise.reject(new StoreError('a transaction in a transaction')),
  close: () => Promise.resolve(),
});

/** PostgreSQL behind the store: a pool of connections, statements prepared once on each. */
export class PostgresDb implements Db {
  readonly kind = 'postgresql';
  readonly #sql: Sql;
  readonly #pool: Db;

  private constructor(sql: Sql) {
    this.#sql = sql;
    this.#pool = dbOn(sql);
  }

  /** Connects once, to say at the start what is wrong. @throws StoreError without the password. */
  static async open(url: string): Promise<PostgresDb> {
    const sql: Sql = postgres(url, {
      max: CONNECTIONS,
      connect_timeout: CONNECT_S,
      idle_timeout: IDLE_S,
      onnotice: () => undefined,
      connection: { application_name: 'cutcard-floor' },
      types: {
        bigint: {
          to: BIGINT_OID,
          from: [BIGINT_OID],
          parse: (text: string) => Number(text),
          serialize: (value: number) => String(value),
        },
      },
    });
    try {
      await sql`SELECT 1`;
    } catch (cause) {
      await sql.end({ timeout: 1 });
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new StoreError(
        `PostgreSQL at ${new URL(url).host} cannot be used: ${why}; is it running, are name, ` +
          'password and database right?',
        cause,
      );
    }
    return new PostgresDb(sql);
  }

  all(sql: string, values: readonly Value[] = []): Promise<readonly Raw[]> {
    return this.#pool.all(sql, values);
  }

  run(sql: string, values: readonly Value[] = []): Promise<void> {
    return this.#pool.run(sql, values);
  }

  insertNew(into: InsertInto, rows: readonly (readonly Value[])[]): Promise<readonly Raw[]> {
    return this.#pool.insertNew(into, rows);
  }

  runMany(sql: string, lists: readonly (readonly Value[])[]): Promise<void> {
    return this.transaction((db) => db.runMany(sql, lists));
  }

  async transaction<T>(work: (db: Db) => Promise<T>): Promise<T> {
    let result: { readonly value: T } | null = null;
    await this.#sql.begin(async (on) => {
      result = { value: await work(dbOn(on)) };
    });
    return taken(result);
  }

  async close(): Promise<void> {
    await this.#sql.end({ timeout: 5 });
  }
}

const taken = <T>(result: { readonly value: T } | null): T => {
  if (result === null) throw new StoreError('a transaction ended without a result');
  return result.value;
};
