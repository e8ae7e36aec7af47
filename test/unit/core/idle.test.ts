import { describe, expect, test } from 'vitest';
import { hiLo, mini, says } from './table.js';

const MINUTES = 60;

describe('idle.spread-due', () => {
  test('663a.5(f): without play the cards are spread, after the time the house set', () => {
    const table = hiLo()
      .open()
      .wait(9 * MINUTES);
    expect(table.codes).toEqual([]);
    table.wait(2 * MINUTES);
    expect(table.find('idle.spread-due')).toMatchObject({
      clause: '663a.5(f)',
      severity: 'warn',
      remedy: says(/SPREAD THE CARDS face down/),
    });
    expect(table.shown).toMatch(/SPREAD/);
  });

  test('663a.5(f): a round begun in time starts the time again', () => {
    const table = hiLo()
      .open()
      .wait(8 * MINUTES)
      .round(20)
      .wait(8 * MINUTES);
    expect(table.codes).toEqual([]);
    expect(table.wait(3 * MINUTES).codes).toEqual(['idle.spread-due']);
  });

  test('663a.5(f): a round that takes long is play', () => {
    const table = hiLo()
      .open()
      .press('no-more-bets')
      .cards(10)
      .wait(60 * MINUTES);
    expect(table.press('spill').codes).toEqual([]);
  });

  test('663a.5(f): spread, inspected, and the whole procedure again', () => {
    const table = hiLo()
      .open()
      .wait(11 * MINUTES)
      .press('spread');
    expect([table.phase, table.codes, table.view.gate]).toEqual(['idle-spread', [], 'locked']);
    expect(table.shown).toMatch(/first player inspects/);
    expect(table.press('loaded').codes).toEqual(['shuffle.missing']);
    table.floor('clear', 'shuffle.missing').press('inspected');
    expect([table.phase, table.open().phase]).toEqual(['shuffle-due', 'ready']);
  });

  test('663a.5(f): spread cards do not fall due again', () => {
    const table = hiLo()
      .open()
      .wait(11 * MINUTES)
      .press('spread')
      .wait(120 * MINUTES);
    expect(table.press('inspected').raised('idle.spread-due')).toBe(1);
  });

  test('663a.5(f): a closed table is not idle', () => {
    expect(
      hiLo()
        .open()
        .press('close-table')
        .wait(60 * MINUTES)
        .press('open-table').codes,
    ).toEqual([]);
  });

  test('663a.5(f): cards in play are not spread, and unspread cards not inspected', () => {
    expect(hiLo().open().press('no-more-bets').press('spread').refused).toBe('663a.5(f)');
    expect(hiLo().open().press('inspected').refused).toBe('663a.5(f)');
  });

  test('663a.5(f): the house may set the minutes', () => {
    const table = hiLo({ choose: { idleMinutes: 30 } })
      .open()
      .wait(29 * MINUTES)
      .press('spill');
    expect(table.codes).toEqual([]);
    expect(table.wait(2 * MINUTES).codes).toEqual(['idle.spread-due']);
  });

  test('627a.9: minibaccarat has no such rule', () => {
    expect(
      mini()
        .open()
        .wait(240 * MINUTES)
        .press('spill')
        .raised('idle.spread-due'),
    ).toBe(0);
  });
});

describe('the device that reshuffles and counts by itself', () => {
  const approved = (set = {}) =>
    hiLo({ dealing: 'auto-shoe', ...set })
      .see({ kind: 'link.up', device: 'auto', identity: 'SN-1' })
      .open({ until: 'shuffle-due' })
      .floor('approve-reshuffler', 'auto');

  test('663a.5(g): (b) to (f) are lifted: no cut of a hand shuffle', () => {
    const table = approved({ shuffler: 'none' }).press('washed').press('shuffled');
    expect(table.phase).toBe('load-due');
    expect(table.duty('cut')).toMatchObject({ status: 'waived' });
    expect(table.press('loaded').codes).toEqual([]);
  });

  test('663a.5(g): no idle spread either', () => {
    expect(
      approved()
        .open()
        .wait(60 * MINUTES)
        .press('spill')
        .raised('idle.spread-due'),
    ).toBe(0);
  });

  test('663a.5(g): (a) still applies: no stack without a shuffle', () => {
    expect(approved().press('loaded').codes).toEqual(['shuffle.missing']);
  });

  test('663a.5(g): a wrong count is then a matter of house policy', () => {
    const table = approved().machine('red', 51);
    expect(table.find('count.wrong')).toMatchObject({ clause: 'policy:shuffler-count' });
  });

  test('663a.5(g): approved while a cut was due, the cut is no longer due', () => {
    const table = hiLo({ shuffler: 'none' }).open({ until: 'cut-due' }).press('loaded');
    expect(table.codes).toEqual(['cut.missing']);
    table.floor('approve-reshuffler', 'auto');
    expect([table.phase, table.codes]).toEqual(['load-due', []]);
  });

  test.each([
    ['vanished', { kind: 'link.down', device: 'auto' } as const],
    ['fell silent', { kind: 'device.stale', device: 'auto' } as const],
    ['changed', { kind: 'link.up', device: 'auto', identity: 'SN-2' } as const],
  ])('663a.5(g): exemption.lapsed when it %s, and the duties return', (_how, what) => {
    const table = approved({ shuffler: 'none' }).press('washed').press('shuffled').see(what);
    expect(table.find('exemption.lapsed')).toMatchObject({
      clause: '663a.5(g)',
      severity: 'warn',
      remedy: says(/cut, count, idle/),
    });
    expect(table.phase).toBe('cut-due');
    expect(table.press('loaded').codes).toContain('cut.missing');
  });

  test('663a.5(g): exemption.lapsed when it stops counting', () => {
    const table = approved().start('red').done(null, { batch: 'red', mode: 'shuffle' });
    expect([table.phase, table.codes]).toEqual(['count-due', ['exemption.lapsed']]);
  });

  test('663a.5(g): the same device back is not approved again by itself', () => {
    const table = approved({ shuffler: 'none' }).see({ kind: 'link.down', device: 'auto' });
    table.see({ kind: 'link.up', device: 'auto', identity: 'SN-1' });
    expect(table.press('washed').press('shuffled').phase).toBe('cut-due');
    table.floor('approve-reshuffler', 'auto');
    expect([table.phase, table.find('exemption.lapsed')]).toEqual(['load-due', undefined]);
  });

  test('663a.5(g): named by the number on its plate, it is the shuffler that must stay', () => {
    const table = hiLo().open({ until: 'shuffle-due' }).floor('approve-reshuffler', 'DM-1234');
    expect(table.see({ kind: 'link.down', device: 'shuffler' }).codes).toEqual([
      'shuffler.lost',
      'exemption.lapsed',
    ]);
  });

  test('663a.5(g): another device going changes nothing', () => {
    const table = approved().see({ kind: 'link.down', device: 'keypad' });
    expect(table.codes).toEqual(['sensor.fault']);
  });

  test('663a.5(g): only the floor approves, and only what is connected', () => {
    const table = hiLo({ dealing: 'auto-shoe' }).see({ kind: 'link.down', device: 'auto' });
    expect(table.floor('approve-reshuffler', 'auto').refused).toBe('663a.5(g)');
    expect(table.press('approve-reshuffler', 'auto').refused).toBe('policy:authority');
    expect(mini().floor('approve-reshuffler', 'auto').refused).toBe('policy:exemption');
  });
});
