import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { evolve } from '../../../controller/core/evolve.js';
import { initialState } from '../../../controller/core/state.js';
import { hashText } from '../../../storage/canonical.js';
import { checkJournal } from '../../../storage/check.js';
import { DeviceKey } from '../../../storage/checkpoint.js';
import { openJournal } from '../../../storage/journal.js';
import { stepsFrom, TABLE } from './steps.js';

const ROWS = 60;
const key = DeviceKey.generate();
let folder: string;
let path: string;
let keyFile: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'journal-'));
  path = join(folder, 'table.journal');
  keyFile = join(folder, 'device.pub');
  writeFileSync(keyFile, key.publicKey);
  await write(key);
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A whole journal with a saved state after its last row, signed or not. */
const write = async (signer: DeviceKey | null): Promise<void> => {
  rmSync(path, { force: true });
  const signing = signer === null ? {} : { key: signer };
  const journal = await openJournal(path, { writer: 'inline', ...signing });
  const [first, ...steps] = stepsFrom(1, ROWS);
  const boot = {
    ...first?.observation,
    ...{ seq: 1, atNs: 0, wallMs: 0, wallTrusted: true },
    ...{ kind: 'power.boot' as const, unclean: false, boot: 1, version: '1' },
  };
  const all = [{ observation: boot, decisions: [] }, ...steps];
  await journal.append(all);
  const state = all.reduce(
    (before, { observation, decisions }) => evolve(before, observation, decisions),
    initialState(TABLE),
  );
  journal.saveSnapshot({ ...journal.head(), state });
  await journal.close();
};

/** Another phase, with a digest to match: all that can be worked out without the key. */
const forge = (keepSignature: boolean): void => {
  const db = new Database(path);
  const row = db
    .prepare<[], { hash: Buffer; state: string; digest: Buffer }>('SELECT * FROM snapshot')
    .get();
  if (row === undefined) throw new Error('nothing was saved');
  const state = row.state.replace('"phase":"ready"', '"phase":"burn"');
  expect(state).not.toBe(row.state);
  const digest = Buffer.from(hashText(row.hash.toString('hex') + state), 'hex');
  const signed = keepSignature ? row.digest.subarray(32) : Buffer.alloc(0);
  db.prepare('UPDATE snapshot SET state = ?, digest = ?').run(
    state,
    Buffer.concat([digest, signed]),
  );
  db.close();
};

const startWith = async (device: DeviceKey | null) => {
  const notices: string[] = [];
  const notice = (text: string): void => {
    notices.push(text);
  };
  const signing = device === null ? {} : { key: device };
  const journal = await openJournal(path, { writer: 'inline', notice, ...signing });
  const phase = (await journal.snapshot())?.state.phase ?? null;
  await journal.close();
  return { phase, notices };
};

describe('a saved state', () => {
  it('signed by the device is used, and found good', async () => {
    expect(await startWith(key)).toEqual({ phase: 'ready', notices: [] });
    expect((await checkJournal(path, { keyFile })).damage).toBeNull();
  });

  it.each([true, false])(
    'that was forged is passed over and named (signature kept: %s)',
    async (keepSignature) => {
      forge(keepSignature);
      const { phase, notices } = await startWith(key);
      expect(phase).toBeNull();
      expect(notices).toHaveLength(1);
      expect(notices[0]).toMatch(/not used: (nobody signed it|its signature is not the device's)/);
      const { damage } = await checkJournal(path, { keyFile });
      expect(damage).toMatchObject({ kind: 'saved state', seq: ROWS });
    },
  );

  it('that another device signed is not used', async () => {
    const { phase, notices } = await startWith(DeviceKey.generate());
    expect(phase).toBeNull();
    expect(notices.join()).toMatch(/its signature is not the device's/);
  });

  it('nobody signed is used only by a table without a key', async () => {
    await write(null);
    expect((await startWith(null)).phase).toBe('ready');
    expect((await checkJournal(path)).damage).toBeNull();
    const { phase, notices } = await startWith(key);
    expect(phase).toBeNull();
    expect(notices.join()).toMatch(/nobody signed it; its rows are folded instead/);
  });

  it('with a changed letter is found without any key', async () => {
    const db = new Database(path);
    db.exec(`UPDATE snapshot SET state = replace(state, '"phase":"ready"', '"phase":"burn"')`);
    db.close();
    expect((await checkJournal(path)).damage).toMatchObject({ kind: 'saved state', seq: ROWS });
  });
});
