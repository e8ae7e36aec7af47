import { describe, expect, it } from 'vitest';
import type { Happening } from '../../../controller/core/observation.js';
import { canonicalJson, encodeStep, isCanonicalAt } from '../../../storage/canonical.js';
import { decodeStep, halved, stepOfRow } from '../../../storage/decode.js';
import { stepAt } from './steps.js';

const row = (happening: Happening): string =>
  canonicalJson({
    observation: { seq: 7, atNs: 1, wallMs: 2, wallTrusted: true, ...happening },
    decisions: [],
  });

describe('the text of a row', () => {
  it('is read where a card stopped on its way and has no length', () => {
    const stopped = row({ kind: 'card.out', back: 'red', lengthMm: null, speedMmS: null });
    expect(stepOfRow(7, stopped).observation).toMatchObject({ lengthMm: null, speedMmS: null });
  });

  it('is refused where the length is missing or is a word', () => {
    const good = row({ kind: 'card.out', lengthMm: 63, speedMmS: 600 });
    for (const bad of [good.replace('"lengthMm":63,', ''), good.replace('63', '"63"')]) {
      const why = 'observation: `lengthMm` is missing or of a wrong type';
      expect(decodeStep(bad)).toEqual({ ok: false, why });
    }
  });
});

describe('a row in halves', () => {
  const BEFORE = '{"decisions":[]}';
  const halves = (text: string) => {
    const bytes = Buffer.from(BEFORE + text);
    return { bytes, found: halved(bytes, BEFORE.length, bytes.length) };
  };

  it('gives what was observed, and where that lies which was decided', () => {
    const step = stepAt(97);
    const { bytes, found } = halves(encodeStep(step));
    expect(found?.observation).toEqual(step.observation);
    const { from, to } = found?.decisions ?? { from: 0, to: 0 };
    expect(bytes.toString('utf8', from, to)).toBe(canonicalJson(step.decisions));
    expect(isCanonicalAt(step.decisions, bytes, from, to)).toBe(true);
    expect(isCanonicalAt(step.decisions, bytes, from, to - 1)).toBe(false);
    expect(isCanonicalAt([...step.decisions, 1], bytes, from, to)).toBe(false);
  });

  it.each([
    ['has something behind it', (text: string) => `${text.slice(0, -1)},"decisions":[]}`],
    ['has something before it', (text: string) => text.replace('{', '{"a":1,')],
    ['is of no known kind', (text: string) => text.replace(/"kind":"[^"]+"/, '"kind":"rain"')],
    ['is not there', () => '{"decisions":[]}'],
    ['stands in the row before', () => ''],
    ['is cut off', (text: string) => text.slice(0, -2)],
  ])('is none where what was observed %s', (_, change) => {
    expect(halves(change(encodeStep(stepAt(5)))).found).toBeNull();
  });
});
