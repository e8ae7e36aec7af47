import * as fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { decide } from '../../controller/core/decide.js';
import { initialState } from '../../controller/core/state.js';
import { backToPlay, followDisplay } from './core-floor.js';
import { anyTable, deed, type Deed, happening, rulesFor, tableFor } from './core-moves.js';
import type { CoreTable } from '../unit/core/table.js';

/** One seed, so that a run that fails can be run again. */
const SEED = 20_261_129;
const runs = (numRuns: number) => ({ seed: SEED, numRuns });

const play = (table: CoreTable, deeds: readonly Deed[]): void => {
  for (const one of deeds) {
    if (one === 'right') followDisplay(table);
    else table.see(one);
  }
};

test('policy:invariants: anything in any order breaks nothing that must always hold', () => {
  fc.assert(
    fc.property(anyTable, fc.array(happening, { minLength: 40, maxLength: 160 }), (which, list) => {
      play(tableFor(which), list);
    }),
    runs(100),
  );
});

test('policy:invariants: nor does it in the midst of correct play', () => {
  fc.assert(
    fc.property(anyTable, fc.array(deed, { minLength: 80, maxLength: 240 }), (which, deeds) => {
      play(tableFor(which), deeds);
    }),
    runs(100),
  );
});

test('policy:next-step: from everywhere the display and its remedies lead back to play', () => {
  fc.assert(
    fc.property(anyTable, fc.array(deed, { minLength: 40, maxLength: 160 }), (which, deeds) => {
      const table = tableFor(which);
      play(table, deeds);
      backToPlay(table);
      expect(table.phase).toBe('round');
    }),
    runs(150),
  );
});

test('policy:invariants: the same state and observation give the same decisions', () => {
  fc.assert(
    fc.property(anyTable, fc.array(happening, { maxLength: 60 }), (which, list) => {
      const rules = rulesFor(which);
      const table = tableFor(which);
      play(table, list);
      const again = tableFor(which);
      again.state = initialState(rules.table);
      for (const seen of table.seen) again.see(seen);
      expect(isDeepStrictEqual(again.state, table.state)).toBe(true);
      const next = {
        seq: 9e6,
        atNs: 9e15,
        wallMs: 1,
        wallTrusted: true,
        kind: 'card.back',
      } as const;
      expect(decide(again.state, next, rules)).toEqual(decide(table.state, next, rules));
    }),
    runs(40),
  );
});
