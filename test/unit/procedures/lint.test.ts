import { describe, expect, it } from 'vitest';
import { REFUSALS_OF_CARDS } from './refusals-cards.js';
import { REFUSALS_OF_PLAY } from './refusals-play.js';
import { edited, lineOf, problemsOf, SOUND } from './support.js';

const refusals = [...REFUSALS_OF_CARDS, ...REFUSALS_OF_PLAY];

describe('a pack that contradicts itself', () => {
  it('is not the sound one', () => {
    expect(problemsOf(SOUND)).toEqual([]);
  });

  it.each(refusals)('is refused: $name', ({ was, is, field, cause, cure }) => {
    const problems = problemsOf(edited(SOUND, was, is));
    const found = problems.find((one) => one.field === field && cause.test(one.cause));
    expect(found, JSON.stringify(problems)).toBeDefined();
    expect(found?.cure).toMatch(cure);
    expect(found?.file).toBe('own.yaml');
    expect(found?.line).toBeGreaterThan(0);
  });

  it('is refused: consequences of a cover card that is never put in', () => {
    const block = SOUND.slice(SOUND.indexOf('marker:'), SOUND.indexOf('burn:\n'));
    const problems = problemsOf(edited(SOUND, block, 'marker: none\n'));
    expect(problems).toMatchObject([{ field: 'cover', cause: /never put in/ }].map(loosely));
  });

  it('is refused: a cover card nothing follows from', () => {
    const block = SOUND.slice(SOUND.indexOf('cover:\n'), SOUND.indexOf('round:\n'));
    const problems = problemsOf(edited(SOUND, block, 'cover: none\n'));
    expect(problems).toMatchObject([{ field: 'marker', cause: /nothing says what/ }].map(loosely));
  });

  it('is refused: an exemption from a cut that is not there', () => {
    const block = SOUND.slice(SOUND.indexOf('cut:\n'), SOUND.indexOf('marker:\n'));
    const text = edited(
      edited(SOUND, block, 'cut: none\n'),
      'bottomCover: true',
      'bottomCover: false',
    );
    expect(problemsOf(text)).toMatchObject([{ field: 'exemption.lifts[0]' }]);
  });

  it('is refused: an exemption from a stub that is not there', () => {
    const block = SOUND.slice(SOUND.indexOf('stub:\n'), SOUND.indexOf('handDealing:'));
    expect(problemsOf(edited(SOUND, block, ''))).toMatchObject([{ field: 'exemption.lifts[3]' }]);
  });

  it('names the line of the field', () => {
    const text = edited(SOUND, 'minBehind: 14', 'minBehind: 60');
    expect(problemsOf(text)[0]?.line).toBe(lineOf(text, 'minBehind'));
  });

  it('reports everything at once, in the order of the file', () => {
    const text = edited(
      edited(
        edited(SOUND, 'cards: { min: 4, max: 6 }', 'cards: { min: 9, max: 6 }'),
        'min: 1, max: 8',
        'min: 8, max: 1',
      ),
      'perHand: 2',
      'perHand: 60',
    );
    const problems = problemsOf(text);
    const lines = problems.map((one) => one.line);
    expect(problems.length).toBeGreaterThanOrEqual(3);
    expect(lines).toEqual([...lines].sort((a, b) => a - b));
  });
});

const loosely = ({ field, cause }: { field: string; cause: RegExp }): object => ({
  field,
  cause: expect.stringMatching(cause) as unknown,
});
