import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Control } from './control.js';
import { fit } from './fit.js';
import { soak } from './soak.js';

const series = (values: readonly number[], mayGrow: number) =>
  fit({ name: 'heapMb', unit: 'MB', values, mayGrow });

describe('what grows over a soak', () => {
  it('is judged by the line after the warm-up, not by its first samples or one high one', () => {
    const flat = Array.from({ length: 40 }, (_, i) => (i < 10 ? i : 10));
    expect(series(flat, 0.1)).toMatchObject({ first: 10, grows: false });
    expect(series([...flat.slice(0, 25), 14, ...flat.slice(25)], 0.5).grows).toBe(false);
  });

  it('is found where it rises slowly and steadily', () => {
    const leak = Array.from({ length: 40 }, (_, i) => 20 + i * 0.05);
    const found = series(leak, 1);
    expect(found.growth).toBeCloseTo(29 * 0.05, 6);
    expect(found.grows).toBe(true);
    expect(series(leak, 2).grows).toBe(false);
  });
});

describe('the control beside the collector', () => {
  it('counts what was longer than the limit, and how long it was', () => {
    const [strict, patient] = [new Control(0), new Control(Infinity)];
    for (const control of [strict, patient]) for (let i = 0; i < 5; i += 1) control.work(0.5);
    expect(strict.seen()).toMatchObject({ stretches: 5, over: 5 });
    expect(patient.seen()).toMatchObject({ stretches: 5, over: 0 });
    const { longestMs, totalMs } = patient.seen();
    expect(longestMs).toBeGreaterThan(0);
    expect(totalMs).toBeGreaterThanOrEqual(longestMs);
  });
});

describe('a short soak of two tables', () => {
  it('plays through real journal, publisher and hardware and counts what it holds', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cutcard-soak-'));
    try {
      const progress = (): void => undefined;
      const report = await soak({ days: 0.004, tables: 2, seed: 3, folder, progress });
      expect(report.steps).toBeGreaterThan(100);
      expect(report.warnings).toEqual([]);
      expect(report.gc.pauses).toBeGreaterThan(0);
      expect(report.gc.control.stretches).toBe(report.gc.pauses);
      const counts = ['handles', 'files', 'listeners', 'timers'];
      expect(report.grows.filter((name) => counts.includes(name))).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }, 240_000);
});
