import { expect, test } from 'vitest';
import type { PermittedKey, PressField } from '../../../controller/core/permitted.js';
import { PRESS_KEYS } from '../../../controller/core/press-parse.js';
import { anybodyHere } from '../../../surveillance/access/roles.js';
import { isWhoView, whoView } from '../../../surveillance/access/who-view.js';
import { isPressAnswer } from '../../../surveillance/table-page/press-answer.js';
import {
  choiceWord,
  fieldWord,
  keysNamed,
  keyWord,
  questionsOf,
  valueOf,
  withKeyWords,
} from '../../../surveillance/pages/src/key-words.js';
import { pressingAs, pressRole } from '../../../surveillance/pages/src/who.js';

const field = (name: string, kind: PressField['kind'] = 'text'): PressField => ({
  name,
  kind,
  isOptional: false,
  choices: [],
});
const offered = (key: PermittedKey['key'], ...asks: readonly PressField[]): PermittedKey => ({
  key,
  needs: 'floor',
  departs: [],
  asks,
});

test('every key has words of its own', () => {
  const words = PRESS_KEYS.map(keyWord);
  expect(new Set(words).size).toBe(PRESS_KEYS.length);
  expect(fieldWord('hands')).toBe('Hands in this round');
  expect(fieldWord('something-else')).toBe('Something else');
});

test('choices read as people say them', () => {
  const findings = [{ id: '7.1', code: 'burn.over' }] as unknown as Parameters<
    typeof choiceWord
  >[2];
  const words = [
    ['seat', '3'],
    ['by', 'dealer'],
    ['by', '4'],
    ['rank', 'T'],
    ['rank', 'A'],
    ['finding', '7.1'],
    ['finding', '9.9'],
    ['batch', 'red'],
  ].map(([name = '', choice = '']) => choiceWord(field(name, 'choice'), choice, findings));
  expect(words).toEqual(['Seat 3', 'Dealer', 'Seat 4', '10', 'A', 'burn.over', '9.9', 'Red']);
});

test('one value goes as it stands, several by name, and what was left out not at all', () => {
  expect(valueOf(offered('spill'), {})).toBeUndefined();
  expect(valueOf(offered('first-card', field('rank')), { rank: 'Q' })).toBe('Q');
  expect(valueOf(offered('no-more-bets', field('hands', 'number')), {})).toBeUndefined();
  const cut = offered('cut', field('by'), field('depth', 'number'));
  expect(valueOf(cut, { by: '3' })).toEqual({ by: '3' });
  const count = offered('hand-count', field('batch'), field('n', 'number'), field('second'));
  expect(valueOf(count, { badge: 'F-1', batch: 'red', n: 416, second: 'F-2' })).toEqual({
    batch: 'red',
    n: 416,
    second: 'F-2',
  });
});

test('two people say who they are where nobody has logged in', () => {
  const count = offered('hand-count', field('n', 'number'));
  const names = (isOpen: boolean): string[] => questionsOf(count, isOpen).map(({ name }) => name);
  expect([names(true), names(false)]).toEqual([['badge', 'n'], ['n']]);
  expect(questionsOf(offered('spill'), true)).toEqual([]);
});

test('what ends a shoe, a round or the table is asked once more', () => {
  const asked = (key: PermittedKey['key'], departs: PermittedKey['departs'] = []): string[] =>
    questionsOf({ ...offered(key), departs }, false).map(({ name }) => name);
  for (const key of ['reshuffle', 'void-round', 'close-table', 'deck-removed'] as const) {
    expect(asked(key)).toEqual(['sure']);
  }
  expect([asked('collected'), asked('collected', ['cover.early-shuffle'])]).toEqual([[], ['sure']]);
  for (const key of ['no-more-bets', 'round-end', 'recut', 'clear'] as const) {
    expect(asked(key)).toEqual([]);
  }
  const removed = offered('deck-removed', field('batch', 'choice'));
  expect(questionsOf(removed, false).map(({ name }) => name)).toEqual(['batch', 'sure']);
});

test('a key is called in a text as it is called on the page', () => {
  const task =
    'Say how many cards left the shoe (`accept-gap`), or order a reshuffle (`reshuffle`).';
  expect(withKeyWords(task)).toBe(
    'Say how many cards left the shoe (“Cards left unseen”), or order a reshuffle ' +
      '(“Order a reshuffle”).',
  );
  expect(keysNamed(task)).toEqual(['accept-gap', 'reshuffle']);
  expect(withKeyWords('say how many left (accept-gap)')).toBe(
    'say how many left (“Cards left unseen”)',
  );
  for (const plain of ['Call the technician: beam-a', 'run `cutcard doctor`', 'order (by-turn)']) {
    expect([withKeyWords(plain), keysNamed(plain)]).toEqual([plain, []]);
  }
});

test('a page presses in its own role, or as the floor, or not at all, and says so', () => {
  const who = { ...whoView(anybodyHere), way: 'password' as const, name: 'eye-1', badge: 'S-1' };
  expect(pressRole({ ...who, press: ['floor'] }, 'dealer')).toBe('floor');
  expect(pressRole({ ...who, press: ['dealer'] }, 'floor')).toBeNull();
  expect(pressingAs({ ...who, press: [] }, null)).toBe('eye-1 presses nothing here');
  expect(pressingAs(who, 'floor')).toBe('Pressing as floor: eye-1, badge S-1');
  expect(pressingAs({ ...who, badge: 'eye-1' }, 'floor')).toBe('Pressing as floor: eye-1');
  expect(pressingAs(whoView(anybodyHere), 'dealer')).toMatch(/^Demo, nobody logged in/);
  expect(pressingAs({ ...whoView(anybodyHere), press: [] }, null)).toMatch(/^To look only/);
});

test('an answer of another shape is none', () => {
  expect(isWhoView(whoView(anybodyHere))).toBe(true);
  for (const wrong of [null, {}, { ...whoView(anybodyHere), roles: ['chief'] }]) {
    expect(isWhoView(wrong)).toBe(false);
  }
  expect(isPressAnswer({ is: 'taken', seq: 1, found: [] })).toBe(true);
  expect(isPressAnswer({ is: 'refused', seq: 1, clause: 'c', reason: 'r', found: [] })).toBe(true);
  expect(isPressAnswer({ is: 'lost', reason: 'r' })).toBe(true);
  for (const wrong of [
    null,
    'taken',
    {},
    { is: 'taken' },
    { is: 'refused', reason: 'r' },
    { is: 'x', reason: '' },
  ]) {
    expect(isPressAnswer(wrong)).toBe(false);
  }
});
