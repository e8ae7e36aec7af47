import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FloorStore } from '../../surveillance/floor/store/floor-store.js';
import { type HeardRow, NO_HASH } from '../../surveillance/floor/store/row-store.js';
import type { Missing } from '../support/needs.js';
import { skipWhere } from '../support/needs.js';
import { PostgresCluster, whyNoPostgres } from '../support/postgres.js';
import { freePort } from './mqtt-tools.js';

const SLOW_MS = 120_000;
const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 10, 29, 12);

const rowAfter = (
  table: string,
  before: HeardRow | null,
  more: Partial<HeardRow> & { readonly note?: string } = {},
): HeardRow => {
  const { note = '', ...given } = more;
  const seq = (before?.seq ?? 0) + 1;
  const wallMs = given.wallMs ?? NOW + seq;
  const observation = { atNs: seq, kind: 'mouth.clear', seq, wallMs, wallTrusted: true };
  const body = JSON.stringify({ decisions: [], observation, ...(note === '' ? {} : { note }) });
  const prev = before?.hash ?? NO_HASH;
  const hash = createHash('sha256')
    .update(prev + body)
    .digest('hex');
  return { table, seq, prev, hash, wallMs, heardMs: NOW, isHistorical: false, body, ...given };
};

/** Rows 1 to n of a table, each following from the one before. */
const chain = (table: string, n: number): readonly HeardRow[] => {
  const rows: HeardRow[] = [];
  for (let i = 0; i < n; i += 1) rows.push(rowAfter(table, rows.at(-1) ?? null));
  return rows;
};

const at = (rows: readonly HeardRow[], ...seqs: readonly number[]): HeardRow[] =>
  rows.filter(({ seq }) => seqs.includes(seq));

interface Kind {
  readonly name: string;
  readonly missing: Missing;
  readonly start: () => Promise<void>;
  readonly place: () => string;
  readonly stop: () => void;
}

const sqlite = (): Kind => {
  const folder = mkdtempSync(join(tmpdir(), 'cutcard-floor-'));
  let files = 0;
  return {
    name: 'SQLite',
    missing: null,
    start: () => Promise.resolve(),
    place: () => {
      files += 1;
      return join(folder, `floor-${files}.db`);
    },
    stop: () => rmSync(folder, { recursive: true, force: true }),
  };
};

const postgresql = (): Kind => {
  let cluster: PostgresCluster | null = null;
  return {
    name: 'PostgreSQL',
    missing: whyNoPostgres(),
    start: async () => {
      cluster = PostgresCluster.start(await freePort());
    },
    place: () => cluster?.database() ?? '',
    stop: () => cluster?.stop(),
  };
};

describe.each([sqlite(), postgresql()])('the floor store on $name', (kind) => {
  skipWhere(kind.missing);
  beforeAll(async () => {
    if (kind.missing === null) await kind.start();
  }, SLOW_MS);
  afterAll(() => kind.stop());

  const withStore = async (work: (store: FloorStore, place: string) => Promise<void>) => {
    const place = kind.place();
    const store = await FloorStore.open(place, () => NOW);
    try {
      await work(store, place);
    } finally {
      await store.close();
    }
  };

  it('stores each row once and marks how far there is no gap', { timeout: SLOW_MS }, () =>
    withStore(async (store) => {
      const rows = chain('n/p/a', 6);
      const first = await store.rows.append(at(rows, 1, 2, 5));
      expect(first).toMatchObject({ stored: 3, repeats: 0, forks: [], breaks: [] });
      expect(first.marks).toMatchObject([{ table: 'n/p/a', seq: 2, hash: rows[1]?.hash, top: 5 }]);
      expect(await store.rows.gaps('n/p/a', 10)).toEqual([{ from: 3, to: 4 }]);
      const again = await store.rows.append(at(rows, 2, 4, 5));
      expect(again).toMatchObject({ stored: 1, repeats: 2, forks: [] });
      expect(again.marks[0]?.seq).toBe(2);
      const filled = await store.rows.append(at(rows, 3, 6));
      expect(filled.marks[0]).toMatchObject({ seq: 6, hash: rows[5]?.hash, top: 6 });
      expect(await store.rows.gaps('n/p/a', 10)).toEqual([]);
      const held = await store.rows.rows('n/p/a', 1, 10, 100);
      expect(held.map(({ seq, body }) => ({ seq, body }))).toEqual(
        rows.map(({ seq, body }) => ({ seq, body })),
      );
    }),
  );

  it('keeps both versions of a row and stays with the first', { timeout: SLOW_MS }, () =>
    withStore(async (store) => {
      const rows = chain('n/p/a', 3);
      await store.rows.append(rows);
      const other = rowAfter('n/p/a', rows[1] ?? null, { note: 'rewritten' });
      const result = await store.rows.append([other]);
      expect(result).toMatchObject({ stored: 0, forks: [{ table: 'n/p/a', seq: 3 }] });
      expect(result.marks[0]?.hash).toBe(rows[2]?.hash);
      expect(await store.rows.forks('n/p/a')).toEqual([
        { table: 'n/p/a', seq: 3, hashes: [rows[2]?.hash, other.hash] },
      ]);
    }),
  );

  it('stops at a row that does not follow from the one before', { timeout: SLOW_MS }, () =>
    withStore(async (store) => {
      const rows = chain('n/p/a', 4);
      const stranger = rowAfter('n/p/a', rows[1] ?? null, { prev: 'f'.repeat(64) });
      const result = await store.rows.append([...at(rows, 1, 2), stranger]);
      expect(result.breaks).toEqual([{ table: 'n/p/a', seq: 3 }]);
      expect(result.marks[0]?.seq).toBe(2);
    }),
  );

  it(
    'lets the version that follows take the place of one that came first',
    {
      timeout: SLOW_MS,
    },
    () =>
      withStore(async (store) => {
        const rows = chain('n/p/a', 6);
        const stranger = rowAfter('n/p/a', rows[2] ?? null, { prev: 'f'.repeat(64), note: 'x' });
        await store.rows.append([...at(rows, 1, 2, 3), stranger]);
        expect(await store.rows.doubts()).toMatchObject([{ table: 'n/p/a', seq: 4 }]);
        const result = await store.rows.append(at(rows, 4, 5, 6));
        expect(result.marks[0]).toMatchObject({ seq: 6, hash: rows[5]?.hash });
        const held = await store.rows.rows('n/p/a', 1, 10, 100);
        expect(held.map(({ body }) => body)).toEqual(rows.map(({ body }) => body));
        expect(held[3]).toMatchObject({ wallMs: rows[3]?.wallMs, isHistorical: false });
        expect(await store.rows.forks('n/p/a')).toEqual([
          { table: 'n/p/a', seq: 4, hashes: [rows[3]?.hash, stranger.hash] },
        ]);
        expect(await store.rows.doubts()).toEqual([
          { table: 'n/p/a', seq: 4, why: 'row 4 came with two hashes' },
        ]);
      }),
  );

  it('settles which version follows once the rows before have come', { timeout: SLOW_MS }, () =>
    withStore(async (store) => {
      const rows = chain('n/p/a', 5);
      const month = 40 * DAY_MS;
      const wrong = { prev: 'e'.repeat(64), note: 'x', wallMs: NOW + month };
      await store.rows.append([rowAfter('n/p/a', rows[2] ?? null, wrong)]);
      await store.rows.append(at(rows, 4, 5));
      const result = await store.rows.append(at(rows, 1, 2, 3));
      expect(result.marks[0]).toMatchObject({ seq: 5, hash: rows[4]?.hash });
      const held = await store.rows.rows('n/p/a', 1, 10, 100);
      expect(held.map(({ body }) => body)).toEqual(rows.map(({ body }) => body));
      expect(await store.rows.forks('n/p/a')).toHaveLength(1);
    }),
  );

  it('compares site and pit exactly', { timeout: SLOW_MS }, () =>
    withStore(async (store) => {
      for (const table of ['n/p_1/t', 'n/pa1/t', 'm/p_1/t']) {
        const place = await store.rows.placeOf(table);
        await store.db.run(
          `INSERT INTO finding (place, id, code, clause, severity, raised_seq, raised_ms, detail)
           VALUES (?, '1.0', 'burn.short', '1', 'stop', 1, ?, ?)`,
          [
            ...[place, NOW],
            JSON.stringify({
              ...{ expected: '', observed: '', remedy: '', authority: 'floor' },
              ...{ cardsAfterWarning: 0, timeToStopMs: 0, acknowledgedAtTable: null },
            }),
          ],
        );
      }
      const tables = async (query: { readonly site?: string; readonly pit?: string }) =>
        (await store.findings({ ...query, limit: 10 })).map(({ table }) => table).sort();
      expect(await tables({ pit: 'p_1' })).toEqual(['m/p_1/t', 'n/p_1/t']);
      expect(await tables({ pit: '%' })).toEqual([]);
      expect(await tables({ site: 'n' })).toEqual(['n/p_1/t', 'n/pa1/t']);
      expect(await tables({ site: '_' })).toEqual([]);
      expect(await tables({ site: 'N' })).toEqual([]);
    }),
  );

  it('two instances at once come to the right mark, whichever got which row', {
    timeout: SLOW_MS,
  }, async () => {
    if (kind.name === 'SQLite') return;
    await withStore(async (one, place) => {
      const other = await FloorStore.open(place, () => NOW);
      const tables = ['n/p/a', 'n/p/b', 'n/p/c'];
      const rows = tables.flatMap((table) => chain(table, 200));
      // Every row goes to one of the two, in batches that overlap in time.
      const batches = new Map<FloorStore, HeardRow[][]>([
        [one, []],
        [other, []],
      ]);
      for (const [i, row] of rows.entries()) {
        const mine = batches.get((i * 7919) % 3 === 0 ? one : other) ?? [];
        if ((mine.at(-1)?.length ?? 25) >= 25) mine.push([]);
        mine.at(-1)?.push(row);
      }
      await Promise.all(
        [...batches].map(async ([store, mine]) => {
          for (const batch of mine) await store.rows.append(batch);
        }),
      );
      for (const { table, seq, hash } of await one.rows.marks()) {
        expect({ table, seq }).toEqual({ table, seq: 200 });
        expect(hash).toBe(rows.find((row) => row.table === table && row.seq === 200)?.hash);
      }
      await other.close();
    });
  });

  it('begins at the first row a table still has, when it is told so', { timeout: SLOW_MS }, () =>
    withStore(async (store) => {
      const rows = chain('n/p/a', 8);
      await store.rows.append(at(rows, 5, 6, 8));
      expect((await store.rows.marks())[0]?.seq).toBe(0);
      expect(await store.rows.adopt('n/p/a', 5)).toMatchObject({ firstSeq: 5, seq: 6 });
      expect(await store.rows.adopt('n/p/a', 6)).toBeNull();
      const filled = await store.rows.append(at(rows, 7));
      expect(filled.marks[0]).toMatchObject({ firstSeq: 5, seq: 8 });
    }),
  );

  it(
    'retires whole years by wall time and arrival, and no row of a wrong clock',
    {
      timeout: SLOW_MS,
    },
    () =>
      withStore(async (store) => {
        const old = NOW - 400 * DAY_MS;
        const before = rowAfter('n/p/a', null, { wallMs: old, heardMs: old });
        const wrong = rowAfter('n/p/b', null, { wallMs: old, heardMs: NOW });
        const strange = rowAfter('n/p/c', null, { wallMs: 5, heardMs: old });
        const fresh = rowAfter('n/p/a', before);
        await store.rows.append([before, wrong, strange, fresh]);
        const told = await store.rows.retire(NOW - 200 * DAY_MS);
        // PostgreSQL keeps the whole month while a row of it came late; SQLite takes row by row.
        expect(told).toHaveLength(kind.name === 'SQLite' ? 1 : 0);
        const left = async (table: string) => (await store.rows.rows(table, 1, 9, 9)).length;
        expect(await left('n/p/b')).toBe(1);
        expect(await left('n/p/c')).toBe(1);
        expect(await left('n/p/a')).toBe(kind.name === 'SQLite' ? 1 : 2);
        const [mark] = await store.rows.marks();
        expect(mark).toMatchObject({ table: 'n/p/a', seq: 2 });
        expect(mark?.firstSeq).toBe(kind.name === 'SQLite' ? 2 : 1);
      }),
  );

  it('makes no part for each month that a wrong clock says', { timeout: SLOW_MS }, () =>
    withStore(async (store, place) => {
      const months = Array.from({ length: 960 }, (_, i) => Date.UTC(2020, i, 3));
      const rows: HeardRow[] = [];
      for (const wallMs of months) rows.push(rowAfter('n/p/a', rows.at(-1) ?? null, { wallMs }));
      const { marks } = await store.rows.append(rows);
      expect(marks).toMatchObject([{ seq: rows.length }]);
      const again = await store.rows.append(rows.slice(-3));
      expect(again).toMatchObject({ stored: 0, repeats: 3, forks: [] });
      if (kind.name === 'SQLite') return;
      const [parts] = await store.db.all(
        "SELECT count(*) AS n FROM pg_inherits WHERE inhparent = 'journal_row'::regclass",
      );
      expect(parts?.['n']).toBeLessThan(90);
      // The month of a fast clock comes about: its rows stay where they are, and new ones too.
      const later = await FloorStore.open(place, () => Date.UTC(2031, 0));
      const next = rowAfter('n/p/b', null, { wallMs: Date.UTC(2031, 0, 5) });
      expect(await later.rows.append([next])).toMatchObject({ stored: 1 });
      expect(await later.rows.append([next])).toMatchObject({ stored: 0, repeats: 1 });
      await later.close();
      // All of 2026, wherever it lies.
      await store.rows.retire(NOW + 365 * DAY_MS);
      const left = await store.rows.rows('n/p/a', 1, rows.length, rows.length);
      expect(left.filter(({ wallMs }) => wallMs < Date.UTC(2027, 0))).toEqual([]);
      expect(left).toHaveLength(months.filter((ms) => ms >= NOW + 365 * DAY_MS).length);
    }),
  );

  it('drops a month once all of it is old', { timeout: SLOW_MS }, () =>
    withStore(async (store) => {
      const old = NOW - 400 * DAY_MS;
      const before = rowAfter('n/p/a', null, { wallMs: old, heardMs: old });
      await store.rows.append([before, rowAfter('n/p/a', before)]);
      expect(await store.rows.retire(NOW - 200 * DAY_MS)).toHaveLength(1);
      expect(await store.rows.rows('n/p/a', 1, 9, 9)).toHaveLength(1);
      expect((await store.rows.marks())[0]).toMatchObject({ firstSeq: 2, seq: 2 });
      expect(await store.rows.retire(NOW - 200 * DAY_MS)).toEqual([]);
    }),
  );

  it('takes acknowledgements once, notes, searches and the audit', { timeout: SLOW_MS }, () =>
    withStore(async (store) => {
      const place = await store.rows.placeOf('n/p/a');
      const by = { by: 'mara', atMs: NOW, note: 'looked at camera 4' };
      expect(await store.desk.acknowledge(place, '7.1', by)).toBe(true);
      expect(await store.desk.acknowledge(place, '7.1', { ...by, by: 'ada' })).toBe(false);
      expect(await store.desk.acknowledgements(0)).toEqual([{ table: 'n/p/a', id: '7.1', by }]);
      await store.desk.addNote({ atMs: NOW, by: 'mara', table: null, text: 'lamp out' });
      expect(await store.desk.notes(0)).toMatchObject([{ by: 'mara', text: 'lamp out' }]);
      const search = { by: 'mara', atMs: NOW, title: 'stops', query: 'severity=stop' };
      const saved = await store.desk.saveSearch(search);
      expect(await store.desk.searches('mara')).toEqual([saved]);
      expect(await store.desk.dropSearch('ada', saved?.id ?? 0)).toBe(false);
      expect(await store.desk.dropSearch('mara', saved?.id ?? 0)).toBe(true);
      for (const what of ['login', 'evidence', 'login']) {
        await store.desk.audit({ atMs: NOW, who: 'ada', what, about: '' });
      }
      const page = await store.desk.auditPage({ what: 'login', limit: 1 });
      expect(page.lines).toHaveLength(1);
      const rest = await store.desk.auditPage({ what: 'login', before: page.next ?? 0 });
      expect(rest).toMatchObject({ lines: [{ who: 'ada', what: 'login' }], next: null });
    }),
  );

  it('gives one instance at a time the lease, until it ends', { timeout: SLOW_MS }, () =>
    withStore(async ({ desk }) => {
      expect(await desk.lease('follow', 'one', 1000, 500)).toBe(true);
      expect(await desk.lease('follow', 'two', 1200, 500)).toBe(false);
      expect(await desk.lease('follow', 'one', 1400, 500)).toBe(true);
      expect(await desk.lease('follow', 'two', 2000, 500)).toBe(true);
      await desk.release('follow', 'two');
      expect(await desk.lease('follow', 'one', 2001, 500)).toBe(true);
    }),
  );

  it('is opened again as it was, and not by an older program', { timeout: SLOW_MS }, async () => {
    const place = kind.place();
    const store = await FloorStore.open(place, () => NOW);
    await store.rows.append(chain('n/p/a', 3));
    await store.close();
    const again = await FloorStore.open(place, () => NOW);
    expect((await again.rows.marks())[0]).toMatchObject({ table: 'n/p/a', seq: 3 });
    await again.db.run('INSERT INTO migration (version, at_ms) VALUES (?, ?)', [99, NOW]);
    await again.close();
    await expect(FloorStore.open(place, () => NOW)).rejects.toThrow(/version 99/);
  });
});
