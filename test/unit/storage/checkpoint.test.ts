import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { evolve } from '../../../controller/core/evolve.js';
import type { TableStep } from '../../../controller/core/ports.js';
import { initialState } from '../../../controller/core/state.js';
import { canonicalJson, hashText } from '../../../storage/canonical.js';
import { checkJournal, verdictLines } from '../../../storage/check.js';
import { DeviceKey, isSigned, readCheckpoint } from '../../../storage/checkpoint.js';
import { type JournalOptions, openJournal, type SqliteJournal } from '../../../storage/journal.js';
import { restore } from '../../../storage/restore.js';
import type { SignedCheckpoint } from '../../../storage/store.js';
import { stepsFrom, TABLE } from './steps.js';

let folder: string;
let path: string;
const open: SqliteJournal[] = [];
const key = DeviceKey.generate();
const tableText = canonicalJson(TABLE);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'journal-'));
  path = join(folder, 'table.journal');
});
afterEach(async () => {
  for (const journal of open.splice(0)) await journal.close();
  rmSync(folder, { recursive: true });
});

const start = async (options: Partial<JournalOptions> = {}) => {
  const journal = await openJournal(path, {
    writer: 'inline',
    key,
    checkpointRows: 100,
    ...options,
  });
  open.push(journal);
  return journal;
};

/** A start, then rows of play. */
const bootThen = (count: number): readonly TableStep[] => [
  {
    observation: {
      seq: 1,
      atNs: 1,
      wallMs: Date.UTC(2026, 0, 5),
      wallTrusted: true,
      kind: 'power.boot',
      unclean: false,
      boot: 7,
      table: hashText(tableText),
    },
    decisions: [],
  },
  ...stepsFrom(2, count - 1),
];
const stateAfter = (steps: readonly TableStep[]) =>
  steps.reduce(
    (state, { observation, decisions }) => evolve(state, observation, decisions),
    initialState(TABLE),
  );

describe('signed checkpoints', () => {
  it('are written at each start and every so many rows, and told once durable', async () => {
    const journal = await start({ writer: 'worker' });
    const told: SignedCheckpoint[] = [];
    journal.onCheckpoint((signed) => told.push(signed));
    await journal.append(bootThen(250));
    expect(told.map(({ seq }) => seq)).toEqual([1, 101, 201]);
    const last = told[2];
    expect(journal.checkpoint).toEqual(last);
    const said = readCheckpoint(last?.body ?? '');
    expect(said).toMatchObject({
      seq: 201,
      hash: (await journal.read(200, 1))[0]?.hash,
      boot: 7,
      table: hashText(tableText),
      procedure: null,
      key: key.name,
    });
    expect(isSigned(last?.body ?? '', last?.signature ?? '', key.publicKey)).toBe(true);
    expect(isSigned(`${last?.body ?? ''} `, last?.signature ?? '', key.publicKey)).toBe(false);
  });

  it('go on behind the newest one after a restart', async () => {
    const first = await start();
    await first.append(bootThen(250));
    await first.close();
    const second = await start();
    expect(second.checkpoint?.seq).toBe(201);
    await second.append(stepsFrom(251, 60));
    expect(second.checkpoint?.seq).toBe(301);
  });

  it('are checked by verify, with the key found inside or the one demanded', async () => {
    const journal = await start();
    await journal.append(bootThen(250));
    await journal.close();
    const keyFile = join(folder, 'device.pub');
    writeFileSync(keyFile, key.publicKey);
    const verdict = await checkJournal(path, { keyFile });
    expect(verdict).toMatchObject({ damage: null, checkpoints: 3, signedSeq: 201 });
    expect(verdictLines('j', verdict)[0]).toMatch(/3 signed checkpoints up to row 201, key/);
    expect(verdictLines('j', verdict)[2]).toBe('rows 202 to 250 are not signed yet');
    writeFileSync(keyFile, DeviceKey.generate().publicKey);
    const other = await checkJournal(path, { keyFile });
    expect(other.damage).toMatchObject({ kind: 'checkpoint', seq: 1 });
    expect(other.damage?.what).toMatch(/not with the device's/);
  });

  it.each([
    [
      'UPDATE checkpoint SET body = replace(body, \'"boot":7\', \'"boot":8\') WHERE seq = 101',
      101,
      /signature is not that of its text/,
    ],
    ['UPDATE checkpoint SET signature = randomblob(64) WHERE seq = 201', 201, /signature/],
    ['UPDATE key SET public = randomblob(32)', 1, /was changed/],
    ['DELETE FROM key', 1, /is not there/],
    ['DELETE FROM step WHERE seq > 150', 201, /rows were cut off/],
  ])('show that somebody ran %s', async (statement, seq, what) => {
    const journal = await start();
    await journal.append(bootThen(250));
    await journal.close();
    const db = new Database(path);
    for (const table of ['step', 'checkpoint', 'key']) {
      db.exec(`DROP TRIGGER ${table}_no_update; DROP TRIGGER ${table}_no_delete`);
    }
    db.exec(statement);
    db.close();
    const { damage } = await checkJournal(path);
    expect(damage).toMatchObject({ kind: 'checkpoint', seq });
    expect(damage?.what).toMatch(what);
  });
});

describe('documents', () => {
  const whole = async () => {
    const journal = await start();
    await journal.putDocument('table', hashText(tableText), tableText);
    await journal.putDocument('procedure', hashText('another'), 'another');
    await journal.append(bootThen(50));
    await journal.close();
    expect(await checkJournal(path, { deep: true })).toMatchObject({ damage: null });
  };

  it.each([
    [`DELETE FROM document WHERE kind = 'table'`, /start here names document .*it is not there/],
    [`UPDATE document SET text = text || ' ' WHERE kind = 'table'`, /start here .*was changed/],
    [`UPDATE document SET text = 'x' WHERE kind = 'procedure'`, /^document .*was changed/],
  ])('show, looked at deep, that somebody ran %s', async (statement, what) => {
    await whole();
    const db = new Database(path);
    db.exec('DROP TRIGGER document_no_update; DROP TRIGGER document_no_delete');
    db.exec(statement);
    db.close();
    const { damage } = await checkJournal(path, { deep: true });
    expect(damage).toMatchObject({ kind: 'document', seq: 1 });
    expect(damage?.what).toMatch(what);
  });
});

describe('the device key', () => {
  it('lies in a file of its owner, is loaded again, and is refused when others can read it', () => {
    const file = join(folder, 'device.key');
    const made = DeviceKey.create(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(DeviceKey.load(file).publicKey).toBe(made.publicKey);
    expect(() => DeviceKey.create(file)).toThrow(/EEXIST/);
    chmodSync(file, 0o644);
    expect(() => DeviceKey.load(file)).toThrow(/can be read by others; run `chmod 600/);
    expect(JSON.stringify(made)).not.toContain(readFileSync(file, 'utf8').slice(30, 60));
  });
});

describe('retention', () => {
  const fill = async (journal: SqliteJournal) => {
    const steps = bootThen(1000);
    await journal.append(steps.slice(0, 900));
    journal.saveSnapshot({ ...journal.head(), state: stateAfter(steps.slice(0, 900)) });
    await journal.append(steps.slice(900));
    return steps;
  };

  it('lets go what is old and proved, and the chain stays provable', async () => {
    const journal = await start();
    const steps = await fill(journal);
    const [row] = await journal.read(500, 1);
    const wallMs = 5;
    const consumers = ['historian'];
    expect(await journal.retire({ keepNs: 0, consumers, wallMs })).toBe(0);
    journal.moveCursor('ack.historian', 650);
    expect(await journal.retire({ keepNs: 1e15, consumers, wallMs })).toBe(0);
    expect(await journal.retire({ keepNs: 0, consumers: [], wallMs })).toBe(0);
    expect(await journal.retire({ keepNs: 0, consumers, wallMs })).toBe(600);
    expect((await journal.read(0, 1))[0]).toMatchObject({ seq: 601 });
    expect((await journal.read(600, 1))[0]?.prev).toMatch(/^[0-9a-f]{64}$/);
    expect(row?.seq).toBe(501);
    await journal.append(stepsFrom(1001, 3));
    await journal.close();
    expect(await checkJournal(path, { deep: true })).toMatchObject({
      firstSeq: 601,
      damage: null,
      head: { seq: 1003 },
    });
    const again = await start();
    const restored = await restore(again, initialState(TABLE));
    expect(restored.state).toEqual(stateAfter([...steps, ...stepsFrom(1001, 3)]));
  });

  it('says what was let go, and that nothing signs where the journal now begins', async () => {
    const journal = await start();
    await fill(journal);
    journal.moveCursor('ack.historian', 650);
    await journal.retire({ keepNs: 0, consumers: ['historian'], wallMs: 5 });
    await journal.close();
    const whole = await checkJournal(path);
    expect(whole.prunings).toMatchObject([{ seq: 601, consumer: 'historian', wallMs: 5 }]);
    expect(verdictLines(path, whole)).toContain(
      'rows before 601 were let go on 1970-01-01T00:00:00.005Z, held by historian',
    );
    const db = new Database(path);
    db.exec('DROP TRIGGER checkpoint_no_delete; DELETE FROM checkpoint WHERE seq = 601');
    db.close();
    expect((await checkJournal(path)).damage).toMatchObject({ kind: 'checkpoint', seq: 601 });
  });

  it('never lets go by the wall clock, and not by keeping half of it', async () => {
    const journal = await start();
    await fill(journal);
    journal.moveCursor('ack.historian', 1000);
    // 300 rows of play at about 0.8 s each stay: the checkpoint at or before row 700.
    const keepNs = 300 * 812_345_671;
    await journal.retire({ keepNs, consumers: ['historian'], wallMs: 0 });
    expect((await journal.read(0, 1))[0]?.seq).toBe(601);
  });
});

it('copies a journal while it is in use', async () => {
  const journal = await start({ writer: 'worker' });
  await journal.append(bootThen(300));
  const copy = join(folder, 'copy.journal');
  await journal.backup(copy);
  await journal.append(stepsFrom(301, 5));
  expect(await checkJournal(copy)).toMatchObject({ damage: null, head: { seq: 300 } });
  await expect(journal.backup(copy)).rejects.toThrow(/is there already/);
  await journal.append(stepsFrom(306, 1));
  expect(journal.head().seq).toBe(306);
});
