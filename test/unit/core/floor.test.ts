import { describe, expect, test } from 'vitest';
import { PRESS_KEYS, PRESS_ROLE } from '../../../controller/core/press-parse.js';
import { baccarat, mini, says, war } from './table.js';

/** A value each key takes, so that only the role is in question. */
const VALUES: Readonly<Record<string, unknown>> = {
  misdeal: { yes: true, full: true },
  'deck-removed': 'red',
  'deck-in': 'red R-1',
  clear: 'count.wrong',
  'accept-gap': 0,
  'hand-count': 'red 416 F-2',
  'approve-reshuffler': 'auto',
};

describe('who may press what', () => {
  const floorKeys = PRESS_KEYS.filter((key) => PRESS_ROLE[key] === 'floor');

  test.each(floorKeys)('policy:authority: the dealer may not press %s', (key) => {
    const table = mini().open().press(key, VALUES[key]);
    const code = key === 'recut' ? 'recut.authority' : 'press.authority';
    expect(table.raised(code)).toBe(1);
    expect(table.last).toContainEqual(
      expect.objectContaining({ do: 'refused', key, needs: 'floor' }),
    );
    expect(table.phase).toBe('ready');
  });

  test.each(['tech', 'surveillance'] as const)('policy:authority: nor may %s', (role) => {
    const table = mini().open().press('reshuffle', undefined, { role });
    expect([table.refused, table.phase]).toEqual(['policy:authority', 'ready']);
  });

  test("policy:authority: the floor may press the dealer's keys", () => {
    const table = mini().open().floor('no-more-bets');
    expect([table.refused, table.phase]).toEqual([null, 'round']);
  });

  test('policy:authority: a refused press is told with who pressed it', () => {
    const table = mini().open().press('void-round');
    expect(table.told('press.authority')).toMatchObject({
      severity: 'info',
      observed: says(/dealer/),
      expected: says(/void-round.*floor/),
    });
  });
});

describe('clear', () => {
  const stopped = () => mini().open().press('no-more-bets').cards(3).back();

  test('policy:clear: by its code, by its number', () => {
    expect(stopped().floor('clear', 'card.back').codes).toEqual([]);
    const table = stopped();
    expect(table.floor('clear', table.find('card.back')?.id).codes).toEqual([]);
  });

  test('policy:clear: says who cleared it and how', () => {
    const table = stopped().floor('clear', 'card.back', 'F-7');
    expect(table.last).toContainEqual(
      expect.objectContaining({
        do: 'cleared',
        code: 'card.back',
        by: { role: 'floor', badge: 'F-7' },
      }),
    );
    expect(table.view.gate).toBe('open');
  });

  test('policy:clear: nothing by that name is open', () => {
    expect(stopped().floor('clear', 'burn.over').refused).toBe('policy:clear');
    expect(stopped().press('acknowledge', '99.9').refused).toBe('policy:clear');
  });

  test('policy:clear: one of several stops leaves the gate locked', () => {
    const table = stopped()
      .see({ kind: 'journal.fault', reason: 'full' })
      .floor('clear', 'card.back');
    expect([table.codes, table.view.gate]).toEqual([['journal.fault'], 'locked']);
  });

  test('policy:clear: a warning may be cleared by the floor', () => {
    const table = mini().open().press('no-more-bets').double().floor('clear', 'card.double');
    expect(table.codes).toEqual([]);
  });
});

describe('acknowledge', () => {
  test('policy:clear: a stop is acknowledged and stays', () => {
    const table = mini().open().press('no-more-bets').back();
    table.press('acknowledge', 'card.back', { badge: 'D-1' });
    expect(table.find('card.back')).toMatchObject({
      acknowledged: { role: 'dealer', badge: 'D-1' },
    });
    expect(table.view.gate).toBe('locked');
  });

  test('policy:clear: surveillance may acknowledge', () => {
    const table = mini().open().press('no-more-bets').back();
    table.press('acknowledge', 'card.back', { role: 'surveillance' });
    expect(table.find('card.back')?.acknowledged?.role).toBe('surveillance');
  });

  test('policy:clear: a hold is acknowledged and stays until the step is done', () => {
    const table = baccarat().open({ until: 'marker-due' }).press('loaded');
    expect(table.press('acknowledge', 'marker.missing').codes).toEqual(['marker.missing']);
  });
});

describe('a stop that is ignored', () => {
  const stopped = (policy = {}) => mini({ policy }).open().press('no-more-bets').cards(3).back();

  test('policy:escalation: grows from the dealer to the floor to surveillance and shift', () => {
    const table = stopped();
    expect(table.find('card.back')?.level).toBe(0);
    expect(table.wait(31).press('spill').find('card.back')?.level).toBe(1);
    expect(table.wait(80).press('spill').find('card.back')?.level).toBe(1);
    expect(table.wait(20).press('spill').find('card.back')?.level).toBe(2);
    expect(table.wait(600).press('spill').find('card.back')?.level).toBe(2);
  });

  test('policy:escalation: in the times the house set', () => {
    const table = stopped({ escalateFloorS: 5, escalateSurveillanceS: 15 }).wait(6).press('spill');
    expect(table.find('card.back')?.level).toBe(1);
    expect(table.wait(10).press('spill').find('card.back')?.level).toBe(2);
  });

  test('policy:escalation: acknowledged it grows no louder', () => {
    const table = stopped().press('acknowledge', 'card.back').wait(300).press('spill');
    expect(table.find('card.back')?.level).toBe(0);
  });

  test('policy:escalation: cleared it is over', () => {
    const table = stopped().floor('clear', 'card.back');
    expect(Object.keys(table.state.timers).filter((name) => name.startsWith('escalate'))).toEqual(
      [],
    );
  });

  test('policy:escalation: a warning and a hold do not escalate', () => {
    const table = mini().open().press('no-more-bets').double();
    expect(Object.keys(table.state.timers).filter((name) => name.startsWith('escalate'))).toEqual(
      [],
    );
  });
});

describe('the life of a table', () => {
  test('policy:opening: opened, inspected, then the procedure', () => {
    const table = mini();
    expect([table.phase, table.view.gate]).toEqual(['closed', 'locked']);
    expect(table.press('cards-inspected').refused).toBe('policy:opening');
    expect(table.press('open-table').press('open-table').refused).toBe('policy:opening');
    expect(table.press('cards-inspected').phase).toBe('shuffle-due');
  });

  test('policy:opening: a table is not closed in mid-round', () => {
    expect(mini().open().press('no-more-bets').press('close-table').refused).toBe('policy:opening');
    expect(mini().press('close-table').refused).toBe('policy:opening');
  });

  test('policy:opening: closed and opened again, the cards are not shuffled any more', () => {
    const table = mini().open({ until: 'load-due' }).press('close-table');
    expect([table.phase, table.press('loaded').refused]).toEqual(['closed', 'policy:closed']);
    table.open({ until: 'shuffle-due' });
    expect(table.press('loaded').codes).toEqual(['shuffle.missing']);
  });

  test('policy:opening: a stop waits through the closing', () => {
    const table = mini().open().round(5).back().press('close-table').open({ until: 'shuffle-due' });
    expect(table.codes).toEqual(['card.back']);
    expect(table.floor('clear', 'card.back').open().phase).toBe('ready');
  });

  test('policy:opening: a gap on a table that was closed can be ended', () => {
    const table = mini().open().see({ kind: 'power.boot', unclean: true, boot: 2 });
    table.press('close-table').floor('clear', 'gap.unwatched');
    expect([table.refused, table.codes]).toEqual([null, []]);
  });

  test('policy:opening: shoe after shoe on the same table', () => {
    const table = war();
    for (let shoe = 1; shoe <= 4; shoe += 1) {
      table.open().round(6, 40).cover().round(6);
      expect([table.view.shoe, table.phase, table.codes]).toEqual([shoe, 'reshuffle-due', []]);
      table.press('collected');
    }
  });

  test('policy:opening: nothing is collected where no shoe is', () => {
    expect(mini().open({ until: 'cut-due' }).press('collected').refused).toBe('627a.5');
  });
});

describe('tower, sound and display', () => {
  test('policy:display: red blinks for a stop, stands for a hold', () => {
    const hold = baccarat().open({ until: 'marker-due' }).press('loaded');
    expect(hold.view.tower).toMatchObject({ colour: 'red', light: 'steady' });
    const stop = mini().open().press('no-more-bets').back();
    expect(stop.view.tower).toMatchObject({ colour: 'red', light: 'blink' });
    expect(stop.shown).toMatch(/^STOP\./);
  });

  test('policy:display: amber blinks for a warning and stands off play, green in play', () => {
    expect(mini().open().view.tower).toMatchObject({ colour: 'green', light: 'steady' });
    expect(mini().open({ until: 'cut-due' }).view.tower).toMatchObject({ colour: 'amber' });
    expect(mini().open().press('no-more-bets').double().view.tower).toMatchObject({
      colour: 'amber',
      light: 'blink',
    });
  });

  test('policy:display: a stop sounds once', () => {
    const table = mini().open().press('no-more-bets').back();
    const sounds = table.last.filter(
      (decision) => decision.do === 'direct' && decision.directive.to === 'sound',
    );
    expect(sounds).toEqual([{ do: 'direct', directive: { to: 'sound', pattern: 'stop' } }]);
    expect(
      table.card().last.some((one) => one.do === 'direct' && one.directive.to === 'sound'),
    ).toBe(false);
  });

  test('policy:display: each finding marks the video with its clause', () => {
    const table = mini().open().press('no-more-bets').back();
    expect(table.last).toContainEqual({
      do: 'direct',
      directive: { to: 'video', mark: 'card.back 603a.17' },
    });
  });

  test('policy:display: a stop shows its clause, not the next step', () => {
    const table = mini().open().press('no-more-bets').cards(4).press('counts-called').cards(3);
    expect(table.state.outputs.display).toMatchObject({ step: 'stop', clause: '627a.9(d)' });
  });

  test('policy:display: a hold shows the step that ends it', () => {
    const table = baccarat().open({ until: 'cut-due' }).press('loaded');
    expect(table.state.outputs.display).toMatchObject({ step: 'cut', clause: '631a.5(b)' });
  });
});

describe('what nobody may learn', () => {
  test('651a.8(b): the opening burn, a new dealer and cards drawn out of turn are unread', () => {
    const table = war({ reader: 'rank' }).open({ until: 'burn' }).card('Ks');
    table.press('dealer-in', 'D-2').card('Qs').press('no-more-bets').card('7h').back().card('8h');
    table.floor('reshuffle').card('9h');
    const ranks = table.seen.flatMap((seen) =>
      seen.kind === 'card.out' && seen.rank !== undefined ? [seen.rank] : [],
    );
    expect(ranks).toEqual(['7', '8']);
  });

  test('631a.5(f): only the exposed first card of the burn is read', () => {
    const table = mini({ reader: 'rank' }).open({ until: 'burn' }).cards(['3h', '9c', '8c', '7c']);
    const read = JSON.stringify(table.seen);
    expect([/"3"/.test(read), /"9"|"8"|"7"/.test(read)]).toEqual([true, false]);
  });

  test('631a.9: a game dealt face down leaves no rank of play', () => {
    const table = baccarat({ reader: 'rank' }).open().press('no-more-bets').cards(['9c', '8d']);
    expect(JSON.stringify(table.seen.slice(-2))).not.toMatch(/rank|suit/);
  });

  test('651a.8(b): no rank is in the state, the view or a finding', () => {
    const table = war({ reader: 'rank' }).open({ until: 'burn' }).card('Qs').card('Js');
    expect(JSON.stringify([table.state, table.view])).not.toMatch(/"[QJ]"|Qs|Js/);
  });
});
