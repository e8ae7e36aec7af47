import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import { DeviceKey } from '../../storage/checkpoint.js';
import { MqttTransport } from '../../surveillance/mqtt/mqtt-transport.js';
import { Cutcard } from '../support/cutcard.js';
import { skipWhere } from '../support/needs.js';
import { card, findingOf, ROOT } from '../unit/surveillance/rows.js';
import {
  liveTable,
  Mosquitto,
  publishOnce,
  Subscriber,
  until,
  whyNoMosquitto,
} from './mqtt-tools.js';
import { needsBuild } from './storage-child.js';

skipWhere(whyNoMosquitto() ?? needsBuild());

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});
const cutcard = (args: readonly string[], cwd?: string): Cutcard => {
  const program = new Cutcard(args, cwd);
  closers.push(() => program.end('SIGKILL'));
  return program;
};
const brokerAndListener = async (
  topics: readonly string[],
): Promise<{ readonly broker: Mosquitto; readonly url: string; readonly heard: Subscriber }> => {
  const broker = await Mosquitto.start();
  closers.push(() => broker.stop());
  const heard = await Subscriber.start(broker.port, topics);
  closers.push(() => heard.stop());
  return { broker, url: `mqtt://127.0.0.1:${broker.port}`, heard };
};

const CONFIG = `config: 1
place: { site: north, pit: p1, table: bac-04 }
procedure: pa/627a-minibaccarat
table: { decks: 8, shuffler: counting }
board: virtual
journal: table.journal
deviceKeyFile: device.pem
`;

const report = z.object({
  ok: z.boolean(),
  faults: z.array(z.unknown()),
  tables: z.array(
    z.object({
      table: z.string(),
      rows: z.number(),
      gaps: z.array(z.unknown()),
      messages: z.record(z.string(), z.number()),
    }),
  ),
});

it('contract check finds the contract kept by a real `cutcard run`, checkpoints too', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cutcard-run-'));
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'cutcard.yaml'), CONFIG);
  DeviceKey.create(join(folder, 'device.pem'));
  const { broker, url, heard } = await brokerAndListener(['cutcard/v1/#']);
  cutcard(['run', '--config', 'cutcard.yaml', '--broker', url], folder);
  await until('born', () => heard.of(`${ROOT}/status`).length > 0);
  const check = cutcard([
    'contract',
    'check',
    '--broker',
    url,
    '--rows',
    '20',
    '--seconds',
    '120',
    '--json',
  ]);
  const isOver = (): boolean => check.child.exitCode !== null;
  // Each order that is none becomes a row and an answer.
  for (let i = 0; i < 100 && !isOver(); i += 1) {
    publishOnce(broker.port, `${ROOT}/cmd`, '{}');
    await until('answered', () => heard.of(`${ROOT}/cmd/reply`).length > i);
  }
  expect(await check.ended()).toBe(0);
  const { ok, faults, tables } = report.parse(JSON.parse(check.out));
  expect({ ok, faults }).toEqual({ ok: true, faults: [] });
  expect(tables).toMatchObject([{ table: 'north/p1/bac-04', gaps: [] }]);
  expect(tables[0]?.rows).toBeGreaterThanOrEqual(20);
  // The first row of a run is sworn to, and the broker keeps the newest oath.
  expect(tables[0]?.messages['checkpoint']).toBeGreaterThanOrEqual(1);
  const sworn = heard.of(`${ROOT}/checkpoint`).at(-1) ?? 'null';
  expect(JSON.parse(sworn)).toMatchObject({ boot: 1, signature: expect.any(String) as unknown });
});

it('contract onvif turns alerts into events for video systems until it is stopped', async () => {
  const { broker, url, heard } = await brokerAndListener(['eyes/#']);
  const address = { host: '127.0.0.1', port: broker.port, mqtt: '5' as const, tls: null };
  const table = liveTable(new MqttTransport(address), { cameras: ['pit1-cam4'] });
  table.start();
  closers.push(() => table.publisher.stop());
  await until('link', () => table.publisher.stats().isUp);
  const relay = cutcard(['contract', 'onvif', '--broker', url, '--prefix', 'eyes', '--json']);
  const topic = 'eyes/onvif-ej/cutcard:Table/Finding/&north/p1/bac-04';
  // The relay is listening from the first finding on that comes out of it.
  let raised = 0;
  const isHeard = (): boolean => heard.of(topic).length > 0;
  while (!isHeard() && raised < 600) {
    raised += 1;
    await table.commit(card, [{ do: 'raised', finding: findingOf(`${raised}.0`) }]);
    await until('passed on', isHeard, 200).catch(() => undefined);
  }
  const by = { role: 'floor' } as const;
  const cleared = {
    do: 'cleared',
    id: `${raised}.0`,
    code: 'burn.short',
    by,
    how: 'floor',
  } as const;
  await table.commit(card, [cleared]);
  const said = (): string => heard.of(topic).at(-1) ?? '';
  await until('the end of it', () => said().includes('"Change":"cleared"'));
  expect(JSON.parse(heard.of(topic)[0] ?? 'null')).toMatchObject({
    Source: { Site: 'north', Pit: 'p1', Table: 'bac-04' },
    Data: { Code: 'burn.short', Change: 'raised', Active: true, Cameras: 'pit1-cam4' },
  });
  expect(JSON.parse(said())).toMatchObject({ Data: { Active: false, Id: `${raised}.0` } });
  expect(await relay.end('SIGTERM')).toBe(0);
  const sent = heard.of(topic).length;
  expect(JSON.parse(relay.out)).toMatchObject({ heard: sent, sent, passedOver: 0 });
});
