import { describe, expect, it } from 'vitest';
import { nothingGoesWrong, runDiskSeed } from './disk-run.js';

const FAST_SEEDS = 24;
const CHUNK = 6;
const DEEP_SEEDS = 4;
/** For a machine that has much else to do. */
const LIMIT_MS = 240_000;

describe('seeded simulation of the whole box on a disk that fails', () => {
  it.each(Array.from({ length: FAST_SEEDS / CHUNK }, (_, i) => 2001 + i * CHUNK))(
    'loses nothing, shows nothing that is not durable, and goes on after a restart, seeds from %i',
    async (from) => {
      let [failures, cured] = [0, 0];
      for (let seed = from; seed < from + CHUNK; seed += 1) {
        const run = await runDiskSeed(seed, 'observations');
        expect(run.faults, `seed ${seed} after ${run.acts.slice(-12).join('\n')}`).toEqual([]);
        failures += run.failures;
        cured += run.cured;
      }
      expect(failures).toBeGreaterThan(0);
      expect(cured).toBeGreaterThan(0);
    },
    LIMIT_MS,
  );

  it.each(Array.from({ length: DEEP_SEEDS }, (_, i) => 3001 + i))(
    'does so with hardware too, seed %i',
    async (seed) => {
      const run = await runDiskSeed(seed, 'signals');
      expect(run.faults, `after ${run.acts.slice(-12).join('\n')}`).toEqual([]);
      expect(run.failures).toBeGreaterThan(0);
    },
    LIMIT_MS,
  );

  it(
    'repeats byte for byte from its seed',
    async () => {
      const once = await runDiskSeed(2042, 'observations');
      expect(await runDiskSeed(2042, 'observations')).toEqual(once);
    },
    LIMIT_MS,
  );

  it(
    'notices a disk that forgets what it acknowledged',
    async () => {
      const faults = await nothingGoesWrong(7, { forgets: true });
      expect(faults.join('\n')).toMatch(/was acknowledged and is gone/);
      expect(await nothingGoesWrong(7, { forgets: false })).toEqual([]);
    },
    LIMIT_MS,
  );
});
