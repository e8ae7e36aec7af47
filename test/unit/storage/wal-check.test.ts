import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openJournal } from '../../../storage/journal.js';
import { verifyChain } from '../../../storage/verify.js';
import { damagedLog } from '../../../storage/wal-check.js';
import { stepsFrom } from './steps.js';

const PAGE_BYTES = 1024;
const FRAME_BYTES = PAGE_BYTES + 24;
let folder: string;
/** A journal as a power cut leaves it: 60 commits of five rows in its log. */
let path: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'journal-'));
  const running = join(folder, 'running.journal');
  path = join(folder, 'table.journal');
  const journal = await openJournal(running, { writer: 'inline' });
  for (let seq = 1; seq <= 300; seq += 5) await journal.append(stepsFrom(seq, 5));
  for (const end of ['', '-wal']) copyFileSync(running + end, path + end);
  await journal.close();
});
afterEach(() => rmSync(folder, { recursive: true }));

const change = (at: number, bytes: Buffer): void => {
  const log = readFileSync(`${path}-wal`);
  bytes.copy(log, at < 0 ? log.length + at : at);
  writeFileSync(`${path}-wal`, log);
};

describe('a write-ahead log after an unclean end', () => {
  it('is taken as it is when whole', async () => {
    expect(damagedLog(path)).toBeNull();
    const journal = await openJournal(path, { writer: 'inline' });
    expect(journal.head().seq).toBe(300);
    expect(journal.unclean).toBe(true);
    await journal.close();
  });

  it('may end in a commit that was cut short: that row was never acknowledged', async () => {
    change(-500, Buffer.alloc(500));
    expect(damagedLog(path)).toBeNull();
    const journal = await openJournal(path, { writer: 'inline' });
    expect(journal.head().seq).toBe(295);
    await journal.close();
    expect((await verifyChain(path)).damage).toBeNull();
  });

  it.each([
    ['a flipped bit', 32 + FRAME_BYTES * 70 + 700, Buffer.from([0x41])],
    ['a page of zeros', 32 + FRAME_BYTES * 70 + 24, Buffer.alloc(PAGE_BYTES)],
    ['a damaged head', 9, Buffer.from([7])],
  ])('is never shortened in silence where %s hides acknowledged rows', async (_, at, bytes) => {
    change(at, bytes);
    const before = readFileSync(`${path}-wal`);
    await expect(openJournal(path, { writer: 'inline' })).rejects.toMatchObject({
      code: 'corrupt',
    });
    await expect(openJournal(path, { writer: 'worker' })).rejects.toThrow(/journal verify/);
    expect(readFileSync(`${path}-wal`).equals(before)).toBe(true);
    const { damage } = await verifyChain(path);
    expect(damage?.kind).toBe('torn page');
    expect(damage?.what).toMatch(/write-ahead log/);
    expect(readFileSync(`${path}-wal`).equals(before)).toBe(true);
  });
});
