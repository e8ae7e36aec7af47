import { existsSync, readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseScenario } from '../../../controller/runtime/scenario/parse.js';

const OWN = new URL('../../scenarios/', import.meta.url);
const texts = existsSync(OWN)
  ? readdirSync(OWN)
      .filter((name) => name.endsWith('.yaml'))
      .map((name) => readFileSync(new URL(name, OWN), 'utf8'))
  : [];

/** Usable, or refused with at least one message that names the file and a line. */
const holds = (text: string): void => {
  const result = parseScenario('x.yaml', text);
  if (result.ok) return;
  expect(result.problems.length).toBeGreaterThan(0);
  for (const { message } of result.problems) expect(message).toMatch(/^x\.yaml:\d+:\d+: ./);
};

describe('hostile scenario files', () => {
  it('any text at all', () => {
    fc.assert(fc.property(fc.string({ maxLength: 400 }), holds), { numRuns: 500 });
  });

  it('our own files with a piece cut out, doubled or replaced', () => {
    const damage = fc.record({
      text: fc.constantFrom(...texts),
      at: fc.nat(2_000),
      length: fc.nat(40),
      put: fc.oneof(
        fc.string({ maxLength: 12 }),
        fc.constantFrom('{', '}', '[', ']', ': ', '- ', '?', '&a', '*a', '!!js', '~', '\t', '0x7f'),
      ),
    });
    fc.assert(
      fc.property(damage, ({ text, at, length, put }) => {
        const from = at % text.length;
        holds(text.slice(0, from) + put + text.slice(from + length));
      }),
      { numRuns: 1_500 },
    );
  });

  it('YAML made to blow up', () => {
    const bomb = [
      'a: &a [x, x, x, x, x, x, x, x, x]',
      ...Array.from(
        { length: 9 },
        (_, i) => `k${i}: &${'bcdefghij'[i] ?? ''} [${`*${'abcdefghi'[i] ?? ''}, `.repeat(9)}]`,
      ),
    ].join('\n');
    holds(bomb);
    holds('['.repeat(5_000));
    holds(`scenario: 1\ntimeline:\n${'  - {open: '.repeat(2_000)}`);
  });
});
