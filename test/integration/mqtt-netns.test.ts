import { execFileSync, type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect as dial } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MqttTransport } from '../../surveillance/mqtt/mqtt-transport.js';
import type { PublisherParts } from '../../surveillance/mqtt/publisher.js';
import { card, findingOf } from '../unit/surveillance/rows.js';
import { needsProgram, type Missing } from '../support/needs.js';
import {
  type LiveTable,
  liveTable,
  MOSQUITTO,
  sleep,
  until,
  whyNoMosquitto,
} from './mqtt-tools.js';

/** A broker in a network namespace of its own behind a veth pair: a real cable, really cut. */
const SPACE = `cc${process.pid % 100_000}`;
const NEAR = `ccn${process.pid % 100_000}`;
const FAR = `ccf${process.pid % 100_000}`;
const NET = `10.213.${process.pid % 200}`;
const PORT = 1883;

const ip = (...args: readonly string[]): string =>
  execFileSync('ip', [...args], { encoding: 'utf8', stdio: 'pipe' });
const inside = (...args: readonly string[]): string =>
  execFileSync('ip', ['netns', 'exec', SPACE, ...args], { encoding: 'utf8', stdio: 'pipe' });

const whyNot = (): Missing => {
  const missing = whyNoMosquitto() ?? needsProgram('ip') ?? needsProgram('tc');
  if (missing !== null) return missing;
  if (process.getuid?.() !== 0) return 'network namespaces take root';
  try {
    ip('netns', 'add', SPACE);
    ip('link', 'add', NEAR, 'type', 'veth', 'peer', 'name', FAR, 'netns', SPACE);
    return null;
  } catch {
    execFileSync('sh', ['-c', `ip netns del ${SPACE} 2>/dev/null || true`]);
    return 'this machine makes no network namespaces';
  }
};
const why = whyNot();

beforeEach((context) => {
  if (why !== null) context.skip(why);
});

describe('a real cable', () => {
  const dir = mkdtempSync(join(tmpdir(), 'cutcard-netns-'));
  let broker: ChildProcess;
  const tables: LiveTable[] = [];
  beforeAll(async () => {
    if (why !== null) return;
    ip('addr', 'add', `${NET}.1/30`, 'dev', NEAR);
    ip('link', 'set', NEAR, 'up');
    inside('ip', 'addr', 'add', `${NET}.2/30`, 'dev', FAR);
    inside('ip', 'link', 'set', FAR, 'up');
    inside('ip', 'link', 'set', 'lo', 'up');
    writeFileSync(
      join(dir, 'm.conf'),
      `listener ${PORT} ${NET}.2\nallow_anonymous true\nuser root\nmax_queued_messages 100000\n`,
    );
    broker = spawn(
      'ip',
      ['netns', 'exec', SPACE, MOSQUITTO ?? 'mosquitto', '-c', join(dir, 'm.conf')],
      { stdio: 'ignore' },
    );
    for (let i = 0; i < 100; i += 1) {
      const isThere = await new Promise<boolean>((resolve) => {
        const socket = dial(PORT, `${NET}.2`);
        socket.on('connect', () => {
          socket.destroy();
          resolve(true);
        });
        socket.on('error', () => resolve(false));
      });
      if (isThere) return;
      await sleep(50);
    }
    throw new Error('the broker behind the cable did not come up');
  });
  afterEach(async () => {
    for (const table of tables.splice(0)) await table.publisher.stop();
  });
  afterAll(() => {
    if (why !== null) return;
    broker.kill('SIGKILL');
    ip('netns', 'del', SPACE);
    rmSync(dir, { recursive: true, force: true });
  });

  const tableAt = (more: Partial<PublisherParts> = {}): LiveTable => {
    const address = { host: `${NET}.2`, port: PORT, mqtt: '5' as const, tls: null };
    const table = liveTable(new MqttTransport(address), { pubackTimeoutMs: 1500, ...more });
    tables.push(table);
    table.start();
    return table;
  };
  const isUp = (table: LiveTable): boolean => table.publisher.stats().isUp;
  const all = (table: LiveTable): Promise<void> =>
    until('all acknowledged', () => table.publisher.stats().queued === 0, 120_000);

  it('cut in the middle of play: nobody says so, it is noticed, nothing is lost', async () => {
    const table = tableAt();
    await until('link', () => isUp(table));
    for (let i = 0; i < 50; i += 1) await table.commit(card);
    ip('link', 'set', NEAR, 'down');
    // Rules never wait for the network: rows are made at the same pace with nobody to hear them.
    for (let i = 0; i < 200; i += 1) {
      await table.commit(card);
      await sleep(5);
    }
    expect(table.journal.head().seq).toBe(250);
    await until('noticed', () => !isUp(table));
    ip('link', 'set', NEAR, 'up');
    await all(table);
    expect(table.journal.cursor('mqtt.event')).toBe(250);
  });

  it('a line of 64 kbit/s: an alert goes ahead of the backlog, nothing times out', async () => {
    execFileSync('tc', [
      ...['qdisc', 'add', 'dev', NEAR, 'root', 'tbf'],
      ...['rate', '64kbit', 'burst', '3000', 'latency', '400ms'],
    ]);
    try {
      const table = tableAt({ pubackTimeoutMs: 15_000 });
      await until('link', () => isUp(table));
      for (let i = 0; i < 300; i += 1) await table.commit(card);
      expect(table.publisher.stats().queued).toBeGreaterThan(50);
      await table.commit(card, [{ do: 'raised', finding: findingOf('301.0') }]);
      await until('alert', () => table.journal.cursor('mqtt.alert') >= 301);
      expect(table.publisher.stats().queued).toBeGreaterThan(0);
      expect(table.faults).toEqual([]);
    } finally {
      execFileSync('tc', ['qdisc', 'del', 'dev', NEAR, 'root']);
    }
    await all(tables[0]!);
  });

  it('the broker vanishes without a word (its host lost power)', async () => {
    const table = tableAt();
    await until('link', () => isUp(table));
    inside('ip', 'link', 'set', FAR, 'down');
    await table.commit(card);
    await until('noticed', () => table.faults.length > 0);
    await sleep(1000);
    inside('ip', 'link', 'set', FAR, 'up');
    await all(table);
  });
});
