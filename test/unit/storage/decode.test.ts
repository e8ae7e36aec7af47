import { describe, expect, it } from 'vitest';
import type { Happening } from '../../../controller/core/observation.js';
import { canonicalJson } from '../../../storage/canonical.js';
import { decodeStep, stepOfRow } from '../../../storage/decode.js';

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
