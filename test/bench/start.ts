import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { evolve } from '../../controller/core/evolve.js';
import { initialState } from '../../controller/core/state.js';
import { openJournal } from '../../storage/journal.js';
import { count, median } from './median.js';
import { benchRules, shoeSteps, take } from './shoe-steps.js';
import type { Figure } from './storage.js';

const ROWS = 100_000;
const GROUP = 1000;
/** Rows behind the saved state: half of what a run leaves at most. */
const BEHIND_SNAPSHOT = 1000;
const ROUNDS = 5;
/** Until the memory of a started process is looked at, ms. */
const REST_MS = 800;
const LONGEST_MS = 60_000;
const CLI = fileURLToPath(new URL('../../bundle/cli.js', import.meta.url));
const ROOT = new URL('../../../', import.meta.url);

const CONFIG = [
  'config: 1',
  'place: { site: bench, pit: p1, table: t1 }',
  'procedure: pa/627a-minibaccarat',
  'table: { decks: 8, shuffler: counting }',
  'board: virtual',
  'journal: table.journal',
  // Nobody listens there: the library is loaded, the attempt fails, nothing waits for it.
  'broker: { url: "mqtt://127.0.0.1:9" }',
].join('\n');

/** The libraries alone, as a script would load them, on an empty store. */
const bareScript = (): string => {
  const at = (path: string): string => pathToFileURL(fileURLToPath(new URL(path, ROOT))).href;
  return [
    `import Database from '${at('node_modules/better-sqlite3/lib/index.js')}';`,
    `import mqtt from '${at('node_modules/mqtt/build/index.js')}';`,
    `import { SerialPort } from '${at('node_modules/serialport/dist/index.js')}';`,
    `const db = new Database('bare.db'); db.pragma('journal_mode = WAL');`,
    `db.exec('CREATE TABLE IF NOT EXISTS row (seq INTEGER PRIMARY KEY, body TEXT)');`,
    `if (!mqtt.connect || !SerialPort) throw new Error('missing');`,
    `process.stderr.write('armed'); setInterval(() => {}, 1000);`,
  ].join('\n');
};

/** The engine's flags as the service starts a table with them. @throws where it names none */
export const unitFlags = (): readonly string[] => {
  const unit = readFileSync(new URL('deploy/systemd/cutcard.service', ROOT), 'utf8');
  const flags = /^Environment=NODE_OPTIONS=(.+)$/m.exec(unit)?.[1];
  if (flags === undefined) throw new Error('the unit of the service names no NODE_OPTIONS');
  return flags.split(' ');
};

const writeJournal = async (folder: string): Promise<void> => {
  const journal = await openJournal(join(folder, 'table.journal'), { writer: 'inline' });
  const steps = shoeSteps();
  let state = initialState(benchRules.table);
  for (let rows = 0; rows < ROWS; rows += GROUP) {
    const group = take(steps, GROUP);
    await journal.append(group);
    for (const { observation, decisions } of group) state = evolve(state, observation, decisions);
    if (rows === ROWS - BEHIND_SNAPSHOT - GROUP) {
      journal.saveSnapshot({ ...journal.head(), state });
    }
  }
  await journal.close();
};

interface Started {
  readonly ms: number;
  readonly rssMb: number;
}

const rssMb = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** From spawn to the word `armed` on stderr; memory after a rest. */
const start = (args: readonly string[], cwd: string): Promise<Started> =>
  new Promise((resolve, reject) => {
    const fromMs = performance.now();
    const child = spawn(process.execPath, [...args], { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
    const late = setTimeout(() => child.kill('SIGKILL'), LONGEST_MS);
    let said = '';
    let started: Started | null = null;
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (started !== null || !said.includes('armed')) return;
      const ms = performance.now() - fromMs;
      started = { ms, rssMb: Number.NaN };
      setTimeout(() => {
        started = { ms, rssMb: rssMb(child.pid ?? 0) };
        child.kill('SIGTERM');
      }, REST_MS);
    });
    child.on('close', () => {
      clearTimeout(late);
      if (started === null) reject(new Error(`it did not start:\n${said}`));
      else resolve(started);
    });
  });

/** A whole table on a journal of 100,000 rows against its libraries alone, turn by turn. */
export const startFigures = async (): Promise<readonly Figure[]> => {
  const folder = mkdtempSync(join(tmpdir(), 'cutcard-bench-'));
  try {
    writeFileSync(join(folder, 'cutcard.yaml'), CONFIG);
    writeFileSync(join(folder, 'bare.mjs'), bareScript());
    await writeJournal(folder);
    const ours: Started[] = [];
    const bare: Started[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const alone = await start(['bare.mjs'], folder);
      const table = await start([...unitFlags(), CLI, 'run'], folder);
      if (round === 0) continue;
      bare.push(alone);
      ours.push(table);
    }
    const ms = (runs: readonly Started[]): number => median(runs.map((run) => run.ms));
    const mb = (runs: readonly Started[]): number => median(runs.map((run) => run.rssMb));
    const ratio = median(ours.map((run, i) => run.ms / (bare[i]?.ms ?? Number.NaN)));
    return [
      {
        what: `start: process to armed, ${count(ROWS)} rows`,
        subject: `${count(ms(ours))} ms`,
        peer: `${count(ms(bare))} ms libraries alone`,
        ratio: ratio.toFixed(2),
        goal: '<= 600 ms (libraries 330-450)',
      },
      {
        what: 'memory after the start',
        subject: `${count(mb(ours))} MB`,
        peer: `${count(mb(bare))} MB libraries alone`,
        ratio: (mb(ours) / mb(bare)).toFixed(2),
        goal: '<= 90 MB',
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
