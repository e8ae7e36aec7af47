import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { History } from '../../../surveillance/floor/history.js';
import { FloorStore } from '../../../surveillance/floor/store/floor-store.js';
import { rowAfter } from './rows.js';

const ID = { site: 'n', pit: 'p', table: 'poison' };
const KEY = 'n/p/poison';

const SHOE = { no: 1, loaded: {}, out: {}, rounds: [], isLoaded: true };

/** Rows that were hashed as they should be and are no sound steps. */
const POISON: Readonly<Record<string, Parameters<typeof rowAfter>[2]>> = {
  'a part of another type': { decisions: [{ do: 'noted', part: 'shoe', set: SHOE }] },
  'a part nobody knows': { decisions: [{ do: 'noted', part: 'nothing', set: { a: 1 } }] },
  'a decision nobody knows': { decisions: [{ do: 'dance' }] },
  'no decision': { decisions: [null] },
  'an observation nobody knows': { observation: { kind: 'moon.out' } },
  'a finding without a form': { decisions: [{ do: 'raised', finding: { id: 7 } }] },
};

describe('stepping through a table with a poisoned row', () => {
  let store: FloorStore;
  let history: History;

  beforeEach(async () => {
    store = await FloorStore.open(':memory:');
    history = new History({
      store,
      configuration: () => null,
      firstSeq: () => 1,
      words: ({ kind }) => kind,
    });
  });
  afterEach(() => store.close());

  for (const [what, step] of Object.entries(POISON)) {
    it(`names the row and goes on in words: ${what}`, async () => {
      const first = rowAfter(KEY, null);
      const poison = rowAfter(KEY, first, step);
      const third = rowAfter(KEY, poison);
      await store.rows.append([first, poison, third]);
      const { steps, gaps } = await history.steps(ID, 1, 10);
      expect(steps.map(({ seq }) => seq)).toEqual([1, 2, 3]);
      expect(gaps).toEqual([]);
      expect(steps[0]?.state).not.toBeNull();
      expect(steps[1]).toMatchObject({ kind: 'unsound', state: null });
      expect(steps[1]?.text).toMatch(/^Row 2 is no sound step: ./);
      expect(steps[2]).toMatchObject({ kind: 'mouth.clear', state: null });
      const later = await history.steps(ID, 3, 3);
      expect(later.steps).toMatchObject([{ seq: 3, state: null }]);
    });
  }

  it('refuses the strip of a shoe with such a row, naming it', async () => {
    const first = rowAfter(KEY, null);
    const poison = rowAfter(KEY, first, POISON['a part of another type']);
    await store.rows.append([first, poison]);
    const shoe = {
      ...{ shoe: 1, batch: null, loaded: 416, out: 0, rounds: 0, findings: 0, stops: 0 },
      ...{ fromSeq: 1, toSeq: 2, fromMs: 0, toMs: 1, isOpen: true },
    };
    const changes = { findings: [], shoes: [shoe], rounds: [], voids: [], measures: [] };
    await store.followed([{ table: KEY, from: 0, to: 2, changes, saved: null }]);
    await expect(history.strip(ID, 1, 0)).rejects.toThrow(/^Row 2 is no sound step/);
    await expect(history.strip(ID, 1, 0)).rejects.toHaveProperty('statusCode', 409);
  });
});
