import { describe, expect, it } from 'vitest';
import { tableIdOf } from '../../../surveillance/floor/api.js';
import { Asker } from '../../../surveillance/floor/asker.js';
import { asked, text, time } from '../../../surveillance/floor/http/query.js';
import { newRecord, type TableRecord } from '../../../surveillance/floor/tile.js';

const recordOf = (key: string): TableRecord => {
  const id = tableIdOf(key);
  if (id === null) throw new Error(`${key} is no table`);
  return { ...newRecord(id, key, 0), seq: 3, top: 4 };
};

describe('asking for missing rows', () => {
  it('gives every table its turn, and names the row a wedged table waits for', async () => {
    const records = Array.from({ length: 120 }, (_, i) => recordOf(`n/p/t${i}`));
    const told = new Map<string, string>();
    const bench = { nowMs: 1000 };
    const asker = new Asker({
      records: () => records,
      gaps: () => Promise.resolve([]),
      told: ({ key }, gaps) => void told.set(key, JSON.stringify(gaps)),
      missing: () => undefined,
      adopt: () => Promise.resolve(),
      publish: () => true,
      key: null,
      nowMs: () => bench.nowMs,
      asked: () => undefined,
    });
    await asker.tick();
    bench.nowMs += 5000;
    for (let i = 0; i < 3; i += 1) await asker.tick();
    expect(told.size).toBe(120);
    expect(new Set(told.values())).toEqual(new Set(['[{"from":4,"to":4}]']));
  });
});

describe('what may be asked', () => {
  it('is a time with a day of its own, and a text that a store can hold', () => {
    for (const wrong of ['+275760-09-13', '8640000000000000', '999999999999999', 'soon']) {
      expect(() => asked(time, wrong)).toThrow(/1970 to 9999/);
    }
    expect(asked(time, '2026-11-29T20:00Z')).toBe(Date.UTC(2026, 10, 29, 20));
    expect(() => asked(text, 'a\0b')).toThrow(/NUL/);
  });
});
