import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_PACK_CHARACTERS } from '../../../controller/procedures/tree.js';
import { edited, lineOf, problemsOf, SOUND } from './support.js';

describe('a pack whose text is wrong', () => {
  const wrong: readonly [name: string, was: string, is: string, field: string, say: RegExp][] = [
    ['a mistyped key', 'minBehind: 14', 'minBehin: 14', 'marker.minBehin', /mean `minBehind`/],
    [
      'a key nothing like any',
      'maxSeats: 7',
      'zzzzzzzzzz: 7',
      'zzzzzzzzzz',
      /The keys are: pack, id/,
    ],
    ['a missing key', 'maxSeats: 7\n', '', 'maxSeats', /missing\. Add it: a number/],
    [
      'a missing block',
      'dealerBurn: { cards: 1, secret: true, clause: "1.6" }\n',
      '',
      'dealerBurn',
      /or none/,
    ],
    [
      'a wrong word',
      'when: shoe-end',
      'when: shoe-start',
      'shuffle.when',
      /"shoe-start" is not known/,
    ],
    [
      'text for a number',
      'minBehind: 14',
      'minBehind: many',
      'marker.minBehind',
      /"many" does not fit/,
    ],
    ['a part of a card', 'minBehind: 14', 'minBehind: 14.5', 'marker.minBehind', /whole number/],
    ['a number too large', 'minBehind: 14', 'minBehind: 1000', 'marker.minBehind', /at most 648/],
    ['a number too small', 'everyRounds: 5', 'everyRounds: 0', 'stub.everyRounds', /at least 1/],
    ['an empty list', 'dealing: [hand]', 'dealing: []', 'stub.dealing', /at least 1 entries/],
    ['another version of the language', 'pack: 1', 'pack: 2', 'pack', /Write one of: 1/],
    ['an id out of form', 'id: test/sound', 'id: Test Sound', 'id', /pa\/631a-baccarat/],
    ['a version out of form', 'version: 1.2.3', 'version: "1.2"', 'version', /1\.0\.0/],
    [
      'a burn of no known kind',
      'kind: first-card-value',
      'kind: lots',
      'burn',
      /first-card-value, fixed, deck-count/,
    ],
    [
      'a rank there is not',
      '{ A: 1, 2: 2',
      '{ Z: 3, A: 1, 2: 2',
      'burn.values',
      /The keys are: 2, 3, .* A, T, J, Q, K/,
    ],
    [
      'none for a list',
      'dealing: { value: [shoe, hand, auto-shoe], clause: "1.4" }',
      'dealing: none',
      'dealing',
      /none does not fit here\. Write a list/,
    ],
    [
      'a depth in no unit',
      'minFromBottom: 10',
      'minFromBottom: { cards: 10 }',
      'cut.minFromBottom',
      /must be given and is missing/,
    ],
    ['a clause out of form', 'clause: "1.5(f)"', 'clause: "(f"', 'burn.clause', /not a paragraph/],
    [
      'a mark that is no yes or no',
      'verified: true\n  source: law\n  composition',
      'verified: maybe\n  source: law\n  composition',
      'deck.verified',
      /true or false/,
    ],
    [
      'a source that is a list',
      'source: law\n  composition',
      'source: [law]\n  composition',
      'deck.source',
      /must be text/,
    ],
    [
      'a date out of form',
      'maxSeats: 7',
      'maxSeats: 7\napproval: { id: A-1, by: The Board, date: "31.1.2026" }',
      'approval.date',
      /2026-01-31/,
    ],
    [
      'a clause too long for a display',
      'clause: "1.5(f)"',
      `clause: "${'1'.repeat(41)}"`,
      'burn.clause',
      /not a paragraph/,
    ],
    ['no YAML', 'maxSeats: 7', 'maxSeats: [7', 'pack', /Not readable as YAML/],
    ['a key twice', 'maxSeats: 7', 'maxSeats: 7\nmaxSeats: 8', 'pack', /unique/],
    ['a reference', 'maxSeats: 7', 'maxSeats: &seats 7\nother: *seats', 'other', /References/],
  ];

  it.each(wrong)('says so: %s', (_name, was, is, field, say) => {
    const text = edited(SOUND, was, is);
    const problems = problemsOf(text);
    const found = problems.find((one) => one.field.startsWith(field));
    expect(found, JSON.stringify(problems)).toBeDefined();
    expect(`${found?.cause ?? ''} ${found?.cure ?? ''}`).toMatch(say);
    expect(found?.cause).toMatch(/\.$/);
    expect(found?.cure).toMatch(/\.$|\?$/);
  });

  it('names the line of a mistyped key', () => {
    const text = edited(SOUND, 'minBehind: 14', 'minBehin: 14');
    expect(problemsOf(text)[0]?.line).toBe(lineOf(text, 'minBehin'));
  });

  it.each([
    ['nothing', ''],
    ['a list', '- 1\n- 2\n'],
    ['one word', 'pack\n'],
  ])('is no pack: %s', (_name, text) => {
    expect(problemsOf(text)).toMatchObject([{ field: 'pack', line: 1 }]);
  });

  it('is too long to be one', () => {
    const text = `${SOUND}#${'x'.repeat(MAX_PACK_CHARACTERS)}`;
    expect(problemsOf(text)[0]?.cause).toMatch(/longer than 200000 characters/);
  });

  it('is too deep to be one', () => {
    const deep = `${'{ a: '.repeat(20)}1${' }'.repeat(20)}`;
    expect(problemsOf(`${SOUND}extra: ${deep}\n`)[0]?.cause).toMatch(/levels deep/);
  });

  it('never ends in anything but a list of problems, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), fc.nat(SOUND.length), (noise, at) => {
        const text = SOUND.slice(0, at) + noise + SOUND.slice(at + noise.length);
        for (const problem of problemsOf(text)) {
          expect(problem.line).toBeGreaterThan(0);
          expect(problem.field).not.toBe('');
          expect(problem.cause).not.toBe('');
        }
      }),
      { numRuns: 150 },
    );
  });
});
