import { describe, expect, test } from 'vitest';
import {
  ageText,
  byUrgency,
  clauseText,
  coverText,
  levelText,
  pageOf,
  plainWord,
  severityMark,
  towerMark,
} from '../../../surveillance/pages/src/words.js';
import { PHASES } from '../../../controller/core/state.js';
import { pageStateOf } from '../../../surveillance/table-page/message.js';
import { FakeTable } from '../../fakes/table-page-source.js';
import { stopped } from '../../e2e/table-states.js';

describe('words of the pages', () => {
  test('ages in the two largest units', () => {
    expect([0, 999, 59_999, 60_000, 3_599_000, 3_600_000, 90_000_000].map(ageText)).toEqual([
      '0 s',
      '0 s',
      '59 s',
      '1 min 0 s',
      '59 min 59 s',
      '1 h 0 min',
      '1 d 1 h',
    ]);
    // A clock that is a little behind must not show a negative age.
    expect(ageText(-5)).toBe('0 s');
  });

  test('clauses and policies', () => {
    expect(clauseText('631a.5(f)')).toBe('§ 631a.5(f)');
    expect(clauseText('policy:count-required')).toBe('House policy: count required');
    expect(clauseText('')).toBe('');
  });

  test('every phase reads as words', () => {
    for (const phase of PHASES) expect(plainWord(phase)).toMatch(/^[A-Z][a-z ]+$/);
  });

  test('each tower light has a word of its own and a shape of its colour', () => {
    const lights = (['green', 'amber', 'red'] as const).flatMap((colour) =>
      (['steady', 'blink'] as const).map((light) => towerMark({ colour, light })),
    );
    const shapes = new Set(lights.map(({ shape }) => shape));
    expect(shapes.size).toBe(3);
    expect(new Set([...lights, towerMark(null)].map(({ word }) => word)).size).toBe(6);
  });

  test('severities differ by shape and word, not by colour alone', () => {
    const marks = (['stop', 'hold', 'warn', 'info'] as const).map(severityMark);
    expect(new Set(marks.map(({ shape }) => shape)).size).toBe(4);
    expect(new Set(marks.map(({ word }) => word)).size).toBe(4);
  });

  test('stops come first, the oldest of a kind on top', () => {
    const table = new FakeTable();
    stopped(table);
    const { findings } = pageStateOf(table, null).view;
    expect(byUrgency(findings).map(({ code }) => code)).toEqual([
      'burn.over',
      'burn.rank-unknown',
      'marker.misplaced',
    ]);
  });

  test('the cover card: where it is, and what is not known of it', () => {
    const table = new FakeTable();
    const textAfter = (change: Parameters<FakeTable['step']>[0]): string => {
      table.step(change);
      return coverText(pageStateOf(table, null).view);
    };
    expect(textAfter({})).toBe('No stack loaded');
    expect(textAfter({ loaded: 416 })).toBe('In the shoe');
    expect(textAfter({ coverSeen: true, behind: 14 })).toBe('Out, 14 cards behind it');
    expect(textAfter({ lastHand: true })).toBe('Out, 14 cards behind it. Last hand');
    expect(textAfter({ behind: null, lastHand: false })).toBe('Out, cards behind it not known');
  });

  test('how far an ignored finding went, and which page an address is', () => {
    expect([0, 1, 2, 9].map(levelText)).toEqual([
      '',
      'Now with the floor',
      'Now with surveillance and the shift',
      'Now with surveillance and the shift',
    ]);
    expect(['/', '/dealer', '/floor', '/else'].map(pageOf)).toEqual([
      'table',
      'dealer',
      'floor',
      'table',
    ]);
  });
});
