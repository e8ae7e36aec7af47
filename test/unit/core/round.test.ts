import { describe, expect, test } from 'vitest';
import { baccarat, hiLo, mini, says, war } from './table.js';

const dealing = (set = {}) => mini(set).open({ firstCard: 'A' }).press('no-more-bets');
/** Four cards read, in their order: player, banker, player, banker. */
const four = (cards: readonly string[]) =>
  dealing({ reader: 'rank' }).cards(cards).press('counts-called');

describe('bets.open', () => {
  test.each([
    ['651a.8(c)', () => war().open().round(6)],
    ['627a.8', () => mini().open().round(5)],
    ['631a.9', () => baccarat().open().round(5)],
    ['663a.8', () => hiLo().open()],
  ] as const)('%s: a card before "no more bets" opens the round with a warning', (clause, at) => {
    const table = at().card();
    expect(table.find('bets.open')).toMatchObject({
      clause,
      severity: 'warn',
      authority: 'dealer',
      remedy: says(/no more bets/),
    });
    expect([table.phase, table.view.cardsThisRound, table.view.gate]).toEqual(['round', 1, 'open']);
  });

  test('651a.8(c): with the bets closed nothing is raised', () => {
    expect(war().open().press('no-more-bets').cards(6).codes).toEqual([]);
  });

  test('651a.8(c): called late it is called; the warning stays to the end of the round', () => {
    const table = war().open().round(6).card().press('no-more-bets');
    expect([table.refused, table.codes]).toEqual([null, ['bets.open']]);
    expect(table.cards(5).press('round-end').codes).toEqual([]);
  });

  test('651a.8(c): a round that is open is not opened again', () => {
    const table = war().open().press('no-more-bets').press('no-more-bets');
    expect([table.refused, table.view.round]).toEqual(['651a.8(c)', 1]);
  });

  test.each(['closed', 'opening', 'shuffle-due', 'load-due'] as const)(
    '651a.8(c): "no more bets" is refused in %s',
    (until) => {
      const table = war().open({ until }).press('no-more-bets');
      expect([table.phase, table.refused]).toEqual([until, '651a.8(c)']);
    },
  );
});

describe('how many cards a round takes', () => {
  test.each([
    [4, []],
    [5, []],
    [6, []],
  ])('627a.9(d): %i cards are a round', (cards, codes) => {
    expect(
      dealing()
        .cards(4)
        .press('counts-called')
        .cards(cards - 4)
        .press('round-end').codes,
    ).toEqual(codes);
  });

  test('627a.9(d): round.overdrawn, the seventh card', () => {
    const table = dealing().cards(4).press('counts-called').cards(3);
    expect(table.find('round.overdrawn')).toMatchObject({
      clause: '627a.9(d)',
      severity: 'stop',
      authority: 'floor',
      by: 1,
      cardsAfterWarning: 0,
      remedy: says(/Keep the card/),
    });
    expect([table.phase, table.view.gate]).toEqual(['round', 'locked']);
    table.card();
    expect(table.find('round.overdrawn')).toMatchObject({ by: 2, cardsAfterWarning: 1 });
  });

  test('627a.9(d): the floor clears it, or voids the round', () => {
    const over = () => dealing().cards(4).press('counts-called').cards(3);
    expect(over().press('clear', 'round.overdrawn').refused).toBe('policy:authority');
    expect(over().floor('clear', 'round.overdrawn').press('round-end').codes).toEqual([]);
    const table = over().floor('void-round');
    expect([table.phase, table.codes, table.view.out]).toEqual(['ready', [], 9]);
    expect(over().press('round-end').press('no-more-bets').refused).toBe('627a.8');
  });

  test.each([
    [0, 4],
    [3, 1],
  ])('627a.9(d): round.short, closed with %i cards', (cards, by) => {
    const table = dealing().cards(cards).press('round-end');
    expect(table.find('round.short')).toMatchObject({ clause: '627a.9(d)', severity: 'warn', by });
    expect(table.phase).toBe('ready');
  });

  test('651a.8(c): one card to a player and one to the dealer are the least', () => {
    expect(war().open().press('no-more-bets').card().press('round-end').codes).toEqual([
      'round.short',
    ]);
    expect(war().open().press('no-more-bets').cards(2).press('round-end').codes).toEqual([]);
  });

  test('627a.9(d): a void round is not judged short', () => {
    expect(dealing().cards(2).floor('void-round').codes).toEqual([]);
    expect(mini().open().floor('void-round').refused).toBe('policy:void');
    expect(dealing().press('void-round').refused).toBe('policy:authority');
  });

  test('627a.9(d): no round is ended that is not open', () => {
    expect(mini().open().press('round-end').refused).toBe('policy:round');
  });
});

describe('counts.not-called', () => {
  test('627a.9(a): called before the initial cards are out they are not called', () => {
    const table = mini().open().press('no-more-bets').cards(2).press('counts-called');
    expect(table.refused).toBe('627a.9(a)');
    expect(table.cards(3).codes).toEqual(['counts.not-called']);
  });

  test('627a.9(a): a third card before the point counts were called', () => {
    const table = dealing().cards(5);
    expect(table.find('counts.not-called')).toMatchObject({
      clause: '627a.9(a)',
      severity: 'warn',
      remedy: says(/point counts/),
    });
    expect(table.card().raised('counts.not-called')).toBe(1);
    expect(table.press('round-end').codes).toEqual([]);
  });

  test('627a.9(a): called after the fourth card, or a round of four, raises nothing', () => {
    expect(dealing().cards(4).press('counts-called').cards(2).codes).toEqual([]);
    expect(dealing().cards(4).press('round-end').codes).toEqual([]);
  });

  test('627a.9(a): outside a round there is nothing to call', () => {
    expect(mini().open().press('counts-called').refused).toBe('627a.9(a)');
    expect(war().open().press('no-more-bets').press('counts-called').refused).toBe('policy:round');
  });
});

describe('the drawing rule, where ranks are read', () => {
  // Two hands of two cards: player total, banker total.
  const hands: Readonly<Record<number, readonly [string, string]>> = {
    0: ['Kh', 'Qc'],
    1: ['Kh', 'Ac'],
    2: ['Kh', '2c'],
    3: ['Kh', '3c'],
    4: ['Kh', '4c'],
    5: ['2h', '3c'],
    6: ['4h', '2c'],
    7: ['9h', '8c'],
    8: ['Th', '8c'],
    9: ['Jh', '9c'],
  };
  const totals = (player: number, banker: number): readonly string[] => {
    const [p, b] = [hands[player] ?? hands[0], hands[banker] ?? hands[0]];
    if (p === undefined || b === undefined) throw new Error('no such hand');
    return [p[0], b[0], p[1], b[1]];
  };
  const third = ['Kd', 'Ad', '2d', '3d', '4d', '5d', '6d', '7d', '8d', '9d'];

  test.each([
    [8, 0],
    [9, 3],
    [0, 8],
    [5, 9],
    [6, 6],
    [6, 7],
    [7, 6],
    [7, 7],
  ])(
    '627a.9(b): player %i, banker %i: both stand, a fifth card is against it',
    (player, banker) => {
      const table = four(totals(player, banker));
      expect(table.card('2s').find('draw.third-card')).toMatchObject({
        clause: '627a.9(b)',
        severity: 'stop',
        authority: 'floor',
      });
      expect(four(totals(player, banker)).press('round-end').codes).toEqual([]);
    },
  );

  test.each([0, 1, 2, 3, 4, 5])('627a.9(b): a player on %i draws', (player) => {
    const table = four(totals(player, 7)).card('Kd');
    expect(table.codes).toEqual([]);
    expect(four(totals(player, 7)).press('round-end').find('draw.third-card')).toMatchObject({
      severity: 'stop',
      by: 1,
    });
  });

  test.each([0, 3, 5])('627a.9(b): the player stands on six, a banker on %i draws', (banker) => {
    expect(four(totals(6, banker)).card('Kd').press('round-end').codes).toEqual([]);
    expect(four(totals(7, banker)).press('round-end').codes).toEqual(['draw.third-card']);
    expect(four(totals(7, banker)).cards(['Kd', '2d']).codes).toEqual(['draw.third-card']);
  });

  // Written down from the table in words: what a banker's total draws against.
  const draws = (banker: number, drawn: number): boolean => {
    if (banker <= 2) return true;
    if (banker === 3) return drawn !== 8;
    if (banker === 4) return drawn >= 2 && drawn <= 7;
    if (banker === 5) return drawn >= 4 && drawn <= 7;
    return banker === 6 && (drawn === 6 || drawn === 7);
  };

  test.each([0, 1, 2, 3, 4, 5, 6, 7])(
    '627a.9(b)(c): a banker on %i against each third card',
    (banker) => {
      for (const [drawn, card] of third.entries()) {
        const taken = four(totals(4, banker)).cards([card, '2s']);
        const left = four(totals(4, banker)).card(card).press('round-end');
        const due = draws(banker, drawn);
        expect([drawn, taken.raised('draw.third-card')]).toEqual([drawn, due ? 0 : 1]);
        expect([drawn, left.raised('draw.third-card')]).toEqual([drawn, due ? 1 : 0]);
      }
    },
  );

  test('627a.9(b): an unread card leaves it unknown, and is never guessed', () => {
    const table = four(['2c', '?', '3d', '2s']).cards(['5h', '9d']).press('round-end');
    expect(table.codes).toEqual([]);
    expect(four(['2c', '4h', '3d', '2s']).cards(['?', '9d']).press('round-end').codes).toEqual([]);
  });

  test('627a.9(b): without a reader only the numbers are judged', () => {
    const table = dealing().cards(['Th', '8c', 'Kh', 'Qc']).press('counts-called').card('2s');
    expect(table.codes).toEqual([]);
    expect(JSON.stringify(table.state.round.faces)).toBe('[]');
  });

  test('627a.9(b): cards dealt face down are neither read nor judged', () => {
    const table = mini({ reader: 'rank', choose: { initialDeal: 'face-down' } }).open();
    table.press('no-more-bets').cards(['Th', '8c', 'Kh', 'Qc']).press('counts-called').card('2s');
    expect(table.codes).toEqual([]);
    expect(table.seen.some((seen) => seen.kind === 'card.out' && seen.suit === 'c')).toBe(false);
  });

  test('631a.11: baccarat judges it only where the cards lie face up', () => {
    const cards = ['Th', '8c', 'Kh', 'Qc', '2s'];
    const down = baccarat({ reader: 'rank' }).open().press('no-more-bets').cards(cards);
    const up = baccarat({ reader: 'rank', choose: { cardsLie: 'face-up' } }).open();
    expect(down.codes).toEqual([]);
    expect(up.press('no-more-bets').cards(cards).find('draw.third-card')?.clause).toBe('631a.11');
  });

  test('627a.9(b): a draw against the tableau waits for the floor', () => {
    const table = four(totals(6, 6)).card('2s').press('round-end');
    expect([table.press('no-more-bets').refused, table.codes]).toEqual([
      '627a.8',
      ['draw.third-card'],
    ]);
    expect(table.floor('clear', 'draw.third-card').codes).toEqual([]);
  });
});
