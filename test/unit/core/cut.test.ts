import { describe, expect, test } from 'vitest';
import { baccarat, hiLo, mini, says } from './table.js';

const due = () => baccarat().open({ until: 'cut-due' });
const dealerCuts = () => hiLo({ shuffler: 'none' }).open({ until: 'cut-due' });

describe('who cuts', () => {
  test('631a.5(b): the highest seat is offered the cut first at a new game', () => {
    const table = due();
    expect(table.shown).toMatch(/OFFER THE CUT to seat 14/);
    expect(table.state.outputs.display?.clause).toBe('631a.5(b)');
    expect([table.press('cut', 'seat 14').phase, table.codes]).toEqual(['marker-due', []]);
    expect(table.duty('cut')).toMatchObject({ status: 'met', evidence: 'attested' });
  });

  test('631a.5(b): declined, it goes clockwise to the next', () => {
    const table = due().press('cut-declined', 14).press('cut-declined', 13);
    expect(table.shown).toMatch(/seat 12/);
    expect(table.press('cut', 'seat 12').phase).toBe('marker-due');
  });

  test('631a.5(b): when every player declined the dealer cuts', () => {
    const table = due();
    for (let seat = 14; seat >= 1; seat -= 1) table.press('cut-declined', seat);
    expect(table.shown).toMatch(/the dealer/);
    expect([table.press('cut', 'dealer').phase, table.codes]).toEqual(['marker-due', []]);
  });

  test('631a.5(b): cut.order, a seat whose turn it is not', () => {
    const table = due().press('cut', 'seat 9');
    expect(table.find('cut.order')).toMatchObject({
      clause: '631a.5(b)',
      severity: 'hold',
      remedy: 'OFFER THE CUT to seat 14',
    });
    expect(table.phase).toBe('cut-due');
    expect(table.press('cut', 'seat 14').codes).toEqual([]);
  });

  test('631a.5(b): an empty seat is passed over by saying whom the cut is offered to', () => {
    const table = due().press('cut-offered', 11).press('cut', 'seat 11');
    expect([table.phase, table.codes]).toEqual(['marker-due', []]);
  });

  test('631a.5(b): the dealer may not cut while a player he offered it to has not declined', () => {
    const table = due().press('cut-offered', 14).press('cut', 'dealer');
    expect([table.codes, table.phase]).toEqual([['cut.order'], 'cut-due']);
    expect(table.press('cut-declined', 14).press('cut', 'dealer').codes).toEqual([]);
  });

  test('631a.5(b): a player who declined is not offered it again', () => {
    const table = due().press('cut-declined', 14).press('cut-offered', 14);
    expect(table.codes).toEqual(['cut.order']);
  });

  test('631a.5(b): from seat 1 the offer goes on at the highest seat', () => {
    const table = due().press('cut-offered', 1).press('cut-declined', 1);
    expect(table.shown).toMatch(/seat 14/);
  });

  test('631a.5(b): on a reshuffle the last curator is first, whom nobody names: any seat', () => {
    const table = baccarat().open().round(5).press('collected').open({ until: 'cut-due' });
    expect(table.shown).toMatch(/last curator/);
    expect([table.press('cut', 'seat 5').phase, table.raised('cut.order')]).toEqual([
      'marker-due',
      0,
    ]);
  });

  test('631a.5(b): a table that opens again is a new game: the highest seat', () => {
    const table = baccarat().open().round(5).press('close-table').open({ until: 'cut-due' });
    expect(table.shown).toMatch(/seat 14/);
  });

  test('651a.5: where no text names a first seat, whoever cuts first is not out of turn', () => {
    const table = mini().open({ until: 'cut-due' });
    expect(table.shown).toMatch(/OFFER THE CUT to the players \|/);
    expect([table.press('cut', 'seat 3').codes, table.phase]).toEqual([[], 'marker-due']);
    table.floor('recut');
    expect(table.press('cut', 'seat 3').codes).toEqual(['recut.same-person']);
    expect(table.press('cut', 'seat 2').phase).toBe('marker-due');
  });

  test('627a.5: after somebody declined it goes clockwise from there', () => {
    const table = mini().open({ until: 'cut-due' }).press('cut-declined', 5);
    expect(table.shown).toMatch(/seat 4/);
    expect(table.press('cut', 'seat 2').codes).toEqual(['cut.order']);
  });

  test('631a.5(b): there is no seat 15', () => {
    const table = due().press('cut', 'seat 15');
    expect([table.refused, table.codes]).toEqual(['631a.5(b)', []]);
    expect(table.press('cut-declined', 0).refused).toBe('631a.5(b)');
  });

  test('663a.5(d): the dealer cuts, no player', () => {
    const table = dealerCuts().press('cut', 'seat 6');
    expect(table.find('cut.order')).toMatchObject({ clause: '663a.5(d)', severity: 'hold' });
    expect([table.press('cut', 'dealer').phase, table.codes]).toEqual(['load-due', []]);
  });

  test('policy:dwell: a cut that takes long is told to surveillance', () => {
    const table = due().wait(30).press('cut', 'seat 14');
    expect(table.told('dwell.cut')).toMatchObject({ severity: 'info', by: 10 });
    expect(due().wait(20).press('cut', 'seat 14').told('dwell.cut')).toBeUndefined();
  });
});

describe('cut.shallow', () => {
  test.each([
    [10, 0],
    [9, 1],
    [406, 0],
    [407, 1],
    [0, 1],
    [208, 0],
  ])('631a.5(c): cover card %i deep raises it %i times', (depth, times) => {
    const table = due().press('cut', `seat 14 depth ${depth}`);
    expect(table.raised('cut.shallow')).toBe(times);
    expect(table.phase).toBe(times === 0 ? 'marker-due' : 'cut-due');
  });

  test('631a.5(c): is a hold with the numbers, ended by a deeper cut', () => {
    const table = due().press('cut', 'seat 14 depth 7');
    expect(table.find('cut.shallow')).toMatchObject({
      clause: '631a.5(c)',
      severity: 'hold',
      by: 3,
      remedy: says(/deeper/),
    });
    expect(table.press('cut', 'seat 14 depth 100').codes).toEqual([]);
  });

  test.each([
    [10, 0],
    [9, 1],
    [51, 0],
  ])('663a.5(d): only the top has a minimum: %i deep raises it %i times', (depth, times) => {
    const table = dealerCuts().press('cut', `dealer depth ${depth}`);
    expect(table.raised('cut.shallow')).toBe(times);
  });

  test('631a.5(c): a depth nobody gave is not judged', () => {
    expect(due().press('cut', 'seat 14').raised('cut.shallow')).toBe(0);
  });
});

describe('cut.missing', () => {
  test('663a.5(c)(2): cards shuffled by hand are cut before they are loaded', () => {
    const table = dealerCuts().press('loaded');
    expect(table.find('cut.missing')).toMatchObject({ clause: '663a.5(c)(2)', severity: 'hold' });
    expect([table.view.batch, table.view.gate]).toEqual([null, 'locked']);
    expect(table.press('cut', 'dealer').press('loaded').codes).toEqual([]);
  });

  test('663a.5(c)(1): cards from the machine are not', () => {
    const table = hiLo().open({ until: 'load-due' });
    expect(table.duty('cut')).toMatchObject({ status: 'waived', evidence: 'unseen' });
    expect([table.press('loaded').phase, table.codes]).toEqual(['ready', []]);
  });

  test('631a.5(b): a card drawn from an uncut stack raises it as well', () => {
    const table = due().card();
    expect([table.codes, table.raised('card.locked')]).toEqual([['cut.missing'], 1]);
  });

  test('631a.5(b): and so does "no more bets"', () => {
    expect(due().press('no-more-bets').codes).toEqual(['cut.missing']);
  });

  test('631a.5(b): nothing waits for a cut before the shuffle', () => {
    const table = baccarat().open({ until: 'shuffle-due' }).press('cut', 'seat 14');
    expect([table.refused, table.codes]).toEqual(['631a.5(b)', []]);
  });
});

describe('the recut', () => {
  const cut = () => due().press('cut', 'seat 14');

  test('631a.5(e): the floor may order it until the stack is in the shoe', () => {
    for (const table of [cut(), cut().press('marker-placed')]) {
      table.floor('recut');
      expect([table.phase, table.codes, table.refused]).toEqual(['cut-due', [], null]);
      expect(table.duty('cut')).toMatchObject({ status: 'due' });
    }
  });

  test('631a.5(e): the next person entitled cuts', () => {
    const table = cut().floor('recut');
    expect(table.shown).toMatch(/seat 13/);
    expect([table.press('cut', 'seat 13').phase, table.codes]).toEqual(['marker-due', []]);
  });

  test('631a.5(e): recut.same-person, the one whose cut was refused', () => {
    const table = cut().floor('recut').press('cut', 'seat 14');
    expect(table.find('recut.same-person')).toMatchObject({
      clause: '631a.5(e)',
      severity: 'warn',
    });
    expect([table.refused, table.phase]).toEqual(['631a.5(e)', 'cut-due']);
  });

  test('631a.5(e): twice in a row moves on twice', () => {
    const table = cut().floor('recut').press('cut', 'seat 13').floor('recut');
    expect(table.shown).toMatch(/seat 12/);
    expect(table.press('cut', 'seat 13').raised('recut.same-person')).toBe(1);
    expect(table.press('cut', 'seat 12').phase).toBe('marker-due');
  });

  test('631a.5(e): a shallow cut is what a recut is for; the next seat makes it', () => {
    const table = due().press('cut', 'seat 14 depth 9').floor('recut');
    expect([table.refused, table.shown]).toEqual([null, says(/OFFER THE CUT to seat 13/)]);
    expect(table.press('cut', 'seat 14 depth 40').raised('recut.same-person')).toBe(1);
    table.floor('recut');
    expect(table.press('cut', 'seat 13 depth 10').phase).toBe('marker-due');
    expect(table.codes).toEqual(['recut.same-person']);
  });

  test('631a.5(e): a cut out of turn took nobody else his turn', () => {
    const table = due().press('cut', 'seat 9').floor('recut');
    expect([table.refused, table.press('cut', 'seat 13').phase]).toEqual([null, 'cut-due']);
    expect([table.press('cut', 'seat 14').phase, table.codes]).toEqual(['marker-due', []]);
  });

  test('631a.5(e): the dealer cuts again only when every player declined anew', () => {
    const table = baccarat({ crew: 1, seats: 2 }).open({ until: 'cut-due' });
    const decline = () => table.press('cut-declined', 2).press('cut-declined', 1);
    decline().press('cut', 'dealer').floor('recut').press('cut', 'dealer');
    expect([table.phase, table.raised('recut.same-person')]).toEqual(['cut-due', 1]);
    expect(decline().press('cut', 'dealer').phase).toBe('marker-due');
  });

  test('663a.5(e): the dealer makes a shallow cut again, ordered or not', () => {
    const table = dealerCuts().press('cut', 'dealer depth 9').floor('recut');
    expect([table.refused, table.press('cut', 'dealer depth 10').codes]).toEqual([null, []]);
  });

  test('631a.5(d): after a recut the marker is placed again', () => {
    const table = cut().press('marker-placed').floor('recut').press('cut', 'seat 13');
    expect(table.phase).toBe('marker-due');
    expect(table.press('loaded').codes).toEqual(['marker.missing']);
  });

  test('631a.5(e): recut.authority, asked by the dealer', () => {
    const table = cut().press('recut');
    expect(table.find('recut.authority')).toMatchObject({ clause: '631a.5(e)', severity: 'warn' });
    expect([table.refused, table.phase]).toEqual(['631a.5(e)', 'marker-due']);
    expect(
      cut().press('recut', undefined, { role: 'surveillance' }).raised('recut.authority'),
    ).toBe(1);
  });

  test.each(['burn', 'ready', 'round'] as const)(
    '631a.5(e): recut.window, too late in %s',
    (phase) => {
      const table = baccarat().open({ until: phase === 'burn' ? 'burn' : 'ready' });
      if (phase === 'round') table.press('no-more-bets').card();
      table.floor('recut');
      expect(table.find('recut.window')).toMatchObject({
        clause: '631a.5(e)',
        severity: 'warn',
        remedy: says(/reshuffle/),
      });
      expect([table.refused, table.phase]).toEqual(['631a.5(e)', phase]);
    },
  );

  test('631a.5(e): before anything is cut it is refused without a finding', () => {
    const table = due().floor('recut');
    expect([table.refused, table.codes]).toEqual(['631a.5(e)', []]);
  });

  test('663a.5(e): the window is wider, the stack may lie in the shoe', () => {
    const table = dealerCuts().press('cut', 'dealer').press('loaded').floor('recut');
    expect([table.phase, table.refused, table.view.loaded]).toEqual(['cut-due', null, 0]);
    table.press('cut', 'dealer').press('loaded');
    expect([table.phase, table.codes, table.view.shoe]).toEqual(['ready', [], 1]);
  });

  test('663a.5(e): until a card is dealt', () => {
    const table = dealerCuts().press('cut', 'dealer').press('loaded');
    table.press('no-more-bets').card().floor('recut');
    expect(table.find('recut.window')).toMatchObject({ clause: '663a.5(e)' });
    expect([table.refused, table.phase]).toEqual(['663a.5(e)', 'round']);
  });

  test('663a.5(e): with the bets closed and no card dealt it is still open', () => {
    const table = dealerCuts().press('cut', 'dealer').press('loaded').press('no-more-bets');
    expect([table.floor('recut').phase, table.codes]).toEqual(['cut-due', []]);
  });

  test('663a.5(d): the dealer, whose cut it was, cuts again', () => {
    const table = dealerCuts().press('cut', 'dealer').floor('recut').press('cut', 'dealer');
    expect([table.phase, table.codes]).toEqual(['load-due', []]);
  });

  test('663a.5(c)(1): a machine shuffle was never cut: nothing to cut again', () => {
    expect(hiLo().open({ until: 'load-due' }).floor('recut').refused).toBe('663a.5(e)');
  });
});

describe('the marker', () => {
  test('631a.5(d): marker.missing when the stack is loaded without it', () => {
    const table = baccarat().open({ until: 'marker-due' }).press('loaded');
    expect(table.find('marker.missing')).toMatchObject({
      clause: '631a.5(d)',
      severity: 'hold',
      expected: says(/14/),
      remedy: says(/PLACE THE COVER CARD/),
    });
    expect([table.phase, table.view.batch]).toEqual(['marker-due', null]);
    expect(table.press('marker-placed').codes).toEqual([]);
    expect(table.press('loaded').phase).toBe('burn');
  });

  test('631a.5(d): a card drawn without it raises it too', () => {
    expect(baccarat().open({ until: 'marker-due' }).card().codes).toEqual(['marker.missing']);
  });

  test('631a.5(d): pressed, it is attested; its place is not known before it comes out', () => {
    const table = baccarat().open();
    expect(table.duty('marker')).toMatchObject({ status: 'met', evidence: 'attested' });
    table.round(5, 79).cover();
    expect(table.duty('marker')).toMatchObject({ status: 'met', evidence: 'sensed' });
  });

  test('631a.5(d): the marker comes after the cut', () => {
    expect(due().press('marker-placed').refused).toBe('631a.5(d)');
    expect(mini().open().press('marker-placed').refused).toBe('627a.5');
  });

  test('663a.5(d): one cover card, no marker', () => {
    expect(hiLo().open({ until: 'load-due' }).press('marker-placed').refused).toBe('policy:marker');
  });
});
