import { describe, expect, test } from 'vitest';
import { baccarat, mini, tableOf, war, says } from './table.js';

const burning = () => baccarat().open({ until: 'burn' });

describe('the opening burn by the first card', () => {
  test.each([
    ['A', 1],
    ['2', 2],
    ['3', 3],
    ['4', 4],
    ['5', 5],
    ['6', 6],
    ['7', 7],
    ['8', 8],
    ['9', 9],
    ['10', 10],
    ['J', 10],
    ['Q', 10],
    ['K', 10],
  ])('631a.5(f): first card %s burns %i more, face down', (rank, more) => {
    const table = burning().card().press('first-card', rank);
    expect(table.view.due).toBe(more);
    table.cards(more - 1);
    expect([table.phase, table.view.due]).toEqual(['burn', 1]);
    table.card();
    expect([table.phase, table.view.out, table.codes]).toEqual(['ready', 1 + more, []]);
    expect(table.duty('burn')).toMatchObject({ status: 'met', evidence: 'sensed' });
    expect(table.duty('burn-rank')).toMatchObject({ status: 'met', evidence: 'attested' });
  });

  test('631a.5(f): the display counts the burn down', () => {
    const table = burning().card().press('first-card', '8').cards(1);
    expect(table.shown).toMatch(/BURN 8 more, 7 to go/);
    expect(table.state.outputs.display?.clause).toBe('631a.5(f)');
    table.cards(6);
    expect(table.shown).toMatch(/1 to go/);
  });

  test('631a.5(f): the gate is open for exactly what is owed', () => {
    const table = burning();
    expect(table.view.gate).toBe('open');
    table.card().press('first-card', '2').card();
    expect(table.view.gate).toBe('open');
    table.card();
    expect([table.phase, table.view.gate]).toEqual(['ready', 'open']);
  });

  test('631a.5(f): the rank keyed before the card is drawn counts as well', () => {
    const table = burning().press('first-card', '3');
    expect([table.phase, table.view.due, table.codes]).toEqual(['burn', 4, []]);
    table.cards(4);
    expect([table.phase, table.view.out, table.codes]).toEqual(['ready', 4, []]);
  });

  test('631a.5(f): a reading shoe gives the rank of the first card and of no other', () => {
    const table = baccarat({ reader: 'rank' }).open({ until: 'burn' }).cards(['Kd', '9h', '7s']);
    expect(table.view.due).toBe(8);
    expect(table.duty('burn-rank')).toMatchObject({ evidence: 'sensed' });
    const ranks = table.seen.filter((seen) => seen.kind === 'card.out').map(({ rank }) => rank);
    expect(ranks).toEqual(['K', undefined, undefined]);
  });

  test('631a.5(f): the twelfth card is too many for any first card', () => {
    const table = burning().cards(11);
    expect(table.codes).toEqual(['burn.rank-unknown']);
    table.cards(2);
    expect(table.find('burn.over')).toMatchObject({ severity: 'stop', by: 2 });
    expect([table.raised('burn.over'), table.phase]).toEqual([1, 'burn']);
    table.press('first-card', 'A');
    expect([table.find('burn.over')?.by, table.phase]).toEqual([11, 'ready']);
  });

  test('631a.5(f): an unread first card leaves the rank to be keyed', () => {
    const table = baccarat({ reader: 'rank' }).open({ until: 'burn' }).card('?');
    expect([table.view.due, table.shown]).toEqual([null, says(/KEY IN/)]);
    expect(table.press('first-card', 'A').view.due).toBe(1);
  });

  test('627a.5: minibaccarat burns by the same map', () => {
    const table = mini().open({ until: 'burn' }).card().press('first-card', 'Q');
    expect(table.view.due).toBe(10);
    expect(table.cards(10).phase).toBe('ready');
  });

  test('631a.5(f): burn-done is taken only when the burn is complete', () => {
    const table = burning().card().press('first-card', '2').card().press('burn-done');
    expect([table.refused, table.codes]).toEqual(['631a.5(f)', ['burn.short']]);
    expect(table.card().press('burn-done').refused).toBeNull();
    expect(table.codes).toEqual([]);
  });
});

describe('burn.rank-unknown', () => {
  test('631a.5(f): a second card without a rank raises the hold', () => {
    const table = burning().card();
    expect(table.codes).toEqual([]);
    table.card();
    expect(table.find('burn.rank-unknown')).toMatchObject({
      clause: '631a.5(f)',
      severity: 'hold',
      authority: 'dealer',
      remedy: says(/KEY IN THE FIRST CARD/),
    });
    expect(table.view.gate).toBe('locked');
    expect(table.press('first-card', '4').codes).toEqual([]);
    expect([table.view.due, table.view.gate]).toEqual([3, 'open']);
  });

  test('631a.5(f): "no more bets" without a rank raises it and opens nothing', () => {
    const table = burning().card().press('no-more-bets');
    expect([table.phase, table.codes]).toEqual(['burn', ['burn.rank-unknown']]);
    expect(table.refused).not.toBeNull();
  });

  test('631a.5(f): zero for a ten is refused, with the reason', () => {
    const table = burning().card().press('first-card', 0);
    expect([table.refused, table.view.due]).toEqual(['631a.5(f)', null]);
    expect(table.codes).toEqual(['burn.rank-unknown']);
    expect(table.last).toContainEqual(
      expect.objectContaining({ do: 'refused', reason: says(/BURN TEN/) }),
    );
    expect(table.press('first-card', '10').codes).toEqual([]);
  });

  test('631a.5(f): a zero keyed after the rank is known opens no hold', () => {
    const table = burning().card().press('first-card', '3').press('first-card', 0);
    expect([table.refused, table.codes, table.view.due]).toEqual(['631a.5(f)', [], 3]);
  });

  test('631a.5(f): after cards were burned on it only the floor corrects the rank', () => {
    const table = burning().card().press('first-card', '3').card().press('first-card', '5');
    expect([table.refused, table.view.due]).toEqual(['631a.5(f)', 2]);
    table.floor('first-card', '5');
    expect([table.refused, table.view.due]).toEqual([null, 4]);
  });

  test('631a.5(f): the floor may correct the rank until play begins, not after', () => {
    const table = burning().card().press('first-card', '2').cards(2);
    expect(table.phase).toBe('ready');
    table.floor('first-card', '3');
    expect([table.phase, table.view.due]).toEqual(['burn', 1]);
    table.card().round(5);
    expect(table.floor('first-card', '9').refused).toBe('631a.5(f)');
  });

  test('631a.5(f): what the shoe read is not overruled by a dealer', () => {
    const table = baccarat({ reader: 'rank' }).open({ until: 'burn' }).card('7h');
    expect(table.press('first-card', '7').refused).toBeNull();
    expect(table.duty('burn-rank')).toMatchObject({ evidence: 'sensed' });
    expect(table.press('first-card', '6').refused).toBe('631a.5(f)');
    expect(table.view.due).toBe(7);
    expect(table.floor('first-card', '6').view.due).toBe(6);
  });
});

describe('burn.short', () => {
  const short = () => burning().card().press('first-card', '7').cards(6).press('no-more-bets');

  test('631a.5(f): the round may not open one card short', () => {
    const table = short();
    expect([table.phase, table.view.out]).toEqual(['burn', 7]);
    expect(table.find('burn.short')).toMatchObject({
      clause: '631a.5(f)',
      severity: 'hold',
      by: 1,
      remedy: 'BURN 1 more',
    });
    expect([table.view.gate, table.view.tower?.colour]).toEqual(['open', 'red']);
  });

  test('631a.5(f): the hold ends by itself with the last card', () => {
    const table = short().card();
    expect([table.phase, table.codes, table.raised('burn.short')]).toEqual(['ready', [], 1]);
    expect(table.round(4).codes).toEqual([]);
  });

  test('631a.5(f): the number owed follows the cards', () => {
    const table = burning().card().press('first-card', '7').press('no-more-bets');
    expect(table.find('burn.short')).toMatchObject({ by: 7 });
    table.cards(2);
    expect(table.find('burn.short')).toMatchObject({ by: 5, remedy: 'BURN 5 more' });
  });

  test('631a.5(f): the floor cannot clear a burn that is owed', () => {
    const table = short().floor('clear', 'burn.short');
    expect([table.refused, table.codes]).toEqual(['631a.5(f)', ['burn.short']]);
  });

  test('631a.5(f): before the first card the whole burn is owed', () => {
    const table = burning().press('no-more-bets');
    expect(table.codes).toEqual(['burn.short']);
    expect(table.find('burn.short')?.by).toBeUndefined();
    expect(table.card().press('first-card', 'A').card().codes).toEqual([]);
  });

  test('631a.5(f): a complete burn raises nothing', () => {
    const table = baccarat().open().press('no-more-bets');
    expect([table.phase, table.raised('burn.short')]).toEqual(['round', 0]);
  });
});

describe('burn.over', () => {
  const over = () => baccarat().open({ firstCard: 'A' }).card();

  test('631a.5(f): a card between the burn and the first "no more bets" is one too many', () => {
    const table = over();
    expect(table.find('burn.over')).toMatchObject({
      clause: '631a.5(f)',
      severity: 'stop',
      authority: 'floor',
      by: 1,
      cardsAfterWarning: 0,
    });
    expect([table.phase, table.view.gate]).toEqual(['ready', 'locked']);
    expect(table.duty('burn')).toMatchObject({ status: 'not-met' });
  });

  test('631a.5(f): each further card counts against the same finding', () => {
    const table = over().card();
    expect(table.find('burn.over')).toMatchObject({ by: 2, cardsAfterWarning: 1 });
    expect([table.raised('burn.over'), table.raised('card.locked')]).toEqual([1, 1]);
  });

  test('631a.5(f): "no more bets" waits for the floor', () => {
    const table = over().press('no-more-bets');
    expect([table.phase, table.refused]).toEqual(['ready', '631a.9']);
    expect(table.press('clear', 'burn.over').refused).toBe('policy:authority');
    expect(table.floor('clear', 'burn.over').codes).toEqual([]);
    expect(table.press('no-more-bets').phase).toBe('round');
  });

  test('631a.5(f): the floor ends it by correcting a rank keyed too low', () => {
    const table = over().floor('first-card', '2');
    expect([table.phase, table.codes, table.view.out]).toEqual(['ready', [], 3]);
    expect(table.duty('burn')).toMatchObject({ status: 'met' });
  });

  test('631a.5(f): a rank corrected downwards shows the burn that went too far', () => {
    const table = burning().card().press('first-card', '4').cards(3).floor('first-card', '2');
    expect([table.phase, table.find('burn.over')?.by]).toEqual(['ready', 1]);
  });

  test('631a.5(f): after the first round a card between rounds is no burn', () => {
    const table = baccarat().open().round(5).card();
    expect([table.phase, table.codes]).toEqual(['round', ['bets.open']]);
  });

  test('651a.8(b): a second card before the first bets is one too many', () => {
    const table = war().open().card();
    expect(table.find('burn.over')).toMatchObject({ clause: '651a.8(b)', severity: 'stop', by: 1 });
  });
});

describe('other burns', () => {
  test('651a.8(b): one card goes out unseen before the first round', () => {
    const table = war().open({ until: 'burn' });
    expect([table.view.due, table.view.gate]).toEqual([1, 'open']);
    table.press('no-more-bets');
    expect(table.find('burn.short')).toMatchObject({
      clause: '651a.8(b)',
      severity: 'hold',
      by: 1,
    });
    expect([table.card().phase, table.codes, table.view.out]).toEqual(['ready', [], 1]);
  });

  test('651a.8(b): the rank of the burn card may not be keyed', () => {
    const table = war().open({ until: 'burn' }).card().press('first-card', 'Q');
    expect(table.refused).toBe('651a.8(b)');
    expect(JSON.stringify(table.seen.at(-1))).not.toMatch(/"Q"/);
  });

  test('663a.5: Five Card Hi-Lo has no burn', () => {
    const table = tableOf('pa/663a-five-card-hi-lo').open();
    expect([table.phase, table.view.out]).toEqual(['ready', 0]);
    expect(table.press('burn-done').codes).toEqual([]);
  });

  test('dealt from the hand, the burn is the word of the dealer and never called sensed', () => {
    const table = tableOf('pa/633a-blackjack', { dealing: 'hand', decks: 2 });
    table.open({ until: 'burn' });
    expect(table.shown).toMatch(/BURN 1 card, then press burn done/);
    expect(table.press('no-more-bets').codes).toEqual(['burn.short']);
    expect([table.press('burn-done').phase, table.codes]).toEqual(['ready', []]);
    expect(table.duty('burn')).toMatchObject({ status: 'met', evidence: 'attested' });
    table.press('no-more-bets').press('round-end').press('dealer-in', 'D-9');
    expect(table.press('no-more-bets').codes).toEqual(['burn.dealer-missing']);
    expect([table.press('burn-done').codes, table.view.due]).toEqual([[], 0]);
    expect(table.duty('dealer-burn')).toMatchObject({ status: 'met', evidence: 'attested' });
  });

  test('policy:burn: as many cards as decks, where the house chose so', () => {
    const table = tableOf('macau/baccarat', { decks: 8, choose: { burn: 'decks' } });
    table.open({ until: 'burn' });
    expect(table.view.due).toBe(8);
    expect([table.cards(8).phase, table.codes]).toEqual(['ready', []]);
  });

  test('631a.5(f): a second shoe burns again from the start', () => {
    const table = baccarat().open({ firstCard: '9' }).press('collected');
    table.floor('acknowledge', 'cover.early-shuffle').open({ until: 'burn' });
    expect([table.view.due, table.state.burn.rank, table.view.shoe]).toEqual([null, null, 2]);
  });
});
