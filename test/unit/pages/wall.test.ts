import { describe, expect, test } from 'vitest';
import {
  countsOf,
  heldOrder,
  NO_FILTER,
  orderOf,
} from '../../../surveillance/pages/src/wall/order.js';
import { proofOf, proofText } from '../../../surveillance/pages/src/wall/proof.js';
import { hashOf, queryOf, routeOf } from '../../../surveillance/pages/src/wall/route.js';
import { soundFor } from '../../../surveillance/pages/src/wall/sound.js';
import {
  axisCounts,
  layoutOf,
  nearest,
  placeOfRow,
  saysBefore,
  stripText,
} from '../../../surveillance/pages/src/wall/strip-layout.js';
import {
  conditionOf,
  coverBarOf,
  degradedText,
  linkText,
  tileMark,
} from '../../../surveillance/pages/src/wall/tile-words.js';
import { FakeShoe } from '../../fakes/floor-shoe.js';
import { findingOf, FLOOR_START_MS, floorTiles, quietTile } from '../../fakes/floor-tables.js';

const stop = findingOf({ id: '9.0', severity: 'stop' });

describe('how a table stands', () => {
  test('a stop at a table that is not heard stays a stop, and is said to be not heard', () => {
    const tile = {
      ...quietTile(0),
      findings: [stop],
      link: { state: 'offline' as const, sinceMs: FLOOR_START_MS },
    };
    expect(conditionOf(tile)).toBe('stop');
    expect(linkText(tile, FLOOR_START_MS + 65_000)).toBe('Offline for 1 min 5 s');
  });

  test('not heard is graver than a hold, a warning or a degraded device', () => {
    const tile = { ...quietTile(0), link: { state: 'silent' as const, sinceMs: null } };
    expect(conditionOf({ ...tile, findings: [findingOf({ id: '1.0' })] })).toBe('offline');
    expect(tileMark(tile).word).toBe('Silent');
    expect(linkText(tile, FLOOR_START_MS)).toBe('Silent');
  });

  test('each condition has a mark of its own', () => {
    const marks = floorTiles(100).map((tile) => tileMark(tile));
    const pairs = new Set(marks.map(({ shape, word }) => `${shape} ${word}`));
    expect(pairs.size).toBeGreaterThanOrEqual(9);
  });

  test('cards before the cover card, and never a guess', () => {
    const tile = quietTile(0);
    expect(coverBarOf(tile)).toEqual({ share: 402 / 416, text: '≤ 402 to cover card' });
    expect(coverBarOf({ ...tile, left: null, cardsToCover: null })).toEqual({
      share: null,
      text: 'Cards may have moved unseen',
    });
    expect(coverBarOf({ ...tile, loaded: null }).share).toBeNull();
    expect(coverBarOf({ ...tile, loaded: 0 }).text).toBe('No stack loaded');
    const seen = { ...tile, cardsToCover: { cards: 0, basis: 'seen' as const }, lastHand: true };
    expect(coverBarOf(seen)).toEqual({ share: 0, text: 'Cover card out, last hand' });
  });

  test('what is degraded, in words', () => {
    expect(degradedText({ kind: 'rows', missing: 1 })).toBe('1 row missing here');
    expect(degradedText({ kind: 'device', device: 'shuffler', what: 'stale' })).toBe(
      'Shuffler says nothing',
    );
    expect(degradedText({ kind: 'chain', seq: 7, text: '' })).toBe('Chain broken at row 7');
  });
});

describe('the order of the wall', () => {
  const tiles = floorTiles(100);

  test('what needs eyes first, then by name with numbers as numbers', () => {
    const order = orderOf(tiles, NO_FILTER);
    expect(order).toHaveLength(100);
    expect(order[0]).toBe('harbour/pit-1/EZB-008');
    expect(order.indexOf('harbour/pit-1/BAC-005')).toBeLessThan(
      order.indexOf('harbour/pit-1/BAC-009'),
    );
  });

  test('a held order moves nothing, adds behind and lets go of what is gone', () => {
    expect(heldOrder(['a', 'b', 'c'], ['d', 'c', 'a'])).toEqual(['a', 'c', 'd']);
  });

  test('every word of the text must be found', () => {
    const found = orderOf(tiles, { ...NO_FILTER, text: 'ezb burn.over' });
    expect(found).toEqual(['harbour/pit-1/EZB-008']);
    expect(orderOf(tiles, { ...NO_FILTER, conditions: ['offline'] })).toHaveLength(3);
  });

  test('counts add up to all tables', () => {
    const counts = countsOf(tiles);
    expect([...counts.values()].reduce((sum, n) => sum + n, 0)).toBe(100);
    expect(counts.get('stop')).toBe(1);
  });
});

describe('addresses', () => {
  test('a route survives its address', () => {
    for (const hash of ['#/alerts?open=1&severity=stop', '#/table/a/b/c?shoe=3&seq=81', '#/wall']) {
      expect(hashOf(routeOf(hash))).toBe(hash);
    }
  });

  test('what is no page is the wall', () => {
    for (const hash of [
      '',
      '#',
      '#/nothing',
      '#/table/a/b',
      '#/table/%E0%A4%A/b/c',
      '#/table///',
    ]) {
      expect(routeOf(hash)).toEqual({ page: 'wall', query: '' });
    }
    expect(routeOf('#/table/a/b/c?shoe=x&seq=-1')).toMatchObject({ shoe: null, seq: null });
  });

  test('empty fields stay out of a question', () => {
    expect(queryOf({ pit: '', code: 'burn.over' })).toBe('code=burn.over');
  });
});

describe('sound', () => {
  test('only what was not open before, and the gravest of it', () => {
    const now = [
      { key: 'a 1', severity: 'hold' },
      { key: 'b 1', severity: 'stop' },
      { key: 'c 1', severity: 'warn' },
    ];
    expect(soundFor(new Set(), now)).toBe('stop');
    expect(soundFor(new Set(['b 1']), now)).toBe('hold');
    expect(soundFor(new Set(['a 1', 'b 1']), now)).toBeNull();
  });
});

describe('what evidence would prove', () => {
  const { holding } = quietTile(0);
  const signed = (signedSeq: number) => ({ holding: { ...holding, signedSeq } });

  test('is said before it is fetched: all, not yet, or never', () => {
    expect([proofOf(signed(90), 90), proofText(signed(90), 16)]).toEqual(['signed', '']);
    expect(proofOf(signed(90), 91)).toBe('not-yet');
    expect(proofText(signed(90), 120)).toMatch(/^Rows from 91 on are not signed yet/);
    expect(proofOf(signed(0), 1)).toBe('never');
    expect(proofText(signed(0), 1)).toMatch(/^This table has sent no signed checkpoint/);
    // Of a table that is not known here nothing is claimed.
    expect(proofOf(undefined, 1)).toBe('never');
  });
});

describe('the axis of the strip', () => {
  test('has the numbers there is room for, and always the last card', () => {
    expect(axisCounts(416, 1200)).toEqual([0, 52, 104, 156, 208, 260, 312, 364, 416]);
    expect(axisCounts(416, 300)).toEqual([0, 52, 104, 156, 208, 260, 312, 416]);
    expect(axisCounts(416, 200)).toEqual([0, 104, 208, 416]);
    expect(axisCounts(52, 300)).toEqual([0, 52]);
    expect(axisCounts(1, 300)).toEqual([0, 1]);
    for (const width of [120, 200, 275, 299, 640, 2000]) {
      for (const cards of [52, 104, 260, 312, 416, 418]) {
        const places = axisCounts(cards, width).map((count) => (count * width) / cards);
        const gaps = places.slice(1).map((place, i) => place - (places[i] ?? 0));
        expect(Math.min(...gaps), `${cards} on ${width}`).toBeGreaterThanOrEqual(33.9);
      }
    }
  });

  test('says what lies before only where that has room', () => {
    expect([saysBefore(0.08, 320), saysBefore(0.08, 1200), saysBefore(0, 1200)]).toEqual([
      false,
      true,
      false,
    ]);
  });
});

describe('the strip', () => {
  const strip = new FakeShoe(quietTile(7), 2, 402).strip(0);
  const layout = layoutOf(strip);

  test('has every card once, in order, between the loading and the end', () => {
    const xs = layout.cards.map(({ x }) => x);
    expect(xs).toHaveLength(layout.cards.at(-1)?.mark.out ?? 0);
    expect(xs).toEqual(xs.toSorted((a, b) => a - b));
    expect(xs[0]).toBeGreaterThan(layout.begin);
    expect(xs.at(-1)).toBeLessThan(1);
  });

  test('what has no card lies between its neighbours', () => {
    const places = layout.all.map(({ x }) => x);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  test('shows where the gate was locked, and the rounds', () => {
    expect(layout.locked).toHaveLength(1);
    expect(layout.rounds.length).toBeGreaterThan(50);
    expect(layout.rounds.every(({ from, to }) => from < to)).toBe(true);
  });

  test('finds the row at a place, and the place of a row', () => {
    const at = placeOfRow(layout, 16) ?? 0;
    expect(nearest(layout, at)?.seq).toBe(16);
    expect(placeOfRow(layout, 0)).toBeNull();
    expect(nearest(layoutOf({ ...strip, marks: [] }), 0.5)).toBeNull();
  });

  test('says in one sentence what it shows', () => {
    expect(stripText(strip)).toMatch(/^Shoe 2: 416 cards loaded, \d+ came out, 8 of them burnt/);
  });
});
