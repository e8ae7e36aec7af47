import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Ingest, rowOfEvent } from '../../../surveillance/floor/ingest.js';
import { isDataFault } from '../../../surveillance/floor/store/db.js';
import type { HeardRow } from '../../../surveillance/floor/store/row-store.js';

const NONE = { marks: [], stored: 0, repeats: 0, forks: [], breaks: [] };

const rowAt = (seq: number): HeardRow => ({
  table: 'n/p/a',
  seq,
  prev: '',
  hash: '',
  wallMs: 0,
  heardMs: 0,
  isHistorical: false,
  body: '',
});

class CodedError extends Error {
  readonly code: string;

  constructor(code: string) {
    super(`the database said ${code}`);
    this.code = code;
  }
}

/** An ingestion over a store that says what it thinks of each batch; null: it takes it. */
const ingestOver = (fault: (batch: readonly HeardRow[]) => Error | null) => {
  const told = { stored: [] as number[], aside: [] as number[], failed: [] as string[] };
  const ingest: Ingest = new Ingest({
    append: (rows) => {
      const error = fault(rows);
      return error === null ? Promise.resolve(NONE) : Promise.reject(error);
    },
    stored: (rows) => void told.stored.push(...rows.map(({ seq }) => seq)),
    setAside: ({ seq }) => void told.aside.push(seq),
    failed: (why) => void told.failed.push(`${why}; refused ${ingest.isRefused}`),
    took: () => undefined,
    drained: () => undefined,
  });
  return { ingest, told };
};

describe('the ingestion', () => {
  it('sets a row aside that the store cannot hold, and stores the rest in order', async () => {
    const { ingest, told } = ingestOver((rows) =>
      rows.some(({ seq }) => seq === 7 || seq === 12) ? new CodedError('22P02') : null,
    );
    const all = Array.from({ length: 20 }, (_, i) => i + 1);
    for (const seq of all) ingest.add(rowAt(seq));
    await ingest.stop();
    expect(told.aside).toEqual([7, 12]);
    expect(told.stored).toEqual(all.filter((seq) => seq !== 7 && seq !== 12));
    expect(told.failed).toEqual([]);
    expect(ingest.isRefused).toBe(false);
  });

  it('tries again where the store is away, and says so meanwhile', async () => {
    let attempts = 0;
    const { ingest, told } = ingestOver(() => {
      attempts += 1;
      return attempts === 1 ? new CodedError('57P01') : null;
    });
    ingest.add(rowAt(1));
    await expect.poll(() => told.stored, { timeout: 30_000 }).toEqual([1]);
    await ingest.stop();
    expect(told.failed).toEqual(['the database said 57P01; refused true']);
    expect(told.aside).toEqual([]);
    expect(ingest.isRefused).toBe(false);
  });

  it('knows faults of the data from those that pass', () => {
    const data = ['22003', '22P02', '22021', '23502', 'SQLITE_CONSTRAINT_NOTNULL'];
    expect(data.map((code) => isDataFault(new CodedError(code)))).toEqual(data.map(() => true));
    const passing = ['57P01', '08006', '40001', 'SQLITE_BUSY', 'SQLITE_FULL', 'ECONNREFUSED'];
    expect(passing.map((code) => isDataFault(new CodedError(code)))).toEqual(
      passing.map(() => false),
    );
    expect(isDataFault(new TypeError('SQLite3 can only bind numbers'))).toBe(true);
    expect(isDataFault(new SyntaxError('Unexpected token in JSON'))).toBe(true);
    expect(isDataFault('no error at all')).toBe(false);
  });

  it('refuses a row with a wall time that no clock can show', () => {
    const read = (wallMs: number) => {
      const prev = '0'.repeat(64);
      const body = JSON.stringify({ decisions: [], observation: { seq: 1, wallMs } });
      const hash = createHash('sha256')
        .update(prev + body)
        .digest('hex');
      const text = `{"seq":1,"prev":"${prev}","hash":"${hash}",${body.slice(1)}`;
      return rowOfEvent('n/p/a', text, JSON.parse(text), 7).ok;
    };
    expect([1e300, -1e300, 8.64e15 + 2, -9e15].map(read)).toEqual([false, false, false, false]);
    expect([0, -5, 1.5, 8.64e15, -8.64e15].map(read)).toEqual([true, true, true, true, true]);
  });

  it('refuses a row whose hashed text is no row by itself', () => {
    const prev = '0'.repeat(64);
    const observation = JSON.stringify({ kind: 'power.boot', seq: 1, wallMs: 0 });
    /** An event with a right hash over all from the first `"decisions":` on. */
    const read = (before: string, rest: string) => {
      const hash = createHash('sha256').update(`${prev}{${rest}`).digest('hex');
      const text = `{"seq":1,"prev":"${prev}","hash":"${hash}",${before}${rest}`;
      return rowOfEvent('n/p/a', text, JSON.parse(text), 7);
    };
    const end = `"decisions":[],"observation":${observation}}`;
    expect(read('', end)).toMatchObject({ ok: true, row: { body: `{${end}` } });
    const why = 'row 1: its text is not `decisions` and `observation` alone';
    expect(read('"x":{', `"decisions":[]},${end}`)).toEqual({ ok: false, why });
    const more = `"decisions":[],"more":1,"observation":${observation}}`;
    expect(read('', more)).toEqual({ ok: false, why });
  });

  it('makes the broker wait by the length of texts, and commits long ones in parts', async () => {
    const batches: number[] = [];
    const ingest = new Ingest({
      append: () => Promise.resolve(NONE),
      stored: (rows) => void batches.push(rows.length),
      setAside: () => undefined,
      failed: () => undefined,
      took: () => undefined,
      drained: () => undefined,
    });
    const body = 'x'.repeat(1024 * 1024);
    let seq = 0;
    while (ingest.hasRoom) ingest.add({ ...rowAt((seq += 1)), body });
    expect(seq).toBe(64);
    await ingest.stop();
    expect(batches).toEqual(Array.from({ length: 8 }, () => 8));
    expect(ingest.hasRoom).toBe(true);
  });
});
