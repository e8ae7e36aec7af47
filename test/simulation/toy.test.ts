import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { RANKS } from '../../controller/core/cards.js';
import type { FindingCode } from '../../controller/core/finding.js';
import type { Phase } from '../../controller/core/state.js';
import { type CoreTable, mini } from '../unit/core/table.js';
import { freshToy, type Toy, toyBegin, toyCard, toyCover, toyEnd, toyFirstCard } from './toy.js';

const SEED = 627_009;

/** What the toy's phase is called on a table. */
const PHASES: Readonly<Record<Toy['phase'], Phase>> = {
  burn: 'burn',
  between: 'ready',
  round: 'round',
  over: 'reshuffle-due',
};

const JUDGED: readonly FindingCode[] = [
  'burn.rank-unknown',
  'burn.over',
  'bets.open',
  'round.overdrawn',
  'round.short',
  'marker.misplaced',
  'cover.extra-round',
];

/** Both must say the same of the counts, the phase, and how often each thing went wrong. */
const compare = (toy: Toy, table: CoreTable): void => {
  expect({
    phase: table.phase,
    out: table.view.out,
    behind: table.view.behind,
    cards: table.phase === 'round' ? table.view.cardsThisRound : null,
    wrong: JUDGED.map((code) => table.raised(code)),
  }).toEqual({
    phase: PHASES[toy.phase],
    out: toy.out,
    behind: toy.behind,
    cards: toy.phase === 'round' ? toy.inRound : null,
    wrong: JUDGED.map((code) => toy.wrong.filter((one) => one === code).length),
  });
};

/** The floor ends each stop and warning at once, so that the next counts anew: the toy has none. */
const goOn = (table: CoreTable): void => {
  for (const { code, severity } of [...table.state.findings]) {
    if (severity !== 'hold') table.floor('clear', code);
  }
};

/** One hand as a dealer may deal it: mostly right, sometimes out of order or of number. */
const hand = fc.record({
  cards: fc.constantFrom(3, 4, 4, 4, 5, 5, 5, 5, 6, 6, 7),
  betsClosed: fc.constantFrom(true, true, true, true, false),
});

const deal = (
  toy: Toy,
  table: CoreTable,
  cards: number,
  betsClosed: boolean,
  cover: number,
): void => {
  if (betsClosed) {
    table.press('no-more-bets');
    toyBegin(toy);
  }
  const isBetween = () => toy.phase === 'round' || toy.phase === 'between';
  for (let n = 0; n < cards; n += 1) {
    if (n === cover && toy.behind === null && isBetween()) {
      table.cover();
      toyCover(toy);
      compare(toy, table);
      if (toy.phase === 'over') return;
    }
    if (n === 4) table.press('counts-called');
    table.card();
    toyCard(toy);
    goOn(table);
    compare(toy, table);
    // The shoe's first hand is opened by "no more bets" alone: the card was burned too many.
    if (toy.hands === 0) return;
  }
  table.press('round-end');
  toyEnd(toy);
  goOn(table);
  compare(toy, table);
};

test('627a.9: the rules and a toy of the text agree on every card of random shoes', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...RANKS),
      fc.boolean(),
      fc.infiniteStream(hand),
      fc.integer({ min: 330, max: 412 }),
      fc.integer({ min: 0, max: 6 }),
      (rank, keyedLate, hands, coverAfter, coverAt) => {
        const table = mini().open({ until: 'burn' });
        const toy = freshToy(416);
        for (let n = 0; toy.phase === 'burn'; n += 1) {
          if (n === (keyedLate ? 2 : 1)) {
            table.press('first-card', rank);
            toyFirstCard(toy, rank);
            if (table.phase !== 'burn') break;
          }
          table.card();
          toyCard(toy);
          compare(toy, table);
        }
        for (const { cards, betsClosed } of hands) {
          // Overlong hands end with the shoe: nobody deals what is not there.
          if (toy.phase === 'over' || toy.out + cards > 416) break;
          const due = toy.out >= coverAfter;
          deal(toy, table, cards, betsClosed, due ? Math.min(coverAt, cards - 1) : -1);
        }
        if (toy.phase !== 'over' || toy.out === 416) return;
        table.card();
        toyCard(toy);
        compare(toy, table);
      },
    ),
    { seed: SEED, numRuns: 40 },
  );
});
