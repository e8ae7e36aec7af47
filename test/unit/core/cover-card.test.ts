import { describe, expect, test } from 'vitest';
import { baccarat, hiLo, mini, tableOf, war, says } from './table.js';

/** 627a at card 392 (2 burned, 78 rounds of 5): 24 behind. */
const late = () => mini().open({ firstCard: 'A' }).round(5, 78);

describe('minibaccarat: the cover card during a round', () => {
  const seen = () => late().press('no-more-bets').cards(2).cover();

  test('627a.9(e): is put aside and the hand finished', () => {
    const table = seen();
    expect([table.phase, table.view.gate, table.codes]).toEqual(['round', 'open', []]);
    expect(table.shown).toMatch(/FINISH THIS HAND/);
    expect(table.state.outputs.display?.clause).toBe('627a.9(e)');
  });

  test('627a.9(e): at the end of that hand "last hand" is announced', () => {
    const table = seen().cards(2).press('round-end');
    expect([table.phase, table.announced]).toEqual(['ready', ['last hand']]);
    expect(table.shown).toMatch(/LAST HAND: announce/);
    expect(table.press('last-hand-called').shown).toMatch(/LAST HAND\. No more bets/);
    expect(table.duty('last-hand')).toMatchObject({ status: 'met', evidence: 'attested' });
  });

  test('627a.9(e): exactly one more hand, then the reshuffle', () => {
    const table = seen().cards(3).press('round-end').press('last-hand-called').round(6);
    expect([table.phase, table.view.gate, table.codes]).toEqual(['reshuffle-due', 'locked', []]);
    expect(table.press('no-more-bets').refused).toBe('627a.8');
    expect(table.press('collected').phase).toBe('shuffle-due');
    expect(table.raised('cover.early-shuffle')).toBe(0);
  });

  test('627a.9(e): a card after the last hand is a further round', () => {
    const table = seen().cards(3).press('round-end').press('last-hand-called').round(6).cards(3);
    expect(table.find('cover.extra-round')).toMatchObject({
      clause: '627a.9(e)',
      severity: 'stop',
      authority: 'floor',
      cardsAfterWarning: 2,
    });
    expect([table.raised('cover.extra-round'), table.raised('card.locked')]).toEqual([1, 3]);
  });

  test('627a.9(e): after the floor cleared it the shoe is still over', () => {
    const table = seen()
      .cards(3)
      .press('round-end')
      .round(4)
      .card()
      .floor('clear', 'cover.extra-round');
    expect([table.phase, table.view.gate]).toEqual(['reshuffle-due', 'locked']);
    expect(table.card().codes).toContain('cover.extra-round');
    table.floor('reshuffle');
    expect([table.phase, table.find('cover.extra-round')]).toEqual(['shuffle-due', undefined]);
  });
});

describe('minibaccarat: the cover card first in a round', () => {
  test('627a.9(e): belongs to the round that begins, and one more follows', () => {
    const table = late().cover();
    expect([table.phase, table.codes]).toEqual(['ready', []]);
    table.round(4);
    expect([table.phase, table.announced, table.shown]).toEqual([
      'ready',
      ['last hand'],
      says(/LAST HAND/),
    ]);
    expect(table.press('last-hand-called').round(5).phase).toBe('reshuffle-due');
    expect(table.codes).toEqual([]);
  });

  test('627a.9(e): between "no more bets" and the first card it is the first card too', () => {
    const table = late().press('no-more-bets').cover().cards(4).press('round-end');
    expect([table.phase, table.view.lastHand]).toEqual(['ready', true]);
    expect(table.press('last-hand-called').round(4).phase).toBe('reshuffle-due');
  });

  test('627a.9(e): one instant decides a hand: before the round is closed, or after', () => {
    const before = late().press('no-more-bets').cards(5).cover().press('round-end');
    const after = late().press('no-more-bets').cards(5).press('round-end').cover();
    expect([before.view.lastHand, after.view.lastHand]).toEqual([true, false]);
    before.press('last-hand-called').round(4);
    after.round(4);
    expect([before.phase, after.phase]).toEqual(['reshuffle-due', 'ready']);
    expect(after.press('last-hand-called').round(4).phase).toBe('reshuffle-due');
  });

  test('627a.9(e): the cover card, then a card with the bets open', () => {
    const table = late().cover().card();
    expect([table.phase, table.codes, table.state.round.coverSeen]).toEqual([
      'round',
      ['bets.open'],
      true,
    ]);
  });
});

describe('cover.last-hand-not-called', () => {
  const due = () => late().cover().round(4);

  test('627a.9(e): the last hand begun unannounced is told', () => {
    const table = due().press('no-more-bets');
    expect(table.find('cover.last-hand-not-called')).toMatchObject({
      clause: '627a.9(e)',
      severity: 'warn',
      authority: 'dealer',
    });
    expect(table.phase).toBe('round');
  });

  test('627a.9(e): a hand announced in time raises nothing', () => {
    const table = due().press('last-hand-called').press('no-more-bets');
    expect(table.codes).toEqual([]);
  });

  test('627a.9(e): it may not be called before its time', () => {
    expect(mini().open().press('last-hand-called').refused).toBe('627a.9(e)');
    expect(late().cover().press('last-hand-called').refused).toBe('627a.9(e)');
  });

  test('627a.9(e): the dealer ends the warning by acknowledging it', () => {
    const table = due().press('no-more-bets').press('acknowledge', 'cover.last-hand-not-called');
    expect(table.codes).toEqual([]);
  });

  test('651a.8(d): Casino War has no last hand to call', () => {
    const table = war().open().round(6, 40).cover();
    expect(table.press('last-hand-called').refused).toBe('651a.8(d)');
    expect(table.round(6).raised('cover.last-hand-not-called')).toBe(0);
  });
});

describe('cover.early-shuffle', () => {
  test('627a.9(e): collected before any cover card', () => {
    const table = mini().open().round(5).press('collected');
    expect(table.find('cover.early-shuffle')).toMatchObject({
      clause: '627a.9(e)',
      severity: 'warn',
    });
    expect(table.phase).toBe('shuffle-due');
  });

  test('627a.9(e): collected with the last hand still to come', () => {
    const table = late().cover().round(4).press('collected');
    expect(table.find('cover.early-shuffle')?.observed).toMatch(/1 round to go/);
  });

  test('627a.9(e): a reshuffle the floor ordered is no early end', () => {
    expect(mini().open().round(5).floor('reshuffle').raised('cover.early-shuffle')).toBe(0);
  });

  test('627a.9(e): during a round nothing is collected', () => {
    const table = mini().open().press('no-more-bets').press('collected');
    expect([table.phase, table.refused]).toEqual(['round', '627a.5']);
  });

  test('627a.9(e): the warning ends with the next stack', () => {
    const table = mini().open().round(5).press('collected').open().press('collected');
    expect(table.raised('cover.early-shuffle')).toBe(2);
    expect(table.codes).toEqual(['cover.early-shuffle']);
  });
});

describe('Casino War and the others', () => {
  test('651a.8(d): reached during the deal, that round is the last', () => {
    const table = war().open().round(6, 38).press('no-more-bets').cards(3).cover().cards(3);
    expect([table.phase, table.announced]).toEqual(['round', []]);
    table.press('round-end');
    expect([table.phase, table.view.gate, table.codes]).toEqual(['reshuffle-due', 'locked', []]);
    expect(table.card().find('cover.extra-round')).toMatchObject({ clause: '651a.8(d)' });
  });

  test('651a.8(d): first in a round, that round is dealt and is the last', () => {
    const table = war().open().round(6, 38).cover();
    expect(table.phase).toBe('ready');
    expect([table.round(6).phase, table.codes]).toEqual(['reshuffle-due', []]);
  });

  test('631a.10: baccarat plays one more hand after the cover card', () => {
    const table = baccarat().open({ firstCard: 'A' }).round(5, 79).cover().round(4);
    expect([table.phase, table.view.lastHand]).toEqual(['ready', true]);
    expect(table.press('last-hand-called').round(5).phase).toBe('reshuffle-due');
  });

  test('NSW Blackjack: first in a round, the cards are shuffled at once', () => {
    const table = tableOf('nsw/blackjack', { decks: 6 }).open().round(12, 10).cover();
    expect([table.phase, table.view.gate]).toEqual(['reshuffle-due', 'locked']);
    expect(table.card().codes).toEqual(['cover.extra-round']);
  });

  test('NSW Blackjack: in mid-round, the round is finished', () => {
    const table = tableOf('nsw/blackjack', { decks: 6 })
      .open()
      .press('no-more-bets')
      .cards(9)
      .cover();
    expect([table.phase, table.cards(5).press('round-end').phase]).toEqual([
      'round',
      'reshuffle-due',
    ]);
  });

  test('policy:cover-card: Macau, where the house lets no hand follow', () => {
    const choose = { afterTheWhiteCard: 'last' };
    const table = tableOf('macau/baccarat', { decks: 8, choose }).open({ firstCard: 'A' });
    table.round(5, 78).cover().round(5);
    expect([table.phase, table.codes]).toEqual(['reshuffle-due', []]);
  });

  test('663a.5(d): the only cover card lies at the bottom: out means done', () => {
    const table = hiLo({ shuffler: 'none' }).open().press('no-more-bets').cards(20).cover();
    expect(table.find('cover.exhausted')).toMatchObject({ severity: 'stop', clause: '663a.5(d)' });
  });
});

describe('the marker and the bottom cover card', () => {
  const near = (rounds: number) => baccarat().open({ firstCard: 'A' }).round(5, rounds);

  test.each([
    [14, 0, undefined],
    [13, 1, 1],
    [9, 1, 5],
  ])('631a.5(d): %i behind raises marker.misplaced %i times', (behind, times, by) => {
    const table = near(79)
      .press('no-more-bets')
      .cards(416 - 2 - 395 - behind)
      .cover();
    expect([table.view.behind, table.raised('marker.misplaced')]).toEqual([behind, times]);
    expect(table.find('marker.misplaced')?.by).toBe(by);
    expect(table.duty('marker')).toMatchObject({ status: times === 0 ? 'met' : 'not-met' });
  });

  test('631a.5(d): marker.misplaced is a warning with its clause and numbers', () => {
    expect(near(81).cover().find('marker.misplaced')).toMatchObject({
      clause: '631a.5(d)',
      severity: 'warn',
      by: 5,
      observed: '9 cards behind it',
      remedy: says(/floor/),
    });
  });

  test.each([
    [12, false],
    [11, true],
  ])('631a.5(d): %i behind before a round: last hand at once %s', (behind, atOnce) => {
    const table = near(79).press('no-more-bets').cards(5).press('round-end');
    const more = 416 - table.view.out - behind;
    table.press('no-more-bets').cards(more).press('round-end').cover();
    expect(table.view.behind).toBe(behind);
    expect(table.view.lastHand).toBe(atOnce);
  });

  test('631a.5(d): in a round, too few for another makes this hand the last', () => {
    const table = near(79).press('no-more-bets').cards(6).press('round-end');
    table.press('no-more-bets').cards(4).cover();
    expect([table.view.behind, table.view.lastHand]).toEqual([9, false]);
    table.cards(2).press('round-end');
    expect(table.phase).toBe('ready');
    const short = near(81).press('no-more-bets').cards(2).cover();
    expect([short.view.behind, short.view.lastHand]).toEqual([7, true]);
    expect(short.cards(3).press('round-end').phase).toBe('reshuffle-due');
  });

  test('631a.5(d): with too few for any round the shoe is over', () => {
    const table = near(81).press('no-more-bets').cards(4).press('round-end').cover();
    expect([table.view.behind, table.phase]).toEqual([5, 'reshuffle-due']);
  });

  test('631a.5(d): where cards may have moved unseen the marker is not judged', () => {
    const table = near(81).see({ kind: 'power.boot', unclean: true, boot: 2 }).cover();
    expect([table.view.behind, table.raised('marker.misplaced')]).toEqual([null, 0]);
  });

  test('631a.5(d): marker.in-burn, the cover card during the burn', () => {
    const table = baccarat().open({ until: 'burn' }).card().press('first-card', '5').cover();
    expect(table.find('marker.in-burn')).toMatchObject({
      clause: '631a.5(d)',
      severity: 'stop',
      authority: 'floor',
    });
    expect([table.phase, table.view.gate]).toEqual(['burn', 'locked']);
    expect(table.floor('reshuffle').codes).toEqual([]);
    expect(table.phase).toBe('shuffle-due');
  });

  test('631a.5(d): the cover card as the very first thing out proves the load', () => {
    const table = baccarat().open({ until: 'load-due' }).cover();
    expect([table.phase, table.codes]).toEqual(['burn', ['marker.in-burn']]);
    expect([table.view.loaded, table.view.out]).toEqual([416, 0]);
  });

  test('631a.5(d): cover.exhausted, the second cover card is the bottom', () => {
    const table = near(80).cover().round(5).press('last-hand-called').press('no-more-bets');
    table.cards(4).cover();
    expect(table.find('cover.exhausted')).toMatchObject({
      clause: '631a.5(d)',
      severity: 'stop',
      authority: 'floor',
      remedy: says(/reshuffle/),
    });
    expect(table.floor('reshuffle').codes).not.toContain('cover.exhausted');
  });

  test.each([
    [14, 0],
    [13, 1],
  ])('631a.5(d): cover.never-seen with %i left: raised %i times', (left, times) => {
    const table = near(79).press('no-more-bets').cards(5).press('round-end');
    table.press('no-more-bets').cards(416 - table.view.out - left);
    expect([table.view.left, table.raised('cover.never-seen')]).toEqual([left, times]);
  });

  test('631a.5(d): cover.never-seen ends when the cover card comes after all', () => {
    const table = near(81).press('no-more-bets').card();
    expect(table.find('cover.never-seen')).toMatchObject({ clause: '631a.5(d)', severity: 'warn' });
    table.cover();
    expect(table.codes).toEqual(['marker.misplaced']);
  });

  test('651a.5: a marker without a number is not judged by one', () => {
    const table = war().open().round(6, 51).cover();
    expect([table.view.behind, table.codes]).toEqual([312 - 307, []]);
  });

  test('631a.5(d): a cover card with no shoe loaded says nothing', () => {
    const table = baccarat().open({ until: 'shuffle-due' }).cover();
    expect([table.phase, table.codes]).toEqual(['shuffle-due', []]);
  });

  test('a deck dealt from the hand is collected without a cover card: none could be sensed', () => {
    const table = tableOf('pa/633a-blackjack', { dealing: 'hand', decks: 2 }).open();
    table.press('no-more-bets').press('round-end').press('collected');
    expect([table.codes, table.phase]).toEqual([[], 'shuffle-due']);
  });
});
