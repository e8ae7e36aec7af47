import { describe, expect, it } from 'vitest';
import { initialState } from '../../../controller/core/state.js';
import { observationSchema } from '../../../surveillance/contract/inputs.js';
import { decisionSchema } from '../../../surveillance/contract/outcome.js';
import { textOf } from '../../support/tree.js';
import { TABLE } from '../storage/steps.js';

const PAGE = textOf('docs/CONTRACT.md');

/** What stands between a heading and the next. */
const under = (heading: string): string => {
  const [, found = ''] = PAGE.split(`${heading}\n`);
  return found.split(/^##/m)[0] ?? '';
};

const words = (text: string): readonly string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');

describe('docs/CONTRACT.md', () => {
  const rows = under('### Decisions')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .slice(1)
    .map((line) => line.split('|').slice(1, 4));

  it('lists every kind of decision with its fields, and no other', () => {
    const listed = rows.map(([kind = '', fields = '']) => [...words(kind), ...words(fields)]);
    const known = decisionSchema.options.map(({ shape }) => {
      const { do: kind, ...fields } = shape;
      return [kind.value, ...Object.keys(fields)];
    });
    expect(listed.toSorted()).toEqual(known.toSorted());
  });

  it('names every part of the state that a decision can note, and every output', () => {
    const about = (kind: string): readonly string[] =>
      words(rows.find(([name = '']) => words(name)[0] === kind)?.[2] ?? '');
    const STAMPS = ['phase', 'findings', 'duties', 'timers', 'seq', 'atNs', 'wallMs'];
    const parts = Object.keys(initialState(TABLE)).filter((key) => !STAMPS.includes(key));
    expect(about('noted').toSorted()).toEqual(parts.toSorted());
    const direct = decisionSchema.options.find(({ shape }) => shape.do.value === 'direct');
    const outputs =
      direct !== undefined && 'directive' in direct.shape
        ? direct.shape.directive.options.map(({ shape }) => shape.to.value)
        : [];
    expect(about('direct')).toEqual(['to', ...outputs]);
  });

  it('lists every observation', () => {
    const text = under('## Inputs');
    for (const option of observationSchema.options) {
      const kind = 'shape' in option ? option.shape.kind.value : 'press';
      expect(text).toContain(`\`${kind}\``);
    }
  });
});
