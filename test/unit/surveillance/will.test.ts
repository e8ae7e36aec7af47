import { describe, expect, it } from 'vitest';
import { benchOf } from './rows.js';

describe('the will', () => {
  it('names the start whose row is durable before the link is opened', async () => {
    const bench = benchOf();
    const stamp = { seq: 1, atNs: 0, wallMs: 0, wallTrusted: true };
    const observation = { ...stamp, kind: 'power.boot', unclean: false, boot: 3 } as const;
    const step = { observation, decisions: [] };
    await bench.journal.append([step]);
    const { house } = bench.state;
    const state = { ...bench.state, seq: 1, house: { ...house, boot: 3 } };
    bench.publisher.start(bench.state, [[step, state]]);
    await bench.pass(10);
    bench.transport.network(false);
    await bench.pass(100);
    expect(bench.got('status')).toMatchObject([
      { status: 'online', reason: 'start', boot: 3 },
      { status: 'offline', reason: 'lost', boot: 3, seq: 1 },
    ]);
  });
});
