import { describe, expect, test } from 'vitest';
import { hiLo, mini, says, tableOf } from './table.js';

const pair = (set = {}) => mini({ batches: ['red', 'blue'], ...set });
const jack = (set = {}) =>
  tableOf('pa/633a-blackjack', { decks: 6, batches: ['red', 'blue'], ...set });

describe('batch.migrated', () => {
  const crossed = () =>
    pair().open({ until: 'shuffle-due' }).machine('red', 415).machine('blue', 417);

  test('policy:conservation-ledger: one short, the other over: one finding naming both', () => {
    const table = crossed();
    expect(table.codes).toEqual(['batch.migrated']);
    expect(table.find('batch.migrated')).toMatchObject({
      clause: 'policy:conservation-ledger',
      severity: 'stop',
      by: 1,
      batch: 'red',
      device: 'blue',
      observed: says(/red 415, blue 417: 1 card is probably in blue/),
    });
    expect(table.view.quarantined).toEqual(['red', 'blue']);
  });

  test('policy:conservation-ledger: the other way round it names the same batches', () => {
    const table = pair().open({ until: 'shuffle-due' }).machine('red', 418).machine('blue', 414);
    expect(table.find('batch.migrated')).toMatchObject({ by: 2, batch: 'blue', device: 'red' });
  });

  test('policy:conservation-ledger: different numbers are two findings', () => {
    const table = pair().open({ until: 'shuffle-due' }).machine('red', 415).machine('blue', 418);
    expect(table.codes).toEqual(['count.wrong', 'count.wrong']);
  });

  test('policy:conservation-ledger: both short are two findings', () => {
    const table = pair().open({ until: 'shuffle-due' }).machine('red', 415).machine('blue', 415);
    expect(table.codes).toEqual(['count.wrong', 'count.wrong']);
  });

  test('policy:conservation-ledger: ends when both batches have left', () => {
    const table = crossed().floor('deck-removed', 'red');
    expect([table.codes, table.find('batch.migrated')?.batch]).toEqual([
      ['batch.migrated'],
      'blue',
    ]);
    expect(table.floor('deck-removed', 'blue').codes).toEqual([]);
    table.floor('deck-in', 'red R-1').floor('deck-in', 'blue B-1');
    expect([table.open().phase, table.codes]).toEqual(['ready', []]);
  });

  test('policy:conservation-ledger: also when a new one comes before the other goes', () => {
    const table = crossed().floor('deck-removed', 'red').floor('deck-in', 'red R-1');
    expect(table.codes).toEqual(['batch.migrated']);
    expect(table.floor('deck-removed', 'blue').codes).toEqual([]);
  });

  test('policy:conservation-ledger: both sorted out and counted right, the floor ends it', () => {
    const table = crossed().floor('clear', 'batch.migrated');
    expect(table.refused).toBe('policy:conservation-ledger');
    table.floor('hand-count', 'red 416 F-2').floor('clear', 'batch.migrated');
    expect(table.refused).toBe('policy:conservation-ledger');
    table.floor('hand-count', 'blue 416 F-2').floor('clear', 'batch.migrated');
    expect([table.codes, table.view.quarantined]).toEqual([[], []]);
  });

  test('policy:conservation-ledger: one batch in the shoe, one in the machine', () => {
    const table = pair().open().round(5).floor('hand-count', 'red 415 F-2').machine('blue', 417);
    expect(table.codes).toContain('batch.migrated');
    expect([table.view.batch, table.view.gate]).toEqual(['red', 'locked']);
  });
});

describe('batch.foreign-back', () => {
  test('policy:back-colour: a blue back in the red shoe', () => {
    const table = pair().open().press('no-more-bets').card('?', 'blue');
    expect(table.find('batch.foreign-back')).toMatchObject({
      clause: 'policy:back-colour',
      severity: 'stop',
      authority: 'floor',
      observed: 'a BLUE BACK in the red shoe',
    });
    expect(table.view.out).toBe(7);
  });

  test('policy:back-colour: its own back, or none that was read, is no finding', () => {
    const table = pair().open().press('no-more-bets').card('?', 'red').card();
    expect(table.codes).toEqual([]);
  });

  test('policy:back-colour: in the burn as well', () => {
    const table = pair().open({ until: 'burn' }).card('?', 'blue');
    expect([table.codes, table.view.due]).toEqual([['batch.foreign-back'], null]);
  });
});

describe('batches that take turns', () => {
  test('633a.3: after the red shoe the blue batch', () => {
    const table = jack().open();
    expect(table.view.batch).toBe('red');
    table.press('collected').open();
    expect([table.view.batch, table.raised('batch.same')]).toEqual(['blue', 0]);
  });

  test('633a.3: batch.same, the red one again', () => {
    const table = jack().open().press('collected').machine('red').open();
    expect(table.view.batch).toBe('red');
    expect(table.find('batch.same')).toMatchObject({
      clause: '633a.3',
      severity: 'warn',
      batch: 'red',
    });
  });

  test('633a.3: shuffled in the machine while the other was dealt, it is ready to be cut', () => {
    const table = jack().open().machine('blue').round(12).press('collected');
    expect([table.phase, table.state.prep.batch]).toEqual(['cut-due', 'blue']);
  });

  test('627a.5: a game without the rule may use one batch again', () => {
    const table = pair().open().press('collected').machine('red').open();
    expect([table.view.batch, table.raised('batch.same')]).toEqual(['red', 0]);
  });

  test('policy:batches: a message that names none is about the cards outside the shoe', () => {
    const table = pair().open().start().done();
    expect([table.phase, table.state.batches['blue']?.token?.source]).toEqual(['ready', 'machine']);
    expect(mini().open({ until: 'shuffle-due' }).start().done().phase).toBe('cut-due');
  });

  test('policy:batches: a name the table does not know is the one outside the shoe', () => {
    const table = mini().open({ until: 'shuffle-due' }).start('1').done(400, { batch: '1' });
    expect(table.find('count.wrong')).toMatchObject({ batch: 'red', by: 16 });
  });
});

describe('decks that leave and come', () => {
  test('policy:batches: the deck in the shoe is taken away in mid-round', () => {
    const table = pair().open().press('no-more-bets').cards(3).floor('deck-removed', 'red');
    expect([table.phase, table.view.out, table.codes]).toEqual(['shuffle-due', 0, []]);
    expect(table.open().view.batch).toBe('blue');
  });

  test('policy:batches: and what was found about its stack ends with it', () => {
    const table = pair().open().press('no-more-bets').cards(4).press('counts-called').cards(3);
    table.back();
    expect(table.codes).toEqual(['round.overdrawn', 'card.back']);
    expect(table.floor('deck-removed', 'red').codes).toEqual([]);
  });

  test('policy:batches: the other deck leaves and play goes on', () => {
    const table = pair().open().press('no-more-bets').cards(3).floor('deck-removed', 'blue');
    expect([table.phase, table.view.out]).toEqual(['round', 9]);
  });

  test.each(['closed', 'opening'] as const)('policy:batches: a deck changed, %s', (phase) => {
    const table = mini().open({ until: phase }).floor('deck-removed', 'red');
    expect(table.phase).toBe(phase);
    expect(table.floor('deck-in', 'red R-2').phase).toBe(phase);
    expect([table.state.batches['red']?.id, table.open().codes]).toEqual(['R-2', []]);
  });

  test('policy:batches: a deck that is there is removed before another comes', () => {
    const table = mini().open({ until: 'shuffle-due' }).floor('deck-in', 'red R-1');
    expect([table.refused, table.state.batches['red']?.id]).toEqual([null, 'R-1']);
    expect(table.floor('deck-in', 'red R-2').refused).toBe('policy:batches');
    expect(table.floor('deck-removed', 'green').refused).toBe('policy:batches');
    expect(table.press('deck-removed', 'red').refused).toBe('policy:authority');
  });

  test('633a.3: deck.aged after 24 hours in a shoe', () => {
    const table = jack()
      .open()
      .wait(24 * 3600 - 60)
      .round(12);
    expect(table.raised('deck.aged')).toBe(0);
    table.wait(120).round(12);
    expect(table.find('deck.aged')).toMatchObject({
      clause: '633a.3',
      severity: 'warn',
      expected: says(/24 hours/),
    });
  });

  test('633a.3: deck.aged after 4 hours in the hand', () => {
    const table = jack({ decks: 1, dealing: 'hand' })
      .open()
      .wait(4 * 3600 + 60)
      .press('spill');
    expect(table.find('deck.aged')?.expected).toMatch(/ 4 hours/);
  });

  test('633a.3: a new deck is as old as it is', () => {
    const table = jack()
      .open()
      .wait(20 * 3600)
      .floor('deck-removed', 'blue');
    table
      .floor('deck-in', 'blue B-2')
      .wait(5 * 3600)
      .press('spill');
    expect(table.codes).toEqual(['deck.aged']);
    expect(table.find('deck.aged')?.batch).toBe('red');
    expect(table.floor('deck-removed', 'red').codes).toEqual([]);
  });

  test('663a.5: a pack without a limit never ages', () => {
    expect(
      hiLo()
        .open()
        .wait(48 * 3600)
        .press('spill')
        .raised('deck.aged'),
    ).toBe(0);
  });
});
