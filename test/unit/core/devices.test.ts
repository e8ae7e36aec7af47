import { describe, expect, test } from 'vitest';
import { baccarat, holdEm, mini, says } from './table.js';

const boot = { kind: 'power.boot', unclean: true, boot: 2 } as const;
const down = (device: string) => ({ kind: 'link.down', device }) as const;
const up = (device: string) => ({ kind: 'link.up', device }) as const;

describe('gap.unwatched', () => {
  const dark = () =>
    mini().open({ firstCard: '3' }).round(5, 2).press('no-more-bets').cards(3).see(boot);

  test('policy:unwatched-gap: power back on a loaded shoe is a stop in the same phase', () => {
    const table = dark();
    expect(table.find('gap.unwatched')).toMatchObject({
      clause: 'policy:unwatched-gap',
      severity: 'stop',
      authority: 'floor',
      observed: says(/card 17/),
      remedy: says(/accept-gap/),
    });
    expect([table.phase, table.view.out, table.view.left, table.view.gap]).toEqual([
      'round',
      17,
      null,
      true,
    ]);
  });

  test('policy:unwatched-gap: what began the gap stays in its words', () => {
    const table = dark();
    const first = table.find('gap.unwatched')?.observed;
    expect(first).toMatch(/^power was lost at card 17$/);
    for (let i = 0; i < 3; i += 1) table.see(boot).see(down('mouth')).see(up('mouth'));
    expect(table.find('gap.unwatched')).toMatchObject({
      observed: `${first}; then mouth was away at card 17`,
      repeats: 6,
    });
  });

  test('policy:unwatched-gap: the dealer is told what to do, and nothing of the box', () => {
    expect(dark().shown).toBe('STOP. Cards may have moved unseen | Deal no card. Call the floor');
    const lost = mini()
      .open()
      .see({ kind: 'link.down', device: 'mouth', reason: 'there is no GPIO chip labelled x' });
    expect(lost.shown).toBe('STOP. The shoe is not being counted | Deal no card. Call the floor');
    expect(lost.find('sensor.fault')?.observed).toBe('there is no GPIO chip labelled x');
  });

  test('policy:unwatched-gap: no card left: the floor says so and the round goes on', () => {
    const table = dark().floor('accept-gap', 0);
    expect([table.codes, table.view.out, table.view.left]).toEqual([[], 17, 399]);
    table.cards(2).press('round-end');
    expect([table.phase, table.view.out]).toEqual(['ready', 19]);
  });

  test('policy:unwatched-gap: cards that left unseen are added as attested', () => {
    const table = dark().floor('accept-gap', 2);
    expect([table.view.out, table.view.cardsThisRound]).toEqual([19, 5]);
    expect(table.press('counts-called').cards(2).codes).toEqual(['round.overdrawn']);
  });

  test('policy:unwatched-gap: in the burn they complete it', () => {
    const table = baccarat().open({ until: 'burn' }).card().press('first-card', '4').see(boot);
    table.floor('accept-gap', 4);
    expect([table.phase, table.codes, table.view.out]).toEqual(['ready', [], 5]);
    // Four of the five were stated by a person: never said to be sensed.
    expect(table.view.duties.find(({ duty }) => duty === 'burn')).toMatchObject({
      status: 'met',
      evidence: 'attested',
      detail: '5 of 5 cards, 4 of them stated',
    });
  });

  test('policy:unwatched-gap: in the burn one too many is one too many', () => {
    const table = baccarat().open({ until: 'burn' }).card().press('first-card', '4').see(boot);
    expect(table.floor('accept-gap', 5).find('burn.over')?.by).toBe(1);
  });

  test('policy:unwatched-gap: in a burn whose first card nobody saw the rank is asked for', () => {
    const table = baccarat().open({ until: 'burn' }).see(boot).floor('accept-gap', 2);
    expect(table.codes).toEqual(['burn.rank-unknown']);
    expect(table.press('first-card', '4').view.due).toBe(3);
  });

  test('627a.9(d): cards the floor states may be too many for the round', () => {
    const table = mini().open().press('no-more-bets').cards(4).press('counts-called').card();
    table.see(boot).floor('accept-gap', 2);
    expect(table.find('round.overdrawn')).toMatchObject({ clause: '627a.9(d)', by: 1 });
    expect(table.codes).toEqual(['round.overdrawn']);
  });

  test('631a.5(d): cards the floor states may be past the marker', () => {
    const table = baccarat().open({ firstCard: 'A' }).round(5, 79).see(boot);
    expect(table.floor('accept-gap', 5).codes).toEqual([]);
    table.see({ ...boot, boot: 3 }).floor('accept-gap', 5);
    expect(table.codes).toEqual(['cover.never-seen']);
  });

  test('policy:unwatched-gap: a shoe emptied in mid-shoe may come back with other cards', () => {
    const table = mini().open({}).round(5).see({ kind: 'shoe.empty' });
    expect([table.codes, table.view.left]).toEqual([['gap.unwatched'], null]);
    expect(table.see({ kind: 'shoe.loaded' }).codes).toEqual(['gap.unwatched']);
  });

  test('policy:unwatched-gap: a shoe that is over is emptied, and nothing is said', () => {
    const table = mini().open({}).round(5).floor('reshuffle').see({ kind: 'shoe.empty' });
    expect(table.codes).toEqual([]);
  });

  test('policy:unwatched-gap: the dealer may not, nor for more cards than there were', () => {
    expect(dark().press('accept-gap', 0).refused).toBe('policy:authority');
    expect(dark().floor('accept-gap', 400).refused).toBe('policy:unwatched-gap');
    expect(mini().open().floor('accept-gap', 1).refused).toBe('policy:unwatched-gap');
  });

  test('policy:unwatched-gap: or the floor orders a reshuffle', () => {
    const table = dark().floor('reshuffle');
    expect([table.phase, table.codes, table.view.gap]).toEqual(['shuffle-due', [], false]);
  });

  test('policy:unwatched-gap: it cannot simply be cleared while the shoe is there', () => {
    expect(dark().floor('clear', 'gap.unwatched').refused).toBe('policy:unwatched-gap');
  });

  test('policy:unwatched-gap: a stop from before the power cut still stands', () => {
    const table = mini().open().press('no-more-bets').back().see(boot);
    expect(table.codes).toEqual(['card.back', 'gap.unwatched']);
  });

  test('policy:unwatched-gap: without a loaded shoe a restart is no gap', () => {
    expect(mini().open({ until: 'cut-due' }).see(boot).codes).toEqual([]);
    expect(holdEm().open().see(boot).codes).toEqual([]);
  });

  test('policy:unwatched-gap: a stop on purpose is a gap as well', () => {
    const table = mini().open().see({ kind: 'power.off' });
    expect(table.codes).toEqual([]);
    table.see({ kind: 'power.boot', unclean: false, boot: 2 });
    expect(table.find('gap.unwatched')?.observed).toMatch(/restarted/);
  });

  test('policy:unwatched-gap: an unknown count is never used to judge', () => {
    const table = dark().cover();
    expect([table.view.behind, table.raised('marker.misplaced')]).toEqual([null, 0]);
    table.floor('accept-gap', 0).press('round-end');
    expect(table.codes).toEqual(['round.short']);
    // Who pressed too early is not asked about the shoe alone.
    expect(table.find('round.short')?.remedy).toMatch(/pressed too early/);
  });
});

describe('sensor.fault', () => {
  test('policy:sensor-fault: a shoe that is not counted is a stop, then a gap', () => {
    const table = mini().open().see(down('mouth'));
    expect(table.find('sensor.fault')).toMatchObject({
      clause: 'policy:sensor-fault',
      severity: 'stop',
      device: 'mouth',
      remedy: says(/not being counted/),
    });
    expect([table.view.left, table.floor('clear', 'sensor.fault').refused]).toEqual([
      null,
      'policy:sensor-fault',
    ]);
    table.see(up('mouth'));
    expect(table.codes).toEqual(['gap.unwatched']);
    expect(table.floor('accept-gap', 0).codes).toEqual([]);
  });

  test('policy:sensor-fault: the gap is not over while the sensor is away', () => {
    const table = mini().open().see(down('mouth')).floor('accept-gap', 0);
    expect([table.refused, table.view.gap]).toEqual(['policy:unwatched-gap', true]);
    expect(table.see(up('mouth')).codes).toEqual(['gap.unwatched']);
  });

  test('policy:sensor-fault: with no shoe there is nothing to have missed', () => {
    const table = mini().open({ until: 'shuffle-due' }).see(down('mouth')).see(up('mouth'));
    expect([table.codes, table.raised('sensor.fault')]).toEqual([[], 1]);
  });

  test('policy:sensor-fault: where the house only warns, play goes on uncounted', () => {
    const table = mini({ policy: { sensorFault: 'warn' } })
      .open()
      .see(down('mouth'));
    expect([table.find('sensor.fault')?.severity, table.view.gate]).toEqual(['warn', 'open']);
    expect(table.press('no-more-bets').press('round-end').raised('round.short')).toBe(0);
  });

  test('policy:sensor-fault: a silent device is a fault, other devices only a warning', () => {
    const table = mini().open().see({ kind: 'device.stale', device: 'keypad' });
    expect(table.find('sensor.fault')).toMatchObject({ severity: 'warn', device: 'keypad' });
    expect(table.press('acknowledge', 'sensor.fault').codes).toEqual(['sensor.fault']);
    expect(table.see(up('keypad')).codes).toEqual([]);
  });

  test('policy:sensor-fault: two devices are two findings', () => {
    const table = mini().open().see(down('keypad')).see(down('reader'));
    expect(table.codes).toEqual(['sensor.fault', 'sensor.fault']);
    expect(table.see(up('keypad')).find('sensor.fault')?.device).toBe('reader');
  });
});

describe('the other devices', () => {
  test('policy:shuffler-link: shuffler.lost warns until the link is back', () => {
    const table = mini().open().see(down('shuffler'));
    expect(table.find('shuffler.lost')).toMatchObject({
      clause: 'policy:shuffler-link',
      severity: 'warn',
    });
    expect([table.view.gate, table.see(up('shuffler')).codes]).toEqual(['open', []]);
  });

  test('policy:lid: the lid opened on cards in play', () => {
    const table = mini().open().see({ kind: 'lid.open' });
    expect(table.find('tamper.lid')).toMatchObject({ clause: 'policy:lid', severity: 'warn' });
    table.see({ kind: 'lid.closed' });
    expect(table.codes).toEqual(['tamper.lid']);
    expect(table.press('acknowledge', 'tamper.lid').codes).toEqual([]);
  });

  test('policy:lid: a stop where the house says so', () => {
    const table = mini({ policy: { tamperLid: 'stop' } })
      .open()
      .see({ kind: 'lid.open' });
    expect([table.find('tamper.lid')?.severity, table.view.gate]).toEqual(['stop', 'locked']);
    expect(table.floor('clear', 'tamper.lid').codes).toEqual([]);
  });

  test('policy:lid: to load, and to collect a shoe that is over, it is opened', () => {
    expect(mini().open({ until: 'load-due' }).see({ kind: 'lid.open' }).codes).toEqual([]);
    const over = mini().open().round(5, 78).cover().round(5).press('last-hand-called').round(5);
    expect(over.see({ kind: 'lid.open' }).codes).toEqual([]);
  });

  test('policy:shuffler-link: a stop where the house says so, until the link is back', () => {
    const table = mini({ policy: { shufflerLost: 'stop' } })
      .open()
      .see(down('shuffler'));
    expect([table.find('shuffler.lost')?.severity, table.view.gate]).toEqual(['stop', 'locked']);
    expect([table.see(up('shuffler')).codes, table.view.gate]).toEqual([[], 'open']);
  });

  test('policy:clock: where the house wants it an untrusted clock is only told', () => {
    const table = mini({ policy: { clockUntrusted: 'info' } })
      .open()
      .see({ kind: 'clock.step', stepMs: -3_600_000 });
    expect([table.told('clock.untrusted')?.severity, table.codes]).toEqual(['info', []]);
    expect(table.round(5).codes).toEqual([]);
  });

  test('policy:clock: where the house wants it an untrusted clock stops the table', () => {
    const table = mini({ policy: { clockUntrusted: 'stop' } })
      .open()
      .see({ kind: 'clock.trust', trusted: false });
    expect([table.find('clock.untrusted')?.severity, table.view.gate]).toEqual(['stop', 'locked']);
    expect(table.see({ kind: 'clock.trust', trusted: true }).codes).toEqual([]);
  });

  test('policy:clock: a warning that changes no decision stands until the clock is right', () => {
    const table = mini().open().see({ kind: 'clock.step', stepMs: -3_600_000 });
    expect(table.find('clock.untrusted')?.severity).toBe('warn');
    expect(table.round(5).codes).toEqual(['clock.untrusted']);
    table.see({ kind: 'clock.step', stepMs: 4000 }).see({ kind: 'clock.step', stepMs: 4000 });
    expect(table.codes).toEqual(['clock.untrusted']);
    expect(table.press('acknowledge', 'clock.untrusted').codes).toEqual(['clock.untrusted']);
    expect(table.see({ kind: 'clock.trust', trusted: true }).codes).toEqual([]);
  });

  test('policy:journal: no new round while the store fails, and no card', () => {
    const table = mini().open().round(5).see({ kind: 'journal.fault', reason: 'the disk is full' });
    expect(table.find('journal.fault')).toMatchObject({
      clause: 'policy:journal',
      severity: 'stop',
      observed: 'the disk is full',
    });
    expect([table.view.gate, table.press('no-more-bets').refused]).toEqual(['locked', '627a.8']);
    expect(table.see(boot).codes).toEqual(['journal.fault', 'gap.unwatched']);
    expect(table.floor('clear', 'journal.fault').codes).toEqual(['gap.unwatched']);
  });
});
