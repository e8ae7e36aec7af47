import { execFileSync } from 'node:child_process';
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkJournal, verdictLines } from '../../../storage/check.js';
import { openJournal } from '../../../storage/journal.js';
import { JournalReader } from '../../../storage/reader.js';
import { verifyChain } from '../../../storage/verify.js';
import { stepsFrom } from './steps.js';

const ROWS = 2000;
const PAGE_BYTES = 1024;
let folder: string;
let path: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'journal-'));
  path = join(folder, 'table.journal');
  const journal = await openJournal(path, { writer: 'inline' });
  await journal.append(stepsFrom(1, ROWS));
  await journal.close();
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Changes the file as somebody would who has the tools: triggers first. */
const tamper = (...statements: readonly string[]): void => {
  const db = new Database(path);
  db.exec('DROP TRIGGER step_no_update; DROP TRIGGER step_no_delete;');
  for (const statement of statements) db.exec(statement);
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
};
const damage = async () => (await verifyChain(path)).damage;

/** Byte offset of a leaf page of the table `step` that holds rows past the first thousand. */
const pageOfRow = (seq: number): number => {
  const db = new Database(path, { readonly: true });
  const sql = 'SELECT hash, body FROM step WHERE seq = ?';
  const row = db.prepare<[number], { hash: Buffer; body: Buffer }>(sql).get(seq);
  db.close();
  const at = readFileSync(path).indexOf(Buffer.concat([row!.hash, row!.body]));
  expect(at).toBeGreaterThan(0);
  return Math.floor(at / PAGE_BYTES) * PAGE_BYTES;
};
const overwrite = (at: number, bytes: Buffer): void => {
  const file = openSync(path, 'r+');
  writeSync(file, bytes, 0, bytes.length, at);
  closeSync(file);
};

describe('verify', () => {
  it('finds nothing in a whole journal, however many threads look', async () => {
    for (const threads of [1, 2, 3]) {
      const verdict = await verifyChain(path, { threads, deep: true });
      expect(verdict.damage).toBeNull();
      expect(verdict.head.seq).toBe(ROWS);
    }
    const verdict = await checkJournal(path);
    expect(verdictLines('j', verdict)[0]).toBe(
      'j: 2000 rows (1 to 2000), chain whole, no signed checkpoint',
    );
  });

  it('names a changed byte in the text', async () => {
    tamper(`UPDATE step SET body = CAST(replace(body, '641', '642') AS BLOB) WHERE seq = 1351`);
    expect(await damage()).toMatchObject({ kind: 'changed byte', seq: 1351 });
    expect((await verifyChain(path, { threads: 3 })).damage).toMatchObject({ seq: 1351 });
  });

  it('names a changed time', async () => {
    tamper('UPDATE step SET wall_ms = wall_ms + 1 WHERE seq = 77');
    expect(await damage()).toMatchObject({ kind: 'changed byte', seq: 77 });
  });

  it('names, looked at deep, a changed time that its text does not depend on', async () => {
    const reader = JournalReader.open(path);
    const body = reader.rows(76, 1)[0]?.body ?? '';
    reader.close();
    const hex = Buffer.from(body).toString('hex');
    tamper(`UPDATE step SET body = x'${hex}', wall_ms = wall_ms + 1 WHERE seq = 77`);
    expect((await verifyChain(path, { deep: true })).damage).toMatchObject({
      kind: 'changed byte',
      seq: 77,
      what: 'its columns say another row or time than its text',
    });
  });

  it('names a changed hash', async () => {
    tamper('UPDATE step SET hash = randomblob(32) WHERE seq = 900');
    expect(await damage()).toMatchObject({ kind: 'changed hash', seq: 900 });
  });

  it('names missing rows', async () => {
    tamper('DELETE FROM step WHERE seq IN (500, 501, 502)');
    expect(await damage()).toEqual({
      kind: 'missing row',
      seq: 500,
      what: 'rows 500 to 502 are not there',
    });
  });

  it('names missing rows whose gap was closed', async () => {
    tamper(
      'DELETE FROM step WHERE seq = 500',
      'UPDATE step SET seq = -seq WHERE seq > 500',
      'UPDATE step SET seq = -seq - 1 WHERE seq < 0',
    );
    expect(await damage()).toMatchObject({ kind: 'missing row', seq: 500 });
  });

  it('names the first row missing at the beginning', async () => {
    tamper('DELETE FROM step WHERE seq <= 3');
    expect(await damage()).toMatchObject({ kind: 'missing row', seq: 1 });
  });

  it('names swapped rows and where they belong', async () => {
    tamper(
      'UPDATE step SET seq = -1 WHERE seq = 700',
      'UPDATE step SET seq = 700 WHERE seq = 705',
      'UPDATE step SET seq = 705 WHERE seq = -1',
    );
    expect(await damage()).toEqual({
      kind: 'reordered',
      seq: 700,
      what: 'here lies what was written as row 705',
    });
  });

  it('names a zeroed page', async () => {
    overwrite(pageOfRow(1200), Buffer.alloc(PAGE_BYTES));
    const found = await damage();
    expect(found?.kind).toBe('torn page');
    expect(found?.seq).toBeGreaterThan(1100);
    expect(found?.seq).toBeLessThanOrEqual(1200);
  });

  it('names a half written page', async () => {
    overwrite(pageOfRow(1200) + PAGE_BYTES / 2, Buffer.alloc(PAGE_BYTES / 2));
    const found = await damage();
    expect(found?.kind).toBe('torn page');
    expect(found?.seq).toBeGreaterThan(1100);
    expect(found?.seq).toBeLessThanOrEqual(1200);
  });

  it('finds a flipped bit anywhere in the rows', async () => {
    const from = pageOfRow(1200) + PAGE_BYTES / 4;
    const whole = readFileSync(path);
    for (let at = from; at < from + 400; at += 13) {
      overwrite(at, Buffer.from([(whole[at] ?? 0) ^ 0x10]));
      expect(await damage(), `byte ${at}`).not.toBeNull();
      overwrite(at, whole.subarray(at, at + 1));
    }
    expect(await damage()).toBeNull();
  });

  it('knows another history by a row published elsewhere', async () => {
    const { head } = await verifyChain(path);
    const good = await checkJournal(path, { expect: `${head.seq}:${head.hash}` });
    expect(good.damage).toBeNull();
    const other = await checkJournal(path, { expect: `${head.seq}:${'0'.repeat(64)}` });
    expect(other.damage).toMatchObject({ kind: 'other history', seq: ROWS });
    const longer = await checkJournal(path, { expect: `${ROWS + 5}:${head.hash}` });
    expect(longer.damage?.what).toMatch(/rows were cut off/);
    await expect(checkJournal(path, { expect: 'x' })).rejects.toThrow(/is not a row's number/);
  });

  it('refuses a journal that was emptied, and makes none in its place', async () => {
    for (const log of [null, Buffer.alloc(0), Buffer.alloc(20)]) {
      rmSync(`${path}-wal`, { force: true });
      writeFileSync(path, '');
      if (log !== null) writeFileSync(`${path}-wal`, log);
      for (const writer of ['inline', 'worker'] as const) {
        await expect(openJournal(path, { writer })).rejects.toMatchObject({ code: 'corrupt' });
        expect(statSync(path).size).toBe(0);
      }
    }
    rmSync(`${path}-wal`, { force: true });
    await expect(openJournal(path, { writer: 'inline' })).rejects.toThrow(
      /was emptied.*journal set-aside` and restore a copy/,
    );
    await expect(checkJournal(path)).rejects.toMatchObject({ code: 'corrupt' });
  });

  it('refuses at once what is no file', async () => {
    await expect(checkJournal(folder)).rejects.toThrow(/is a folder, not a journal/);
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    await expect(checkJournal(pipe)).rejects.toThrow(/is a pipe, not a journal/);
    await expect(checkJournal(pipe)).rejects.toMatchObject({ code: 'format' });
    await expect(openJournal(pipe, { writer: 'inline' })).rejects.toThrow(/is a pipe/);
  });

  it('refuses to open a journal whose tail is damaged, and leaves it as it is', async () => {
    tamper(`UPDATE step SET body = CAST(replace(body, '641', '642') AS BLOB) WHERE seq = 1981`);
    const before = readFileSync(path);
    await expect(openJournal(path, { writer: 'inline' })).rejects.toThrow(
      /damaged at row 1981: its hash does not follow.*journal verify/,
    );
    expect(readFileSync(path).equals(before)).toBe(true);
  });
});
