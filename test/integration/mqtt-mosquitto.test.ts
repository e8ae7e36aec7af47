import { connectAsync, type MqttClient } from 'mqtt';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Order } from '../../surveillance/contract/messages.js';
import { REFUSED_FLOOR_MS } from '../../surveillance/mqtt/backoff.js';
import { commandKeyOf, makeCommandKey, signOrder } from '../../surveillance/mqtt/command-sign.js';
import { MqttTransport } from '../../surveillance/mqtt/mqtt-transport.js';
import { card, findingOf, hashOf, ROOT, seqsOf } from '../unit/surveillance/rows.js';
import {
  Cable,
  type LiveTable,
  liveTable,
  Mosquitto,
  publishOnce,
  sleep,
  Subscriber,
  until,
  whyNoMosquitto,
} from './mqtt-tools.js';

const why = whyNoMosquitto();
const upTo = (n: number, from = 1): number[] => Array.from({ length: n }, (_, i) => i + from);
const parsed = (lines: readonly string[]): unknown[] =>
  lines.map((line): unknown => JSON.parse(line));
const field = (message: unknown, name: string): unknown =>
  typeof message === 'object' && message !== null
    ? Object.entries(message).find(([key]) => key === name)?.[1]
    : undefined;
const transportTo = (port: number, mqtt: '5' | '3.1.1' = '5'): MqttTransport =>
  new MqttTransport({ host: '127.0.0.1', port, mqtt, tls: null });

beforeEach((context) => {
  if (why !== null) context.skip(why);
});

const stops: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});
const mosquitto = async (): Promise<Mosquitto> => {
  const broker = await Mosquitto.start();
  stops.push(() => broker.stop());
  return broker;
};
const subscribed = async (port: number): Promise<Subscriber> => {
  const subscriber = await Subscriber.start(port, ['cutcard/v1/#']);
  stops.push(() => subscriber.stop());
  return subscriber;
};
const started = (table: LiveTable): LiveTable => {
  table.start();
  stops.push(() => table.publisher.stop());
  return table;
};
const isUp = (table: LiveTable): boolean => table.publisher.stats().isUp;

/** A table that keeps when it was born at the broker, and when it said that it was taken over. */
const box = (
  port: number,
): {
  readonly table: LiveTable;
  readonly births: readonly number[];
  readonly yields: readonly { readonly atMs: number; readonly text: string }[];
} => {
  const births: number[] = [];
  const yields: { atMs: number; text: string }[] = [];
  const table = liveTable(transportTo(port), {
    inspect: (kind, payload) => {
      if (kind !== 'status' || !payload.includes('"reason":"start"')) return;
      births.push(performance.now());
    },
    report: (kind, text) => {
      if (kind === 'taken-over') yields.push({ atMs: performance.now(), text });
    },
  });
  return { table: started(table), births, yields };
};

describe('against a real mosquitto', () => {
  it.each(['5', '3.1.1'] as const)('MQTT %s: events arrive in order, chain whole', async (mqtt) => {
    const broker = await mosquitto();
    const subscriber = await subscribed(broker.port);
    const table = started(liveTable(transportTo(broker.port, mqtt), { mqtt }));
    for (let i = 0; i < 300; i += 1) {
      await table.commit(
        card,
        i % 50 === 7 ? [{ do: 'raised', finding: findingOf(`${i}.0`) }] : [],
      );
    }
    const events = (): unknown[] => parsed(subscriber.of(`${ROOT}/event`));
    await until('300 events', () => subscriber.of(`${ROOT}/event`).length >= 300);
    expect(seqsOf(events())).toEqual(upTo(300));
    let prev = '0'.repeat(64);
    for (const line of subscriber.of(`${ROOT}/event`)) {
      const message: unknown = JSON.parse(line);
      const hash = hashOf(prev, `{${line.slice(line.indexOf('"decisions":'))}`);
      expect(field(message, 'prev')).toBe(prev);
      expect(field(message, 'hash')).toBe(hash);
      prev = hash;
    }
    await until('6 alerts', () => subscriber.of(`${ROOT}/alert`).length >= 6);
    expect(parsed(subscriber.of(`${ROOT}/status`))[0]).toMatchObject({ status: 'online', mqtt });
    await until('the last state', () =>
      (subscriber.of(`${ROOT}/state`).at(-1) ?? '').includes('"seq":300,'),
    );
    await until('the cursor', () => table.journal.cursor('mqtt.event') === 300);
  });

  it('the will speaks for a table whose cable is cut, and a birth follows', async () => {
    const broker = await mosquitto();
    const subscriber = await subscribed(broker.port);
    const cable = await Cable.to(broker.port);
    stops.push(() => cable.stop());
    const table = started(liveTable(transportTo(cable.port)));
    await until('birth', () => subscriber.of(`${ROOT}/status`).length >= 1);
    cable.cut(true);
    await until('will', () => subscriber.of(`${ROOT}/status`).length >= 2);
    cable.cut(false);
    await until('birth again', () => subscriber.of(`${ROOT}/status`).length >= 3);
    expect(parsed(subscriber.of(`${ROOT}/status`))).toMatchObject([
      { status: 'online', reason: 'start' },
      { status: 'offline', reason: 'lost' },
      { status: 'online', reason: 'start' },
    ]);
    await table.publisher.stop();
    await until('good-bye', () => subscriber.of(`${ROOT}/status`).length >= 4);
    expect(parsed(subscriber.of(`${ROOT}/status`)).at(-1)).toMatchObject({
      status: 'offline',
      reason: 'stop',
    });
  });

  it('a half-open connection is noticed by the PUBACK time-out', async () => {
    const broker = await mosquitto();
    const subscriber = await subscribed(broker.port);
    const cable = await Cable.to(broker.port);
    stops.push(() => cable.stop());
    const table = started(liveTable(transportTo(cable.port), { pubackTimeoutMs: 1000 }));
    await until('link', () => isUp(table));
    cable.freeze(true);
    await table.commit(card);
    await until('time-out', () => table.faults.some(([kind]) => kind === 'puback-timeout'));
    cable.freeze(false);
    await until('the event', () => subscriber.of(`${ROOT}/event`).length >= 1);
    expect(seqsOf(parsed(subscriber.of(`${ROOT}/event`)))).toEqual([1]);
  });

  it('comes back after broker restarts under load: each row once or more, in order', async () => {
    const broker = await mosquitto();
    const seen = new Set<number>();
    const table = started(liveTable(transportTo(broker.port)));
    const dealing = (async () => {
      for (let i = 0; i < 600; i += 1) {
        await table.commit(card);
        await sleep(2);
      }
    })();
    for (let i = 0; i < 4; i += 1) {
      await sleep(250);
      await broker.kill();
      broker.wipe();
      await sleep(100);
      await broker.up();
    }
    await dealing;
    await until('cursor at the end', () => table.journal.cursor('mqtt.event') === 600);
    const moves = table.journal.moves.filter(([lane]) => lane === 'mqtt.event');
    for (const [, seq] of moves) seen.add(seq);
    expect(moves.map(([, seq]) => seq)).toEqual([...seen].sort((a, b) => a - b));
    expect(table.publisher.stats().connects).toBeGreaterThan(2);
  });

  it('70,000 rows behind a dead broker: nothing piles up, all come, in order', async () => {
    const broker = await mosquitto();
    await broker.kill();
    const table = started(liveTable(transportTo(broker.port), { inspect: () => undefined }));
    for (let i = 0; i < 70_000; i += 1) await table.commit(card);
    expect(table.publisher.stats()).toMatchObject({ outstanding: 0, queued: 70_000 });
    await broker.up();
    const client = await connectAsync({ host: '127.0.0.1', port: broker.port });
    stops.push(() => client.endAsync(true));
    const seqs: number[] = [];
    let mostOutstanding = 0;
    client.on('message', (_topic, payload) => {
      seqs.push(Number(/^\{"seq":(\d+),/.exec(payload.toString())?.[1]));
      mostOutstanding = Math.max(mostOutstanding, table.publisher.stats().outstanding);
    });
    await client.subscribeAsync(`${ROOT}/event`, { qos: 1 });
    await until('all rows', () => table.journal.cursor('mqtt.event') === 70_000, 400_000);
    // The subscriber may have come a little after the table: what it heard is without a hole.
    expect(seqs).toEqual(upTo(seqs.length, seqs[0]));
    expect(seqs.at(-1)).toBe(70_000);
    expect(mostOutstanding).toBeLessThanOrEqual(24);
  }, 600_000);

  it('resend closes the gap that a broker left when it lost its disk', async () => {
    const broker = await mosquitto();
    const { pem, publicKey } = makeCommandKey();
    const keys = [{ name: 'historian', publicKey, role: 'surveillance' as const }];
    const table = started(liveTable(transportTo(broker.port), { keys }));
    const got = new Map<number, string>();
    const historian = (): Promise<MqttClient> =>
      connectAsync({
        host: '127.0.0.1',
        port: broker.port,
        clientId: 'historian',
        clean: false,
        protocolVersion: 5,
        properties: { sessionExpiryInterval: 3600 },
        reconnectPeriod: 0,
      });
    const listen = async (client: MqttClient): Promise<MqttClient> => {
      client.on('message', (topic, payload) => {
        const message: unknown = JSON.parse(payload.toString());
        if (topic.endsWith('/event')) got.set(Number(field(message, 'seq')), payload.toString());
        if (topic.endsWith('/cmd/reply')) replies.push(message);
      });
      await client.subscribeAsync([`${ROOT}/event`, `${ROOT}/cmd/reply`], { qos: 1 });
      return client;
    };
    const replies: unknown[] = [];
    const first = await listen(await historian());
    await until('link', () => isUp(table));
    for (let i = 0; i < 100; i += 1) await table.commit(card);
    await until('100 rows', () => got.size === 100);
    await first.endAsync(true);
    // The broker takes 200 more for the absent historian, acknowledges them and loses them.
    for (let i = 0; i < 200; i += 1) await table.commit(card);
    await until('acked by the broker', () => table.journal.cursor('mqtt.event') === 300);
    await broker.kill();
    broker.wipe();
    await broker.up();
    const second = await listen(await historian());
    stops.push(() => second.endAsync(true));
    await until('link', () => isUp(table) && table.publisher.stats().connects >= 2);
    await table.commit(card);
    await until('the new row', () => got.has(301));
    expect(got.size).toBe(101);
    const issuedMs = Date.now() + 4999;
    const order: Order = {
      cmd: 'resend',
      from: 101,
      to: 300,
      table: 'north/p1/bac-04',
      nonce: 'n'.repeat(16),
      issuedMs,
      expiresMs: issuedMs + 30_000,
    };
    // The table takes orders issued after its own start plus the allowed skew.
    await sleep(300);
    await second.publishAsync(`${ROOT}/cmd`, signOrder(order, 'historian', commandKeyOf(pem)), {
      qos: 1,
    });
    await until('the answer', () => replies.length === 1);
    expect(replies[0]).toMatchObject({ taken: true, cmd: 'resend', role: 'surveillance' });
    await until('no gap', () => upTo(301).every((seq) => got.has(seq)));
    let prev = '0'.repeat(64);
    for (const seq of upTo(301)) {
      const line = got.get(seq) ?? '';
      expect(line).toContain(`"prev":"${prev}"`);
      prev = String(field(JSON.parse(line), 'hash'));
    }
    expect(got.get(150)).toContain('"historical":true');
  });

  it('two boxes with one name: both say so, each leaves the other the floor', async () => {
    const broker = await mosquitto();
    const one = box(broker.port);
    await until('link', () => isUp(one.table));
    const two = box(broker.port);
    const boxes = [one, two];
    await until('both say so', () => boxes.every(({ yields }) => yields.length > 0), 120_000);
    for (const { births, yields } of boxes) {
      for (const { atMs, text } of yields) {
        expect(text).toContain('the same name');
        const next = births.find((birthMs) => birthMs > atMs);
        if (next !== undefined) expect(next - atMs).toBeGreaterThan(REFUSED_FLOOR_MS - 1);
      }
    }
    expect(one.births.length + two.births.length).toBeLessThan(20);
  });

  it('hostile payloads on cmd: refused, recorded, answered; the table goes on', async () => {
    const broker = await mosquitto();
    const subscriber = await subscribed(broker.port);
    const table = started(liveTable(transportTo(broker.port)));
    await until('link', () => isUp(table));
    const client = await connectAsync({ host: '127.0.0.1', port: broker.port });
    stops.push(() => client.endAsync(true));
    const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;
    const hostile: (string | Buffer)[] = [
      '',
      'null',
      '{}',
      '[]',
      '{"signed":1}',
      deep.slice(0, 8000),
      Buffer.from([0xff, 0xfe, 0x00, 0x80]),
      'x'.repeat(9000),
      '{"__proto__":{"signed":"a"},"key":"b","signature":"c"}',
      JSON.stringify({ signed: '{}', key: 'nobody', signature: 'AAAA' }),
    ];
    for (const payload of hostile) {
      await client.publishAsync(`${ROOT}/cmd`, payload, { qos: 1 });
    }
    // Larger than the table takes at all: the broker keeps it back (MQTT 5 maximum packet size).
    await client.publishAsync(`${ROOT}/cmd`, 'y'.repeat(200_000), { qos: 1 });
    await until('answers', () => subscriber.of(`${ROOT}/cmd/reply`).length >= hostile.length);
    expect(table.told).toHaveLength(hostile.length);
    expect(table.told.every((row) => row.kind === 'command' && !row.taken)).toBe(true);
    for (const reply of parsed(subscriber.of(`${ROOT}/cmd/reply`))) {
      expect(reply).toMatchObject({ taken: false });
      expect(String(field(reply, 'reason')).length).toBeGreaterThan(10);
    }
    await table.commit(card);
    await until('still alive', () =>
      (subscriber.of(`${ROOT}/event`).at(-1) ?? '').includes('card.out'),
    );
    expect(isUp(table)).toBe(true);
    publishOnce(broker.port, `${ROOT}/ack/historian`, '{"seq":"many"}');
    publishOnce(broker.port, `${ROOT}/ack/historian`, `{"seq":1,"hash":"${'0'.repeat(64)}"}`);
    await until('ack faults', () => table.faults.some(([kind]) => kind === 'ack-mismatch'));
    expect(table.publisher.delivered).toBe(0);
    const [row] = await table.journal.read(4, 1);
    publishOnce(broker.port, `${ROOT}/ack/historian`, JSON.stringify({ seq: 5, hash: row?.hash }));
    await until('ack taken', () => table.publisher.delivered === 5);
  });
});
