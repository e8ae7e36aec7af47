import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'mqtt';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import type { TableState } from '../../controller/core/state.js';
import { initialState } from '../../controller/core/state.js';
import { viewOf } from '../../controller/core/view.js';
import { demoRules } from '../../controller/runtime/demo/table.js';
import { stepOfRow } from '../../storage/decode.js';
import { openJournal } from '../../storage/journal.js';
import { restore } from '../../storage/restore.js';
import { verifyChain } from '../../storage/verify.js';
import { CLI, Cutcard } from '../support/cutcard.js';
import { needsFile, testWith } from '../support/needs.js';

const built = needsFile(CLI, 'run `npm run build` first');
const PROCEDURE = 'pa/627a-minibaccarat';
const KILLS = 3;
/** Generous: a loaded machine takes its time to start a process. */
const TEST_MS = 600_000;

let folder = '';
const started: Cutcard[] = [];

const cutcard = (...args: string[]): Cutcard => {
  const one = new Cutcard(args, folder);
  started.push(one);
  return one;
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cutcard-kill-'));
});

afterEach(async () => {
  await Promise.all(started.splice(0).map((one) => one.end('SIGKILL')));
  rmSync(folder, { recursive: true });
});

interface Left {
  readonly state: TableState;
  readonly hashes: ReadonlyMap<number, string>;
  readonly kinds: readonly string[];
}

/** What a dead process left on its disk, looked at in a copy. */
const leftBehind = async (data: string, file: string): Promise<Left> => {
  const copy = mkdtempSync(join(folder, 'copy-'));
  cpSync(data, copy, { recursive: true });
  const journal = await openJournal(join(copy, file), { writer: 'inline' });
  const { state } = await restore(journal, initialState(demoRules(PROCEDURE).table));
  const hashes = new Map<number, string>();
  const kinds: string[] = [];
  for (let after = 0; after < journal.head().seq; ) {
    for (const row of await journal.read(after, 1000)) {
      hashes.set(row.seq, row.hash);
      kinds.push(stepOfRow(row.seq, row.body).observation.kind);
      after = row.seq;
    }
  }
  await journal.close();
  return { state, hashes, kinds };
};

const shown = ({ view }: { view: Record<string, unknown> }): object => ({
  phase: view['phase'],
  shoe: view['shoe'],
  round: view['round'],
  out: view['out'],
  loaded: view['loaded'],
  cardsThisRound: view['cardsThisRound'],
  behind: view['behind'],
  batch: view['batch'],
  dealer: view['dealer'],
});

const tableOf = async (url: string): Promise<{ view: Record<string, unknown> }> => {
  const answer = await fetch(`${url}/api/table`);
  return (await answer.json()) as { view: Record<string, unknown> };
};

describe('a process killed without warning', () => {
  testWith(
    built,
    'in mid-round: the same state, gap.unwatched, and nothing published is lost',
    async () => {
      const data = join(folder, 'data');
      const heard = new Map<number, string>();
      let lastSeq = 0;
      for (let kill = 0; kill < KILLS; kill += 1) {
        const speed = kill === 0 ? '300' : '40';
        const playing = cutcard(
          ...['demo', '--data', data, '--port', '0', '--speed', speed],
          ...['--no-mistakes', '--seed', `${kill + 1}`],
        );
        const [, broker] = await playing.says(/MQTT broker: (\S+)/);
        const client = connect(broker ?? '');
        client.on('message', (_topic, payload) => {
          const { seq, hash } = JSON.parse(payload.toString()) as { seq: number; hash: string };
          const before = heard.get(seq);
          expect(before === undefined || before === hash).toBe(true);
          heard.set(seq, hash);
        });
        client.subscribe('cutcard/v1/demo/pit-1/table-1/event', { qos: 1 });
        await playing.says(/dealer: round ended[^]*no more bets/);
        await new Promise((resolve) => setTimeout(resolve, 20 + 90 * kill));
        expect(await playing.end('SIGKILL')).toBe('SIGKILL');
        await client.endAsync(true);

        const left = await leftBehind(data, 'table.journal');
        expect(left.state.seq).toBeGreaterThan(lastSeq);
        lastSeq = left.state.seq;
        for (const [seq, hash] of heard) expect(left.hashes.get(seq)).toBe(hash);

        // So slow that the dealer does not get to act before the table is looked at.
        const again = cutcard('demo', '--data', data, '--port', '0', '--speed', '0.01');
        const [, page] = await again.says(/Table page: +(\S+)/);
        await again.says(/gap\.unwatched/);
        const { view } = await tableOf(page ?? '');
        expect(shown({ view })).toEqual(shown({ view: { ...viewOf(left.state) } }));
        const codes = (view['findings'] as { code: string }[]).map(({ code }) => code);
        const open = left.state.findings.map(({ code }) => code);
        expect(codes).toEqual([
          ...open.filter((code) => code !== 'gap.unwatched'),
          'gap.unwatched',
        ]);
        expect(view['gate']).toBe('locked');
        await again.end('SIGKILL');
        const after = await leftBehind(data, 'table.journal');
        expect(after.kinds[lastSeq]).toBe('power.boot');
        lastSeq = after.state.seq;
      }
      expect(heard.size).toBeGreaterThan(20);
      const result = await verifyChain(join(data, 'table.journal'));
      expect(result.damage).toBeNull();
    },
    TEST_MS,
  );

  testWith(
    built,
    'a table on its configuration says unclean after a kill and clean after a stop',
    async () => {
      writeFileSync(
        join(folder, 'cutcard.yaml'),
        [
          'config: 1',
          'place: { site: house, pit: p1, table: t1 }',
          `procedure: ${PROCEDURE}`,
          'table: { decks: 8, shuffler: counting }',
          'board: virtual',
          'page: { listen: "127.0.0.1:0" }',
        ].join('\n'),
      );
      for (const signal of ['SIGKILL', 'SIGTERM', 'SIGTERM'] as const) {
        const running = cutcard('run');
        await running.says(/armed/);
        expect(await running.end(signal)).toBe(signal === 'SIGKILL' ? signal : 0);
      }
      const journal = await openJournal(join(folder, 'cutcard.journal'), { writer: 'inline' });
      const rows = await journal.read(0, 1000);
      await journal.close();
      const boots = rows
        .map((row) => stepOfRow(row.seq, row.body).observation)
        .filter((observation) => observation.kind === 'power.boot');
      expect(boots.map(({ unclean, boot }) => [boot, unclean])).toEqual([
        [1, false],
        [2, true],
        [3, false],
      ]);
    },
    TEST_MS,
  );
});
