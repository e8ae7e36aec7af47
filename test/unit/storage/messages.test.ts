import { describe, expect, it } from 'vitest';
import { encodeStep, NO_HASH } from '../../../storage/canonical.js';
import { fromWireRows, Shared, toWireRows } from '../../../storage/messages.js';
import { batchOf, chainSteps } from '../../../storage/rows.js';
import { stepAt, stepsFrom } from './steps.js';

const START = { seq: 0, hash: NO_HASH, atNs: 0 };

describe('rows on their way between threads', () => {
  it('arrive as they were sent, with letters beyond ASCII and what was signed', () => {
    const steps = stepsFrom(1, 130);
    expect(steps.map(encodeStep).join('')).toContain('§');
    const { rows } = chainSteps(START, steps, 'j');
    const signed = [{ seq: 130, body: '{"type":"x"}', signature: 'AAAA' }];
    for (const [checkpoints, key] of [
      [[], null],
      [signed, { name: 'n', publicKey: 'p' }],
    ] as const) {
      const batch = batchOf(steps, rows, checkpoints, key);
      expect(fromWireRows(structuredClone(toWireRows(batch)))).toEqual(batch);
    }
  });

  it('are none where there are none', () => {
    const batch = batchOf([], [], [], null);
    expect(fromWireRows(toWireRows(batch))).toEqual(batch);
    expect(toWireRows(batchOf([stepAt(1)], [], [], null)).numbers).toEqual([]);
  });
});

describe('what both threads see', () => {
  it('counts durable rows round at 2^32', () => {
    const ours = new Shared();
    const theirs = new Shared(new SharedArrayBuffer(8));
    expect([ours.durableRows, theirs.isWatched]).toEqual([0, false]);
    ours.addDurable(2 ** 31);
    ours.addDurable(2 ** 31 - 1);
    expect(ours.durableRows).toBe(2 ** 32 - 1);
    const before = ours.durableRows;
    ours.addDurable(3);
    expect(ours.durableRows).toBe(2);
    expect((ours.durableRows - before) >>> 0).toBe(3);
    ours.watch(true);
    expect([ours.isWatched, theirs.isWatched]).toEqual([true, false]);
    ours.watch(false);
    expect(ours.isWatched).toBe(false);
  });
});
