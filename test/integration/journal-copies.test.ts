import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { runCli } from '../../controller/runtime/cli.js';
import { backupJournal } from '../../storage/backup.js';
import { openJournal } from '../../storage/journal.js';
import { stepsFrom } from '../unit/storage/steps.js';
import { tamperWith } from '../unit/storage/tamper.js';

const ROWS = 20;
let folder = '';
const at = (name: string): string => join(folder, name);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'journal-copies-'));
});
afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
  rmSync(folder, { recursive: true });
});

const written = async (name: string): Promise<void> => {
  const journal = await openJournal(at(name), { writer: 'inline' });
  await journal.append(stepsFrom(1, ROWS));
  await journal.close();
};

const parts = (): readonly string[] =>
  readdirSync(folder).filter((name) => name.includes('copying'));

/** What a command prints; it must end well. */
const told = async (...words: readonly string[]): Promise<string> => {
  let out = '';
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += String(text);
    return true;
  });
  expect(await runCli(words)).toBe(0);
  spy.mockRestore();
  return out;
};

test('a copy, a journal of lines and one set aside are told as one JSON object each', async () => {
  await written('table.journal');

  const copied: unknown = JSON.parse(
    await told('journal', 'backup', at('table.journal'), at('copy.journal'), '--json'),
  );
  expect(copied).toMatchObject({ from: at('table.journal'), to: at('copy.journal') });

  writeFileSync(at('lines'), await told('journal', 'export', at('copy.journal'), '--whole'));
  const made: unknown = JSON.parse(
    await told('journal', 'rebuild', at('lines'), at('made.journal'), '--json'),
  );
  expect(made).toMatchObject({ to: at('made.journal'), firstSeq: 1, seq: ROWS });

  const aside = z
    .object({ moved: z.array(z.object({ from: z.string(), to: z.string() })) })
    .parse(JSON.parse(await told('journal', 'set-aside', at('made.journal'), '--sound', '--json')));
  expect(aside.moved[0]).toEqual({
    from: at('made.journal'),
    to: `${at('made.journal')}.damaged-1`,
  });
  expect(existsSync(at('made.journal'))).toBe(false);
});

test('a copy that was cut short is under no name, and in nobody\u2019s way', async () => {
  await written('table.journal');
  writeFileSync(at('copy.journal.copying'), 'what a kill left');
  writeFileSync(at('copy.journal.copying-wal'), 'of another file');
  await told('journal', 'backup', at('table.journal'), at('copy.journal'));
  expect(existsSync(at('copy.journal'))).toBe(true);
  expect(parts()).toEqual([]);
  await told('journal', 'verify', at('copy.journal'), '--deep');
});

test('a damaged journal is copied as it is, and the copy is said to be damaged', async () => {
  await written('table.journal');
  tamperWith(at('table.journal'), 'UPDATE step SET hash = zeroblob(32) WHERE seq = 7');
  await expect(backupJournal(at('table.journal'), at('copy.journal'))).rejects.toThrow(/row 7/);
  expect(parts()).toEqual([]);
  expect(existsSync(at('copy.journal'))).toBe(true);
});
