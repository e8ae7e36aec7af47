import { describe, expect, test } from 'vitest';
import { fitProblems } from '../../../controller/config/fit.js';
import { holdEm, mini, rulesOf, war } from '../core/table.js';

describe('who gets the third card', () => {
  const sixToFive = ['2c', '4h', '3d', '2s'];

  test("627a.9(c): the fifth card is the Player's where the Player draws", () => {
    const stands = mini({ reader: 'rank' }).open().press('no-more-bets').cards(sixToFive);
    stands.press('counts-called').cards(['5h']);
    expect(stands.codes).toEqual([]);
    stands.card('9d');
    expect(stands.codes).toEqual(['draw.third-card']);

    const draws = mini({ reader: 'rank' }).open().press('no-more-bets').cards(sixToFive);
    draws.press('counts-called').cards(['6h', '9d']).press('round-end');
    expect([draws.codes, draws.phase]).toEqual([[], 'ready']);
  });

  test("627a.9(c): it is the Banker's where the Player stands", () => {
    const table = mini({ reader: 'rank' }).open().press('no-more-bets');
    table.cards(['2c', '3h', '5d', '2s']).press('counts-called').card('9d');
    expect(table.codes).toEqual([]);
    table.card('2d');
    expect(table.codes).toEqual(['draw.third-card']);
  });
});

describe('where cards come from', () => {
  test('651a.8(a): every card of Casino War leaves the shoe and is counted', () => {
    const table = war().open().press('no-more-bets').cards(6);
    expect([table.view.out, table.view.cardsThisRound]).toEqual([7, 6]);
    const { procedure, table: set } = rulesOf('pa/651a-casino-war', { decks: 6 });
    expect(fitProblems(procedure, set)).toEqual([]);
    const [problem] = fitProblems(procedure, { ...set, dealing: 'hand' });
    expect(problem?.cause).toMatch(/not dealt from `hand`/);
  });
});

describe('Heads Up Hold ’Em', () => {
  test('677a.9(b): a round begins with no more bets, and nothing is settled before', () => {
    const table = holdEm().open();
    table.press('round-end');
    expect([table.phase, table.view.round]).toEqual(['ready', 0]);
    expect(table.refused).not.toBeNull();
    table.press('no-more-bets', 4);
    expect([table.phase, table.view.round]).toEqual(['round', 1]);
  });

  test('677a.9(e): a right count lets the round close and is a count of the deck', () => {
    const table = holdEm().open().press('no-more-bets', 4).press('stub-count', 37);
    expect(table.codes).toEqual([]);
    expect(table.duty('stub')).toMatchObject({
      status: 'met',
      evidence: 'attested',
      clause: '677a.9(e)',
    });
    expect(table.view.roundsSinceCount).toBe(0);
    table.press('round-end');
    expect(table.phase).toBe('shuffle-due');
  });
});
