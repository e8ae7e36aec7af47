import { describe, expect, test } from 'vitest';
import { baccarat, hiLo, holdEm, mini, says, tableOf } from './table.js';

// Orders of events that random play, or a bad night, has brought up.

describe('two batches', () => {
  const jack = () => tableOf('pa/633a-blackjack', { decks: 6, batches: ['red', 'blue'] });

  test('633a.5: a stack shuffled while the other was dealt shows its shuffle on the sheet', () => {
    const table = jack().open().machine('blue').press('collected').open();
    expect(table.view.batch).toBe('blue');
    expect(table.duty('shuffle')).toMatchObject({ status: 'met', evidence: 'sensed' });
  });

  test('policy:conservation-ledger: two findings explained as one are one warning', () => {
    const table = mini({ batches: ['red', 'blue'] }).open({ until: 'shuffle-due' });
    table.machine('red', 415).cards(3).machine('blue', 417).card();
    expect([table.codes, table.view.cardsAfterWarning]).toEqual([['batch.migrated'], 4]);
  });

  test('policy:batches: both decks leave, new ones come, play goes on', () => {
    const table = jack().open().floor('deck-removed', 'red').floor('deck-removed', 'blue');
    expect([table.phase, table.shown]).toEqual(['shuffle-due', says(/NEW DECK/)]);
    table.floor('deck-in', 'blue B-1').open();
    expect([table.view.batch, table.codes]).toEqual(['blue', []]);
  });

  test('policy:shuffler-count: a condemned stack, and the other takes its turn', () => {
    const table = jack().open({ until: 'marker-due' }).machine('blue');
    table.see({ kind: 'shuffler.unload', batch: 'red', count: 300 });
    expect([table.phase, table.codes]).toEqual(['shuffle-due', ['count.wrong']]);
    table.floor('deck-removed', 'red');
    expect([table.phase, table.state.prep.batch, table.codes]).toEqual(['cut-due', 'blue', []]);
  });
});

describe('hand dealing', () => {
  test('677a.5: counted by two people after a silent machine, the deck is ready uncut', () => {
    const table = holdEm({ shuffler: 'counting' }).open({ until: 'shuffle-due' }).start();
    table.done(null, { mode: 'shuffle' }).floor('hand-count', 'red 52 F-2');
    expect(table.phase).toBe('ready');
    expect(table.duty('cut')).toMatchObject({ status: 'waived' });
  });

  test('677a.9(f): an older stop does not hide what the dispute waits for', () => {
    const table = holdEm().open().press('no-more-bets', 4);
    table.see({ kind: 'journal.fault', reason: 'full' }).press('stub-count', 36);
    expect(table.shown).toMatch(/STUB/);
  });
});

describe('the cut', () => {
  test('663a.5(d): no player is offered the cut, or declines it', () => {
    const table = hiLo({ shuffler: 'none' }).open({ until: 'cut-due' }).press('cut-offered', 3);
    expect(table.refused).toBe('663a.5(d)');
    expect(table.press('cut-declined', 3).refused).toBe('663a.5(d)');
    expect(table.press('cut', 'dealer').phase).toBe('load-due');
  });

  test('631a.5(e): a reshuffle ordered after a recut begins everything anew', () => {
    const table = baccarat().open({ until: 'cut-due' }).press('cut', 'seat 14').floor('recut');
    table.floor('reshuffle');
    expect([table.phase, table.state.prep.recutAfter]).toEqual(['shuffle-due', null]);
  });
});

describe('several things at once', () => {
  test('policy:clear: the oldest stop is shown; each is cleared by itself', () => {
    const table = mini().open().press('no-more-bets').cards(4).press('counts-called').cards(3);
    table.back().see({ kind: 'power.boot', unclean: true, boot: 2 });
    expect(table.codes).toEqual(['round.overdrawn', 'card.back', 'gap.unwatched']);
    expect(table.shown).toMatch(/7 CARDS in this round/);
    table.floor('clear', 'card.back').floor('accept-gap', 0).floor('clear', 'round.overdrawn');
    expect([table.codes, table.view.gate, table.phase]).toEqual([[], 'open', 'round']);
  });

  test('policy:unwatched-gap: stop in the burn, power cut, stop still there, burn goes on', () => {
    const table = baccarat()
      .open({ until: 'burn' })
      .card()
      .press('first-card', '6')
      .cards(2)
      .back();
    table.see({ kind: 'power.boot', unclean: true, boot: 2 }).floor('accept-gap', 1);
    expect([table.codes, table.view.due]).toEqual([['card.back'], 4]);
    table.floor('clear', 'card.back').cards(4);
    expect([table.phase, table.codes, table.view.out]).toEqual(['ready', [], 7]);
  });

  test('631a.5(f): cover card, foreign card and a card too many in one burn', () => {
    const table = baccarat({ batches: ['red', 'blue'] })
      .open({ until: 'burn' })
      .card();
    table.press('first-card', 'A').cover().card('?', 'blue').card();
    expect(table.codes).toEqual(['marker.in-burn', 'batch.foreign-back', 'burn.over']);
    expect(table.find('marker.in-burn')).toMatchObject({ cardsAfterWarning: 2 });
    expect([table.floor('reshuffle').codes, table.phase]).toEqual([[], 'shuffle-due']);
  });

  test('policy:locked-shoe: cards before a load are no cards of the shoe', () => {
    const table = mini().open({ until: 'marker-due' }).cards(2).press('marker-placed');
    expect([table.press('loaded').view.out, table.raised('card.locked')]).toEqual([0, 2]);
  });

  test('627a.9(e): a deck that leaves in its last hand ends the shoe and its cover card', () => {
    const table = mini().open().round(5, 78).cover().round(5).press('last-hand-called');
    table.press('no-more-bets').cards(3).floor('deck-removed', 'red').floor('deck-in', 'red R-2');
    expect([table.open().view.coverSeen, table.view.lastHand, table.codes]).toEqual([
      false,
      false,
      [],
    ]);
  });
});
