import { describe, expect, test } from 'vitest';
import { hiLo, holdEm, mini, says, tableOf } from './table.js';

const due = () => mini().open({ until: 'shuffle-due' });
const pair = (set = {}) => mini({ batches: ['red', 'blue'], ...set });

describe('count.wrong', () => {
  const short = () => due().start('red').done(400, { batch: 'red', mode: 'shuffle', lamp: 'red' });

  test('policy:shuffler-count: too few cards are a stop, and the batch is quarantined', () => {
    const table = short();
    expect(table.find('count.wrong')).toMatchObject({
      clause: 'policy:shuffler-count',
      severity: 'stop',
      authority: 'floor',
      batch: 'red',
      by: 16,
      observed: says(/16 CARDS MISSING: 400 of 416/),
    });
    expect([table.view.quarantined, table.phase, table.view.gate]).toEqual([
      ['red'],
      'shuffle-due',
      'locked',
    ]);
  });

  test('policy:shuffler-count: one card too many', () => {
    const table = due().machine('red', 417);
    expect(table.find('count.wrong')).toMatchObject({ by: 1, observed: says(/1 CARD TOO MANY/) });
  });

  test('policy:shuffler-count: a right count raises nothing', () => {
    const table = due().machine('red', 416);
    expect([table.phase, table.codes]).toEqual(['cut-due', []]);
  });

  test('663a.5(b): a count that is not 52 removes the deck', () => {
    const table = hiLo({ batches: ['red', 'blue'] })
      .open({ until: 'shuffle-due' })
      .machine('red', 51);
    expect(table.find('count.wrong')).toMatchObject({
      clause: '663a.5(b)',
      severity: 'stop',
      remedy: says(/REMOVE THE RED DECK/),
    });
    expect(table.shown).toMatch(/51.*52/);
    table.press('loaded').cards(5);
    expect(table.view.cardsAfterWarning).toBe(5);
    expect(table.codes).toEqual(['count.wrong']);
    table.floor('deck-removed', 'red').floor('deck-in', 'blue B-204');
    expect([table.codes, table.phase]).toEqual([[], 'shuffle-due']);
    expect(table.open().round(20).codes).toEqual([]);
  });

  test('663a.5(b): no second count puts it right: the deck has to leave', () => {
    const table = hiLo().open({ until: 'shuffle-due' }).machine('red', 51).machine('red', 52);
    expect([table.codes, table.phase]).toEqual([['count.wrong'], 'shuffle-due']);
    expect(table.floor('clear', 'count.wrong').refused).toBe('663a.5(b)');
    table.floor('hand-count', 'red 52 F-2').floor('clear', 'count.wrong');
    expect([table.refused, table.codes]).toEqual(['663a.5(b)', ['count.wrong']]);
  });

  test('663a.5(b): with the deck gone no other may be made of it', () => {
    const table = hiLo().open({ until: 'shuffle-due' }).machine('red', 51);
    table.floor('deck-removed', 'red');
    expect([table.codes, table.shown]).toEqual([[], says(/NEW DECK/)]);
    table.machine('red', 52);
    expect([table.phase, table.press('shuffled').refused]).toEqual(['shuffle-due', '663a.5(a)']);
    table.floor('deck-in', 'red B-7').machine('red', 52);
    expect([table.phase, table.press('loaded').phase]).toEqual(['load-due', 'ready']);
  });

  test('policy:shuffler-count: a right count by the machine, then the floor', () => {
    const table = short();
    expect(table.floor('clear', 'count.wrong').refused).toBe('policy:shuffler-count');
    table.machine('red', 416);
    expect([table.codes, table.view.gate]).toEqual([['count.wrong'], 'locked']);
    expect(table.press('clear', 'count.wrong').refused).toBe('policy:authority');
    table.floor('clear', 'count.wrong');
    expect([table.codes, table.view.quarantined, table.phase]).toEqual([[], [], 'cut-due']);
    expect(table.open().round(5).codes).toEqual([]);
  });

  test('policy:shuffler-count: two people count it right; it is shuffled again', () => {
    const table = short().floor('hand-count', 'red 416 F-2').floor('clear', 'count.wrong');
    expect([table.codes, table.phase]).toEqual([[], 'shuffle-due']);
  });

  test('policy:shuffler-count: loading and dealing it all the same is counted', () => {
    const table = short().press('cut', 'seat 7').press('loaded').cards(3);
    expect(table.find('count.wrong')).toMatchObject({ cardsAfterWarning: 3 });
    expect(table.raised('card.locked')).toBe(3);
  });

  test('policy:shuffler-count: found again it is the same finding, louder', () => {
    const table = short().machine('red', 400).machine('red', 400);
    expect(table.find('count.wrong')).toMatchObject({
      repeats: 2,
      level: 2,
      observed: says(/3 counts/),
    });
    expect(table.raised('count.wrong')).toBe(1);
  });

  test('policy:shuffler-count: a red light without a number is wrong by an unknown number', () => {
    const table = due().start().done(null, { lamp: 'red' });
    expect(table.find('count.wrong')).toMatchObject({ observed: says(/red light/) });
    expect(table.find('count.wrong')?.by).toBeUndefined();
    expect(table.state.batches['red']?.lastCount).toBeNull();
  });

  test('policy:shuffler-count: the right number under a red light is wrong as well', () => {
    expect(due().start().done(416, { lamp: 'red' }).codes).toEqual(['count.wrong']);
  });

  test("policy:shuffler-count: the other batch's red light alarms the batch in play", () => {
    const table = pair().open().round(5).see({ kind: 'shuffler.lamp', lamp: 'red' });
    expect([table.view.gate, table.find('count.wrong')?.batch]).toEqual(['locked', 'blue']);
    expect(table.press('no-more-bets').refused).toBe('627a.8');
  });

  test('policy:shuffler-count: a green lamp says nothing that was not said', () => {
    const table = pair().open().see({ kind: 'shuffler.lamp', lamp: 'green' });
    expect([table.codes, table.state.batches['blue']?.lastCount]).toEqual([[], null]);
  });

  test("policy:shuffler-count: the machine's stock is a count", () => {
    const table = pair().open().see({ kind: 'shuffler.inventory', batch: 'blue', count: 415 });
    expect(table.find('count.wrong')).toMatchObject({ batch: 'blue', by: 1 });
    const empty = pair().open().see({ kind: 'shuffler.inventory', batch: 'blue', count: 0 });
    expect(empty.codes).toEqual([]);
  });

  test('policy:shuffler-count: cards unloaded short, with the stack on its way to the shoe', () => {
    const table = mini().open({ until: 'marker-due' });
    table.see({ kind: 'shuffler.unload', batch: 'red', count: 410 });
    expect([table.codes, table.phase]).toEqual([['count.wrong'], 'shuffle-due']);
    table.floor('hand-count', 'red 416 F-2').floor('clear', 'count.wrong').press('loaded');
    expect(table.codes).toEqual(['shuffle.missing']);
  });

  test.each([
    ['pa/635a-spanish-21', 6, 288, 312, /tens not removed/],
    ['pa/627a-minibaccarat', 8, 416, 468, /whole deck too many/],
    ['pa/627a-minibaccarat', 8, 416, 364, /whole deck missing/],
    ['pa/627a-minibaccarat', 8, 416, 384, /one rank missing/],
    ['pa/627a-minibaccarat', 8, 416, 424, /jokers/],
  ])(
    'policy:shuffler-count: %s %i decks, %i due, %i counted: a guess at why',
    (id, decks, due, n, why) => {
      const table = tableOf(id, { decks }).open({ until: 'shuffle-due' });
      expect(table.full).toBe(due);
      expect(table.machine('red', n).find('count.wrong')?.observed).toMatch(why);
    },
  );
});

describe('count.required', () => {
  test.each(['spill', 'jam', 'replace'])(
    'policy:count-required: %s, and play goes on uncounted',
    (what) => {
      const table = mini().open().round(5);
      if (what === 'spill') table.press('spill');
      if (what === 'jam') table.see({ kind: 'shuffler.jam' });
      if (what === 'replace') {
        table.press('replace', { out: 'Qd', in: 'Qd', second: 'D-2' }, { badge: 'D-1' });
      }
      expect([table.codes, table.shown]).toEqual([[], says(/COUNT THE CARDS/)]);
      table.press('no-more-bets');
      expect([table.phase, table.refused]).toEqual(['ready', '627a.8']);
      expect(table.find('count.required')).toMatchObject({
        clause: 'policy:count-required',
        severity: 'stop',
        authority: 'floor',
        batch: 'red',
      });
      table.floor('hand-count', 'red 416 F-2');
      expect([table.codes, table.view.countRequired]).toEqual([[], null]);
      expect(table.press('no-more-bets').phase).toBe('round');
    },
  );

  test('policy:count-required: without play nothing is raised', () => {
    expect(mini().open().press('spill').wait(600).codes).toEqual([]);
  });

  test('policy:count-required: a card drawn for the next round is play', () => {
    const table = mini().open().round(5).press('spill').card();
    expect(table.codes).toContain('count.required');
  });

  test('policy:count-required: spilt before the load, the load asks for the count', () => {
    const table = mini().open({ until: 'load-due' }).press('spill');
    expect(table.shown).toMatch(/COUNT THE CARDS/);
    expect([table.press('loaded').codes, table.view.batch]).toEqual([['count.required'], null]);
  });

  test('policy:count-required: and so does a card that proves the load', () => {
    const table = mini().open({ until: 'load-due' }).press('spill').card();
    expect([table.codes, table.view.out]).toEqual([['count.required'], 1]);
    expect(table.find('count.required')).toMatchObject({ cardsAfterWarning: 0 });
  });

  test('policy:count-required: a machine that jammed and counts right has put it right', () => {
    const table = due().start('red').see({ kind: 'shuffler.jam' });
    table.done(416, { batch: 'red', mode: 'shuffle' });
    expect([table.open().phase, table.codes]).toEqual(['ready', []]);
  });

  test('policy:count-required: a jam in the other batch does not stop this one', () => {
    const table = pair().open().see({ kind: 'shuffler.jam' }).round(5);
    expect([table.codes, table.state.batches['blue']?.countRequired]).toEqual([[], says(/jammed/)]);
  });

  test('policy:count-required: the floor clears it only when the cards were counted', () => {
    const table = mini()
      .open()
      .press('spill')
      .press('no-more-bets')
      .floor('clear', 'count.required');
    expect([table.refused, table.codes]).toEqual(['policy:count-required', ['count.required']]);
  });

  test('policy:hand-count: takes two people with two badges', () => {
    const table = mini().open().press('spill').floor('hand-count', 'red 416 F-1');
    expect([table.refused, table.view.countRequired]).toEqual([
      'policy:hand-count',
      says(/dropped/),
    ]);
    expect(table.floor('hand-count', 'green 416 F-2').refused).toBe('policy:batches');
    expect(table.press('hand-count', 'red 416 F-2').refused).toBe('policy:authority');
  });

  test('policy:count-required: a replacement one person says is refused, and still counted', () => {
    const table = mini().open().press('replace', { out: 'Qd', in: 'Qd' });
    expect([table.refused, table.codes]).toEqual(['policy:card-replacement', []]);
    expect(table.press('no-more-bets').codes).toEqual(['count.required']);
  });

  test('policy:card-replacement: two people, and the same face out and in', () => {
    const table = mini().open().press('replace', { out: 'Qd', in: 'Qd' }, { badge: 'D-1' });
    expect(table.refused).toBe('policy:card-replacement');
    table.press('replace', { out: 'Qd', in: 'Jd', second: 'D-2' }, { badge: 'D-1' });
    expect(table.find('replace.mismatch')).toMatchObject({
      clause: 'policy:card-replacement',
      severity: 'stop',
    });
    expect(JSON.stringify(table.find('replace.mismatch'))).not.toMatch(/Jd|Qd/);
  });
});

describe('count.stale', () => {
  const policy = { countStaleRounds: 3, countStaleMinutes: null };

  test('policy:count-age: more rounds than the house allows', () => {
    const table = mini({ policy }).open().round(5, 3);
    expect(table.raised('count.stale')).toBe(0);
    table.round(5);
    expect(table.find('count.stale')).toMatchObject({
      clause: 'policy:count-age',
      severity: 'warn',
    });
    expect(table.round(5).raised('count.stale')).toBe(1);
  });

  test('policy:count-age: more minutes than the house allows', () => {
    const table = mini({ policy: { countStaleMinutes: 30 } })
      .open()
      .round(5);
    expect(table.wait(29 * 60).round(5).codes).toEqual([]);
    expect(table.wait(120).round(5).codes).toEqual(['count.stale']);
  });

  test('policy:count-age: a count by two people ends it', () => {
    const table = mini({ policy }).open().round(5, 4).floor('hand-count', 'red 416 F-2');
    expect([table.codes, table.view.roundsSinceCount]).toEqual([[], 0]);
  });

  test('policy:count-age: a count of the other batch is no count of this one', () => {
    const table = pair({ policy }).open().round(5, 3).machine('blue');
    expect(table.view.roundsSinceCount).toBe(3);
    expect(table.round(5).codes).toEqual(['count.stale']);
  });

  test('policy:count-age: the batch the machine counted begins fresh', () => {
    const table = pair({ policy }).open().round(5, 3).machine('blue').press('collected').open();
    expect([table.view.batch, table.view.roundsSinceCount]).toEqual(['blue', 0]);
  });

  test('policy:count-age: a machine that does not count leaves the rounds running', () => {
    const table = holdEm().open().hands(4).open().hands(4).open();
    expect(table.view.roundsSinceCount).toBe(2);
  });

  test('policy:count-age: no limit, no warning', () => {
    expect(mini().open().round(5, 70).raised('count.stale')).toBe(0);
  });
});

describe('count.disagree', () => {
  test('policy:two-witnesses: two people against the machine', () => {
    const table = mini().open().floor('hand-count', 'red 415 F-2');
    expect(table.find('count.disagree')).toMatchObject({
      clause: 'policy:two-witnesses',
      severity: 'stop',
      observed: says(/shuffler 416, by hand 415/),
    });
  });

  test('policy:two-witnesses: the machine may not overrule two people', () => {
    const table = due().floor('hand-count', 'red 415 F-2').machine('red', 416);
    expect([table.codes, table.phase]).toEqual([['count.wrong', 'count.disagree'], 'shuffle-due']);
    table.floor('hand-count', 'red 416 F-2').floor('clear', 'count.wrong');
    expect(table.codes).toEqual([]);
  });

  test('policy:two-witnesses: the rack holds more than ever left the shoe', () => {
    const table = mini({ shuffler: 'counting' }).open({ firstCard: 'A' }).round(5, 2);
    expect(table.see({ kind: 'rack.count', n: 12 }).codes).toEqual([]);
    expect(table.see({ kind: 'rack.count', n: 13 }).codes).toEqual(['count.disagree']);
  });

  test('policy:two-witnesses: at the end the rack holds what was not burned away', () => {
    const over = () => mini().open({ firstCard: 'A' }).round(5, 78).cover().round(5, 2);
    // 2 burned to the bucket, 400 dealt to the rack.
    expect(over().see({ kind: 'rack.count', n: 400 }).codes).not.toContain('count.disagree');
    expect(over().see({ kind: 'rack.count', n: 399 }).codes).toContain('count.disagree');
  });

  test('policy:two-witnesses: more cards out than were ever loaded', () => {
    const table = hiLo().open().press('no-more-bets').cards(52);
    expect(table.codes).toEqual([]);
    expect(table.card().find('count.disagree')).toMatchObject({
      observed: says(/loaded 52, shoe 53/),
    });
  });

  test('policy:two-witnesses: the floor clears it when the cards were counted right', () => {
    const table = mini().open().floor('hand-count', 'red 415 F-2');
    expect(table.floor('clear', 'count.disagree').refused).toBe('policy:two-witnesses');
    table.floor('hand-count', 'red 416 F-2');
    expect(table.find('count.disagree')).toBeUndefined();
  });
});
