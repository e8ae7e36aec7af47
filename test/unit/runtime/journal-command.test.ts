import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runCli } from '../../../controller/runtime/cli.js';
import { journalExit } from '../../../controller/runtime/exit.js';
import { DOUBT_WORDS } from '../../../storage/describe.js';
import { openJournal } from '../../../storage/journal.js';
import { stepsFrom } from '../storage/steps.js';

let folder = '';
let path = '';
let out = '';
let err = '';

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cutcard-journal-'));
  path = join(folder, 'table.journal');
  [out, err] = ['', ''];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += String(text);
    return true;
  });
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    err += String(text);
    return true;
  });
  const journal = await openJournal(path, { writer: 'inline' });
  await journal.append(stepsFrom(1, 200));
  await journal.close();
});

afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
  rmSync(folder, { recursive: true });
});

describe('cutcard journal show --finding', () => {
  it('shows the rows about a code or a number', async () => {
    expect(await runCli(['journal', 'show', path, '--finding', 'burn.short'])).toBe(0);
    expect(out.trim().split('\n').length).toBeGreaterThanOrEqual(2);
    expect(await runCli(['journal', 'show', path, '--finding', '97.1'])).toBe(0);
  });

  it('refuses a code there is not, and names the nearest', async () => {
    expect(await runCli(['journal', 'show', path, '--finding', 'burn.shrt'])).toBe(2);
    expect(out).toBe('');
    expect(err).toMatch(/burn\.shrt: there is no such finding; did you mean burn\.short/);
    expect(await runCli(['journal', 'show', path, '--finding', 'burn.early'])).toBe(2);
    expect(err).toMatch(/burn\.early: .*burn\.short/);
    expect(await runCli(['journal', 'show', path, '--finding', 'nonsense'])).toBe(2);
    expect(err).toMatch(/nonsense: there is no such finding; give a code/);
  });
});

describe('cutcard evidence export', () => {
  it('says what its file will not prove, before a stranger does', async () => {
    const file = join(folder, 'evidence.html');
    const span = ['--from', '1', '--to', '50'];
    expect(await runCli(['evidence', 'export', '--journal', path, '--out', file, ...span])).toBe(0);
    expect(out).toMatch(/open it in a browser to read it\n {2}no signed checkpoint: /);
    expect(out).toMatch(/\n {2}not sealed \(--seal KEY\): .*`not proved`, exit code 1\n$/);
    expect(readFileSync(file, 'utf8')).toContain(DOUBT_WORDS);
  });
});

describe('a row whose text was changed', () => {
  it('is named by everything that reads it as a step, as damage and not as a defect', async () => {
    const file = new Database(path);
    file.exec('drop trigger step_no_update');
    file.prepare('update step set body = ? where seq = 120').run(Buffer.from('{"decisions":['));
    file.close();
    for (const words of [
      ['journal', 'show', path],
      ['journal', 'export', path, '--format', 'csv'],
    ]) {
      err = '';
      expect(await runCli(words), words.join(' ')).toBe(1);
      expect(err, words.join(' ')).toMatch(/row 120/);
      expect(err, words.join(' ')).toContain('journal verify');
      expect(err, words.join(' ')).not.toContain('internal error');
    }
    const made = join(folder, 'evidence.html');
    const span = ['--from', '100', '--to', '140'];
    expect(await runCli(['evidence', 'export', '--journal', path, '--out', made, ...span])).toBe(1);
    expect(err).toMatch(/damaged: row 120: .*evidence\.html holds it as it is/);
    expect(await runCli(['evidence', 'verify', made])).toBe(1);
  });
});

describe('what never ends or cannot be used', () => {
  it.each([
    ['journal', 'verify'],
    ['journal', 'show'],
    ['evidence', 'verify'],
  ])('is refused at once by `%s %s`', async (command, action) => {
    expect(await runCli([command, action, '/dev/zero'])).toBe(2);
    expect(err).toMatch(/\/dev\/zero .*no regular file/);
  });

  it('as a key is refused too', async () => {
    expect(await runCli(['journal', 'verify', path, '--key', '/dev/zero'])).toBe(2);
    const file = join(folder, 'evidence.html');
    writeFileSync(file, 'no evidence');
    expect(await runCli(['evidence', 'verify', file, '--key', '/dev/zero'])).toBe(2);
  });

  it('has an exit code that says whose turn it is', () => {
    expect(['corrupt', 'locked', 'full', 'format', 'order'].map(journalExit)).toEqual([
      1, 2, 2, 2, 70,
    ]);
  });
});
