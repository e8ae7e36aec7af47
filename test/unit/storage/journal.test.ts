import { mkdtempSync, rmSync, statSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { evolve } from '../../../controller/core/evolve.js';
import { initialState } from '../../../controller/core/state.js';
import { canonicalJson, hashRow, hashText, NO_HASH } from '../../../storage/canonical.js';
import { JournalFault } from '../../../storage/fault.js';
import { openJournal, type SqliteJournal } from '../../../storage/journal.js';
import { restore } from '../../../storage/restore.js';
import { stepsFrom, TABLE } from './steps.js';

let folder: string;
let path: string;
const open: SqliteJournal[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'journal-'));
  path = join(folder, 'table.journal');
});
afterEach(async () => {
  for (const journal of open.splice(0)) await journal.close();
  rmSync(folder, { recursive: true });
});

const start = async (writer: 'worker' | 'inline', notices: string[] = []) => {
  const journal = await openJournal(path, { writer, notice: (text) => notices.push(text) });
  open.push(journal);
  return journal;
};
const foldAll = (count: number) =>
  stepsFrom(1, count).reduce(
    (state, { observation, decisions }) => evolve(state, observation, decisions),
    initialState(TABLE),
  );

describe.each(['worker', 'inline'] as const)('a journal with writer %s', (writer) => {
  it('gives back what was appended, chained from 64 zeros', async () => {
    const journal = await start(writer);
    expect(journal.head()).toEqual({ seq: 0, hash: NO_HASH });
    await journal.append(stepsFrom(1, 3));
    await journal.append(stepsFrom(4, 700));
    const rows = await journal.read(0, 10_000);
    expect(rows).toHaveLength(703);
    let prev = NO_HASH;
    for (const row of rows) {
      expect(row.prev).toBe(prev);
      expect(row.hash).toBe(hashRow(prev, row.body));
      prev = row.hash;
    }
    expect(journal.head()).toEqual({ seq: 703, hash: prev });
    expect(JSON.parse(rows[41]?.body ?? '')).toEqual(stepsFrom(42, 1)[0]);
  });

  it('reads the same rows from the file as from memory, and goes on behind them', async () => {
    const first = await start(writer);
    await first.append(stepsFrom(1, 1500));
    const fromMemory = await first.read(1400, 100);
    await first.close();
    const second = await start(writer);
    expect(second.unclean).toBe(false);
    expect(await second.read(1400, 100)).toEqual(fromMemory);
    expect(second.head()).toEqual({ seq: 1500, hash: fromMemory[99]?.hash });
    await second.append(stepsFrom(1501, 2));
    expect((await second.read(1499, 5)).map(({ seq }) => seq)).toEqual([1500, 1501, 1502]);
  });

  it('restores the exact state from a saved state and the rows behind it', async () => {
    const first = await start(writer);
    await first.append(stepsFrom(1, 1000));
    first.saveSnapshot({ ...first.head(), state: foldAll(1000) });
    await first.append(stepsFrom(1001, 50));
    await first.close();
    const restored = await restore(await start(writer), initialState(TABLE));
    expect(restored.folded).toBe(50);
    expect(restored.state).toEqual(foldAll(1050));
    expect(restored.last?.seq).toBe(1050);
  });

  it('passes over an unsound saved state, says so, and folds the rows', async () => {
    const first = await start(writer);
    await first.append(stepsFrom(1, 100));
    first.saveSnapshot({ ...first.head(), state: foldAll(100) });
    await first.append(stepsFrom(101, 1));
    await first.close();
    const db = new Database(path);
    db.exec(`UPDATE snapshot SET state = replace(state, '"phase":"ready"', '"phase":"burn"')`);
    db.close();
    const notices: string[] = [];
    const restored = await restore(await start(writer, notices), initialState(TABLE));
    expect(restored.folded).toBe(101);
    expect(restored.state).toEqual(foldAll(101));
    expect(notices.join()).toMatch(/saved after row 100 is not used: it is damaged/);
  });

  it('keeps cursors, which may repeat but never skip', async () => {
    const first = await start(writer);
    await first.append(stepsFrom(1, 20));
    first.moveCursor('mqtt', 12);
    expect(first.cursor('mqtt')).toBe(12);
    await first.close();
    const second = await start(writer);
    expect(second.cursor('mqtt')).toBe(12);
    expect(second.cursor('other')).toBe(0);
  });

  it('keeps documents under their own hash only', async () => {
    const journal = await start(writer);
    const text = canonicalJson(TABLE);
    await journal.putDocument('table', hashText(text), text);
    await journal.putDocument('table', hashText(text), text);
    expect(await journal.document(hashText(text))).toBe(text);
    expect(await journal.document(NO_HASH)).toBeNull();
    await expect(journal.putDocument('table', NO_HASH, text)).rejects.toThrow(/its hash names/);
  });

  it('refuses a row out of place, and everything after it', async () => {
    const journal = await start(writer);
    await journal.append(stepsFrom(1, 5));
    await expect(journal.append(stepsFrom(7, 1))).rejects.toMatchObject({ code: 'order' });
    await expect(journal.append(stepsFrom(6, 1))).rejects.toBeInstanceOf(JournalFault);
    expect(journal.head().seq).toBe(5);
    await journal.close();
    const again = await start(writer);
    await again.append(stepsFrom(6, 1));
    expect(again.head().seq).toBe(6);
  });

  it('keeps all rows of one call or none, also where the last cannot be written out', async () => {
    const journal = await start(writer);
    await journal.append(stepsFrom(1, 5));
    const steps = stepsFrom(6, 200).map((step, i) =>
      i < 150 ? step : { ...step, observation: { ...step.observation, wallMs: Number.NaN } },
    );
    await expect(journal.append(steps)).rejects.toMatchObject({ code: 'order' });
    expect(journal.head().seq).toBe(5);
    await journal.close();
    const again = await start(writer);
    expect(again.head().seq).toBe(5);
    expect(await again.read(0, 100)).toHaveLength(5);
  });

  it('settles each of many calls made at once, in order', async () => {
    const journal = await start(writer);
    const settled: number[] = [];
    const sizes = [1, 40, 300, 32, 256, 7, 600, 1];
    let seq = 1;
    const all = sizes.map((size, i) => {
      const done = journal.append(stepsFrom(seq, size)).then(() => settled.push(i));
      seq += size;
      return done;
    });
    await Promise.all(all);
    expect(settled).toEqual(sizes.map((_, i) => i));
    expect(journal.head().seq).toBe(seq - 1);
    await journal.close();
    const again = await start(writer);
    expect(await again.read(0, 10_000)).toHaveLength(seq - 1);
  });

  it('refuses a second writer and says why', async () => {
    await start(writer);
    const second = openJournal(path, { writer });
    await expect(second).rejects.toMatchObject({ code: 'locked' });
    await expect(second).rejects.toThrow(/open in another process; stop the other process first/);
  });

  it('writes nothing while idle', async () => {
    const journal = await start(writer);
    await journal.append(stepsFrom(1, 5));
    const sizes = () => [statSync(path).mtimeMs, statSync(`${path}-wal`).mtimeMs];
    const before = sizes();
    await new Promise((resolve) => setTimeout(resolve, 300));
    await journal.read(0, 5);
    expect(sizes()).toEqual(before);
  });

  it('leaves one file behind a clean close, and knows an unclean one', async () => {
    const first = await start(writer);
    await first.append(stepsFrom(1, 5));
    expect(existsSync(`${path}-wal`)).toBe(true);
    await first.close();
    expect(existsSync(`${path}-wal`)).toBe(false);
  });

  it('is append-only for everybody', async () => {
    const journal = await start(writer);
    await journal.append(stepsFrom(1, 5));
    await journal.close();
    const db = new Database(path);
    expect(() => db.exec('DELETE FROM step WHERE seq = 5')).toThrow(/append-only: step/);
    expect(() => db.exec('UPDATE step SET wall_ms = 1 WHERE seq = 2')).toThrow(/append-only/);
    expect(() => db.exec(`UPDATE word SET text = '' WHERE code = 2`)).toThrow(/append-only: word/);
    db.close();
  });

  it('says of a file that is none that it is none, and leaves it alone', async () => {
    const other = new Database(path);
    other.exec('CREATE TABLE t (x)');
    other.close();
    const size = statSync(path).size;
    await expect(openJournal(path, { writer })).rejects.toMatchObject({ code: 'format' });
    expect(statSync(path).size).toBe(size);
  });
});

it('takes one step in at most 250 bytes at rest, in the median', async () => {
  const journal = await start('inline');
  for (let seq = 1; seq <= 3000; seq += 100) await journal.append(stepsFrom(seq, 100));
  await journal.close();
  const db = new Database(path);
  const lengths = db
    .prepare<[], number>('SELECT length(body) + 32 + 18 AS n FROM step ORDER BY n')
    .pluck()
    .all();
  db.close();
  expect(lengths[1500]).toBeLessThanOrEqual(250);
});
