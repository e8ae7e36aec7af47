import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { RANKS } from '../../controller/core/cards.js';
import type { TableState } from '../../controller/core/state.js';
import { baccarat, hiLo, holdEm, mini, war } from '../unit/core/table.js';

/** One seed, so that a run that fails can be run again. */
const runs = (numRuns: number) => ({ seed: 631_627, numRuns });
const STEPS = ['cut-due', 'marker-due', 'load-due', 'burn'] as const;
const value = (rank: string): number => ('TJQK'.includes(rank) ? 10 : rank === 'A' ? 1 : +rank);

test('policy:invariant-1: no round opens while a duty is due', () => {
  const presses = fc.array(fc.constantFrom('no-more-bets', 'loaded', 'burn-done', 'round-end'));
  fc.assert(
    fc.property(fc.constantFrom('shuffle-due', ...STEPS), presses, (until, keys) => {
      const table = mini().open({ until });
      for (const key of keys) {
        // The stack goes in only where it is due.
        if (key === 'loaded' && until === 'load-due') continue;
        table.press(key);
        expect(table.phase).not.toBe('round');
      }
    }),
    runs(60),
  );
});

test('policy:invariant-2: a burn takes one and the value, 2 to 11 cards', () => {
  const keys = fc.constantFrom('burn-done', 'no-more-bets', 'round-end', 'counts-called');
  fc.assert(
    fc.property(fc.constantFrom(...RANKS), fc.array(keys, { maxLength: 12 }), (rank, list) => {
      const table = baccarat().open({ until: 'burn' }).card().press('first-card', rank);
      for (let n = 1; table.phase === 'burn'; n += 1) {
        const key = list[n - 1];
        if (key !== undefined) table.press(key);
        table.card();
      }
      expect(table.view.out).toBe(1 + value(rank));
      expect(table.view.out).toBeGreaterThanOrEqual(2);
      expect(table.view.out).toBeLessThanOrEqual(11);
      expect(table.codes).toEqual([]);
    }),
    runs(60),
  );
});

test('policy:invariant-3, 4: the cover card belongs to one round; minibaccarat +1, War +0', () => {
  const where = fc.record({
    rounds: fc.integer({ min: 1, max: 12 }),
    at: fc.integer({ min: 0, max: 5 }),
    isWar: fc.boolean(),
  });
  fc.assert(
    fc.property(where, ({ rounds, at, isWar }) => {
      const table = (isWar ? war() : mini()).open().round(5, rounds);
      if (at === 0) table.cover();
      table.press('no-more-bets').cards(at === 0 ? 1 : Math.min(at, 4));
      if (at > 0) table.cover();
      expect(table.state.round.coverSeen).toBe(true);
      table.cards(Math.max(0, 4 - table.view.cardsThisRound)).press('round-end');
      expect(table.phase).toBe(isWar ? 'reshuffle-due' : 'ready');
      expect(table.announced).toEqual(isWar ? [] : ['last hand']);
      if (!isWar) table.press('last-hand-called').round(4);
      expect([table.phase, table.codes]).toEqual(['reshuffle-due', []]);
    }),
    runs(60),
  );
});

test('policy:invariant-5: the marker is misplaced exactly with fewer than fourteen behind', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), (behind) => {
      const table = baccarat().open({ firstCard: 'A' });
      while (416 - table.view.out - behind > 6) table.round(5);
      table
        .press('no-more-bets')
        .cards(416 - table.view.out - behind)
        .cover();
      expect(table.view.behind).toBe(behind);
      expect(table.raised('marker.misplaced')).toBe(behind < 14 ? 1 : 0);
    }),
    runs(40),
  );
});

test('policy:invariant-6: a wrong count never reaches play, and stays its own', () => {
  const wrong = fc.integer({ min: 1, max: 60 }).filter((n) => n !== 52);
  fc.assert(
    fc.property(wrong, fc.constantFrom('red', 'blue'), (count, batch) => {
      const table = hiLo({ batches: ['red', 'blue'] }).open({ until: 'shuffle-due' });
      table.machine(batch, count).press('loaded').press('no-more-bets').cards(5);
      expect([table.view.quarantined, table.view.gate, table.view.round]).toEqual([
        [batch],
        'locked',
        0,
      ]);
      table.floor('deck-removed', batch).floor('deck-in', `${batch} N-1`);
      expect([table.codes, table.open().phase]).toEqual([[], 'ready']);
    }),
    runs(40),
  );
});

test('policy:invariant-7: no fifth round closes without a verified count', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { minLength: 12, maxLength: 30 }), (counts) => {
      const table = holdEm();
      let since = 0;
      for (const counted of counts) {
        table.open().press('no-more-bets', 4);
        since += 1;
        if (counted) table.press('stub-count', 37);
        table.press('round-end');
        if (counted) since = 0;
        expect(table.phase).toBe(since === 5 ? 'stub-due' : 'shuffle-due');
        if (since !== 5) continue;
        table.press('stub-count', 37).press('round-end');
        since = 0;
      }
    }),
    runs(40),
  );
});

test('policy:invariant-8: the deck stays only when it was misdealt and is full', () => {
  const off = fc.integer({ min: -10, max: 10 }).filter((n) => n !== 0);
  fc.assert(
    fc.property(fc.boolean(), fc.boolean(), off, (yes, full, by) => {
      const table = holdEm()
        .open()
        .press('no-more-bets', 4)
        .press('stub-count', 37 + by);
      expect(table.phase).toBe('dispute');
      table.floor('misdeal', { yes, full });
      expect(table.phase).toBe(yes && full ? 'shuffle-due' : 'dispute');
      expect(table.view.quarantined).toEqual(yes && full ? [] : ['red']);
    }),
    runs(30),
  );
});

test('policy:invariant-9: a recut is taken only inside its window', () => {
  fc.assert(
    fc.property(fc.constantFrom(...STEPS, 'ready'), fc.boolean(), (until, bySecond) => {
      const table = baccarat().open({ until });
      const inside = until === 'marker-due' || until === 'load-due';
      table.floor('recut');
      expect(table.refused === null).toBe(inside);
      expect(table.phase).toBe(inside ? 'cut-due' : until);
      if (inside && bySecond) expect(table.press('cut', 'seat 13').phase).toBe('marker-due');
    }),
    runs(30),
  );
});

test('policy:invariant-10: after a power cut nothing is forgotten, nothing assumed', () => {
  const counts = (state: TableState) => [state.phase, state.shoe.out, state.round, state.burn];
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 40 }), fc.boolean(), (cards, stop) => {
      const table = mini().open({ until: 'burn' });
      for (let n = 0; n < cards; n += 1) {
        if (table.phase === 'burn' && n === 1) table.press('first-card', '4');
        if (table.phase === 'ready') table.press('no-more-bets');
        if (table.view.cardsThisRound === 4) table.press('round-end').press('no-more-bets');
        table.card();
      }
      if (stop) table.back();
      const before = counts(table.state);
      const open = table.codes;
      table.see({ kind: 'power.boot', unclean: true, boot: 2 });
      expect(counts(table.state)).toEqual(before);
      expect([table.codes, table.view.left]).toEqual([[...open, 'gap.unwatched'], null]);
      table.floor('accept-gap', 0);
      expect([counts(table.state), table.codes]).toEqual([before, open]);
    }),
    runs(40),
  );
});

test('policy:invariant-11: with a store that fails no round begins', () => {
  fc.assert(
    fc.property(fc.constantFrom(...STEPS, 'ready'), (until) => {
      const table = mini().open({ until }).see({ kind: 'journal.fault', reason: 'full' });
      table.press('no-more-bets').card().press('no-more-bets');
      expect([table.phase === 'round', table.view.gate]).toEqual([false, 'locked']);
    }),
    runs(10),
  );
});

test('policy:invariant-12: an unread card is unknown, never guessed', () => {
  const card = fc.constantFrom('?', 'Ah', '4c', '6d', '8s', 'Kh');
  const hand = fc.array(card, { minLength: 4, maxLength: 6 });
  fc.assert(
    fc.property(hand, fc.integer({ min: 0, max: 3 }), (cards, unread) => {
      const dealt = cards.map((one, n) => (n === unread ? '?' : one));
      const table = mini({ reader: 'rank' }).open().round(dealt);
      expect(table.raised('draw.third-card')).toBe(0);
    }),
    runs(80),
  );
});
