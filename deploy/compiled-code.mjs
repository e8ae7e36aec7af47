#!/usr/bin/env node
// Keeps the code that this engine compiles the bundle to beside it (dist/bundle/*.cache), so that
// a start need not compile it again. Made by playing what a start does, on the virtual board and
// on a board nothing is wired to. `npm run build` and the Debian package's installation run this;
// code of another engine or of other sources is passed over by the program, so nothing depends on
// it. Ends with 1, and leaves none, where it cannot be made.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clearTimeout, setTimeout } from 'node:timers';
import { fileURLToPath } from 'node:url';
import { cachedDataVersionTag } from 'node:v8';

const bundle = fileURLToPath(new URL('../dist/bundle/', import.meta.url));
const cli = join(bundle, 'cli.js');
/** Says for which engine the code was made. */
const stamp = join(bundle, 'cli.cache/engine');
const engine = `${process.version} ${process.arch} ${cachedDataVersionTag()}\n`;
/** A run that takes longer hangs, ms: a small computer needs some ten seconds. */
const LONGEST_MS = 120_000;

const CONFIG = [
  'config: 1',
  'place: { site: none, pit: none, table: none }',
  'procedure: pa/627a-minibaccarat',
  'table: { decks: 8 }',
  // Nobody listens there.
  'broker: { url: "mqtt://127.0.0.1:9" }',
  'page: { listen: "127.0.0.1:0" }',
];
const BOARD = [
  'board: 1',
  'name: none',
  'title: A board nothing is wired to',
  'gpio: { backend: gpiochip }',
  'i2c: { head: { backend: i2c-dev, number: 250 } }',
  'streams: { panel: { backend: serial, path: /dev/serial/by-id/none } }',
  'lines: { lid: { chip: none, offset: 1 } }',
  'devices:',
  '  lid: { driver: lid, line: lid }',
  '  clock: { driver: ds3231, bus: head }',
  '  panel: { driver: panel, stream: panel, profile: panel }',
];

const isThere = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === engine;

const clear = () => {
  for (const name of readdirSync(bundle)) {
    if (name.endsWith('.cache')) rmSync(join(bundle, name), { recursive: true, force: true });
  }
};

/** Runs a command until it has said `word`, then ends it as the service would. */
const play = (args, word, cwd) =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [cli, ...args], {
      cwd,
      env: { ...process.env, CUTCARD_CODE: 'write', NOTIFY_SOCKET: '', WATCHDOG_USEC: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const late = setTimeout(() => child.kill('SIGKILL'), LONGEST_MS);
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        const had = said.includes(word);
        said += text;
        if (!had && said.includes(word)) child.kill('SIGTERM');
      });
    }
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(late);
      if (code === 0 && said.includes(word)) resolve();
      else reject(new Error(`\`cutcard ${args.join(' ')}\` ended with ${code}:\n${said}`));
    });
  });

const make = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cutcard-code-'));
  try {
    writeFileSync(join(folder, 'board.yaml'), BOARD.join('\n'));
    // The virtual board twice: a new journal, and one that is restored.
    for (const board of ['virtual', 'virtual', 'board.yaml']) {
      const file = join(folder, `${board}.table.yaml`);
      const own = [`board: ${board}`, `journal: ${board}.journal`];
      writeFileSync(file, [...CONFIG, ...own].join('\n'));
      await play(['run', '--config', file], '"page"', folder);
    }
    writeFileSync(stamp, engine);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

if (!isThere()) {
  try {
    clear();
    await make();
  } catch (error) {
    clear();
    console.error(`no compiled code is kept, starts take longer: ${error.message}`);
    process.exitCode = 1;
  }
}
