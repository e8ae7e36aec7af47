import { connectAsync } from 'mqtt';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Conformance } from '../../surveillance/contract/conformance.js';
import type { Order } from '../../surveillance/contract/messages.js';
import { commandKeyOf, makeCommandKey, signOrder } from '../../surveillance/mqtt/command-sign.js';
import { MqttTransport } from '../../surveillance/mqtt/mqtt-transport.js';
import { skipWhere } from '../support/needs.js';
import { RawBroker } from '../unit/surveillance/raw-broker.js';
import { card, findingOf, ROOT } from '../unit/surveillance/rows.js';
import {
  type LiveTable,
  liveTable,
  Mosquitto,
  realClock,
  sleep,
  Subscriber,
  until,
  whyNoMosquitto,
} from './mqtt-tools.js';

const FLOOD = 3000;
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});
const tableAt = (port: number, more: Parameters<typeof liveTable>[1] = {}): LiveTable => {
  const table = liveTable(
    new MqttTransport({ host: '127.0.0.1', port, mqtt: '5', tls: null }),
    more,
  );
  table.start();
  closers.push(() => table.publisher.stop());
  return table;
};
const refusedIn = ({ told }: LiveTable): { readonly rows: number; readonly counted: number } => {
  let [rows, counted] = [0, 0];
  for (const row of told) {
    if (row.kind !== 'command' || row.taken) continue;
    rows += 1;
    counted += 1 + (row.uncounted ?? 0);
  }
  return { rows, counted };
};

describe('orders through a real mosquitto', () => {
  skipWhere(whyNoMosquitto());

  let broker: Mosquitto;
  let desk: Subscriber;
  beforeEach(async () => {
    if (whyNoMosquitto() !== null) return;
    broker = await Mosquitto.start();
    closers.push(() => broker.stop());
    desk = await Subscriber.start(broker.port, [`${ROOT}/cmd/reply`, `${ROOT}/alert`]);
    closers.push(() => desk.stop());
  });

  it(`a flood of ${FLOOD}: limited, counted, answered; alerts go on`, async () => {
    const table = tableAt(broker.port);
    await until('link', () => table.publisher.stats().isUp);
    const client = await connectAsync({ host: '127.0.0.1', port: broker.port });
    closers.push(() => client.endAsync(true));
    const startedMs = performance.now();
    const flood = Array.from({ length: FLOOD }, (_, i) =>
      client.publishAsync(`${ROOT}/cmd`, `{"n":${i}}`, { qos: 1 }),
    );
    await table.commit(card, [{ do: 'raised', finding: findingOf('1.0') }]);
    await until('the alert', () => desk.of(`${ROOT}/alert`).length === 1);
    await Promise.all(flood);
    let sent = FLOOD;
    const isHeard = (): boolean => table.publisher.stats().refusedCommands === sent;
    await until('all heard', isHeard);
    // 100 at once and ten a second is what the journal takes; the machine may be slow.
    const most = 100 + 10 * ((performance.now() - startedMs) / 1000) + 1;
    expect(refusedIn(table).rows).toBeLessThanOrEqual(most);
    expect(refusedIn(table).rows).toBeGreaterThanOrEqual(100);
    // The next one that is recorded says how many were not.
    while (refusedIn(table).counted !== sent) {
      sent += 1;
      expect(sent).toBeLessThan(FLOOD + 200);
      await client.publishAsync(`${ROOT}/cmd`, 'one more', { qos: 1 });
      await until('heard', isHeard);
      await sleep(200);
    }
    const { rows } = refusedIn(table);
    await until('the answers', () => desk.of(`${ROOT}/cmd/reply`).length === rows);
    for (const reply of desk.of(`${ROOT}/cmd/reply`)) {
      expect(JSON.parse(reply)).toMatchObject({ taken: false });
    }
    expect(table.faults).toEqual([]);
  });

  it('an order that QoS 1 brings twice acts once; the second is answered as replayed', async () => {
    const { pem, publicKey } = makeCommandKey();
    const keys = [{ name: 'desk', publicKey, role: 'surveillance' as const }];
    // Started a minute ago, so that an order of now is later than the start.
    let agoMs = 60_000;
    const scheduler = { ...realClock, wallMs: () => Date.now() - agoMs };
    const table = tableAt(broker.port, { keys, scheduler });
    agoMs = 0;
    await until('link', () => table.publisher.stats().isUp);
    const issuedMs = Date.now();
    const order: Order = {
      cmd: 'mark',
      ...{ text: 'seat 3', table: 'north/p1/bac-04', nonce: 'n'.repeat(16) },
      ...{ issuedMs, expiresMs: issuedMs + 60_000 },
    };
    const client = await connectAsync({ host: '127.0.0.1', port: broker.port });
    closers.push(() => client.endAsync(true));
    const signed = signOrder(order, 'desk', commandKeyOf(pem));
    for (const dup of [false, true]) {
      await client.publishAsync(`${ROOT}/cmd`, signed, { qos: 1, dup });
    }
    await until('both answered', () => desk.of(`${ROOT}/cmd/reply`).length === 2);
    expect(desk.of(`${ROOT}/cmd/reply`).map((text): unknown => JSON.parse(text))).toMatchObject([
      { taken: true, cmd: 'mark', seq: 1 },
      { taken: false, reason: expect.stringContaining('replayed') as unknown, seq: 2 },
    ]);
    expect(table.told).toMatchObject([{ taken: true }, { taken: false }]);
  });
});

it('rows that QoS 1 brings twice: told as repeats by contract check, never as faults', async () => {
  const broker = await new RawBroker().start();
  closers.push(() => broker.stop());
  // The broker takes twenty packets of each of three links, and every PUBACK is lost.
  let links = 0;
  broker.rules = {
    onPublish: (n, _packet, answer) => {
      if (n < 20 && links < 3) return;
      if (n === 20 && links < 3) {
        links += 1;
        answer.drop();
      } else answer.ack();
    },
  };
  const table = tableAt(broker.port);
  for (let i = 0; i < 60; i += 1) await table.commit(card);
  await until('all acknowledged', () => table.journal.cursor('mqtt.event') === 60);
  const book = new Conformance();
  for (const { topic, payload } of broker.publishes) book.message(topic, payload.toString(), false);
  const { tables, faults } = book.report();
  expect(faults).toEqual([]);
  expect(tables).toMatchObject([{ rows: 60, firstSeq: 1, lastSeq: 60, gaps: [] }]);
  expect(tables[0]?.repeats).toBeGreaterThan(20);
  expect(book.report(true).faults).toMatchObject([{ rule: 'repeat' }]);
});
