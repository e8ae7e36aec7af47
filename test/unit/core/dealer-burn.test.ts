import { describe, expect, test } from 'vitest';
import { baccarat, war, says } from './table.js';

const relieved = (badge = 'D-77') => war().open().round(6).press('dealer-in', badge);

describe('burn.dealer-missing', () => {
  test('651a.8(b): a new dealer owes one card, and the display says so', () => {
    const table = relieved();
    expect([table.view.due, table.view.dealerBurnDue, table.codes]).toEqual([1, true, []]);
    expect(table.shown).toMatch(/BURN 1 card face down/);
  });

  test('651a.8(b): "no more bets" before it is refused and raises the hold', () => {
    const table = relieved().press('no-more-bets');
    expect([table.phase, table.view.gate]).toEqual(['ready', 'open']);
    expect(table.find('burn.dealer-missing')).toMatchObject({
      clause: '651a.8(b)',
      severity: 'hold',
      by: 1,
      remedy: says(/BURN 1 card/),
    });
  });

  test('651a.8(b): the next card is the burn, not play, and ends the hold', () => {
    const table = relieved().press('no-more-bets').card('Qs');
    expect([table.phase, table.codes, table.view.round]).toEqual(['ready', [], 1]);
    expect(table.duty('dealer-burn')).toMatchObject({ status: 'met', evidence: 'sensed' });
    expect(table.round(6).codes).toEqual([]);
  });

  test('651a.8(b): the rank of that card is written nowhere', () => {
    const table = war({ reader: 'rank' }).open().round(6).press('dealer-in', 'D-77').card('Qs');
    const written = table.seen.at(-1);
    expect(written).not.toHaveProperty('rank');
    expect(written).not.toHaveProperty('suit');
    expect(JSON.stringify(table.state.round)).not.toMatch(/"Q"/);
  });

  test('651a.8(b): a dealer who comes in mid-round burns when the round is over', () => {
    const table = war({ reader: 'rank' }).open().press('no-more-bets').cards(3);
    table.press('dealer-in', 'D-2').card('9c');
    expect(table.seen.at(-1)).not.toHaveProperty('rank');
    table.cards(2).press('round-end');
    expect([table.phase, table.view.due]).toEqual(['ready', 1]);
    expect(table.press('no-more-bets').codes).toEqual(['burn.dealer-missing']);
    expect(table.card().codes).toEqual([]);
  });

  test('651a.8(b): two reliefs before a card are one burn, by who deals', () => {
    const table = relieved('D-2').press('dealer-in', 'D-3');
    expect(table.view.due).toBe(1);
    expect(table.card().round(4).codes).toEqual([]);
  });

  test('651a.8(b): each new dealer burns again', () => {
    const table = relieved('D-2').card().round(4).press('dealer-in', 'D-3');
    expect(table.view.due).toBe(1);
  });

  test('651a.8(b): the same dealer logging in again is no new dealer', () => {
    const table = relieved('D-2').card().round(4).press('dealer-in', 'D-2');
    expect([table.view.due, table.press('no-more-bets').phase]).toEqual([0, 'round']);
  });

  test('651a.8(b): a relief while the cards are shuffled is met by the opening burn', () => {
    const table = war().open({ until: 'cut-due' }).press('dealer-in', 'D-9').open();
    expect([table.view.due, table.view.out]).toEqual([0, 1]);
    expect(table.press('no-more-bets').phase).toBe('round');
  });

  test('651a.8(b): the cover card at the mouth is taken aside, then one card burned', () => {
    const table = relieved().cover().card();
    expect([table.phase, table.view.due, table.codes]).toEqual(['ready', 0, []]);
    expect([table.round(5).phase, table.codes]).toEqual(['reshuffle-due', []]);
  });

  test('651a.8(b): the floor cannot clear the hold in place of the burn', () => {
    const table = relieved().press('no-more-bets').floor('clear', 'burn.dealer-missing');
    expect([table.refused, table.codes]).toEqual(['651a.8(b)', ['burn.dealer-missing']]);
  });

  test('651a.8(b): a card that goes out double burns one and opens the round', () => {
    const table = relieved().double();
    expect(table.view.dealerBurnDue).toBe(false);
    expect(table.codes).toContain('card.double');
    expect(table.view.out).toBe(1 + 6 + 2);
  });

  test('631a.5: baccarat asks no burn of a new dealer', () => {
    const table = baccarat().open().round(5).press('dealer-in', 'D-4');
    expect([table.view.due, table.press('no-more-bets').phase]).toEqual([0, 'round']);
  });

  test('policy:dealer: a badge read with the press names the dealer', () => {
    const table = war().open().press('dealer-in', undefined, { badge: 'D-5' });
    expect(table.view.dealer).toBe('D-5');
  });
});
