import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evolve } from '../../controller/core/evolve.js';
import type { TableStep } from '../../controller/core/ports.js';
import { initialState } from '../../controller/core/state.js';
import { hashText } from '../../storage/canonical.js';
import { checkJournal } from '../../storage/check.js';
import { DeviceKey } from '../../storage/checkpoint.js';
import { openJournal } from '../../storage/journal.js';
import { JournalReader } from '../../storage/reader.js';
import { stepsFrom, TABLE } from '../unit/storage/steps.js';

const SCRIPT = fileURLToPath(new URL('../verifier/verify_journal.py', import.meta.url));
const GOLDEN = fileURLToPath(new URL('../verifier/golden/format-1b.journal', import.meta.url));
const ROWS = 300;
const SLOW_MS = 60_000;
const TABLE_TEXT = '{"decks":8}';
const key = DeviceKey.generate();
let folder: string;
let good: string;
/** Copied without its log while it was in use. */
let bereft: string;
let keyFile: string;

const python = (path: string, ...more: readonly string[]) => {
  const ran = spawnSync('python3', [SCRIPT, '--deep', path, ...more], { encoding: 'utf8' });
  const match = /damaged at row (\d+): ([a-z ]+):/.exec(ran.stdout);
  const damage = match === null ? null : { seq: Number(match[1]), kind: match[2] };
  return { code: ran.status, said: ran.stdout + ran.stderr, damage };
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'journal-'));
  good = join(folder, 'good.journal');
  bereft = join(folder, 'bereft.journal');
  keyFile = join(folder, 'device.pub');
  writeFileSync(keyFile, key.publicKey);
  const boot: TableStep = {
    observation: {
      ...{ seq: 1, atNs: 0, wallMs: Date.UTC(2026, 0, 5), wallTrusted: true },
      ...{ kind: 'power.boot', unclean: false, boot: 1, version: '1.2.3' },
      table: hashText(TABLE_TEXT),
    },
    decisions: [],
  };
  const steps = [boot, ...stepsFrom(2, ROWS - 1)];
  const journal = await openJournal(good, { writer: 'inline', key });
  await journal.putDocument('table', hashText(TABLE_TEXT), TABLE_TEXT);
  await journal.append(steps);
  const state = steps.reduce(
    (before, { observation, decisions }) => evolve(before, observation, decisions),
    initialState(TABLE),
  );
  journal.saveSnapshot({ ...journal.head(), state });
  copyFileSync(good, bereft);
  await journal.close();
}, SLOW_MS);
afterAll(() => rmSync(folder, { recursive: true }));

const damaged = (name: string, statement: string): string => {
  const path = join(folder, `${name}.journal`);
  cpSync(good, path);
  const db = new Database(path);
  for (const table of ['step', 'document']) {
    db.exec(`DROP TRIGGER ${table}_no_update; DROP TRIGGER ${table}_no_delete`);
  }
  db.exec(statement);
  db.close();
  return path;
};

const textOf = (seq: number): string => {
  const reader = JournalReader.open(good);
  const [row] = reader.rows(seq - 1, 1);
  reader.close();
  return Buffer.from(row?.body ?? '').toString('hex');
};

describe('the second program, looking deep', () => {
  it('finds a good journal good', async () => {
    expect((await checkJournal(good, { deep: true, keyFile })).damage).toBeNull();
    expect(python(good, key.publicKey)).toMatchObject({ code: 0, damage: null });
  });

  it.each([
    ['a document taken away', () => 'DELETE FROM document'],
    ['a changed document', () => "UPDATE document SET text = '{}'"],
    [
      'a time its text does not depend on',
      () => `UPDATE step SET body = x'${textOf(77)}', wall_ms = wall_ms + 1 WHERE seq = 77`,
    ],
    ['a changed saved state', () => "UPDATE snapshot SET state = replace(state, 'ready', 'burn')"],
    [
      'a saved state without its signature',
      () => 'UPDATE snapshot SET digest = substr(digest, 1, 32)',
    ],
    [
      'a saved state signed otherwise',
      () => 'UPDATE snapshot SET digest = CAST(substr(digest, 1, 32) || randomblob(64) AS BLOB)',
    ],
    ['a saved state of another row', () => 'UPDATE snapshot SET seq = 200'],
  ])(
    'agrees on %s',
    async (name, statement) => {
      const path = damaged(name, statement());
      const { damage } = await checkJournal(path, { deep: true, keyFile });
      expect(damage).not.toBeNull();
      const theirs = python(path, key.publicKey);
      expect(theirs.damage, theirs.said).toEqual({ seq: damage?.seq, kind: damage?.kind });
      expect(theirs.code).toBe(1);
    },
    SLOW_MS,
  );

  it('agrees that a log is gone', async () => {
    const { damage } = await checkJournal(bereft);
    expect(damage).toMatchObject({ kind: 'lost log', seq: 1 });
    expect(python(bereft).damage).toEqual({ seq: 1, kind: 'lost log' });
  });

  it('reads a journal of small pages with a signed saved state', async () => {
    const golden = join(folder, 'golden.journal');
    cpSync(GOLDEN, golden);
    const ours = await checkJournal(golden, { deep: true });
    expect(ours).toMatchObject({ damage: null, head: { seq: 300 }, checkpoints: 2 });
    expect(python(golden).said).toContain(`last 300:${ours.head.hash}`);
  });
});
