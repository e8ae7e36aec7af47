import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const BUNDLE = fileURLToPath(new URL('../../dist/bundle/', import.meta.url));
const CLI = join(BUNDLE, 'cli.js');
const LONG_MS = 120_000;
const folder = mkdtempSync(join(tmpdir(), 'cutcard-bundle-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const cutcard = (...args: readonly string[]): string =>
  execFileSync(process.execPath, [CLI, ...args], { cwd: folder, encoding: 'utf8' });

const CONFIG = [
  'config: 1',
  'place: { site: house, pit: p1, table: t1 }',
  'procedure: pa/627a-minibaccarat',
  'table: { decks: 8, shuffler: counting }',
  'board: virtual',
  'journal: table.journal',
  'page: { listen: "127.0.0.1:0" }',
].join('\n');

/** A board of which nothing is there: each bus is opened through its library all the same. */
const BOARD = [
  'board: 1',
  'name: nothing',
  'title: A board nothing is wired to',
  'gpio: { backend: onoff }',
  'i2c: { head: { backend: i2c-dev, number: 250 } }',
  'streams: { panel: { backend: serial, path: /dev/serial/by-id/none } }',
  'lines: { lid: { chip: none, offset: 1 } }',
  'devices:',
  '  lid: { driver: lid, line: lid }',
  '  clock: { driver: ds3231, bus: head }',
  '  panel: { driver: panel, stream: panel, profile: panel }',
].join('\n');

describe('the bundled program', () => {
  it('knows the same commands as the sources', { timeout: LONG_MS }, () => {
    const said = cutcard('--help');
    for (const name of ['run', 'demo', 'scenario', 'procedures', 'journal', 'provision']) {
      expect(said).toMatch(new RegExp(`^  ${name} `, 'm'));
    }
  });

  it('says nothing of its own beside what a command says', { timeout: LONG_MS }, () => {
    const args = [CLI, 'evidence', 'verify', join(folder, 'nowhere.html')];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect(status).toBe(2);
    expect(stderr).toMatch(/^cutcard: .*nowhere.html/);
    expect(stderr).not.toContain('Warning');
  });

  it('finds the built-in procedures beside it', { timeout: LONG_MS }, () => {
    expect(cutcard('procedures', 'list')).toContain('pa/631a-baccarat');
  });

  it(
    'runs a table with its journal’s thread and page, and checks that journal',
    async () => {
      const file = join(folder, 'cutcard.yaml');
      writeFileSync(file, CONFIG);
      const table = spawn(process.execPath, [CLI, 'run', '--config', file], {
        cwd: folder,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let said = '';
      const page = new Promise<string>((resolve, reject) => {
        table.stderr.setEncoding('utf8').on('data', (text: string) => {
          said += text;
          const url = /"page":"([^"]+)"/.exec(said)?.[1];
          if (url !== undefined) resolve(url);
        });
        table.once('exit', () => reject(new Error(`it ended:\n${said}`)));
      });
      const health = await fetch(`${await page}/health`);
      expect(await health.json()).toMatchObject({ ok: true });
      const shown = await fetch(`${await page}/`);
      expect(shown.status).toBe(200);
      expect(await shown.text()).toContain('<html');
      const ended = once(table, 'exit');
      table.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
      expect(said).toContain('armed: the table is watched');
      expect(cutcard('journal', 'verify', join(folder, 'table.journal'))).toMatch(
        /whole|intact|ok/i,
      );
    },
    LONG_MS,
  );

  it(
    'carries the libraries of a real board, whose ports and buses may be away',
    async () => {
      const file = join(folder, 'real.yaml');
      writeFileSync(join(folder, 'board.yaml'), BOARD);
      const config = CONFIG.replace('board: virtual', 'board: board.yaml')
        .replace('table.journal', 'real.journal')
        .replace('shuffler: counting', 'shuffler: none');
      writeFileSync(file, config);
      const table = spawn(process.execPath, [CLI, 'run', '--config', file], {
        cwd: folder,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let said = '';
      const armed = new Promise<void>((resolve, reject) => {
        table.stderr.setEncoding('utf8').on('data', (text: string) => {
          said += text;
          if (said.includes('armed')) resolve();
        });
        table.once('exit', () => reject(new Error(`it ended:\n${said}`)));
      });
      await armed;
      const ended = once(table, 'exit');
      table.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
      expect(said).toContain('armed, but not watched: lid, clock, panel');
      const rows = cutcard('journal', 'export', join(folder, 'real.journal'));
      for (const device of ['lid', 'panel']) {
        expect(rows).toMatch(new RegExp(`"device":"${device}"[^}]*"kind":"link.down"`));
      }
    },
    LONG_MS,
  );

  it('keeps compiled code for this engine, and never runs code of other sources', {
    timeout: LONG_MS,
  }, () => {
    for (const name of ['cli.cache/cli-main.bin', 'writer-thread.cache/writer-thread-main.bin']) {
      expect(existsSync(join(BUNDLE, name)), name).toBe(true);
    }
    const copy = mkdtempSync(join(BUNDLE, '../.bundle-copy-'));
    const help = (): string =>
      execFileSync(process.execPath, [join(copy, 'cli.js'), '--help'], { encoding: 'utf8' });
    const part = join(copy, 'cli-main.js');
    const code = join(copy, 'cli.cache/cli-main.bin');
    try {
      cpSync(BUNDLE, copy, { recursive: true });
      const text = readFileSync(part, 'utf8');
      // The engine itself compares no more than the length.
      writeFileSync(part, text.replace('a casino card table', 'a casino dice table'));
      expect(help()).toContain('a casino dice table');
      // Code of another engine, and a file cut short.
      writeFileSync(part, text);
      const kept = Buffer.from(readFileSync(code));
      for (const damaged of [
        Buffer.from(kept).fill(0x5a, 32, 48),
        kept.subarray(0, 20),
        Buffer.alloc(0),
      ]) {
        writeFileSync(code, damaged);
        expect(help()).toContain('a casino card table');
      }
      // Code of another processor the engine would take, and compute wrong. Here, code of other
      // words under this source's hash shows whether it is run.
      writeFileSync(part, text.replace('a casino card table', 'a casino dice table'));
      rmSync(code);
      execFileSync(process.execPath, [join(copy, 'cli.js'), '--help'], {
        env: { ...process.env, CUTCARD_CODE: 'write' },
      });
      const ofOther = readFileSync(code).subarray(32);
      writeFileSync(code, Buffer.concat([kept.subarray(0, 32), ofOther]));
      writeFileSync(part, text);
      expect(help()).toContain('a casino dice table');
      const engine = join(copy, 'cli.cache/engine');
      const stamp = readFileSync(engine, 'utf8');
      for (const other of [stamp.replace(process.arch, 'other'), 'v0.0.0 x', '']) {
        writeFileSync(engine, other);
        expect(help()).toContain('a casino card table');
      }
      const lines = text.split('\n').length;
      writeFileSync(part, `${text}\nthrow new Error('on purpose');\n`);
      expect(help).toThrow(`cli-main.js:${lines + 1}:7`);
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  });

  it('lists what it was made of, with licences, and holds no 16-bit text', () => {
    const list: unknown = JSON.parse(readFileSync(join(BUNDLE, 'packages.json'), 'utf8'));
    expect(list).toContainEqual(
      expect.objectContaining({ name: 'mqtt', version: '5.16.0', license: 'MIT' }),
    );
    expect(readFileSync(CLI).every((byte) => byte < 0x80)).toBe(true);
  });
});
