import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import type { Rules } from '../../controller/core/decide.js';
import { evolve } from '../../controller/core/evolve.js';
import { DEFAULT_POLICY } from '../../controller/core/procedure.js';
import { initialState, type TableState } from '../../controller/core/state.js';
import { loadProcedure } from '../../controller/runtime/procedure-files.js';
import { hashText } from '../../storage/canonical.js';
import { checkJournal } from '../../storage/check.js';
import { DeviceKey } from '../../storage/checkpoint.js';
import { stepOfRow } from '../../storage/decode.js';
import { openJournal } from '../../storage/journal.js';
import { restore } from '../../storage/restore.js';
import { Checker } from '../simulation/checker.js';
import { testWith } from '../support/needs.js';
import { needsBuild } from './storage-child.js';

/** `CUTCARD_KILLS=1000` for a night. */
const KILLS = Number(process.env['CUTCARD_KILLS'] ?? 40);
const LONGEST_LIFE_MS = 250;
/** A loaded machine needs seconds to start a process. */
const MS_A_KILL = 20_000;
const CHECK_EVERY = 20;
const READ_ROWS = 1000;
const PROCEDURE = 'pa/627a-minibaccarat';
const SCRIPT = fileURLToPath(new URL('table-child.mjs', import.meta.url));
const rules: Rules = {
  procedure: loadProcedure(PROCEDURE),
  table: {
    ...{ decks: 2, crew: 1, seats: 7, dealing: 'shoe', shuffler: 'counting', reader: 'none' },
    ...{ batches: ['red'], enforcement: 'lock', policy: DEFAULT_POLICY },
  },
};

let folder: string;
/** Loaded, and not yet played: killed where the test ends before its turn. */
let loaded: Player | null = null;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'table-kill-'));
});
afterEach(async () => {
  await loaded?.kill();
  loaded = null;
  rmSync(folder, { recursive: true });
});

interface Died {
  /** Text hash of every row the table was told is durable. */
  readonly told: ReadonlyMap<number, string>;
  readonly words: string;
}

/** One table in a process of its own: loaded at once, played when asked. */
class Player {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #ended: Promise<unknown>;
  readonly #seed: number;
  #said = '';
  #errors = '';

  constructor(path: string, keyFile: string, seed: number) {
    this.#seed = seed;
    const args = [SCRIPT, path, keyFile, PROCEDURE, `${seed}`];
    this.#child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child.stdout.on('data', (data: Buffer) => (this.#said += data.toString()));
    this.#child.stderr.on('data', (data: Buffer) => (this.#errors += data.toString()));
    this.#ended = once(this.#child, 'close');
  }

  /** Plays, and is killed: some while they start, the others in the midst of it. */
  async playAndDie(): Promise<Died> {
    this.#child.stdin.write('play\n');
    while (!this.#isUp() && this.#child.exitCode === null)
      await new Promise((resolve) => setTimeout(resolve, 10));
    await new Promise((resolve) => setTimeout(resolve, Math.random() * LONGEST_LIFE_MS));
    await this.kill();
    const told = new Map<number, string>();
    for (const [, seq, hash] of this.#said.matchAll(/^(\d+) ([0-9a-f]{64})\n/gm)) {
      told.set(Number(seq), hash ?? '');
    }
    return { told, words: this.#errors };
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  #isUp(): boolean {
    return this.#seed % 5 === 0
      ? this.#said.startsWith('open')
      : / [0-9a-f]{64}\n/.test(this.#said);
  }
}

/** What an onlooker knows who reads every row as it comes and decides it again. */
class Onlooker {
  readonly checker = new Checker(rules);
  state: TableState = initialState(rules.table);
  boots = 0;
  readonly path: string;
  readonly key: DeviceKey;

  constructor(path: string, key: DeviceKey) {
    this.path = path;
    this.key = key;
  }

  /** Reads what the dead process left, and holds it against what it had been told. */
  async look({ told }: Died, kill: number): Promise<void> {
    const journal = await openJournal(this.path, { writer: 'inline', key: this.key });
    const { seq } = journal.head();
    expect(seq, `kill ${kill}`).toBeGreaterThanOrEqual(Math.max(0, ...told.keys()));
    while (this.state.seq < seq) {
      for (const row of await journal.read(this.state.seq, READ_ROWS)) {
        const step = stepOfRow(row.seq, row.body);
        expect(told.get(row.seq) ?? hashText(row.body), `row ${row.seq}`).toBe(hashText(row.body));
        if (step.observation.kind === 'power.boot') this.boots += 1;
        this.state = evolve(this.state, step.observation, step.decisions);
        this.checker.see(step, this.state);
      }
    }
    const restored = await restore(journal, initialState(rules.table));
    expect(restored.state, `kill ${kill}`).toEqual(this.state);
    expect(this.checker.faults, `kill ${kill}`).toEqual([]);
    await journal.close();
  }
}

describe('a whole table killed at random instants', () => {
  testWith(
    needsBuild(),
    `goes on exactly where it was, in ${KILLS} kills, and loses no durable row`,
    async () => {
      const path = join(folder, 'table.journal');
      const keyFile = join(folder, 'device.key');
      const onlooker = new Onlooker(path, DeviceKey.create(keyFile));
      let playing = 0;
      loaded = new Player(path, keyFile, 1);
      for (let kill = 1; kill <= KILLS; kill += 1) {
        const player: Player = loaded ?? new Player(path, keyFile, kill);
        // Half of a kill is loading the program: the next is loaded meanwhile.
        loaded = kill < KILLS ? new Player(path, keyFile, kill + 1) : null;
        const died = await player.playAndDie();
        expect(died.words).toBe('');
        if (died.told.size > 0) playing += 1;
        await onlooker.look(died, kill);
        if (kill % CHECK_EVERY !== 0 && kill !== KILLS) continue;
        const { damage } = await checkJournal(path, { deep: true });
        expect(damage, `kill ${kill}`).toBeNull();
      }
      expect(playing).toBeGreaterThan(KILLS / 2);
      expect(onlooker.boots).toBeGreaterThanOrEqual(playing);
      console.info(
        `${KILLS} kills, ${playing} in play, ${onlooker.state.seq} rows, ` +
          `${onlooker.state.shoe.no} shoes: nothing lost`,
      );
    },
    KILLS * MS_A_KILL,
  );
});
