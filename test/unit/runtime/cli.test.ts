import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runCli } from '../../../controller/runtime/cli.js';
import { COMMANDS } from '../../../controller/runtime/command-list.js';

let folder = '';
let out = '';
let err = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cutcard-cli-'));
  out = '';
  err = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += String(text);
    return true;
  });
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    err += String(text);
    return true;
  });
});

afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
  rmSync(folder, { recursive: true });
});

const write = (text: string): string => {
  const file = join(folder, 'table.yaml');
  writeFileSync(file, text);
  return file;
};

const good = [
  'config: 1',
  'place: { site: house, pit: p1, table: t1 }',
  'procedure: pa/631a-baccarat',
  'table: { decks: 8 }',
  'board: virtual',
].join('\n');

describe('the command line', () => {
  it('knows its version and its commands', async () => {
    expect(await runCli(['--version'])).toBe(0);
    expect(out).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(await runCli(['--help'])).toBe(0);
    expect(out).toContain('config');
    expect(await runCli(['config', '--help'])).toBe(0);
  });

  it('has a command for each file of the folder, and no other', () => {
    const files = readdirSync(new URL('../../../controller/runtime/commands', import.meta.url));
    expect(Object.keys(COMMANDS)).toEqual(files.map((file) => file.replace(/\.ts$/, '')).sort());
  });

  it('does not pass over a configuration given beside a trace, which has its own', async () => {
    const config = write(good);
    expect(await runCli(['run', '--config', config, '--trace', join(folder, 'any.trace')])).toBe(2);
    expect(err).toMatch(/procedure, table and board in the trace's own first line; --config would/);
    err = '';
    expect(await runCli(['run', '--trace', join(folder, 'any.trace')])).toBe(2);
    expect(err).toMatch(/any\.trace.*cannot be read/);
  });

  it('ends with 2 on a usage error and says what was meant', async () => {
    expect(await runCli([])).toBe(2);
    expect(await runCli(['confik'])).toBe(2);
    expect(err).toContain('Did you mean config?');
    expect(await runCli(['config', 'check'])).toBe(2);
    expect(err).toContain("missing required argument 'file'");
    expect(await runCli(['config', 'check', 'a', '--nonsense'])).toBe(2);
  });

  it('checks a configuration and what it names', async () => {
    expect(await runCli(['config', 'check', write(good)])).toBe(0);
    expect(out).toMatch(/table\.yaml: ok\n$/);
    const bad = write(`${good.replace('decks: 8', 'decks: 4')}\njournal: away/cutcard.journal\n`);
    expect(await runCli(['config', 'check', bad])).toBe(78);
    expect(err).toContain(
      `${bad}:4: table.decks: pa/631a-baccarat is played with 6 to 8 decks (631a.3), ` +
        'not 4; write 6 to 8',
    );
    expect(err).toMatch(/table\.yaml:6: journal: there is no folder .*away; make the folder/);
    mkdirSync(join(folder, 'away'));
    out = '';
    expect(await runCli(['config', 'check', bad, '--json'])).toBe(78);
    expect(JSON.parse(out)).toMatchObject({ ok: false, problems: [{ line: 4 }] });
  });

  it('names an unknown procedure, a pack that is wrong and a file that is not there', async () => {
    const unknown = write(good.replace('631a-baccarat', '631a-bacarat'));
    expect(await runCli(['config', 'check', unknown])).toBe(78);
    expect(err).toMatch(/table\.yaml:3: procedure: There is no procedure `pa\/631a-bacarat`/);
    writeFileSync(join(folder, 'house.yaml'), 'pack: 1\n');
    const pack = write(good.replace('pa/631a-baccarat', './house.yaml'));
    expect(await runCli(['config', 'check', pack])).toBe(78);
    expect(err).toMatch(/house\.yaml:1:/);
    expect(await runCli(['config', 'check', join(folder, 'nothing.yaml')])).toBe(78);
    expect(err).toMatch(/nothing\.yaml:1: file: it cannot be read: there is no such file/);
  });

  it('names a board that is not there', async () => {
    const bad = write(good.replace('board: virtual', 'board: pi9'));
    expect(await runCli(['config', 'check', bad])).toBe(78);
    expect(err).toMatch(
      /table\.yaml:5: board: pi9: there is no such board .*virtual, pi4.*; name a board of/,
    );
    expect(await runCli(['config', 'check', write(good.replace('virtual', 'pi4'))])).toBe(0);
  });

  it('prints the schema for editors', async () => {
    expect(await runCli(['config', 'schema'])).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ type: 'object', additionalProperties: false });
  });
});
