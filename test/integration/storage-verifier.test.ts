import { spawnSync } from 'node:child_process';
import {
  closeSync,
  cpSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TableStep } from '../../controller/core/ports.js';
import { checkJournal, verdictLines } from '../../storage/check.js';
import { DeviceKey } from '../../storage/checkpoint.js';
import { openJournal } from '../../storage/journal.js';
import { stepsFrom } from '../unit/storage/steps.js';

const SCRIPT = fileURLToPath(new URL('../verifier/verify_journal.py', import.meta.url));
const GOLDEN = fileURLToPath(new URL('../verifier/golden/format-1.journal', import.meta.url));
const PAGE_BYTES = 1024;
const ROWS = 600;
/** A machine under load takes its time to start Python. */
const SLOW_MS = 60_000;
const key = DeviceKey.generate();
let folder: string;
let good: string;
/** A longer one, with a shoe's end in row 650. */
let long: string;

const python = (path: string, ...more: readonly string[]) => {
  const ran = spawnSync('python3', [SCRIPT, path, ...more], { encoding: 'utf8' });
  const match = /damaged at row (\d+): ([a-z ]+):/.exec(ran.stdout);
  return {
    code: ran.status,
    said: ran.stdout + ran.stderr,
    damage: match === null ? null : { seq: Number(match[1]), kind: match[2] },
  };
};

/** From row 401 on a table watched for more than 104 days: times no longer fit whole numbers. */
const late = (step: TableStep): TableStep => ({
  ...step,
  observation: { ...step.observation, atNs: 2 ** 60 + step.observation.seq * 812_345_671 },
});

const shoeEnd = (step: TableStep): TableStep => ({
  ...step,
  decisions: [{ do: 'noted', part: 'shoe', set: { isLoaded: false } }],
});

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'journal-'));
  good = join(folder, 'good.journal');
  const journal = await openJournal(good, { writer: 'inline', key, checkpointRows: 100 });
  const boot: TableStep = {
    observation: {
      seq: 1,
      atNs: 0,
      wallMs: Date.UTC(2026, 0, 5),
      wallTrusted: false,
      kind: 'power.boot',
      unclean: true,
      boot: 1,
      version: 'Zoë § 631a.5(f) — ♠',
    },
    decisions: [],
  };
  await journal.append([boot, ...stepsFrom(2, 399)]);
  await journal.append(stepsFrom(401, ROWS - 400).map(late));
  await journal.close();
  long = join(folder, 'long.journal');
  const other = await openJournal(long, { writer: 'inline', key, checkpointRows: 100 });
  const rows = [boot, ...stepsFrom(2, 1699)];
  await other.append(rows.map((step) => (step.observation.seq === 650 ? shoeEnd(step) : step)));
  await other.close();
}, SLOW_MS);
afterAll(() => rmSync(folder, { recursive: true }));

const damaged = (name: string, statements: readonly string[], from = good): string => {
  const path = join(folder, `${name}.journal`);
  cpSync(from, path);
  const db = new Database(path);
  for (const table of ['step', 'checkpoint', 'key', 'word']) {
    db.exec(`DROP TRIGGER ${table}_no_update; DROP TRIGGER ${table}_no_delete`);
  }
  for (const statement of statements) db.exec(statement);
  db.close();
  return path;
};

const CASES: readonly (readonly [string, ...(readonly string[])])[] = [
  [
    'a changed text',
    `UPDATE step SET body = CAST(replace(body, '641', '642') AS BLOB) WHERE seq = 361`,
  ],
  ['a changed time', 'UPDATE step SET at_ns = at_ns + 1 WHERE seq = 200'],
  ['a changed late time', 'UPDATE step SET at_ns = at_ns + 4096 WHERE seq = 500'],
  ['a changed hash', 'UPDATE step SET hash = randomblob(32) WHERE seq = 300'],
  ['a changed last hash', `UPDATE step SET hash = randomblob(32) WHERE seq = ${ROWS}`],
  ['a missing row', 'DELETE FROM step WHERE seq = 250'],
  [
    'a closed gap',
    'DELETE FROM step WHERE seq = 250',
    'UPDATE step SET seq = -seq WHERE seq > 250',
    'UPDATE step SET seq = -seq - 1 WHERE seq < 0',
  ],
  [
    'a closed gap among short numbers',
    'DELETE FROM step WHERE seq = 50',
    'UPDATE step SET seq = -seq WHERE seq > 50',
    'UPDATE step SET seq = -seq - 1 WHERE seq < 0',
  ],
  [
    'swapped rows',
    'UPDATE step SET seq = -1 WHERE seq = 210',
    'UPDATE step SET seq = 210 WHERE seq = 212',
    'UPDATE step SET seq = 212 WHERE seq = -1',
  ],
  [
    'swapped neighbours',
    'UPDATE step SET seq = -1 WHERE seq = 40',
    'UPDATE step SET seq = 40 WHERE seq = 41',
    'UPDATE step SET seq = 41 WHERE seq = -1',
  ],
  ['a cut end', 'DELETE FROM step WHERE seq > 490'],
  ['a changed checkpoint', `UPDATE checkpoint SET body = replace(body, 'boot":1', 'boot":2')`],
  ['a changed signature', 'UPDATE checkpoint SET signature = randomblob(64) WHERE seq = 501'],
  ['a changed key', 'UPDATE key SET public = randomblob(32)'],
  ['a changed word', `UPDATE word SET text = text || ' ' WHERE code = 6`],
];

/** Whole chains whose checkpoints were taken away: name, row that misses one, statements. */
const UNSIGNED: readonly (readonly [name: string, seq: number, statement: string])[] = [
  ['no checkpoint at all', 1, 'DELETE FROM checkpoint'],
  ['a shoe end nothing signs', 650, 'DELETE FROM checkpoint WHERE seq > 401'],
  ['five minutes nothing signs', 1020, 'DELETE FROM checkpoint WHERE seq > 650'],
];

describe('a second program, written from docs/JOURNAL.md in another language', () => {
  it('finds a good journal good, and knows whose it is', async () => {
    const ours = await checkJournal(good, { deep: true });
    expect(ours).toMatchObject({ damage: null, checkpoints: 6, head: { seq: ROWS } });
    const theirs = python(good, key.publicKey);
    expect(theirs.said).toBe(
      `rows 1 to ${ROWS} whole, 6 signed checkpoints, last ${ROWS}:${ours.head.hash}\n` +
        `rows 502 to ${ROWS} are not signed yet\n`,
    );
    expect(theirs.code).toBe(0);
    expect(python(good, DeviceKey.generate().publicKey).damage).toEqual({
      seq: 1,
      kind: 'checkpoint',
    });
  }, 60_000);

  it.each(UNSIGNED)(
    'agrees, with a demanded key, on %s',
    async (name, seq, statement) => {
      const path = damaged(name, [statement], long);
      const keyFile = join(folder, 'device.pub');
      writeFileSync(keyFile, key.publicKey);
      const { damage } = await checkJournal(path, { keyFile });
      expect(damage).toMatchObject({ seq, kind: 'checkpoint' });
      const theirs = python(path, key.publicKey);
      expect(theirs.damage, theirs.said).toEqual({ seq, kind: 'checkpoint' });
      expect(theirs.code).toBe(1);
      const ours = await checkJournal(path);
      expect(ours.damage).toBeNull();
      const lines = verdictLines(path, ours);
      const anyKey = python(path);
      expect(anyKey.code).toBe(0);
      const open = /^rows \d+ to 1700 are not signed yet$/m.exec(anyKey.said)?.[0];
      expect(open).toBeDefined();
      const unsigned = 'no row is signed: nothing shows whose rows these are';
      expect(lines).toContain(ours.checkpoints === 0 ? unsigned : open);
    },
    60_000,
  );

  it.each(CASES)(
    'agrees on %s',
    async (name, ...statements) => {
      const path = damaged(name, statements);
      const { damage } = await checkJournal(path);
      expect(damage).not.toBeNull();
      const theirs = python(path);
      expect(theirs.damage, theirs.said).toEqual({ seq: damage?.seq, kind: damage?.kind });
      expect(theirs.code).toBe(1);
    },
    60_000,
  );

  it.each([0, PAGE_BYTES / 2])(
    'agrees on a page of zeros from byte %i on',
    async (from) => {
      const path = join(folder, `page-${from}.journal`);
      cpSync(good, path);
      const db = new Database(path, { readonly: true });
      const sql = 'SELECT hash FROM step WHERE seq = 300';
      const hash = db.prepare<[], Buffer>(sql).pluck().get();
      db.close();
      const page = Math.floor(readFileSync(path).indexOf(hash!) / PAGE_BYTES) * PAGE_BYTES;
      const file = openSync(path, 'r+');
      writeSync(file, Buffer.alloc(PAGE_BYTES - from), 0, PAGE_BYTES - from, page + from);
      closeSync(file);
      const { damage } = await checkJournal(path);
      expect(damage?.kind).toBe('torn page');
      expect(python(path).damage).toEqual({ seq: damage?.seq, kind: 'torn page' });
    },
    60_000,
  );

  it('agrees on what is no journal, and on one that was emptied', async () => {
    await expect(checkJournal(folder)).rejects.toMatchObject({ code: 'format' });
    expect(python(folder)).toMatchObject({ code: 2, damage: null });
    const empty = join(folder, 'empty.journal');
    writeFileSync(empty, '');
    await expect(checkJournal(empty)).rejects.toMatchObject({ code: 'corrupt' });
    expect(python(empty)).toMatchObject({ code: 1, damage: null });
  });

  it('still reads the first released format', async () => {
    const golden = join(folder, 'golden.journal');
    cpSync(GOLDEN, golden);
    const ours = await checkJournal(golden, { deep: true });
    expect(ours).toMatchObject({ damage: null, firstSeq: 1, head: { seq: 300 }, checkpoints: 4 });
    expect(python(golden).code).toBe(0);
  }, 60_000);
});
