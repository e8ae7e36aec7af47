import { createServer } from 'node:net';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'mqtt';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { z } from 'zod';
import { JournalReader } from '../../storage/reader.js';
import { walkSteps } from '../../storage/walk.js';
import { CLI, Cutcard } from '../support/cutcard.js';
import { needsFile, testWith } from '../support/needs.js';

const built = needsFile(CLI, 'run `npm run build` first');
const TEST_MS = 240_000;

const summarySchema = z.object({
  rows: z.number(),
  cards: z.number(),
  shoes: z.number(),
  raised: z.record(z.string(), z.number()),
  findings: z.array(z.object({ code: z.string(), clause: z.string() })),
});

const wallSchema = z.object({
  tables: z.array(
    z.object({
      holding: z.object({ seq: z.number() }),
      degraded: z.array(z.looseObject({ kind: z.string() })),
    }),
  ),
});

/** Waits until it is so; the test's own limit ends it. */
const untilIt = async (isSo: () => Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 200));
};

let folder = '';
const started: Cutcard[] = [];
const cutcard = (...args: string[]): Cutcard => {
  const one = new Cutcard(args, folder);
  started.push(one);
  return one;
};

const stampsIn = (path: string): readonly { wallMs: number; wallTrusted: boolean }[] => {
  const reader = JournalReader.open(path);
  try {
    return [...walkSteps(reader)].map(({ step }) => step.observation);
  } finally {
    reader.close();
  }
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cutcard-demo-test-'));
});

afterEach(async () => {
  await Promise.all(started.splice(0).map((one) => one.end('SIGKILL')));
  rmSync(folder, { recursive: true });
});

describe('the demo', () => {
  testWith(
    built,
    'a recorded shoe fed back gives the same findings byte for byte, twice',
    async () => {
      const trace = join(folder, 'shoe.trace');
      const live = cutcard(
        ...['demo', '--port', '0', '--speed', 'max', '--shoes', '1', '--seed', '11', '--json'],
        ...['--mistake', 'burn.short', '--mistake', 'card.locked', '--record', trace],
      );
      expect(await live.ended()).toBe(0);
      // The summary and nothing else: no banner, wherever it may go.
      expect(live.err).toBe('');
      const summary = summarySchema.parse(JSON.parse(live.out));
      expect(summary.raised).toMatchObject({ 'burn.short': 1, 'burn.over': 1, 'card.locked': 2 });
      expect(summary.findings.every(({ clause }) => clause !== '')).toBe(true);
      expect(summary.cards).toBeGreaterThan(350);
      const again = [1, 2].map(() => cutcard('run', '--trace', trace, '--json'));
      for (const one of again) {
        expect(await one.ended()).toBe(1);
        expect(one.out).toBe(live.out);
      }
    },
    TEST_MS,
  );

  testWith(
    built,
    'a damaged trace is refused with its line, and so is a file that is none',
    async () => {
      const bad = join(folder, 'bad.trace');
      writeFileSync(bad, '{"trace":1}\n');
      const none = cutcard('run', '--trace', bad);
      expect(await none.ended()).toBe(2);
      expect(none.err).toMatch(/bad\.trace:1: is no trace header/);
    },
    TEST_MS,
  );

  testWith(
    built,
    'on a kept journal it goes on, and the wall holds its rows without a doubt about any table',
    async () => {
      const data = join(folder, 'data');
      const wallOf = async (): Promise<{ readonly demo: Cutcard; readonly wall: string }> => {
        const args = ['--port', '0', '--wall-port', '0', '--speed', '100', '--data', data];
        const demo = cutcard('demo', ...args);
        const [, wall] = await demo.says(/Floor's wall: (\S+)/);
        return { demo, wall: wall ?? '' };
      };
      const tiles = async (wall: string) =>
        wallSchema.parse(await (await fetch(`${wall}/api/wall`)).json()).tables;
      const isHeld = async (wall: string): Promise<boolean> => {
        const all = await tiles(wall);
        return all.length > 1 && all.every(({ holding }) => holding.seq > 10);
      };
      const first = await wallOf();
      await untilIt(() => isHeld(first.wall));
      await first.demo.end('SIGINT');
      const second = await wallOf();
      await untilIt(() => isHeld(second.wall));
      // Simulated time is never told as the time of day, and does not jump back.
      const times = stampsIn(join(data, 'table.journal'));
      expect(times.every(({ wallTrusted }) => !wallTrusted)).toBe(true);
      expect(times.map(({ wallMs }) => wallMs)).toEqual(
        times.map(({ wallMs }) => wallMs).toSorted((a, b) => a - b),
      );
      expect((await tiles(second.wall)).flatMap(({ degraded }) => degraded)).not.toContainEqual(
        expect.objectContaining({ kind: 'chain' }),
      );
      expect(second.demo.err).not.toContain('two hashes');
    },
    TEST_MS,
  );

  testWith(
    built,
    'says where it is first, plays, publishes in order and ends at Ctrl-C',
    async () => {
      const demo = cutcard(
        ...['demo', '--port', '0', '--speed', '400', '--data', join(folder, 'data')],
        ...['--mistake', 'burn.over', '--procedure', 'pa/651a-casino-war'],
      );
      const [, broker] = await demo.says(/MQTT broker: (\S+)/);
      expect(demo.out).toMatch(/^Table page: +http:\/\/127\.0\.0\.1:\d+\n/);
      const seqs: number[] = [];
      const client = connect(broker ?? '');
      client.subscribe('cutcard/v1/demo/pit-1/table-1/event', { qos: 1 });
      client.on('message', (_topic, payload) => {
        seqs.push(z.object({ seq: z.number() }).parse(JSON.parse(payload.toString())).seq);
      });
      await demo.says(/STOP +burn\.over § 651a\.8/);
      await demo.says(/OK +burn\.over cleared/);
      await demo.says(/round ended/);
      expect(await demo.end('SIGINT')).toBe(0);
      await client.endAsync(true);
      expect(demo.out).toMatch(/stopped on purpose[^]*journal rows/);
      expect(seqs.length).toBeGreaterThan(10);
      expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, i) => (seqs[0] ?? 0) + i));
      expect(readFileSync(join(folder, 'data', 'table.journal')).length).toBeGreaterThan(0);
    },
    TEST_MS,
  );

  testWith(
    built,
    'takes an order signed with the key it made, and says so where another key signed it',
    async () => {
      const demo = cutcard('demo', '--port', '0', '--no-wall', '--quiet');
      const [, broker = ''] = await demo.says(/--broker (\S+)/);
      const [, key = ''] = await demo.says(/--sign-key (\S+)/);
      const order = (file: string): Cutcard =>
        cutcard(
          ...['command', 'mark', 'hello', '--table', 'demo/pit-1/table-1', '--mqtt', '3.1.1'],
          ...['--broker', broker, '--sign-name', 'demo-desk', '--sign-key', file],
        );
      // Orders issued before the table started, and 5 s after, are refused.
      let said = '';
      for (let tries = 0; tries < 30 && !said.includes('taken'); tries += 1) {
        const one = order(key);
        await one.ended();
        said = `${one.out}${one.err}`;
      }
      expect(said).toMatch(/^mark: taken \(row \d+\)$/m);

      const other = join(folder, 'other.key');
      expect(await cutcard('command', 'new-key', other).ended()).toBe(0);
      const strange = order(other);
      expect(await strange.ended()).toBe(1);
      expect(strange.err).toMatch(/perhaps refused: .* the signature is not that of the key/);
      expect(await demo.end('SIGINT')).toBe(0);
    },
    TEST_MS,
  );

  testWith(
    built,
    'says what is wrong: a used port, an unknown mistake or procedure, a locked journal',
    async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      const used = cutcard('demo', '--port', `${port}`);
      expect(await used.ended()).toBe(2);
      expect(used.err).toContain(`${port}`);
      expect(used.err).not.toContain('at ');
      server.close();

      const mistake = cutcard('demo', '--mistake', 'burn.shrot');
      expect(await mistake.ended()).toBe(2);
      expect(mistake.err).toMatch(
        /there is no mistake `burn\.shrot`; possible here: .*burn\.short/,
      );
      const unfit = cutcard(...['demo', '--mistake', 'stub.wrong']);
      expect(await unfit.ended()).toBe(2);
      expect(unfit.err).toMatch(/`stub\.wrong` cannot happen at this table/);
      const procedure = cutcard('demo', '--procedure', 'pa/000-nothing');
      expect(await procedure.ended()).toBe(2);
      expect(procedure.err).toMatch(/There is no procedure/);

      const data = join(folder, 'data');
      const first = cutcard('demo', '--port', '0', '--data', data);
      await first.says(/started/);
      const second = cutcard('demo', '--port', '0', '--data', data);
      expect(await second.ended()).not.toBe(0);
      expect(second.err).toMatch(/one journal has one writer/);
    },
    TEST_MS,
  );
});
