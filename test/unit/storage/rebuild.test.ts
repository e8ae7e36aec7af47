import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JournalRow } from '../../../controller/core/ports.js';
import { jsonLine } from '../../../storage/export.js';
import { openJournal } from '../../../storage/journal.js';
import { rebuildJournal } from '../../../storage/rebuild.js';
import { verifyChain } from '../../../storage/verify.js';
import { stepsFrom } from './steps.js';

const ROWS = 1203;
let folder = '';
let rows: readonly JournalRow[] = [];
const file = (): string => join(folder, 'rows.jsonl');
const to = (): string => join(folder, 'new.journal');
const lines = (): string[] => rows.map(jsonLine);
const write = (text: readonly string[]): void => writeFileSync(file(), `${text.join('\n')}\n`);

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rebuild-'));
  const journal = await openJournal(join(folder, 'old.journal'), { writer: 'inline' });
  await journal.append(stepsFrom(1, ROWS));
  rows = await journal.read(0, ROWS);
  await journal.close();
});
afterEach(() => rmSync(folder, { recursive: true }));

const asEvent = ({ seq, prev, hash, body }: JournalRow): string =>
  `{"seq":${seq},"prev":"${prev}","hash":"${hash}",${body.slice(1)}`;

/** Fails with a message and leaves nothing behind. */
const isRefused = async (message: RegExp): Promise<void> => {
  await expect(rebuildJournal(file(), to())).rejects.toThrow(message);
  expect(readdirSync(folder).filter((name) => name.startsWith('new.'))).toEqual([]);
};

describe('rebuilding a journal from rows kept elsewhere', () => {
  it('from an export: the same rows, hash by hash, and it goes on', async () => {
    write(lines());
    const head = await rebuildJournal(file(), to());
    expect(head).toMatchObject({ seq: ROWS, hash: rows.at(-1)?.hash, missing: [], checkpoints: 0 });
    expect((await verifyChain(to())).damage).toBeNull();
    const journal = await openJournal(to(), { writer: 'inline' });
    expect(await journal.read(0, ROWS)).toEqual(rows);
    await journal.append(stepsFrom(ROWS + 1, 3));
    expect(journal.head().seq).toBe(ROWS + 3);
    await journal.close();
    expect(existsSync(`${to()}.rebuilding`)).toBe(false);
  });

  it('from MQTT events as a historian keeps them', async () => {
    write(rows.map(asEvent));
    expect((await rebuildJournal(file(), to())).seq).toBe(ROWS);
  });

  it('a row that is missing is named', async () => {
    write(lines().toSpliced(700, 1));
    await isRefused(/rows\.jsonl:701: row 701 is wanted here, this is row 702/);
  });

  it('a changed byte is named', async () => {
    const changed = lines();
    const before = changed[41];
    changed[41] = before?.replace('"wallTrusted":true', '"wallTrusted":false') ?? '';
    expect(changed[41]).not.toBe(before);
    write(changed);
    await isRefused(/rows\.jsonl:42: row 42: its text is not its hash/);
  });

  it('rows that begin in the middle, no rows, no JSON, an endless line', async () => {
    write(lines().slice(10));
    await isRefused(/rows\.jsonl:1: row 1 is wanted here, this is row 11/);
    write([]);
    await isRefused(/there is no row in it/);
    write(['nonsense']);
    await isRefused(/rows\.jsonl:1: this is no row of a journal/);
    write(['x'.repeat(1 << 20)]);
    await isRefused(/rows\.jsonl:1: the line is longer than/);
  });

  it('an existing file is never written over', async () => {
    write(lines());
    writeFileSync(to(), 'evidence');
    await expect(rebuildJournal(file(), to())).rejects.toThrow(/is there already/);
  });
});
