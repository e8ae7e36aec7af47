import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { step } from '../../controller/core/decide.js';
import type { Happening } from '../../controller/core/observation.js';
import { SimulatedClock } from '../../controller/core/simulated-clock.js';
import { runCli } from '../../controller/runtime/cli.js';
import { silentLog } from '../../controller/runtime/log-port.js';
import { TableLoop } from '../../controller/runtime/loop.js';
import { loadProcedure } from '../../controller/runtime/procedure-files.js';
import { DeviceKey } from '../../storage/checkpoint.js';
import { openJournal } from '../../storage/journal.js';
import { JournalReader } from '../../storage/reader.js';
import { replayJournal } from '../../storage/replay.js';
import { compareSavedStates } from '../../storage/saved-states.js';
import { TABLE } from '../unit/storage/steps.js';

const SLOW_MS = 120_000;
const RUNS = 3;
const HAPPENINGS = 700;
const key = DeviceKey.generate();
let folder: string;
let path: string;

/** A careless table: presses in any order, cards at any time, a count that is often wrong. */
const anything = (random: (n: number) => number): Happening => {
  const presses = [
    { key: 'open-table' },
    { key: 'cards-inspected' },
    { key: 'shuffled' },
    { key: 'cut', by: 3, depth: 40 },
    { key: 'marker-placed' },
    { key: 'loaded' },
    { key: 'first-card', rank: '7' },
    { key: 'burn-done' },
    { key: 'no-more-bets' },
    { key: 'round-end' },
    { key: 'reshuffle' },
    { key: 'clear', finding: 'burn.over' },
  ] as const;
  const press = presses[random(presses.length)] ?? presses[0];
  switch (random(8)) {
    case 0:
      return { kind: 'shuffler.done', batch: 'red', count: 415 + random(2), mode: 'shuffle' };
    case 1:
      return random(6) === 0 ? { kind: 'cover.out' } : { kind: 'mouth.clear' };
    case 2:
    case 3:
      return { kind: 'press', role: random(4) === 0 ? 'floor' : 'dealer', ...press };
    default:
      return { kind: 'card.out', lengthMm: 63, speedMmS: 500 + random(200) };
  }
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'replay-'));
  path = join(folder, 'table.journal');
  let seed = 20_261_129;
  const random = (n: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * n);
  };
  const rules = { procedure: loadProcedure('pa/631a-baccarat'), table: TABLE };
  const scheduler = new SimulatedClock();
  for (let run = 1; run <= RUNS; run += 1) {
    const journal = await openJournal(path, { writer: 'inline', key });
    const perform = (): void => undefined;
    const loop = new TableLoop({ rules, journal, scheduler, log: silentLog, perform });
    await loop.start();
    for (let i = 0; i < HAPPENINGS; i += 1) {
      scheduler.runUntil(scheduler.nowNs() + (1 + random(3000)) * 1e6);
      loop.tell(anything(random));
      if (random(3) === 0) await loop.settled();
    }
    await loop.settled();
    if (run === RUNS) await loop.stop();
    else loop.abandon();
    await journal.close();
  }
}, SLOW_MS);
afterAll(() => rmSync(folder, { recursive: true }));

const withReader = <T>(work: (reader: JournalReader) => T): T => {
  const reader = JournalReader.open(path);
  try {
    return work(reader);
  } finally {
    reader.close();
  }
};

describe('replay', () => {
  it('derives every decision again, over starts and restarts', () => {
    const replayed = withReader((reader) => replayJournal(reader));
    expect(replayed.differences).toEqual([]);
    expect(replayed).toMatchObject({ different: 0, fromSeq: 1 });
    expect(replayed.boots.map(({ procedure }) => procedure)).toEqual(
      Array.from({ length: RUNS }, () => 'pa/631a-baccarat'),
    );
    expect(replayed.findings).toBeGreaterThan(50);
    expect(replayed.rows).toBeGreaterThan(1500);
  });

  it('lists what other rules would have decided', () => {
    const replayed = withReader((reader) =>
      replayJournal(reader, {
        step: (state, observation, rules) => {
          const { decisions, state: next } = step(state, observation, rules);
          const others = decisions.filter(
            (decision) => decision.do !== 'raised' || decision.finding.code !== 'count.wrong',
          );
          return { decisions: others, state: next };
        },
      }),
    );
    expect(replayed.different).toBeGreaterThan(0);
    const [first] = replayed.differences;
    expect(first?.derivedOnly).toEqual([]);
    expect(first?.recordedOnly).toMatchObject([{ do: 'raised', finding: { code: 'count.wrong' } }]);
  });

  it('finds the saved states to be what the rows give', () => {
    const { saved, rows } = withReader((reader) => compareSavedStates(reader));
    expect(rows).toBeGreaterThan(1500);
    expect(saved.length).toBeGreaterThan(0);
    expect(saved.every(({ ok }) => ok)).toBe(true);
  });
});

describe('the command line', () => {
  let out = '';
  let err = '';
  beforeEach(() => {
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
  });

  it('verifies, shows, exports and replays', async () => {
    expect(await runCli(['journal', 'verify', path, '--deep'])).toBe(0);
    expect(out).toMatch(/rows \(1 to \d+\), chain whole, \d+ signed checkpoints up to row/);
    out = '';
    expect(await runCli(['journal', 'verify', path, '--json'])).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ damage: null, firstSeq: 1 });
    out = '';
    expect(await runCli(['journal', 'replay', path])).toBe(0);
    expect(out).toMatch(/every decision the same/);
    out = '';
    expect(await runCli(['journal', 'snapshot-free', path])).toBe(0);
    out = '';
    expect(await runCli(['journal', 'show', path, '--from', '1', '--to', '2'])).toBe(0);
    expect(out).toMatch(
      /^ +1 {2}2026-01-05T14:00:00.000Z {2}0:00:00.000 {2}power.boot boot=1 procedure=[0-9a-f]{64}/,
    );
    out = '';
    expect(await runCli(['journal', 'show', path, '--finding', 'count.wrong', '--json'])).toBe(0);
    const lines = out.trim().split('\n');
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.every((line) => line.includes('count.wrong'))).toBe(true);
    out = '';
    expect(await runCli(['journal', 'export', path, '--format', 'csv', '--to', '5'])).toBe(0);
    expect(out.split('\n')[0]).toMatch(/^seq,wall_utc/);
    out = '';
    expect(await runCli(['journal', 'export', path, '--to', '5'])).toBe(0);
    expect(JSON.parse(out.split('\n')[4] ?? '')).toMatchObject({ seq: 5 });
    expect(err).toBe('');
  });

  it('replays a pruned journal from a saved state, and says what it cannot', async () => {
    const copy = join(folder, 'pruned.journal');
    expect(await runCli(['journal', 'backup', path, copy])).toBe(0);
    const journal = await openJournal(copy, { writer: 'inline', key });
    journal.moveCursor('ack.historian', journal.head().seq);
    const consumers = ['historian'];
    expect(await journal.retire({ keepNs: 0, consumers, wallMs: 5 })).toBeGreaterThan(0);
    await journal.close();
    out = '';
    expect(await runCli(['journal', 'verify', copy, '--deep'])).toBe(0);
    expect(await runCli(['journal', 'replay', copy])).toBe(0);
    expect(out).toMatch(/rows before \d+ cannot be derived again \(older ones were let go\)/);
    expect(out).toMatch(/replayed from the state saved after row \d+\n.*every decision the same/);
    const db = new Database(copy);
    db.exec('DELETE FROM snapshot');
    db.close();
    expect(await runCli(['journal', 'replay', copy])).toBe(2);
    expect(err).toMatch(/older rows were pruned\) and no saved state says how the table stood/);
  });

  it('exports evidence and verifies it', async () => {
    const file = join(folder, 'evidence.html');
    const keyFile = join(folder, 'device.pub');
    writeFileSync(keyFile, key.publicKey);
    const span = ['--from', '100', '--to', '140'];
    const given = ['evidence', 'export', '--journal', path, '--out', file];
    expect(await runCli([...given, ...span])).toBe(0);
    expect(await runCli(['evidence', 'verify', file, '--key', keyFile])).toBe(0);
    expect(out).toMatch(/whole: span 100 to 140/);
    expect(await runCli([...given, ...span])).toBe(2);
    expect(err).toMatch(/it is there already/);
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace(String.raw`\"lengthMm\":63`, String.raw`\"lengthMm\":64`));
    out = '';
    expect(await runCli(['evidence', 'verify', file])).toBe(1);
    expect(out).toMatch(/not whole: row \d+: its text does not give its hash/);
    expect(await runCli([...given])).toBe(2);
    expect(err).toMatch(/one of --finding, --round, or --from with --to/);
  });

  it('names the damaged row and ends with 1; what is no journal ends with 2', async () => {
    const copy = join(folder, 'copy.journal');
    expect(await runCli(['journal', 'backup', path, copy])).toBe(0);
    const db = new Database(copy);
    db.exec('DROP TRIGGER step_no_update; UPDATE step SET wall_ms = wall_ms + 1 WHERE seq = 400');
    db.close();
    out = '';
    expect(await runCli(['journal', 'verify', copy])).toBe(1);
    expect(out).toMatch(/damaged at row 400: changed byte/);
    expect(await runCli(['journal', 'set-aside', copy])).toBe(0);
    expect(await runCli(['journal', 'verify', copy])).toBe(2);
    expect(err).toMatch(/there is no journal/);
    expect(await runCli(['journal', 'show', path, '--from', 'x'])).toBe(2);
    const other = join(folder, 'other.txt');
    writeFileSync(other, 'no journal at all, but a text of some length');
    expect(await runCli(['journal', 'verify', other])).not.toBe(0);
    expect(err).toMatch(/other.txt/);
  });
});
