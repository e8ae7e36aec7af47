import { describe, expect, it } from 'vitest';
import type { Role } from '../../../controller/core/cards.js';
import type { Decision } from '../../../controller/core/decision.js';
import type { Order } from '../../../surveillance/contract/messages.js';
import { CommandGuard, type Verdict } from '../../../surveillance/mqtt/command-guard.js';
import {
  commandKeyOf,
  makeCommandKey,
  signOrder,
} from '../../../surveillance/mqtt/command-sign.js';
import { benchOf, card, findingOf, ROOT } from './rows.js';

const TABLE = 'north/p1/bac-04';
const START = { wallMs: 1_800_000_000_000, wallTrusted: true };
const NOW = { wallMs: START.wallMs + 60_000, wallTrusted: true };
const keyOf = (name: string, role: Role) => {
  const { pem, publicKey } = makeCommandKey();
  return { name, role, publicKey, secret: commandKeyOf(pem) };
};
const floor = keyOf('floor-1', 'floor');
const dealer = keyOf('dealer-1', 'dealer');
const watch = keyOf('watch', 'surveillance');
const listed = [floor, dealer, watch].map(({ name, role, publicKey }) => ({
  name,
  role,
  publicKey,
}));

let nonces = 0;
const frame = (issuedMs = NOW.wallMs) => ({
  table: TABLE,
  nonce: `nonce-${String((nonces += 1)).padStart(16, '0')}`,
  issuedMs,
  expiresMs: issuedMs + 30_000,
});
const guardOf = (): CommandGuard => {
  const guard = new CommandGuard(TABLE, listed);
  guard.start(START);
  return guard;
};
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const judged = (guard: CommandGuard, order: Order, key = floor, now = NOW): Verdict =>
  guard.judge(bytes(signOrder(order, key.name, key.secret)), now);
const refusalOf = (verdict: Verdict): string => (verdict.taken ? 'taken' : verdict.reason);

describe('an order over the network', () => {
  it.each<Order>([
    { ...frame(), cmd: 'ack', finding: '12.0' },
    { ...frame(), cmd: 'clear', finding: 'burn.short' },
    { ...frame(), cmd: 'mark', text: 'look at seat 3' },
    { ...frame(), cmd: 'resend', from: 1, to: 9 },
  ])('is taken: $cmd', (order) => {
    expect(judged(guardOf(), order)).toEqual({ taken: true, order, key: 'floor-1', role: 'floor' });
  });

  it('is refused when it is sent twice', () => {
    const guard = guardOf();
    const order: Order = { ...frame(), cmd: 'mark', text: 'a' };
    expect(judged(guard, order).taken).toBe(true);
    expect(refusalOf(judged(guard, order))).toContain('replayed');
  });

  it('is refused when an older one is played after a newer one, whatever the clock says', () => {
    const guard = guardOf();
    const old: Order = { ...frame(NOW.wallMs - 1000), cmd: 'mark', text: 'a' };
    expect(judged(guard, { ...frame(), cmd: 'mark', text: 'b' }).taken).toBe(true);
    expect(refusalOf(judged(guard, old))).toContain('replayed');
    const setBack = { ...NOW, wallMs: old.issuedMs };
    expect(refusalOf(judged(guard, old, floor, setBack))).toContain('replayed');
  });

  it('from before this start is refused: a restart forgets nothing that could be replayed', () => {
    const order: Order = { ...frame(), cmd: 'mark', text: 'a' };
    expect(judged(guardOf(), order).taken).toBe(true);
    const restarted = new CommandGuard(TABLE, listed);
    restarted.start(NOW);
    expect(refusalOf(judged(restarted, order))).toContain('before this table started');
  });

  it.each([
    ['expired', { wallMs: NOW.wallMs + 30_001 }, 'expired'],
    ['from the future', { wallMs: NOW.wallMs - 5001 }, 'future'],
    ['of unknown age', { wallTrusted: false }, 'not known to be right'],
  ])('%s is refused', (_name, clock, reason) => {
    const order: Order = { ...frame(), cmd: 'ack', finding: '1.0' };
    expect(refusalOf(judged(guardOf(), order, floor, { ...NOW, ...clock }))).toContain(reason);
  });

  it.each([
    ['longer than a minute', { expiresMs: NOW.wallMs + 60_001 }, 'at most 60 s'],
    ['backwards', { expiresMs: NOW.wallMs - 1 }, 'at most 60 s'],
  ])('that lives %s is refused', (_name, more, reason) => {
    const order: Order = { ...frame(), ...more, cmd: 'ack', finding: '1.0' };
    expect(refusalOf(judged(guardOf(), order))).toContain(reason);
  });

  it('for another table is refused', () => {
    const order: Order = { ...frame(), table: 'north/p1/bac-05', cmd: 'clear', finding: '1.0' };
    expect(refusalOf(judged(guardOf(), order))).toContain('is for `north/p1/bac-05`');
  });

  it('of too low a role is refused', () => {
    const order: Order = { ...frame(), cmd: 'clear', finding: '1.0' };
    expect(refusalOf(judged(guardOf(), order, dealer))).toContain('takes the role floor');
  });

  it('of a key that is not listed, or signed by another, is refused', () => {
    const guard = guardOf();
    const stranger = keyOf('stranger', 'floor');
    const order: Order = { ...frame(), cmd: 'clear', finding: '1.0' };
    expect(refusalOf(judged(guard, order, stranger))).toContain("not on this table's list");
    expect(refusalOf(judged(guard, order, { ...stranger, name: 'floor-1' }))).toContain(
      'not that of the key',
    );
  });

  it('changed by one character after it was signed is refused', () => {
    const order: Order = { ...frame(), cmd: 'resend', from: 1, to: 9 };
    const text = signOrder(order, 'floor-1', floor.secret);
    for (let i = 0; i < text.length; i += 1) {
      const changed = text.slice(0, i) + (text[i] === 'A' ? 'B' : 'A') + text.slice(i + 1);
      const verdict = guardOf().judge(bytes(changed), NOW);
      if (!verdict.taken) continue;
      // Unused bits at the end of the base64 text are no part of the signature.
      expect(changed.slice(0, i).includes('"signature"')).toBe(true);
    }
  });

  it('with a field too many is refused: what is signed is what is meant', () => {
    const order = { ...frame(), cmd: 'mark' as const, text: 'a', role: 'floor' };
    expect(refusalOf(judged(guardOf(), order))).toContain('not well formed');
  });

  it('survives a flood of nonsense', () => {
    const guard = guardOf();
    let seed = 7;
    const next = (): number => (seed = (seed * 48_271) % 2_147_483_647);
    for (let i = 0; i < 5000; i += 1) {
      const junk = Uint8Array.from({ length: next() % 300 }, () => next() % 256);
      expect(guard.judge(junk, NOW).taken).toBe(false);
    }
  });

  it('the list itself is checked: twice the same name, a key of the wrong length', () => {
    expect(() => new CommandGuard(TABLE, [...listed, ...listed])).toThrow('listed twice');
    expect(
      () => new CommandGuard(TABLE, [{ name: 'x', role: 'floor', publicKey: 'AAAA' }]),
    ).toThrow('32 bytes');
  });
});

const running = async () => {
  const bench = benchOf({ keys: listed });
  bench.publisher.start(bench.state);
  await bench.pass(6000);
  const send = (order: Order, key = floor, more = {}): void => {
    bench.transport.deliver(`${ROOT}/cmd`, signOrder(order, key.name, key.secret), more);
  };
  return { bench, send, at: () => bench.clock.wallMs() };
};

describe('what becomes of an order', () => {
  it('a clear is recorded, pressed for the rules and answered when durable', async () => {
    const { bench, send, at } = await running();
    send({ ...frame(at()), cmd: 'clear', finding: '12.0' });
    await bench.pass(100);
    expect(bench.told).toMatchObject([
      { kind: 'command', command: 'clear', taken: true, key: 'floor-1', note: '12.0' },
      { kind: 'press', key: 'clear', role: 'floor', badge: 'floor-1', finding: '12.0' },
    ]);
    expect(bench.got('cmd/reply')).toEqual([]);
    const [command, press] = bench.told.slice();
    if (command !== undefined) await bench.commit(command);
    await bench.pass(100);
    // That it was taken says nothing: what the rules made of it is the answer.
    expect(bench.got('cmd/reply')).toEqual([]);
    if (press !== undefined) await bench.commit(press);
    await bench.pass(100);
    expect(bench.got('cmd/reply')).toMatchObject([
      { taken: true, cmd: 'clear', role: 'floor', ruled: { seq: 2 }, seq: 2 },
    ]);
  });

  it('one the rules refuse is answered with their reason, and its clause', async () => {
    const { bench, send, at } = await running();
    send({ ...frame(at()), cmd: 'ack', finding: '12.1' });
    const [command, press] = bench.told.slice();
    if (command !== undefined) await bench.commit(command);
    // Somebody at the table presses another key meanwhile.
    await bench.commit({ kind: 'press', role: 'dealer', key: 'round-end' });
    const [clause, reason] = ['policy:clear', 'no finding "12.1" is open'];
    const refused: Decision = { do: 'refused', key: 'acknowledge', clause, reason };
    if (press !== undefined) await bench.commit(press, [refused]);
    await bench.pass(100);
    expect(bench.got('cmd/reply')).toMatchObject([
      { taken: true, cmd: 'ack', ruled: { seq: 3, refused: reason, clause }, seq: 3 },
    ]);
  });

  it('one recorded before the journal stopped is answered, without what came of it', async () => {
    const { bench, send, at } = await running();
    send({ ...frame(at()), cmd: 'ack', finding: '12.1' });
    const [command] = bench.told.slice();
    if (command !== undefined) await bench.commit(command);
    const fault = 'the disk is full';
    bench.publisher.journalFault({ fault, gate: 'locked', tower: null, display: null });
    await bench.pass(100);
    const replies = bench.got('cmd/reply');
    expect(replies).toMatchObject([{ taken: true, cmd: 'ack', seq: 1 }]);
    expect(replies[0]).not.toHaveProperty('ruled');
  });

  it('a refused one is recorded with its reason and answered', async () => {
    const { bench, send, at } = await running();
    send({ ...frame(at()), cmd: 'clear', finding: '12.0' }, dealer);
    expect(bench.told).toMatchObject([
      { kind: 'command', command: 'clear', taken: false, key: 'dealer-1', role: 'dealer' },
    ]);
    for (const happening of bench.told.slice()) await bench.commit(happening);
    await bench.pass(100);
    expect(bench.got('cmd/reply')).toMatchObject([
      { taken: false, reason: '`clear` takes the role floor; the key has dealer' },
    ]);
  });

  it('a mark reaches the video', async () => {
    const { bench, send, at } = await running();
    send({ ...frame(at()), cmd: 'mark', text: 'seat 3\nlate bet' }, watch);
    for (const happening of bench.told.slice()) await bench.commit(happening);
    await bench.pass(100);
    expect(bench.got('mark')).toMatchObject([
      { seq: 1, mark: 'seat 3 late bet', from: 'command', key: 'watch' },
    ]);
  });

  it('resend sends rows again, historical, and leaves the cursor alone', async () => {
    const { bench, send, at } = await running();
    for (let i = 0; i < 20; i += 1) await bench.commit(card);
    await bench.pass(100);
    send({ ...frame(at()), cmd: 'resend', from: 5, to: 8 });
    for (const happening of bench.told.slice()) await bench.commit(happening);
    await bench.pass(100);
    const again = bench
      .got('event')
      .filter((event) => JSON.stringify(event).includes('historical'));
    expect(again).toMatchObject([{ seq: 5 }, { seq: 6 }, { seq: 7 }, { seq: 8 }]);
    expect(bench.journal.cursor('mqtt.event')).toBe(21);
  });

  it('a storm of resends is bounded, and a live alert overtakes all of it', async () => {
    const { bench, send, at } = await running();
    for (let i = 0; i < 2000; i += 1) await bench.commit(card);
    await bench.pass(60_000);
    const before = bench.journal.head().seq;
    const ask = async (rounds: number): Promise<void> => {
      for (let i = 0; i < rounds; i += 1) {
        send({ ...frame(at()), cmd: 'resend', from: 1 + (i % 7), to: before });
        for (const happening of bench.told.splice(0)) await bench.commit(happening);
      }
    };
    await ask(1000);
    // 32 questions and as many refusals as are recorded of any flood: each is one row.
    expect(bench.journal.head().seq - before).toBeLessThanOrEqual(32 + 100);
    await bench.pass(5);
    const sent = bench.transport.published.length;
    const decisions = [{ do: 'raised', finding: findingOf('9.0', { severity: 'stop' }) }] as const;
    await bench.commit({ kind: 'mouth.clear' }, decisions);
    await ask(200);
    await bench.pass(1000);
    const after = bench.transport.published.slice(sent).map(({ topic }) => topic);
    const rowsBefore = after.slice(0, after.indexOf(`${ROOT}/alert`));
    expect(after).toContain(`${ROOT}/alert`);
    // Only what was under way when it was raised: no row that was asked for waits before it.
    expect(rowsBefore.length).toBeLessThanOrEqual(32);
    await bench.pass(120_000);
    const { seq } = bench.journal.head();
    expect(bench.journal.cursor('mqtt.event')).toBe(seq);
    // Eight ranges at most are sent again, not one a question.
    expect(bench.got('event').length).toBeLessThanOrEqual(seq + 8 * before * 3);
    expect(bench.faults).toEqual([]);
  });

  it('resend of rows that do not exist is answered with why', async () => {
    const { bench, send, at } = await running();
    send({ ...frame(at()), cmd: 'resend', from: 500, to: 600 });
    for (const happening of bench.told.slice()) await bench.commit(happening);
    await bench.pass(100);
    expect(bench.got('cmd/reply')).toMatchObject([
      { taken: false, reason: 'row 500 does not exist yet; the newest is 1' },
    ]);
  });

  it("answers where it was asked to, but only within the table's own branch", async () => {
    const { bench, send, at } = await running();
    const correlation = bytes('c1');
    send({ ...frame(at()), cmd: 'mark', text: 'a' }, floor, {
      responseTopic: `${ROOT}/cmd/reply/desk-2`,
      correlation,
    });
    send({ ...frame(at() + 1), cmd: 'mark', text: 'b' }, floor, {
      responseTopic: 'cutcard/v1/north/p1/bac-05/event',
    });
    for (const happening of bench.told.slice()) await bench.commit(happening);
    await bench.pass(100);
    const answers = bench.transport.published.filter(({ topic }) => topic.includes('/cmd/'));
    expect(answers).toMatchObject([
      { topic: `${ROOT}/cmd/reply/desk-2`, correlation },
      { topic: `${ROOT}/cmd/reply` },
    ]);
  });

  it('a flood is refused whole, recorded in part, and the rest counted', async () => {
    const { bench, send, at } = await running();
    for (let i = 0; i < 1000; i += 1) bench.transport.deliver(`${ROOT}/cmd`, 'x');
    const recorded = bench.told.length;
    expect(recorded).toBeLessThanOrEqual(128);
    expect(bench.publisher.stats().refusedCommands).toBe(1000);
    for (const happening of bench.told.slice()) await bench.commit(happening);
    await bench.pass(2000);
    bench.transport.deliver(`${ROOT}/cmd`, 'x');
    expect(bench.told.at(-1)).toMatchObject({ taken: false, uncounted: 1000 - recorded });
    send({ ...frame(at()), cmd: 'mark', text: 'still here' });
    expect(bench.told.at(-1)).toMatchObject({ taken: true });
  });

  it('a retained command is refused', async () => {
    const { bench, send, at } = await running();
    send({ ...frame(at()), cmd: 'mark', text: 'a' }, floor, { retain: true });
    expect(bench.told).toMatchObject([
      { taken: false, note: 'a retained command is stale by nature' },
    ]);
  });
});

describe("a consumer's ack", () => {
  const claim = async (
    bench: ReturnType<typeof benchOf>,
    seq: number,
    hash?: string,
  ): Promise<void> => {
    const ours = bench.journal.rows[seq - 1]?.hash ?? '0'.repeat(64);
    bench.transport.deliver(`${ROOT}/ack/historian`, JSON.stringify({ seq, hash: hash ?? ours }));
    await bench.pass(10);
  };
  const dealt = async () => {
    const bench = benchOf();
    bench.publisher.start(bench.state);
    await bench.pass(10);
    for (let i = 0; i < 10; i += 1) await bench.commit(card, [{ do: 'moved', phase: 'round' }]);
    await bench.pass(100);
    return bench;
  };

  it('counts only with the hash of our row', async () => {
    const bench = await dealt();
    await claim(bench, 7);
    expect(bench.publisher.delivered).toBe(7);
    expect(bench.publisher.stats().undelivered).toBe(3);
    await claim(bench, 9, 'f'.repeat(64));
    expect(bench.publisher.delivered).toBe(7);
    expect(bench.faults).toMatchObject([['ack-mismatch', expect.stringContaining('rewritten')]]);
  });

  it('ahead of the journal says that the journal was lost', async () => {
    const bench = await dealt();
    await claim(bench, 11, 'f'.repeat(64));
    expect(bench.faults).toMatchObject([['ack-ahead', expect.stringContaining('ends at 10')]]);
  });

  it('that goes back makes everything after it go again', async () => {
    const bench = await dealt();
    await claim(bench, 9);
    await claim(bench, 4);
    await bench.pass(100);
    expect(bench.publisher.delivered).toBe(4);
    expect(bench.faults.map(([kind]) => kind)).toEqual(['consumer-went-back']);
    expect(bench.got('event').slice(10)).toMatchObject([5, 6, 7, 8, 9, 10].map((seq) => ({ seq })));
    expect(bench.journal.cursor('mqtt.event')).toBe(10);
  });

  it('of a consumer nobody named decides nothing', async () => {
    const bench = await dealt();
    const { hash } = bench.journal.rows[4]!;
    bench.transport.deliver(`${ROOT}/ack/other`, JSON.stringify({ seq: 5, hash }));
    await bench.pass(10);
    expect(bench.publisher.delivered).toBe(0);
  });

  it.each(['', '{}', '[1]', `{"seq":-1,"hash":"${'a'.repeat(64)}"}`, 'x'.repeat(600)])(
    'that cannot be read is a fault, not an end: %s',
    async (payload) => {
      const bench = await dealt();
      bench.transport.deliver(`${ROOT}/ack/historian`, payload);
      await bench.pass(10);
      expect(bench.faults.map(([kind]) => kind)).toEqual(['ack-unreadable']);
      expect(bench.publisher.stats().isUp).toBe(true);
    },
  );
});
