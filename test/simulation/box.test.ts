import { describe, expect, it } from 'vitest';
import { runSeed } from './box.js';
import { KEPT_SEEDS } from './kept-seeds.js';

/** A few hundred in every run; `npm run sim -- --seeds N` plays as many as you like. */
const FAST_SEEDS = 280;
const DEEP_SEEDS = 14;
const CHUNK = 70;

describe('seeded simulation of the whole box', () => {
  it.each(Array.from({ length: FAST_SEEDS / CHUNK }, (_, i) => i * CHUNK + 1))(
    'holds its invariants at the depth of observations, seeds from %i',
    async (from) => {
      for (let seed = from; seed < from + CHUNK; seed += 1) {
        const { faults, acts } = await runSeed(seed, ['observations']);
        expect(faults, `seed ${seed} after ${acts.length} acts`).toEqual([]);
      }
    },
    120_000,
  );

  it.each(Array.from({ length: DEEP_SEEDS }, (_, i) => 1001 + i))(
    'gives the same table through signals and observations, seed %i',
    async (seed) => {
      const { faults, acts } = await runSeed(seed);
      expect(faults, `after ${acts.length} acts`).toEqual([]);
    },
    120_000,
  );

  it.each(KEPT_SEEDS)(
    'keeps holding where it once failed: seed $seed ($why)',
    async ({ seed }) => {
      expect((await runSeed(seed)).faults).toEqual([]);
    },
    120_000,
  );

  it('repeats byte for byte from its seed', async () => {
    const [once, again] = [
      await runSeed(42, ['observations']),
      await runSeed(42, ['observations']),
    ];
    expect(again).toEqual(once);
  });
});
