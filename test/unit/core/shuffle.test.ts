import { describe, expect, test } from 'vitest';
import { baccarat, hiLo, holdEm, mini, tableOf, says } from './table.js';

const pair = (set = {}) => mini({ batches: ['red', 'blue'], ...set });

describe('hand shuffles', () => {
  const due = () => baccarat().open({ until: 'shuffle-due' });

  test('631a.5(a): each of the dealers shuffles, on his own', () => {
    const table = due().press('washed').press('shuffled').press('shuffled');
    expect([table.phase, table.shown]).toEqual(['shuffling', says(/1 dealer to go/)]);
    table.press('shuffled');
    expect([table.phase, table.codes]).toEqual(['cut-due', []]);
    expect(table.duty('shuffle')).toMatchObject({ status: 'met', evidence: 'attested' });
  });

  test('631a.5(a): one dealer does not shuffle twice for two', () => {
    const table = due().press('shuffled', undefined, { badge: 'D-1' });
    table.press('shuffled', undefined, { badge: 'D-1' });
    expect([table.refused, table.state.prep.shuffledBy.length]).toEqual(['631a.5(a)', 1]);
  });

  test('631a.5(a): the wash is on the duty sheet only where it was pressed', () => {
    const table = baccarat({ crew: 1 }).open({ until: 'shuffle-due' }).press('shuffled');
    expect(JSON.stringify(table.duty('shuffle'))).toMatch(/wash not attested/);
  });

  test.each(['cut', 'loaded', 'no-more-bets'])(
    '631a.5(a): shuffle.dealer-missing when %s comes two dealers early',
    (key) => {
      const table = due().press('washed').press('shuffled');
      table.press(key, key === 'cut' ? 'seat 14' : undefined);
      expect(table.find('shuffle.dealer-missing')).toMatchObject({
        clause: '631a.5(a)',
        severity: 'hold',
        by: 2,
        remedy: 'SHUFFLE: 2 more dealers',
      });
      expect(table.phase).toBe('shuffling');
      table.press('shuffled');
      expect(table.find('shuffle.dealer-missing')?.by).toBe(1);
      expect(table.press('shuffled').codes).toEqual([]);
    },
  );

  test('627a.5: one dealer is enough where the game has one', () => {
    const table = mini({ shuffler: 'none', crew: 3 }).open({ until: 'shuffle-due' });
    expect(table.press('washed').press('shuffled').phase).toBe('cut-due');
  });

  test('631a.5(a): preshuffled cards waive the shuffle and nothing else', () => {
    const table = due().press('preshuffled', 'P-1');
    expect(table.phase).toBe('cut-due');
    expect(table.duty('shuffle')).toMatchObject({ status: 'waived', evidence: 'attested' });
    expect(table.duty('cut')).toMatchObject({ status: 'due' });
    expect(table.open().phase).toBe('ready');
  });

  test('631a.5(a): no shuffle is taken while cards are in play', () => {
    const table = baccarat().open();
    expect(table.press('shuffled').refused).toBe('631a.5(a)');
    expect(table.press('washed').refused).toBe('631a.5(a)');
    expect(table.press('preshuffled', 'P-2').refused).toBe('631a.5(a)');
  });

  test('policy:machine-shuffle: a hand shuffle where the house demands the machine', () => {
    const table = mini({ policy: { handShuffle: 'stop' } }).open({ until: 'shuffle-due' });
    table.press('shuffled');
    expect(table.find('hand.manual-shuffle')).toMatchObject({
      clause: 'policy:machine-shuffle',
      severity: 'stop',
    });
    expect(table.phase).not.toBe('cut-due');
  });
});

describe('the shuffle token: one stack, once', () => {
  test('631a.5(a): shuffle.missing when a stack is loaded that was not shuffled', () => {
    const table = baccarat().open({ until: 'shuffle-due' }).press('loaded');
    expect(table.find('shuffle.missing')).toMatchObject({
      clause: '631a.5(a)',
      severity: 'stop',
      authority: 'floor',
      batch: 'red',
      remedy: says(/shuffle/i),
    });
    expect([table.view.gate, table.view.tower?.colour, table.phase]).toEqual([
      'locked',
      'red',
      'shuffle-due',
    ]);
  });

  test('663a.5(a): shuffle.missing when a card is drawn without one', () => {
    const table = hiLo().open({ until: 'shuffle-due' }).card();
    expect(table.find('shuffle.missing')).toMatchObject({ clause: '663a.5(a)', severity: 'stop' });
    expect(table.card().find('shuffle.missing')).toMatchObject({ cardsAfterWarning: 1 });
  });

  test('627a.5: cards in and out of a machine that never started are not shuffled', () => {
    const table = mini().open({ until: 'shuffle-due' });
    table.see({ kind: 'shuffler.door', open: true }).see({ kind: 'shuffler.door', open: false });
    table.press('cut', 'seat 3').press('loaded').cards(2);
    expect(table.codes).toEqual(['shuffle.missing']);
    expect(table.view.cardsAfterWarning).toBe(2);
  });

  test('627a.5: a correct shuffle and the load spend the token', () => {
    const table = mini().open();
    expect(table.state.batches['red']?.token).toBeNull();
    expect(table.press('collected').press('loaded').codes).toContain('shuffle.missing');
  });

  test('627a.5: the shoe may not be loaded again with the cards that came out of it', () => {
    const table = mini().open().round(5, 78).cover().round(5).press('last-hand-called').round(5);
    expect(table.phase).toBe('reshuffle-due');
    expect(table.press('loaded').find('shuffle.missing')).toMatchObject({ severity: 'stop' });
  });

  test('627a.5: a switch that sees an unshuffled stack is enough', () => {
    const table = mini().open({ until: 'shuffle-due' }).see({ kind: 'shoe.loaded' });
    expect(table.codes).toEqual(['shuffle.missing']);
  });

  test('627a.5: a stack that went back into the machine has lost its shuffle', () => {
    const table = mini().open({ until: 'load-due' }).start('red');
    expect(table.phase).toBe('shuffling');
    expect(table.press('loaded').codes).toEqual(['shuffle.missing']);
  });

  test('627a.5: and its cut and its marker with it', () => {
    const table = mini().open({ until: 'load-due' }).machine('red');
    expect([table.phase, table.state.prep.cutDone]).toEqual(['cut-due', false]);
  });

  test('627a.5: another batch than the prepared one is loaded: it was not shuffled', () => {
    const table = pair().open({ until: 'load-due' }).press('loaded', 'blue');
    expect(table.find('shuffle.missing')).toMatchObject({ severity: 'stop', batch: 'blue' });
    expect(table.view.batch).toBeNull();
  });

  test('627a.5: another batch that was shuffled and not cut is held for its cut', () => {
    const table = pair().open({ until: 'load-due' }).machine('blue').press('loaded', 'blue');
    expect([table.codes, table.phase]).toEqual([['cut.missing'], 'cut-due']);
    table.press('cut', 'dealer').press('marker-placed').press('loaded', 'blue');
    expect([table.codes, table.view.batch]).toEqual([[], 'blue']);
  });

  test('627a.5: the batch the machine really shuffles is the one being prepared', () => {
    const table = pair().open({ until: 'shuffle-due' }).machine('blue');
    expect([table.phase, table.state.prep.batch]).toEqual(['cut-due', 'blue']);
    expect([table.open().view.batch, table.codes]).toEqual(['blue', []]);
  });

  test('627a.5: a repeated "done" for the batch in play gives it no second token', () => {
    const table = mini().open().done(416, { batch: 'red', mode: 'shuffle', lamp: 'green' });
    expect([table.phase, table.state.batches['red']?.token]).toEqual(['ready', null]);
    expect(table.round(5).press('collected').phase).toBe('shuffle-due');
  });

  test('627a.5: cards the machine takes at the end of a shoe were collected', () => {
    const table = mini().open().round(5, 78).cover().round(5).press('last-hand-called').round(5);
    expect([table.start('red').phase, table.raised('cover.early-shuffle')]).toEqual([
      'shuffling',
      0,
    ]);
    expect(table.done(416, { batch: 'red', mode: 'shuffle' }).phase).toBe('cut-due');
  });

  test('627a.5: cards the machine takes in mid-shoe are an early end', () => {
    const table = mini().open().round(5).start('red');
    expect([table.phase, table.codes]).toEqual(['shuffling', ['cover.early-shuffle']]);
  });

  test('627a.5: the floor may clear shuffle.missing; the cards are still not shuffled', () => {
    const table = mini().open({ until: 'shuffle-due' }).press('loaded');
    table.floor('clear', 'shuffle.missing');
    expect([table.codes, table.view.gate]).toEqual([[], 'locked']);
    expect(table.press('loaded').codes).toEqual(['shuffle.missing']);
  });

  test('627a.5: shuffle.missing on a closed table as well', () => {
    expect(mini().card().codes).toEqual(['shuffle.missing']);
  });

  test('663a.5(a): every round is followed by a shuffle', () => {
    const table = hiLo().open().round(20);
    expect([table.phase, table.view.gate]).toEqual(['shuffle-due', 'locked']);
    expect(table.press('loaded').codes).toEqual(['shuffle.missing']);
    expect(hiLo().open().round(20).machine().press('loaded').round(20).codes).toEqual([]);
  });

  test.each(['cut-due', 'marker-due', 'load-due', 'burn', 'ready'] as const)(
    '663a.5(a): the floor may order a reshuffle in %s',
    (until) => {
      const table = mini().open({ until }).floor('reshuffle');
      expect([table.phase, table.refused, table.codes]).toEqual(['shuffle-due', null, []]);
      expect(table.press('loaded').codes).toEqual(['shuffle.missing']);
    },
  );

  test('663a.5(a): a reshuffle ordered in a round ends that shoe', () => {
    const table = mini().open().press('no-more-bets').cards(3).floor('reshuffle');
    expect([table.phase, table.view.out, table.view.loaded]).toEqual(['shuffle-due', 0, 0]);
    expect(table.open().round(5).codes).toEqual([]);
  });

  test('663a.5(a): no reshuffle of cards that are not there, nor by the dealer', () => {
    expect(hiLo().floor('reshuffle').refused).toBe('663a.5(a)');
    expect(hiLo().open().press('reshuffle').refused).toBe('policy:authority');
  });

  test('603a.17: two cover cards and a load pressed or seen are one load', () => {
    const table = mini().open({ until: 'load-due' }).see({ kind: 'shoe.loaded' });
    expect([table.phase, table.duty('load')?.evidence]).toEqual(['burn', 'sensed']);
    expect([table.press('loaded').refused, table.view.shoe]).toEqual([null, 1]);
    const pressed = mini().open({ until: 'load-due' }).press('loaded');
    expect(pressed.duty('load')?.evidence).toBe('attested');
    expect(pressed.see({ kind: 'shoe.loaded' }).duty('load')?.evidence).toBe('sensed');
  });

  test('627a.5: a shoe that was dealt from is not loaded again', () => {
    expect(mini().open().round(5).press('loaded').refused).toBe('627a.5');
  });

  test('627a.5: a card at the mouth proves the load', () => {
    const table = mini().open({ until: 'load-due' }).card();
    expect([table.phase, table.view.out, table.view.loaded]).toEqual(['burn', 1, 416]);
    expect(table.raised('card.locked')).toBe(1);
  });
});

describe('the machine', () => {
  test('policy:shuffle-mode: sorted cards are a stop, though the count is right', () => {
    const table = mini().open({ until: 'shuffle-due' }).start('red');
    table.done(416, { batch: 'red', mode: 'sort', lamp: 'green' });
    expect(table.find('shuffle.mode')).toMatchObject({
      clause: 'policy:shuffle-mode',
      severity: 'stop',
      batch: 'red',
      observed: 'machine in SORT mode',
    });
    expect(table.press('loaded').view.batch).toBeNull();
  });

  test.each([
    [{ mode: 'count' } as const, 1],
    [{ lamp: 'blink' } as const, 1],
    [{ mode: 'shuffle' } as const, 0],
    [{ lamp: 'green' } as const, 0],
    [{}, 0],
  ])('policy:shuffle-mode: %j raises it %i times', (told, times) => {
    const table = mini().open({ until: 'shuffle-due' }).start().done(416, told);
    expect(table.raised('shuffle.mode')).toBe(times);
    expect(table.phase).toBe(times === 0 ? 'cut-due' : 'shuffle-due');
  });

  test('policy:shuffle-mode: a real shuffle and the floor end it', () => {
    const table = mini().open({ until: 'shuffle-due' }).start().done(416, { mode: 'sort' });
    expect(table.press('clear', 'shuffle.mode').refused).toBe('policy:authority');
    table.machine('red').floor('clear', 'shuffle.mode');
    expect([table.codes, table.open().phase]).toEqual([[], 'ready']);
  });

  test('policy:shuffler-count: a counting machine without a number waits for a count', () => {
    const table = mini()
      .open({ until: 'shuffle-due' })
      .start('red')
      .done(null, { mode: 'shuffle' });
    expect([table.phase, table.shown]).toEqual(['count-due', says(/COUNT THE CARDS/)]);
    expect(table.press('cut', 'seat 7').refused).toBe('627a.5');
    table.floor('hand-count', 'red 416 F-2');
    expect([table.phase, table.codes]).toEqual(['cut-due', []]);
  });

  test('policy:shuffler-count: loading it uncounted is a stop', () => {
    const table = mini()
      .open({ until: 'shuffle-due' })
      .start('red')
      .done(null, { mode: 'shuffle' });
    expect(table.press('loaded').codes).toEqual(['count.required']);
  });

  test('627a.5: a machine that does not count needs no number', () => {
    const table = mini({ shuffler: 'not-counting' }).open({ until: 'shuffle-due' });
    expect(table.start().done(null, { mode: 'shuffle' }).phase).toBe('cut-due');
  });

  test('policy:dwell: a stack that lies about before the load is told to surveillance', () => {
    const table = mini().open({ until: 'load-due' }).wait(180).press('loaded');
    expect(table.told('dwell.load')).toMatchObject({ severity: 'info', clause: 'policy:dwell' });
    expect(table.codes).toEqual([]);
    expect(
      mini().open({ until: 'load-due' }).wait(150).press('loaded').told('dwell.load'),
    ).toBeUndefined();
  });
});

describe('hand dealing', () => {
  test('677a.9(a)(1): a hand shuffle of a deck dealt from the hand is a stop', () => {
    const table = holdEm().open({ until: 'shuffle-due' }).press('washed').press('shuffled');
    expect(table.find('hand.manual-shuffle')).toMatchObject({
      clause: '677a.9(a)(1)',
      severity: 'stop',
      authority: 'floor',
    });
    expect(table.phase).not.toBe('ready');
    table.floor('clear', 'hand.manual-shuffle').machine('red', null);
    expect([table.phase, table.codes]).toEqual(['ready', []]);
  });

  test('677a.9(a)(1): the machine shuffle makes the deck ready, without a shoe', () => {
    const table = holdEm().open();
    expect([table.phase, table.duty('load'), table.view.loaded]).toEqual(['ready', undefined, 52]);
    expect(table.press('loaded').refused).toBe('policy:dealing');
  });

  test('677a.9(a)(1): the other way of dealing takes a hand shuffle', () => {
    const table = tableOf('pa/677a-heads-up-hold-em', { dealing: 'auto-shoe', seats: 6 });
    table.open({ until: 'shuffle-due' }).press('washed').press('shuffled');
    expect([table.phase, table.codes]).toEqual(['cut-due', []]);
  });

  test('663a.9: the same for Five Card Hi-Lo from the hand', () => {
    const table = hiLo({ dealing: 'hand' }).open({ until: 'shuffle-due' }).press('shuffled');
    expect(table.find('hand.manual-shuffle')).toMatchObject({ clause: '663a.9' });
  });

  test('677a.9(a)(1): a deck that goes back into the machine is no longer in the hand', () => {
    const table = holdEm().open().start('red');
    expect([table.phase, table.press('no-more-bets', 4).phase]).toEqual(['shuffling', 'shuffling']);
  });
});
