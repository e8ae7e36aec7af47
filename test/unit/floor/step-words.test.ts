import { describe, expect, it } from 'vitest';
import { stepWords } from '../../../controller/runtime/floor/step-words.js';
import type { Happening, Observation } from '../../../controller/core/observation.js';
import type { PressAct } from '../../../controller/core/press.js';

const at = (happening: Happening): Observation => ({
  ...{ seq: 1, atNs: 1, wallMs: 1, wallTrusted: true },
  ...happening,
});
const press = (act: PressAct, badge?: string): string =>
  stepWords(
    at({ kind: 'press', role: 'dealer', ...(badge === undefined ? {} : { badge }), ...act }),
  );

describe('a row in a person’s words', () => {
  it('says who pressed what', () => {
    expect(press({ key: 'burn-done' }, 'D-1')).toBe('dealer D-1 pressed “burn done”');
    expect(press({ key: 'cut', by: 3, depth: 60 })).toBe(
      'dealer pressed “cut”, by seat 3, 60 cards deep',
    );
    expect(press({ key: 'stub-count', n: 1 })).toBe('dealer pressed “stub count”, 1 card');
  });

  it('never says a rank or a face', () => {
    expect(press({ key: 'first-card', rank: 'K' })).toBe('dealer pressed “first card”');
    const replaced = press({ key: 'replace', out: 'Qd', in: '7h', second: 'F-2' });
    expect(replaced).not.toMatch(/Qd|7h/);
    const card = { kind: 'card.out', rank: 'K', suit: 'h', lengthMm: 88, speedMmS: 600 } as const;
    expect(stepWords(at(card))).toBe('a card came out');
  });

  it('says what the machines did, and what was heard', () => {
    const told: readonly (readonly [Happening, string])[] = [
      [{ kind: 'cover.out' }, 'the cover card came out'],
      [
        { kind: 'shuffler.done', batch: 'red', count: 416 },
        'the shuffler is done, red, counted 416 cards',
      ],
      [{ kind: 'link.down', device: 'shuffler' }, 'shuffler: no connection'],
      [
        { kind: 'power.boot', unclean: true, boot: 4 },
        'the table started again after an accident, start 4',
      ],
      [{ kind: 'clock.step', stepMs: -250 }, 'the clock was put back by 250 ms'],
      [
        { kind: 'command', command: 'resend', taken: false, note: 'expired' },
        'an order came (resend) from nobody known, refused: expired',
      ],
      [{ kind: 'timer', timer: 'idle-spread' }, 'time was up: idle spread'],
    ];
    for (const [happening, words] of told) expect(stepWords(at(happening))).toBe(words);
  });
});
