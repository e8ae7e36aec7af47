import { expect, it } from 'vitest';
import type { Decision } from '../../../controller/core/decision.js';
import type { Happening } from '../../../controller/core/observation.js';
import type { TableStep } from '../../../controller/core/ports.js';
import { FindingRows } from '../../../storage/describe.js';
import { finding } from './steps.js';

const ACTOR = { role: 'floor', badge: 'F-1' } as const;
const OTHER = { ...finding(8), id: '8.1', code: 'card.back' } as const;

const stepOf = (seq: number, happening: Happening, ...decisions: Decision[]): TableStep => ({
  observation: { ...happening, seq, atNs: seq, wallMs: seq, wallTrusted: true },
  decisions,
});

/** A finding's whole life, another's beside it, and a press that was refused. */
const ROWS: readonly TableStep[] = [
  stepOf(1, { kind: 'mouth.blocked' }, { do: 'raised', finding: finding(1) }),
  stepOf(2, { kind: 'card.back' }, { do: 'raised', finding: OTHER }),
  stepOf(
    3,
    { kind: 'press', role: 'floor', key: 'acknowledge', finding: '1.1' },
    { do: 'acknowledged', id: '1.1', by: ACTOR },
  ),
  stepOf(
    4,
    { kind: 'press', role: 'dealer', key: 'clear', finding: '1.1' },
    { do: 'refused', key: 'clear', clause: '631a.5(f)', reason: 'the floor clears it' },
  ),
  stepOf(5, { kind: 'timer', timer: 'escalate' }, { do: 'changed', finding: finding(1) }),
  stepOf(
    6,
    { kind: 'press', role: 'floor', key: 'clear', finding: '8.1' },
    { do: 'cleared', id: '8.1', code: 'card.back', by: ACTOR, how: 'floor' },
  ),
  stepOf(
    7,
    { kind: 'press', role: 'floor', key: 'clear', finding: '1.1' },
    { do: 'cleared', id: '1.1', code: 'burn.short', by: ACTOR, how: 'floor' },
  ),
];

const shownFor = (name: string): readonly number[] => {
  const rows = new FindingRows(name);
  return ROWS.filter((step) => rows.concerns(step)).map(({ observation }) => observation.seq);
};

it('finds the same rows of a finding by its number and by its code', () => {
  expect(shownFor('1.1')).toEqual([1, 3, 4, 5, 7]);
  expect(shownFor('burn.short')).toEqual([1, 3, 4, 5, 7]);
  expect(shownFor('8.1')).toEqual([2, 6]);
  expect(shownFor('card.back')).toEqual([2, 6]);
  expect(shownFor('9.1')).toEqual([]);
});
