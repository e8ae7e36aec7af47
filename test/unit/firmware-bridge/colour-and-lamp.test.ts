import { describe, expect, it } from 'vitest';
import { ColourClassifier, separation, UNKNOWN } from '../../../firmware-bridge/signal/colour.js';
import type {
  ColourReference,
  MouthCalibration,
} from '../../../firmware-bridge/signal/calibration.js';
import { DriftTracker } from '../../../firmware-bridge/signal/drift.js';
import { doubleExtraMm, judgePassage } from '../../../firmware-bridge/signal/judge.js';
import { LampClassifier, LAMP_WINDOW_NS } from '../../../firmware-bridge/signal/lamp.js';
import { NEVER } from '../../../firmware-bridge/signal/debounce.js';

const reference = (
  name: string,
  kind: ColourReference['kind'],
  [clear, red, green, blue]: readonly [number, number, number, number],
): ColourReference => ({ name, kind, clear, red, green, blue });

const RED = reference('red', 'back', [1450, 980, 260, 250]);
const BLUE = reference('blue', 'back', [1300, 230, 400, 720]);
const COVER = reference('cover', 'cover', [2700, 1250, 1080, 350]);
const NOTHING = reference('nothing', 'nothing', [150, 52, 55, 45]);
const CLASSES = [NOTHING, RED, BLUE, COVER];
const CALIBRATION: MouthCalibration = {
  spacingMm: 10,
  cardMm: 63.5,
  coverMm: 70,
  colours: CLASSES,
};

describe('the colour classes', () => {
  it('knows each reference, and one that is a tenth darker', () => {
    const classifier = new ColourClassifier(CLASSES);
    for (const [i, c] of CLASSES.entries()) {
      expect(classifier.classify(c.clear, c.red, c.green, c.blue)).toBe(i);
      expect(classifier.classify(c.clear * 0.9, c.red * 0.9, c.green * 0.9, c.blue * 0.9)).toBe(i);
    }
  });

  it('answers unknown between two classes and far from all', () => {
    const classifier = new ColourClassifier(CLASSES);
    const mix = (k: number): number =>
      classifier.classify(
        RED.clear * k + BLUE.clear * (1 - k),
        RED.red * k + BLUE.red * (1 - k),
        RED.green * k + BLUE.green * (1 - k),
        RED.blue * k + BLUE.blue * (1 - k),
      );
    expect(mix(0.5)).toBe(UNKNOWN);
    expect(classifier.classify(1500, 100, 1300, 100)).toBe(UNKNOWN);
    expect(classifier.classify(3, 1, 1, 1)).toBe(UNKNOWN);
  });

  it('says how far two classes are apart, the same way round', () => {
    expect(separation(RED, BLUE)).toBeGreaterThan(0.4);
    expect(separation(RED, BLUE)).toBe(separation(BLUE, RED));
    expect(separation(RED, RED)).toBe(0);
  });

  it('follows a lamp that fades slowly and refuses a sudden change', () => {
    const drift = new DriftTracker(150);
    for (let i = 0; i < 400; i += 1) expect(drift.idle(150 * (1 - i / 2000))).toBe(true);
    expect(drift.gain).toBeCloseTo(0.82, 1);
    const before = drift.gain;
    expect(drift.idle(600)).toBe(false);
    expect(drift.gain).toBe(before);
    expect(drift.idle(10)).toBe(false);
  });
});

describe('what left the shoe', () => {
  it('is two cards from a length that grows with the speed', () => {
    expect(doubleExtraMm(300, CALIBRATION)).toBeCloseTo(3.9, 1);
    expect(doubleExtraMm(1200, CALIBRATION)).toBeCloseTo(11.0, 1);
    const at = (mm: number, speed: number) => judgePassage(mm, speed, true, false, CALIBRATION);
    expect(at(63.5 + 3.8, 300)).toBe('card');
    expect(at(63.5 + 4, 300)).toBe('double');
    expect(at(63.5 + 10.9, 1200)).toBe('card');
    expect(at(63.5 + 11.2, 1200)).toBe('double');
    expect(at(140, 600)).toBe('card');
    expect(at(NaN, NaN)).toBe('card');
  });

  it('is the cover card by colour, or by its length where no colour was read', () => {
    expect(judgePassage(NaN, NaN, false, true, CALIBRATION)).toBe('cover');
    expect(judgePassage(70, 600, false, false, CALIBRATION)).toBe('cover');
    expect(judgePassage(63.5, 600, false, false, CALIBRATION)).toBe('card');
    expect(judgePassage(90, 600, true, true, CALIBRATION)).toBe('card-and-cover');
  });
});

describe('the lamp', () => {
  const run = (edges: readonly (readonly [0 | 1, boolean, number])[], untilS: number): string[] => {
    const lamp = new LampClassifier(false, false, 0);
    const states: string[] = [];
    const settle = (until: number): void => {
      for (let due = lamp.dueNs(); due !== NEVER && due <= until; due = lamp.dueNs()) {
        if (lamp.settle(due)) states.push(lamp.state);
      }
    };
    for (const [which, on, s] of edges) {
      settle(s * 1e9);
      lamp.edge(which, on, s * 1e9);
    }
    settle(untilS * 1e9);
    return states;
  };

  it('is off, then green after the window', () => {
    expect(run([[0, true, 4]], 8)).toEqual(['off', 'green']);
    expect(LAMP_WINDOW_NS).toBe(3e9);
  });

  it('blinks', () => {
    const edges = Array.from({ length: 12 }, (_, i) => [1, i % 2 === 0, 4 + i * 0.5] as const);
    expect(run(edges, 9.6)).toEqual(['off', 'blink']);
    expect(run(edges, 14)).toEqual(['off', 'blink', 'off']);
  });

  it('is not moved by mains flicker', () => {
    const flicker = Array.from({ length: 100 }, (_, i) => [0, i % 2 === 0, 4 + i * 0.01] as const);
    expect(run(flicker, 9)).toEqual(['off']);
  });

  it('changes from green to red', () => {
    expect(
      run(
        [
          [0, true, 4],
          [0, false, 10],
          [1, true, 10.1],
        ],
        14,
      ),
    ).toEqual(['off', 'green', 'red']);
  });
});
