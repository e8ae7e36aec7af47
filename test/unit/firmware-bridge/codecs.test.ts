import { describe, expect, it } from 'vitest';
import type { Press } from '../../../controller/core/press.js';
import { parsePress, PRESS_KEYS } from '../../../controller/core/press-parse.js';
import {
  KeypadDecoder,
  keysFor,
  type KeypadKey,
} from '../../../firmware-bridge/devices/keypad-codec.js';
import { rawPressOf, readPanel } from '../../../firmware-bridge/devices/panel-codec.js';

/** One press of every key, with its values. */
const VALUES: Readonly<Record<string, unknown>> = {
  preshuffled: 'P-100',
  'cut-offered': 3,
  'cut-declined': 14,
  cut: 'seat 13 depth 12',
  'first-card': 'K',
  'stub-count': 37,
  'accept-gap': 0,
  acknowledge: 'burn.short',
  clear: '12.0',
  'deck-removed': 'red',
  'deck-in': 'blue B-204',
  'hand-count': 'red 416 F-12',
  misdeal: { yes: false, full: true },
  replace: { out: 'Qd', in: 'Qd' },
  'approve-reshuffler': 'shuffler',
};
const pressOf = (key: string, role: Press['role'] = 'dealer', badge?: string): Press => {
  const parsed = parsePress({
    key,
    role,
    value: VALUES[key],
    ...(badge === undefined ? {} : { badge }),
  });
  if (!parsed.ok) throw new Error(parsed.why);
  return parsed.value;
};
const decodeKeys = (keys: readonly KeypadKey[], role: Press['role']): (Press | null)[] => {
  const decoder = new KeypadDecoder();
  return keys.map((key, i) => decoder.key(key, role, null, i * 1e8)).filter((p) => p !== null);
};

describe('the panel', () => {
  it.each(PRESS_KEYS)('carries %s both ways', (key) => {
    const press = pressOf(key, 'floor', 'F-1');
    const sent: unknown = JSON.parse(JSON.stringify({ n: 7, ...rawPressOf(press) }));
    expect(readPanel(sent)).toEqual({ ok: true, value: { say: 'press', press } });
  });

  it('says what is wrong with a message', () => {
    expect(readPanel({ key: 'burn' })).toMatchObject({ ok: false, why: /there is no key/ });
    expect(readPanel({ key: 'washed', colour: 1 })).toMatchObject({ ok: false });
    expect(readPanel({ key: 'washed', role: 'king' })).toMatchObject({ ok: false });
    expect(readPanel([1])).toMatchObject({ ok: false });
    expect(readPanel(null)).toMatchObject({ ok: false });
  });
});

describe('the keypad', () => {
  const keyed = PRESS_KEYS.filter((key) => keysFor(pressOf(key)) !== null);

  it('can key everything that needs no words', () => {
    expect(PRESS_KEYS.filter((key) => !keyed.includes(key))).toEqual([
      'preshuffled',
      'replace',
      'acknowledge',
      'deck-removed',
      'deck-in',
      'clear',
      'hand-count',
      'approve-reshuffler',
    ]);
  });

  it.each(keyed)('carries %s both ways', (key) => {
    const press = pressOf(key);
    expect(decodeKeys(keysFor(press) ?? [], 'dealer')).toEqual([press]);
  });

  it.each(['A', '2', '9', 'T', 'J', 'Q', 'K', '0'] as const)('keys the rank %s', (rank) => {
    const press: Press = { kind: 'press', role: 'dealer', key: 'first-card', rank };
    expect(decodeKeys(keysFor(press) ?? [], 'dealer')).toEqual([press]);
  });

  it('keys a cut by the dealer, and bets with hands', () => {
    const cut: Press = { kind: 'press', role: 'dealer', key: 'cut', by: 'dealer' };
    expect(decodeKeys(keysFor(cut) ?? [], 'dealer')).toEqual([cut]);
    const bets: Press = { kind: 'press', role: 'dealer', key: 'no-more-bets', hands: 4 };
    expect(decodeKeys(keysFor(bets) ?? [], 'dealer')).toEqual([bets]);
  });

  it('leaves badges and the surveillance role to the panel', () => {
    expect(keysFor(pressOf('washed', 'dealer', 'D-1'))).toBeNull();
    expect(keysFor(pressOf('washed', 'surveillance'))).toBeNull();
  });

  it('takes nothing from nonsense, and forgets a sequence left lying', () => {
    const decoder = new KeypadDecoder();
    const keys: KeypadKey[] = [
      '7',
      'ENTER',
      'FN',
      'ENTER',
      'FN',
      '9',
      '9',
      'ENTER',
      'CARD',
      'ENTER',
    ];
    for (const key of keys) expect(decoder.key(key, 'dealer', null, 0)).toBeNull();
    expect(decoder.refused).toBe(4);
    expect(decoder.key('FN', 'dealer', null, 0)).toBeNull();
    expect(decoder.key('1', 'dealer', null, 0)).toBeNull();
    const later = 60e9;
    for (const key of ['FN', '1', '3'] as const) decoder.key(key, 'dealer', null, later);
    expect(decoder.key('ENTER', 'dealer', 'D-1', later)).toEqual({
      kind: 'press',
      role: 'dealer',
      badge: 'D-1',
      key: 'washed',
    });
  });
});
