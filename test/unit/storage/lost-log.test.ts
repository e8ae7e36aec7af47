import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  truncateSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { backupJournal } from '../../../storage/backup.js';
import { openJournal } from '../../../storage/journal.js';
import { setJournalAside } from '../../../storage/set-aside.js';
import { verifyChain } from '../../../storage/verify.js';
import { stepsFrom } from './steps.js';

let folder: string;
let running: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'journal-'));
  running = join(folder, 'running.journal');
  path = join(folder, 'table.journal');
});
afterEach(() => rmSync(folder, { recursive: true }));

const copy = (...ends: readonly string[]): void => {
  for (const end of ends) copyFileSync(running + end, path + end);
};

describe('a journal whose write-ahead log was taken away', () => {
  it.each([1, 40])('is not taken for a new one, %i rows young', async (rows) => {
    const journal = await openJournal(running, { writer: 'inline' });
    await journal.append(stepsFrom(1, rows));
    copy('');
    await journal.close();
    for (const writer of ['inline', 'worker'] as const) {
      const opening = openJournal(path, { writer });
      await expect(opening).rejects.toMatchObject({ code: 'corrupt' });
      await expect(opening).rejects.toThrow(/write-ahead log is gone/);
    }
    const { damage } = await verifyChain(path);
    expect(damage).toMatchObject({ kind: 'lost log', seq: 1 });
  });

  it('nor is one whose log was emptied', async () => {
    const journal = await openJournal(running, { writer: 'inline' });
    await journal.append(stepsFrom(1, 40));
    copy('', '-wal');
    await journal.close();
    truncateSync(`${path}-wal`, 0);
    await expect(openJournal(path, { writer: 'inline' })).rejects.toMatchObject({
      code: 'corrupt',
    });
    expect((await verifyChain(path)).damage?.kind).toBe('lost log');
  });

  it('is whole again with its log put back', async () => {
    const journal = await openJournal(running, { writer: 'inline' });
    await journal.append(stepsFrom(1, 40));
    copy('');
    await expect(openJournal(path, { writer: 'inline' })).rejects.toMatchObject({
      code: 'corrupt',
    });
    copy('-wal');
    await journal.close();
    const again = await openJournal(path, { writer: 'inline' });
    expect(again.head().seq).toBe(40);
    await again.close();
  });

  it('is not said of one that was closed, copied while in use, or never written', async () => {
    const journal = await openJournal(running, { writer: 'worker' });
    const unwritten = join(folder, 'unwritten.journal');
    copyFileSync(running, unwritten);
    await journal.append(stepsFrom(1, 40));
    await backupJournal(running, path);
    const other = join(folder, 'other.journal');
    await journal.backup(other);
    await journal.close();
    for (const [file, rows] of [
      [running, 40],
      [path, 40],
      [other, 40],
      [unwritten, 0],
    ] as const) {
      expect((await verifyChain(file)).damage, file).toBeNull();
      const again = await openJournal(file, { writer: 'inline' });
      expect(again.head().seq, file).toBe(rows);
      expect(again.cursor(' log in use'), file).toBe(0);
      await again.close();
    }
  });
});

describe('a log whose journal was taken away', () => {
  const cutOff = async (): Promise<void> => {
    const journal = await openJournal(running, { writer: 'inline' });
    await journal.append(stepsFrom(1, 40));
    copy('', '-wal');
    await journal.close();
  };

  it('is not read into a new journal', async () => {
    await cutOff();
    rmSync(path);
    await expect(openJournal(path, { writer: 'inline' })).rejects.toThrow(
      /is not there and its log is: .*-wal holds the rows written last; put the journal back/,
    );
    expect(existsSync(path)).toBe(false);
    copy('');
    const back = await openJournal(path, { writer: 'inline' });
    expect(back.head().seq).toBe(40);
    await back.close();
  });

  it('keeps it company when it is set aside, also where that was cut short', async () => {
    await cutOff();
    // Killed behind the first of the renames.
    renameSync(`${path}-wal`, `${path}.damaged-1-wal`);
    await expect(openJournal(path, { writer: 'inline' })).rejects.toThrow(/log is gone/);
    setJournalAside(path);
    expect(readdirSync(folder).filter((name) => name.startsWith('table'))).toEqual(
      expect.arrayContaining(['table.journal.damaged-1', 'table.journal.damaged-1-wal']),
    );
    expect(await verifyChain(`${path}.damaged-1`)).toMatchObject({
      damage: null,
      head: { seq: 40 },
    });
    const next = await openJournal(path, { writer: 'inline' });
    expect(next.head().seq).toBe(0);
    await next.close();
  });
});
