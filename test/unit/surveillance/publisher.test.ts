import { describe, expect, it } from 'vitest';
import { FakeTransport } from '../../../surveillance/mqtt/fake-transport.js';
import { benchOf, card, findingOf, hashOf, MemoryJournal, ROOT, seqsOf } from './rows.js';
import { SimulatedClock } from '../../../controller/core/simulated-clock.js';

const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1);
const fill = async (journal: MemoryJournal, n: number): Promise<void> => {
  for (let seq = journal.head().seq + 1, i = 0; i < n; i += 1, seq += 1) {
    await journal.append([
      {
        observation: { seq, atNs: seq * 1e6, wallMs: seq, wallTrusted: true, ...card },
        decisions: [],
      },
    ]);
  }
};

describe('the outbox', () => {
  it('publishes each row in order with its chain, and a birth before it', async () => {
    const bench = benchOf();
    bench.publisher.start(bench.state);
    await bench.pass(10);
    for (let i = 0; i < 50; i += 1) await bench.commit(card);
    await bench.pass(500);
    const events = bench.got('event');
    expect(seqsOf(events)).toEqual(upTo(50));
    expect(bench.got('status')[0]).toMatchObject({ status: 'online', reason: 'start', seq: 0 });
    expect(bench.transport.published[0]?.topic).toBe(`${ROOT}/status`);
    let prev = '0'.repeat(64);
    for (const message of bench.transport.published) {
      if (message.topic !== `${ROOT}/event`) continue;
      const body = `{${message.payload.slice(message.payload.indexOf('"decisions":'))}`;
      const hash = hashOf(prev, body);
      expect(message.payload).toContain(`"prev":"${prev}","hash":"${hash}"`);
      expect(message.payload).not.toContain('historical');
      prev = hash;
    }
    expect(bench.journal.cursor('mqtt.event')).toBe(50);
    expect(bench.publisher.stats()).toMatchObject({ isUp: true, queued: 0, outstanding: 0 });
  });

  it('never has more outstanding than the window, nor than the broker takes', async () => {
    for (const receiveMaximum of [65_535, 10, 1]) {
      const clock = new SimulatedClock();
      const transport = new FakeTransport({ scheduler: clock, receiveMaximum });
      const bench = benchOf({ clock, transport, window: 20 });
      bench.publisher.start(bench.state);
      await bench.pass(10);
      transport.hold(true);
      for (let i = 0; i < 100; i += 1) await bench.commit(card);
      await bench.pass(100);
      const { outstanding } = bench.publisher.stats();
      expect(outstanding).toBeLessThanOrEqual(Math.min(20, receiveMaximum));
      expect(outstanding).toBeGreaterThan(0);
    }
  });

  it('goes back to the last acknowledged row when the link is lost', async () => {
    const bench = benchOf();
    bench.publisher.start(bench.state);
    await bench.pass(10);
    for (let i = 0; i < 5; i += 1) await bench.commit(card);
    await bench.pass(100);
    bench.transport.hold(true);
    for (let i = 0; i < 100; i += 1) await bench.commit(card);
    await bench.pass(100);
    expect(bench.journal.cursor('mqtt.event')).toBe(5);
    bench.transport.network(false);
    await bench.pass(5000);
    bench.transport.hold(false);
    bench.transport.network(true);
    await bench.pass(120_000);
    const seqs = seqsOf(bench.got('event'));
    expect([...new Set(seqs)].sort((a, b) => a - b)).toEqual(upTo(105));
    const second = seqs.slice(seqs.lastIndexOf(6));
    expect(second).toEqual(upTo(105).slice(5));
    expect(bench.journal.cursor('mqtt.event')).toBe(105);
    expect(bench.got('status').map((status) => JSON.stringify(status))).toEqual([
      expect.stringContaining('"reason":"start"'),
      expect.stringContaining('"reason":"lost"'),
      expect.stringContaining('"reason":"start"'),
    ]);
  });

  it('drains 10,000 offline rows with a bounded window, marked historical, none lost', async () => {
    const journal = new MemoryJournal();
    await fill(journal, 10_000);
    const bench = benchOf({ journal, inspect: () => undefined });
    bench.publisher.start(bench.state);
    await bench.pass(10_000);
    const events = bench.got('event');
    expect(seqsOf(events)).toEqual(upTo(10_000));
    expect(events[0]).toMatchObject({ historical: true });
    expect(events.at(-1)).toMatchObject({ historical: true });
    await bench.commit(card);
    await bench.pass(100);
    expect(bench.got('event').at(-1)).not.toHaveProperty('historical');
  });

  it('a week without a network: attempts stay rare, then all come in order', async () => {
    const bench = benchOf({ random: () => 0.5 });
    bench.publisher.start(bench.state);
    await bench.pass(10);
    bench.transport.network(false);
    for (let hour = 0; hour < 7 * 24; hour += 1) {
      for (let i = 0; i < 5; i += 1) await bench.commit(card);
      await bench.pass(3_600_000);
    }
    // At most one attempt in some thirty seconds, and still trying.
    expect(bench.transport.attempts).toBeLessThan(7 * 24 * 130);
    expect(bench.transport.attempts).toBeGreaterThan(7 * 24 * 60);
    expect(bench.publisher.stats()).toMatchObject({ queued: 840, outstanding: 0 });
    bench.transport.network(true);
    await bench.pass(120_000);
    expect(seqsOf(bench.got('event'))).toEqual(upTo(840));
  });

  it('takes a silent link for dead after the PUBACK time-out and starts again', async () => {
    const bench = benchOf({ pubackTimeoutMs: 15_000 });
    bench.publisher.start(bench.state);
    await bench.pass(10);
    bench.transport.network('silent');
    await bench.commit(card);
    await bench.pass(14_000);
    expect(bench.publisher.stats().isUp).toBe(true);
    await bench.pass(2000);
    bench.transport.network(true);
    expect(bench.faults.map(([kind]) => kind)).toContain('puback-timeout');
    await bench.pass(10_000);
    expect(seqsOf(bench.got('event'))).toEqual([1]);
  });

  it('keeps a row the broker cannot hold, says so, and lets alerts pass', async () => {
    const clock = new SimulatedClock();
    const transport = new FakeTransport({ scheduler: clock, maximumPacketBytes: 1500 });
    const bench = benchOf({ clock, transport });
    bench.publisher.start(bench.state);
    await bench.pass(10);
    const long = 'x'.repeat(400);
    await bench.commit(card, [
      { do: 'raised', finding: findingOf('1.0', { expected: long, observed: long, remedy: long }) },
    ]);
    await bench.pass(1000);
    expect(bench.got('event')).toEqual([]);
    expect(bench.got('alert')).toHaveLength(1);
    expect(bench.faults[0]?.[1]).toContain('raise its largest packet');
    expect(bench.publisher.stats().queued).toBe(1);
  });

  it('tries again when the journal cannot be read for a while', async () => {
    const journal = new MemoryJournal();
    await fill(journal, 3);
    journal.failing = 'disk I/O error';
    const bench = benchOf({ journal });
    bench.publisher.start(bench.state);
    await bench.pass(2500);
    expect(bench.got('event')).toEqual([]);
    expect(bench.faults.map(([, text]) => text)).toContain(
      'rows after 0 cannot be read: disk I/O error',
    );
    journal.failing = null;
    await bench.pass(2000);
    expect(seqsOf(bench.got('event'))).toEqual([1, 2, 3]);
  });

  it('stays down on a refused publish and does not move the cursor', async () => {
    const bench = benchOf();
    bench.transport.refuse((message) =>
      message.topic.endsWith('/event') ? 'Not authorized' : null,
    );
    bench.publisher.start(bench.state);
    await bench.pass(10);
    await bench.commit(card);
    await bench.pass(60_000);
    expect(bench.journal.cursor('mqtt.event')).toBe(0);
    expect(bench.faults.map(([kind]) => kind)).toContain('publish-refused');
    expect(bench.transport.attempts).toBeLessThan(60);
    bench.transport.refuse(null);
    await bench.pass(60_000);
    expect(bench.journal.cursor('mqtt.event')).toBe(1);
  });
});

describe('alerts', () => {
  it("follow a finding's whole life", async () => {
    const bench = benchOf({ cameras: ['C-17', 'C-18'] });
    bench.publisher.start(bench.state);
    await bench.pass(10);
    const by = { role: 'floor', badge: 'F-1' } as const;
    await bench.commit(card, [{ do: 'raised', finding: findingOf('1.0') }]);
    await bench.commit(card, [{ do: 'changed', finding: findingOf('1.0', { by: 2 }) }]);
    await bench.commit(card, [{ do: 'acknowledged', id: '1.0', by }]);
    await bench.commit(card, [
      { do: 'cleared', id: '1.0', code: 'burn.short', by, how: 'remedied' },
      { do: 'direct', directive: { to: 'video', mark: 'burn.short' } },
    ]);
    await bench.pass(100);
    expect(bench.got('alert')).toMatchObject([
      { seq: 1, n: 0, change: 'raised', code: 'burn.short', clause: '631a.5(f)' },
      { seq: 2, n: 0, change: 'changed', finding: { by: 2 } },
      { seq: 3, n: 0, change: 'acknowledged', finding: { by: 2, acknowledged: by }, by },
      { seq: 4, n: 0, change: 'cleared', how: 'remedied', code: 'burn.short', finding: { by: 2 } },
    ]);
    expect(bench.got('mark')).toMatchObject([
      { seq: 4, n: 1, mark: 'burn.short', from: 'rules', cameras: ['C-17', 'C-18'] },
    ]);
    expect(bench.got('state').at(-1)).toMatchObject({ seq: 4, findings: [] });
  });

  it('raised now do not wait behind a week of backlog', async () => {
    const journal = new MemoryJournal();
    await fill(journal, 20_000);
    const bench = benchOf({ journal, inspect: () => undefined });
    bench.publisher.start(bench.state);
    await bench.pass(20);
    await bench.commit(card, [
      {
        do: 'raised',
        finding: findingOf('20001.0', { severity: 'stop', code: 'shuffle.missing' }),
      },
    ]);
    await bench.pass(5);
    const before = bench.transport.published.findIndex(({ topic }) => topic.endsWith('/alert'));
    expect(bench.got('alert')).toMatchObject([{ seq: 20_001, change: 'raised' }]);
    expect(before).toBeLessThan(2000);
    await bench.pass(20_000);
    expect(seqsOf(bench.got('event'))).toEqual(upTo(20_001));
    expect(bench.got('alert')).toHaveLength(1);
    expect(journal.cursor('mqtt.alert')).toBeGreaterThanOrEqual(20_000);
  });

  it('raised during an outage come afterwards, historical, with what they cleared', async () => {
    const bench = benchOf();
    bench.transport.network(false);
    bench.publisher.start(bench.state);
    await bench.commit(card, [{ do: 'raised', finding: findingOf('1.0') }]);
    await bench.commit(card);
    await bench.commit(card, [
      { do: 'cleared', id: '1.0', code: 'burn.short', by: { role: 'system' }, how: 'remedied' },
    ]);
    await bench.pass(100_000);
    bench.transport.network(true);
    await bench.pass(100_000);
    expect(bench.got('alert')).toMatchObject([
      { seq: 1, change: 'raised', historical: true },
      { seq: 3, change: 'cleared', code: 'burn.short', historical: true },
    ]);
  });

  it('lost with the link are sent again', async () => {
    const bench = benchOf();
    bench.publisher.start(bench.state);
    await bench.pass(10);
    bench.transport.hold(true);
    await bench.commit(card, [{ do: 'raised', finding: findingOf('1.0') }]);
    await bench.pass(10);
    bench.transport.network(false);
    await bench.pass(1000);
    bench.transport.hold(false);
    bench.transport.network(true);
    await bench.pass(60_000);
    expect(bench.got('alert')).toMatchObject([{ seq: 1 }, { seq: 1, historical: true }]);
    expect(bench.journal.cursor('mqtt.alert')).toBe(1);
  });
});

describe('state, status and health', () => {
  it('coalesces states: the newest wins and is retained', async () => {
    const bench = benchOf();
    bench.publisher.start(bench.state);
    await bench.pass(10);
    for (let i = 0; i < 500; i += 1) await bench.commit(card);
    await bench.pass(1000);
    const states = bench.got('state');
    expect(states.length).toBeLessThan(10);
    expect(states.at(-1)).toMatchObject({ seq: 500 });
    expect(bench.transport.retained(`${ROOT}/state`)?.payload).toContain('"seq":500');
  });

  it('says good-bye', async () => {
    const bench = benchOf();
    bench.publisher.start(bench.state);
    await bench.pass(10);
    const stopped = bench.publisher.stop();
    await bench.pass(100);
    await stopped;
    expect(bench.got('status').at(-1)).toMatchObject({ status: 'offline', reason: 'stop' });
    await bench.pass(600_000);
    expect(bench.transport.attempts).toBe(1);
  });

  it('reports its own queue with the health of the box', async () => {
    const bench = benchOf();
    bench.publisher.start(bench.state);
    await bench.pass(10);
    await bench.commit(card);
    await bench.pass(100);
    bench.publisher.health({
      uptimeS: 60,
      rssBytes: 80e6,
      diskFreeBytes: null,
      temperatureC: 51.2,
      devices: { mouth: { up: true, stale: false, quality: 0.97 } },
    });
    expect(bench.got('health')).toMatchObject(
      [
        { seq: 0, queued: 0, undelivered: 1, connects: 1, temperatureC: 51.2, diskFreeBytes: null },
      ].map((health) => ({ ...health, seq: 1 })),
    );
  });

  it('keeps its documents at the broker, and sends them again to one that lost them', async () => {
    const bench = benchOf();
    bench.publisher.start(bench.state);
    bench.publisher.documents({
      documents: [{ kind: 'table', hash: 'a'.repeat(64), text: '{}' }],
      key: { name: 'b'.repeat(64), publicKey: 'AAAA' },
    });
    await bench.pass(10);
    const kept = (): string => bench.transport.retained(`${ROOT}/documents`)?.payload ?? '';
    expect(kept()).toContain('"kind":"table"');
    bench.transport.network(false);
    bench.transport.wipe();
    expect(kept()).toBe('');
    bench.transport.network(true);
    await bench.pass(60_000);
    expect(kept()).toContain('"kind":"table"');
  });

  it('sends the last checkpoint again at each connect', async () => {
    const bench = benchOf();
    bench.publisher.start(bench.state);
    await bench.pass(10);
    bench.publisher.checkpoint({
      seq: 1,
      hash: 'a'.repeat(64),
      boot: 1,
      procedure: null,
      table: null,
      wallMs: 1,
      wallTrusted: true,
      key: 'k',
      signature: 's',
    });
    await bench.pass(10);
    bench.transport.network(false);
    bench.transport.wipe();
    await bench.pass(1000);
    bench.transport.network(true);
    await bench.pass(60_000);
    expect(bench.transport.retained(`${ROOT}/checkpoint`)?.payload).toContain('"seq":1');
    expect(bench.transport.retained(`${ROOT}/status`)?.payload).toContain('online');
  });
});

describe('back-off', () => {
  it('does not storm a broker that lets in and throws out at once', async () => {
    const bench = benchOf({ random: () => 1 });
    bench.publisher.start(bench.state);
    for (let i = 0; i < 600; i += 1) {
      await bench.pass(1000);
      bench.transport.end({ kind: 'lost', reason: 'thrown out' });
    }
    expect(bench.transport.attempts).toBeLessThan(25);
  });

  it('begins anew after a link that held', async () => {
    const bench = benchOf({ random: () => 1 });
    bench.publisher.start(bench.state);
    bench.transport.network(false);
    await bench.pass(300_000);
    bench.transport.network(true);
    await bench.pass(120_000);
    const before = bench.transport.attempts;
    bench.transport.end({ kind: 'lost', reason: 'restart' });
    await bench.pass(600);
    expect(bench.transport.attempts).toBe(before + 1);
  });

  it('keeps well away when another box carries the same name', async () => {
    const bench = benchOf({ random: () => 0 });
    bench.publisher.start(bench.state);
    await bench.pass(40_000);
    bench.transport.end({ kind: 'taken-over', reason: 'another client came with this id' });
    await bench.pass(14_000);
    expect(bench.transport.attempts).toBe(1);
    expect(bench.faults.map(([kind]) => kind)).toContain('taken-over');
    await bench.pass(2000);
    expect(bench.transport.attempts).toBe(2);
  });
});
