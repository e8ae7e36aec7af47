import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { runCli } from '../../controller/runtime/cli.js';
import { openJournal } from '../../storage/journal.js';
import { stepsFrom } from '../unit/storage/steps.js';

const ROWS = 20;
const folder = mkdtempSync(join(tmpdir(), 'journal-copies-'));
const at = (name: string): string => join(folder, name);
afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
  rmSync(folder, { recursive: true });
});

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
  const journal = await openJournal(at('table.journal'), { writer: 'inline' });
  await journal.append(stepsFrom(1, ROWS));
  await journal.close();

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
