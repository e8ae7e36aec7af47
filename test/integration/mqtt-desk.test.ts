import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EmbeddedBroker } from '../../surveillance/mqtt/embedded-broker.js';
import { MqttTransport } from '../../surveillance/mqtt/mqtt-transport.js';
import { makeCommandKey } from '../../surveillance/mqtt/command-sign.js';
import { card, findingOf } from '../unit/surveillance/rows.js';
import { type LiveTable, liveTable, realClock, sleep, until } from './mqtt-tools.js';

const CLI = new URL('../../dist/controller/runtime/cli.js', import.meta.url).pathname;

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}
const cutcard = (...args: readonly string[]): Promise<Ran> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [CLI, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    child.on('close', (code) => resolve({ code: code ?? -1, out, err }));
  });

/** A start long ago, so that orders issued now are later than it and the skew. */
const startedEarlier = { ...realClock, wallMs: () => Date.now() - (isStarting ? 60_000 : 0) };
let isStarting = true;

/** Each test starts the program several times, on a machine that is busy with other tests. */
describe('a desk over the embedded broker', { timeout: 240_000 }, () => {
  const dir = mkdtempSync(join(tmpdir(), 'cutcard-desk-'));
  const broker = new EmbeddedBroker();
  const { publicKey: floorKey } = makeCommandKey();
  let table: LiveTable;

  const keyFile = join(dir, 'desk.pem');
  let publicKey = '';
  beforeEach(async () => {
    rmSync(keyFile, { force: true });
    const made = await cutcard('command', 'new-key', keyFile);
    expect(made.code).toBe(0);
    publicKey = /publicKey: (\S+) \}/.exec(made.out)?.[1] ?? '';
    await broker.start();
    const address = { host: '127.0.0.1', port: broker.port, mqtt: '3.1.1' as const, tls: null };
    isStarting = true;
    table = liveTable(new MqttTransport(address), {
      mqtt: '3.1.1',
      scheduler: startedEarlier,
      keys: [
        { name: 'desk', role: 'surveillance', publicKey },
        { name: 'floor', role: 'floor', publicKey: floorKey },
      ],
    });
    table.start();
    isStarting = false;
    await until('link', () => table.publisher.stats().isUp);
  }, 120_000);
  afterEach(async () => {
    await table.publisher.stop();
    await broker.stop();
  });

  const desk = (...args: readonly string[]): Promise<Ran> =>
    cutcard(
      'command',
      args[0] ?? '',
      ...['--broker', broker.url, '--mqtt', '3.1.1'],
      ...['--table', 'north/p1/bac-04', '--sign-key', keyFile],
      ...args.slice(1),
    );

  it('a new key can be read by its owner only and is never overwritten', async () => {
    expect(statSync(keyFile).mode & 0o077).toBe(0);
    expect(readFileSync(keyFile, 'utf8')).toContain('PRIVATE KEY');
    const again = await cutcard('command', 'new-key', keyFile);
    expect(again).toMatchObject({ code: 2 });
    expect(again.err).toContain('cannot be written');
  });

  it('signs and sends an order and shows the answer', async () => {
    const ran = await desk('mark', 'seat 3', '--sign-name', 'desk');
    expect(ran).toMatchObject({ code: 0, out: 'mark: taken (row 1)\n' });
    expect(table.told).toMatchObject([{ kind: 'command', command: 'mark', note: 'seat 3' }]);
  });

  it('a refused order ends with 1 and the reason', async () => {
    const ran = await desk('resend', '1', '9', '--sign-name', 'floor', '--wait', '2');
    // The signature is that of another key: the table cannot tell whose order it was.
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toContain('resend: perhaps refused');
    const asked = await desk('resend', '700', '900', '--sign-name', 'desk', '--json');
    expect(asked.code).toBe(1);
    expect(JSON.parse(asked.out)).toMatchObject({ taken: false, cmd: 'resend' });
  });

  it('usage: a broker that is not there, a table that is none, a key that is none', async () => {
    const nowhere = await cutcard('contract', 'check', '--broker', 'mqtt://127.0.0.1:1');
    expect(nowhere.code).toBe(2);
    expect(nowhere.err).toContain('is the broker running');
    expect((await desk('mark', 'x', '--sign-name', 'desk', '--table', 'a/b')).code).toBe(2);
    const noFile = await desk('mark', 'x', '--sign-name', 'desk', '--sign-key', '/dev/null');
    expect(noFile).toMatchObject({ code: 2 });
    expect(noFile.err).toContain('/dev/null: the command key cannot be read');
    writeFileSync(keyFile, 'hello');
    const badKey = await desk('mark', 'x', '--sign-name', 'desk');
    expect(badKey).toMatchObject({ code: 2 });
    expect(badKey.err).toContain('no private key');
  });

  it('contract check: kept by a live table, broken by a stranger', async () => {
    const checking = cutcard(
      ...['contract', 'check', '--broker', broker.url, '--mqtt', '3.1.1'],
      ...['--rows', '40', '--seconds', '25', '--json'],
    );
    let isOver = false;
    void checking.then(() => (isOver = true));
    const dealUntilOver = async (): Promise<void> => {
      for (let i = 0; i < 2000; i += 1) {
        await table.commit(
          card,
          i % 10 === 0 ? [{ do: 'raised', finding: findingOf(`${i}.0`) }] : [],
        );
        await sleep(10);
        if (isDone()) return;
      }
    };
    const isDone = (): boolean => isOver;
    await dealUntilOver();
    const ran = await checking;
    expect(ran.err).toBe('');
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.out)).toMatchObject({ ok: true, faults: [] });
  });
});
