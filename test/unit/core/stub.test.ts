import { describe, expect, test } from 'vitest';
import { hiLo, holdEm, says, tableOf } from './table.js';

const after = (rounds: number, set = {}) => {
  const table = holdEm(set);
  for (let i = 0; i < rounds; i += 1) table.open().hands(4);
  return table.open();
};
const disputed = (set = {}) => after(0, set).press('no-more-bets', 4).press('stub-count', 36);

describe('stub.overdue', () => {
  test('677a.9(d): four rounds need no count, the fifth may not close without one', () => {
    const table = after(4).press('no-more-bets', 4);
    expect([table.codes, table.shown]).toEqual([[], says(/COUNT THE STUB/)]);
    table.press('round-end');
    expect(table.find('stub.overdue')).toMatchObject({
      clause: '677a.9(d)',
      severity: 'hold',
      remedy: 'COUNT THE STUB',
    });
    expect([table.phase, table.refused]).toEqual(['stub-due', '677a.9(d)']);
    table.press('stub-count', 37);
    expect([table.codes, table.phase]).toEqual([[], 'round']);
    expect(table.duty('stub')).toMatchObject({ status: 'met', evidence: 'attested' });
    expect(table.press('round-end').phase).toBe('shuffle-due');
  });

  test('677a.9(d): a count in time starts the five rounds anew', () => {
    const table = after(2).press('no-more-bets', 4).press('stub-count', 37).press('round-end');
    for (let i = 0; i < 4; i += 1) table.open().hands(4);
    expect(table.codes).toEqual([]);
    expect(table.open().hands(4).codes).toEqual(['stub.overdue']);
  });

  test('677a.9(d): rounds dealt from a deck that left do not count against the new one', () => {
    const table = after(3).press('no-more-bets', 4).press('round-end');
    table.floor('deck-removed', 'red').floor('deck-in', 'red R-2');
    expect(table.view.roundsSinceCount).toBe(0);
    for (let i = 0; i < 4; i += 1) table.open().hands(4);
    expect(table.codes).toEqual([]);
    expect(table.open().hands(4).codes).toEqual(['stub.overdue']);
  });

  test('677a.9(d): a deck that comes in beside the one in play leaves its rounds', () => {
    const table = after(3, { batches: ['red', 'blue'] });
    expect(table.view.roundsSinceCount).toBe(3);
    table.floor('deck-removed', 'blue').floor('deck-in', 'blue B-2');
    expect(table.view.roundsSinceCount).toBe(3);
  });

  test('677a.9(d): a machine that counts 52 after each shuffle lifts the duty', () => {
    expect(after(12, { shuffler: 'counting' }).raised('stub.overdue')).toBe(0);
  });

  test('677a.9(d): when it falls away the rounds were counted all along', () => {
    const table = after(3, { shuffler: 'counting' }).see({ kind: 'link.down', device: 'shuffler' });
    expect(table.find('exemption.lapsed')).toMatchObject({
      clause: '677a.9(d)',
      severity: 'warn',
      remedy: says(/Count the stub at least once in 5 rounds/),
    });
  });

  test('677a.9(d): and when it finishes without a number', () => {
    const table = holdEm({ shuffler: 'counting' }).open({ until: 'shuffle-due' });
    table.start().done(null, { mode: 'shuffle' });
    expect([table.phase, table.codes]).toEqual(['count-due', ['exemption.lapsed']]);
  });

  test('677a.9(d): a void fifth round does not excuse the sixth', () => {
    const table = after(4).press('no-more-bets', 4).press('round-end').floor('void-round');
    expect(table.codes).toEqual([]);
    expect(table.open().hands(4).codes).toEqual(['stub.overdue']);
  });

  test('677a.9(d): the hands may be keyed late, and the stub counted then', () => {
    const table = after(4).press('no-more-bets').press('round-end');
    expect(table.press('stub-count', 37).refused).toBe('677a.9(d)');
    table.press('no-more-bets', 4);
    expect(table.press('stub-count', 37).press('round-end').phase).toBe('shuffle-due');
  });

  test('677a.9(d): the floor cannot clear it in place of the count', () => {
    const table = after(4)
      .press('no-more-bets', 4)
      .press('round-end')
      .floor('clear', 'stub.overdue');
    expect([table.refused, table.codes]).toEqual(['677a.9(d)', ['stub.overdue']]);
  });

  test('663a.9: Five Card Hi-Lo from the hand, five cards each', () => {
    const table = hiLo({ dealing: 'hand', shuffler: 'not-counting' });
    for (let i = 0; i < 4; i += 1) table.open().hands(3);
    table.open().hands(3);
    expect(table.find('stub.overdue')?.clause).toBe('663a.9');
    expect(table.press('stub-count', 52 - 4 * 5).codes).toEqual([]);
  });

  test('663a.9: from the shoe there is no stub to count', () => {
    const table = hiLo({ shuffler: 'not-counting' });
    for (let i = 0; i < 8; i += 1) table.open().round(20);
    expect(table.raised('stub.overdue')).toBe(0);
  });
});

describe('stub.wrong', () => {
  test.each([
    [0, 45],
    [1, 43],
    [4, 37],
    [6, 33],
  ])('677a.9(e): %i players leave a stub of %i', (hands, n) => {
    const table = after(0).press('no-more-bets', hands).press('stub-count', n);
    expect(table.codes).toEqual([]);
  });

  test('677a.9(e): where the house burns before the board, the stub is smaller', () => {
    const table = holdEm({ choose: { boardBurns: 3 } })
      .open()
      .press('no-more-bets', 4);
    expect(table.press('stub-count', 34).codes).toEqual([]);
  });

  test('680a: a game of 53 cards expects one more', () => {
    const table = tableOf('pa/680a-saigon-5-card', { dealing: 'hand', shuffler: 'not-counting' });
    expect(table.full).toBe(53);
  });

  test.each([
    [36, 1, /1 short/],
    [38, 1, /1 over/],
    [30, 7, /7 short/],
  ])('677a.9(f): a stub of %i with 37 due is a stop and a dispute', (n, by, words) => {
    const table = after(0).press('no-more-bets', 4).press('stub-count', n);
    expect(table.find('stub.wrong')).toMatchObject({
      clause: '677a.9(f)',
      severity: 'stop',
      authority: 'floor',
      by,
      observed: says(words),
    });
    expect([table.phase, table.press('round-end').refused]).toEqual(['dispute', 'policy:round']);
  });

  test('677a.9(f): misdealt and all 52 there: hands void, the deck stays', () => {
    const table = disputed().floor('misdeal', { yes: true, full: true });
    expect([table.codes, table.phase, table.view.quarantined]).toEqual([[], 'shuffle-due', []]);
    expect(table.last).toContainEqual(
      expect.objectContaining({ directive: { to: 'video', mark: 'hands void' } }),
    );
    expect(table.open().hands(4).codes).toEqual([]);
  });

  test.each([
    [false, false],
    [false, true],
    [true, false],
  ])('677a.9(f): misdealt %s, full %s: hands void, the deck leaves', (yes, full) => {
    const table = disputed({ batches: ['red', 'blue'] }).floor('misdeal', { yes, full });
    expect([table.shown, table.view.quarantined]).toEqual([says(/REMOVE THE RED DECK/), ['red']]);
    expect(table.floor('clear', 'stub.wrong').refused).toBe('677a.9(f)');
    table.floor('deck-removed', 'red').floor('deck-in', 'blue B-9');
    expect([table.codes, table.phase]).toEqual([[], 'shuffle-due']);
    expect(table.open().view.batch).toBe('blue');
  });

  test('677a.9(f): the floor answers, not the dealer', () => {
    expect(disputed().press('misdeal', { yes: true, full: true }).refused).toBe('policy:authority');
    expect(after(0).floor('misdeal', { yes: true, full: true }).refused).toBe('677a.9(f)');
  });

  test('677a.9(f): nothing else goes on before the answer', () => {
    const table = disputed();
    for (const key of ['reshuffle', 'void-round', 'close-table', 'collected', 'spread']) {
      expect([key, table.floor(key).refused === null, table.phase]).toEqual([
        key,
        false,
        'dispute',
      ]);
    }
    expect(table.press('no-more-bets', 4).phase).toBe('dispute');
  });

  test('policy:two-witnesses: a machine that counted 52 disagrees with the stub', () => {
    const table = disputed({ shuffler: 'counting' });
    expect(table.codes).toEqual(['stub.wrong', 'count.disagree']);
    expect(table.find('count.disagree')?.observed).toMatch(/shuffler 52, stub and hands 51/);
    expect(table.floor('misdeal', { yes: true, full: true }).codes).toEqual([]);
  });

  test('677a.9(d): outside a round there is no stub', () => {
    expect(after(0).press('stub-count', 37).refused).toBe('677a.9(d)');
  });
});
