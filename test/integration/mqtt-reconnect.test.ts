import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Scheduler } from '../../controller/core/ports.js';
import { REFUSED_FLOOR_MS } from '../../surveillance/mqtt/backoff.js';
import { MqttTransport } from '../../surveillance/mqtt/mqtt-transport.js';
import { WINDOW } from '../../surveillance/mqtt/session.js';
import type { PublisherParts } from '../../surveillance/mqtt/publisher.js';
import { RawBroker } from '../unit/surveillance/raw-broker.js';
import { card, findingOf } from '../unit/surveillance/rows.js';
import { type LiveTable, liveTable, realClock, until } from './mqtt-tools.js';

const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1);

let broker: RawBroker;
const tables: LiveTable[] = [];
beforeEach(async () => {
  broker = await new RawBroker().start();
});
afterEach(async () => {
  for (const table of tables.splice(0)) await table.publisher.stop();
  await broker.stop();
});

const tableAt = (more: Partial<PublisherParts> = {}, mqtt: '5' | '3.1.1' = '5'): LiveTable => {
  const address = { host: '127.0.0.1', port: broker.port, mqtt, tls: null };
  const table = liveTable(new MqttTransport(address), { mqtt, stateGapMs: 5, ...more });
  tables.push(table);
  return table;
};
/** The real clock, and what was waited for on it, ms: whatever the speed of the machine. */
const watched = (): { readonly scheduler: Scheduler; readonly waits: readonly number[] } => {
  const waits: number[] = [];
  let askedNs = 0;
  const scheduler: Scheduler = {
    ...realClock,
    nowNs: () => (askedNs = realClock.nowNs()),
    at: (dueNs, task) => {
      waits.push(Math.round((dueNs - askedNs) / 1e6));
      return realClock.at(dueNs, task);
    },
  };
  return { scheduler, waits };
};
const deal = async (table: LiveTable, n: number): Promise<void> => {
  for (let i = 0; i < n; i += 1) await table.commit(card);
};
const cursorAt = (table: LiveTable, seq: number): Promise<void> =>
  until(`cursor at ${seq}`, () => table.journal.cursor('mqtt.event') === seq);
/** Each row came, none before its predecessor had come once. */
const expectInOrder = (seqs: readonly number[], n: number): void => {
  let high = 0;
  for (const seq of seqs) {
    expect(seq).toBeLessThanOrEqual(high + 1);
    high = Math.max(high, seq);
  }
  expect(high).toBe(n);
};

describe('a broker that misbehaves', () => {
  it.each(upTo(12))(
    'drops the link at packet %i: nothing lost, nothing out of order',
    async (at) => {
      let drops = 0;
      broker.rules = {
        onPublish: (n, _packet, answer) => {
          if (n === at && drops < 3) {
            drops += 1;
            answer.drop();
          } else answer.ack();
        },
      };
      const table = tableAt();
      table.start();
      await deal(table, 60);
      await cursorAt(table, 60);
      expectInOrder(broker.eventSeqs, 60);
      expect(drops).toBe(3);
    },
  );

  it('takes packets, loses the PUBACKs and the link: they go again', async () => {
    let isFirst = true;
    broker.rules = {
      onPublish: (n, _packet, answer) => {
        if (isFirst && n === 20) {
          isFirst = false;
          answer.drop();
        } else if (!isFirst) answer.ack();
      },
    };
    const table = tableAt();
    table.start();
    await deal(table, 40);
    await cursorAt(table, 40);
    expectInOrder(broker.eventSeqs, 40);
    expect(broker.eventSeqs.filter((seq) => seq === 1)).toHaveLength(2);
  });

  it('withholds every PUBACK: at most a window is out, the link is dropped in time', async () => {
    broker.rules = { onPublish: () => undefined };
    const table = tableAt({ pubackTimeoutMs: 400 });
    table.start();
    await deal(table, 500);
    await until('time-out', () => table.faults.some(([kind]) => kind === 'puback-timeout'));
    expect(broker.mostOpen).toBeLessThanOrEqual(WINDOW);
    expect(table.journal.cursor('mqtt.event')).toBe(0);
    broker.rules = {};
    await cursorAt(table, 500);
    expectInOrder(broker.eventSeqs, 500);
  });

  it.each([1, 2, 5, 20])('takes %i at once: never more are outstanding', async (receiveMaximum) => {
    broker.rules = {
      receiveMaximum,
      onPublish: (_n, _packet, answer) => {
        setTimeout(() => answer.ack(), 2);
      },
    };
    const table = tableAt();
    table.start();
    await deal(table, 50);
    await table.commit(card, [{ do: 'raised', finding: findingOf('51.0') }]);
    await cursorAt(table, 51);
    expect(broker.mostOpen).toBeLessThanOrEqual(receiveMaximum);
  });

  it('says a row is not authorised: the cursor stays, the reason is told, no storm', async () => {
    broker.rules = {
      onPublish: (_n, { topic }, answer) => answer.ack(topic.endsWith('/event') ? 0x87 : 0),
    };
    const { scheduler, waits } = watched();
    const backoff = { baseMs: 211, capMs: 2000, floorMs: 10 };
    const table = tableAt({ backoff, random: () => 1, scheduler });
    table.start();
    await deal(table, 3);
    const growing = [211, 422, 844];
    await until('three waits', () => waits.filter((ms) => growing.includes(ms)).length === 3);
    expect(waits.filter((ms) => growing.includes(ms))).toEqual(growing);
    expect(table.journal.cursor('mqtt.event')).toBe(0);
    expect(table.faults.find(([kind]) => kind === 'publish-refused')?.[1]).toContain(
      'Not authorized',
    );
  });

  it.each([
    [0x87, REFUSED_FLOOR_MS * 2],
    [0x84, REFUSED_FLOOR_MS * 2],
    [0x88, 50],
  ])('refuses with %i: tried again after %i ms, nothing is lost', async (code, firstMs) => {
    broker.rules = { connack: code };
    const { scheduler, waits } = watched();
    const table = tableAt({ scheduler, random: () => 1 });
    table.start();
    await until('said', () => table.faults.length > 0);
    expect(waits[0]).toBe(firstMs);
    await deal(table, 5);
    expect(table.publisher.stats()).toMatchObject({ isUp: false, queued: 5 });
  });

  it('lets in and throws out at once: the waits grow', async () => {
    broker.rules = { connack: 'throw-out' };
    const { scheduler, waits } = watched();
    const backoff = { baseMs: 43, capMs: 2000, floorMs: 10 };
    const table = tableAt({ backoff, random: () => 1, scheduler });
    table.start();
    const growing = [43, 86, 172, 344, 688];
    await until('five waits', () => waits.filter((ms) => growing.includes(ms)).length === 5);
    expect(waits.filter((ms) => growing.includes(ms))).toEqual(growing);
    broker.rules = {};
    await deal(table, 5);
    await cursorAt(table, 5);
  });

  it('answers with rubbish: the link is given up and made anew', async () => {
    let rubbish = 5;
    broker.rules = {
      onPublish: (_n, _packet, answer) => {
        rubbish -= 1;
        if (rubbish === 0) answer.raw(Buffer.from('f0ffffffff7f00', 'hex'));
        else answer.ack();
      },
    };
    const table = tableAt({ pubackTimeoutMs: 1000 });
    table.start();
    await deal(table, 30);
    await cursorAt(table, 30);
    expectInOrder(broker.eventSeqs, 30);
  });

  it('is not there: rows wait in the journal, stop returns at once', async () => {
    await broker.stop();
    const table = tableAt();
    table.start();
    await deal(table, 10);
    await until('said', () => table.faults.some(([kind]) => kind === 'connect'));
    expect(table.publisher.stats()).toMatchObject({ isUp: false, queued: 10, outstanding: 0 });
    const before = Date.now();
    await table.publisher.stop();
    expect(Date.now() - before).toBeLessThan(500);
    broker = await new RawBroker().start();
  });

  it('stop with a broker that fell silent ends within two seconds', async () => {
    const table = tableAt();
    table.start();
    await until('link', () => table.publisher.stats().isUp);
    broker.rules = { onPublish: () => undefined };
    const before = Date.now();
    await table.publisher.stop();
    expect(Date.now() - before).toBeLessThan(3000);
  });

  it('announces will, keep-alive, fixed id and a clean start', async () => {
    const table = tableAt();
    table.start();
    await until('link', () => broker.connects.length > 0);
    const [connect] = broker.connects;
    expect(connect).toMatchObject({
      clientId: 'cutcard:north:p1:bac-04',
      clean: true,
      keepalive: 12,
      protocolVersion: 5,
      will: { topic: 'cutcard/v1/north/p1/bac-04/status', qos: 1, retain: true },
    });
    expect(JSON.parse(connect?.will?.payload.toString() ?? '')).toMatchObject({
      status: 'offline',
      reason: 'lost',
    });
  });

  it('a key file that cannot be used is said and tried again; it is no crash', async () => {
    let isBroken = true;
    const transport = new MqttTransport(() => {
      if (isBroken) throw new Error('device.crt: no such file');
      return { host: '127.0.0.1', port: broker.port, mqtt: '5', tls: null };
    });
    const table = liveTable(transport);
    tables.push(table);
    table.start();
    await until('said', () => table.faults.length > 0);
    expect(table.faults[0]).toEqual(['refused', 'device.crt: no such file']);
    isBroken = false;
    await table.publisher.stop();
  });
});
