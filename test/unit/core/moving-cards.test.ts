import { describe, expect, test } from 'vitest';
import { baccarat, mini, says, war } from './table.js';

describe('card.back', () => {
  test('603a.17: a card that went back in is a stop, and the count follows', () => {
    const table = mini().open().press('no-more-bets').cards(3).back();
    expect(table.find('card.back')).toMatchObject({
      clause: '603a.17',
      severity: 'stop',
      authority: 'floor',
      observed: says(/CARD WENT BACK/),
    });
    expect([table.view.out, table.view.cardsThisRound, table.view.gate]).toEqual([8, 2, 'locked']);
  });

  test('603a.17: after the floor the round goes on', () => {
    const table = mini().open().press('no-more-bets').cards(4).back().floor('clear', 'card.back');
    expect(table.card().press('counts-called').card().press('round-end').codes).toEqual([]);
  });

  test('603a.17: in the burn the card is owed again', () => {
    const table = baccarat()
      .open({ until: 'burn' })
      .card()
      .press('first-card', '5')
      .cards(2)
      .back();
    expect(table.view.due).toBe(4);
    table.floor('clear', 'card.back').cards(4);
    expect([table.phase, table.codes]).toEqual(['ready', []]);
  });

  test('603a.17: nothing can go back before anything came out', () => {
    const table = mini().open({ until: 'burn' }).back();
    expect([table.view.out, table.codes]).toEqual([0, ['card.back']]);
  });

  test('603a.17: a second one is the same finding again', () => {
    const table = mini().open().press('no-more-bets').cards(3).back().back();
    expect([table.raised('card.back'), table.find('card.back')?.repeats]).toEqual([1, 1]);
  });
});

describe('card.double', () => {
  test('policy:double-card: both cards are counted, and the dealer is asked to look', () => {
    const table = mini().open().press('no-more-bets').double();
    expect(table.find('card.double')).toMatchObject({
      clause: 'policy:double-card',
      severity: 'warn',
      authority: 'dealer',
      observed: says(/104 mm/),
    });
    expect([table.view.out, table.view.cardsThisRound, table.view.gate]).toEqual([8, 2, 'open']);
    expect(table.press('acknowledge', 'card.double').codes).toEqual([]);
  });

  test('policy:double-card: the second of the two may be the one too many', () => {
    const table = mini().open({ until: 'burn' }).card().press('first-card', 'A').double();
    expect(table.codes).toEqual(['burn.over', 'card.double']);
    expect(table.find('burn.over')?.by).toBe(1);
  });

  test('policy:double-card: neither of the two was read', () => {
    const table = mini({ reader: 'rank' }).open().press('no-more-bets').double();
    expect(table.state.round.faces).toEqual([
      { rank: null, suit: null },
      { rank: null, suit: null },
    ]);
  });
});

describe('card.locked', () => {
  test.each(['closed', 'opening', 'shuffle-due', 'cut-due', 'marker-due', 'load-due'] as const)(
    'policy:locked-shoe: each card drawn in %s is told once',
    (until) => {
      const table = mini().open({ until }).card();
      expect(table.told('card.locked')).toMatchObject({
        clause: 'policy:locked-shoe',
        severity: 'info',
        observed: says(new RegExp(until)),
      });
      expect(table.codes).not.toContain('card.locked');
    },
  );

  test('policy:locked-shoe: with a stop open each card counts after the warning', () => {
    const table = mini().open().press('no-more-bets').cards(3).back().cards(3);
    expect([table.raised('card.locked'), table.view.cardsAfterWarning]).toEqual([3, 3]);
    expect(table.find('card.back')).toMatchObject({ cardsAfterWarning: 3 });
  });

  test('policy:locked-shoe: without a stop a card drawn locked is after no warning', () => {
    const table = mini().open({ until: 'cut-due' }).cards(2);
    expect([table.raised('card.locked'), table.view.cardsAfterWarning]).toEqual([2, 0]);
  });

  test('policy:locked-shoe: a correct shoe never raises it', () => {
    const table = mini().open().round(5, 78).cover().round(5).press('last-hand-called').round(5);
    expect(table.raised('card.locked')).toBe(0);
  });

  test('policy:locked-shoe: a table that only advises tells the same and does not lock', () => {
    const table = mini({ enforcement: 'advise' }).open().press('no-more-bets').back().card();
    expect([table.raised('card.locked'), table.view.gate]).toEqual([1, 'open']);
    expect(table.find('card.back')).toMatchObject({ cardsAfterWarning: 1 });
  });

  test('policy:locked-shoe: a card drawn with a stop open between rounds opens none', () => {
    const table = war().open().round(4).back().card();
    expect([table.phase, table.view.round, table.view.out]).toEqual(['ready', 1, 5]);
  });
});

describe('the time to stop', () => {
  test('policy:locked-shoe: runs from the stop to the last card after it', () => {
    const table = mini().open().press('no-more-bets').cards(3).back().wait(5);
    table.card().wait(7);
    table.card().wait(60).press('spill');
    expect(table.find('card.back')).toMatchObject({ cardsAfterWarning: 2, timeToStopNs: 12e9 });
    expect(table.view.timeToStopMs).toBe(12_000);
  });

  test('policy:locked-shoe: two stops count one episode, from the first', () => {
    const table = mini().open().press('no-more-bets').cards(4).press('counts-called').cards(3);
    table.card().back().card();
    expect(table.find('round.overdrawn')).toMatchObject({ cardsAfterWarning: 2 });
    expect(table.find('card.back')).toMatchObject({ cardsAfterWarning: 1 });
    expect(table.view.cardsAfterWarning).toBe(2);
  });

  test('policy:locked-shoe: the number stands after the stop is over, until the next', () => {
    const table = mini().open().press('no-more-bets').back().cards(2).floor('clear', 'card.back');
    expect(table.view.cardsAfterWarning).toBe(2);
    expect(table.card().view.cardsAfterWarning).toBe(2);
    expect(table.back().view.cardsAfterWarning).toBe(0);
  });

  test('policy:locked-shoe: a sensor that comes back does not begin the warning anew', () => {
    const table = mini().open().press('no-more-bets').see({ kind: 'link.down', device: 'mouth' });
    table.cards(2).see({ kind: 'link.up', device: 'mouth' });
    expect([table.codes, table.view.cardsAfterWarning]).toEqual([['gap.unwatched'], 2]);
  });
});

describe('card.jam', () => {
  test('policy:mouth-blocked: something lies in the mouth until it is gone', () => {
    const table = mini().open().see({ kind: 'mouth.blocked' });
    expect(table.find('card.jam')).toMatchObject({
      clause: 'policy:mouth-blocked',
      severity: 'warn',
      remedy: says(/Clear the mouth/),
    });
    expect(table.press('acknowledge', 'card.jam').codes).toEqual(['card.jam']);
    expect(table.see({ kind: 'mouth.clear' }).codes).toEqual([]);
  });
});
