import { describe, expect, it } from 'vitest';
import { BeamPair, type MouthSink } from '../../../firmware-bridge/signal/beam-pair.js';
import { Debounce, GLITCH_NS, NEVER } from '../../../firmware-bridge/signal/debounce.js';
import { BLOCKED_NS, HELD_NS, type Transit } from '../../../firmware-bridge/signal/transit.js';

const MS = 1e6;

describe('the glitch filter', () => {
  it('dates a change to the first edge of its bounce', () => {
    const filter = new Debounce(false);
    for (const [level, at] of [
      [true, 10],
      [false, 10.4],
      [true, 10.9],
      [false, 12],
      [true, 12.3],
    ] as const) {
      filter.settle(at * MS);
      filter.edge(level, at * MS);
    }
    expect(filter.settle(12.3 * MS + GLITCH_NS - 1)).toBe(false);
    expect(filter.settle(12.3 * MS + GLITCH_NS)).toBe(true);
    expect(filter.level).toBe(true);
    expect(filter.changedNs).toBe(10 * MS);
  });

  it('forgets a pulse shorter than the filter', () => {
    const filter = new Debounce(false);
    filter.edge(true, 5 * MS);
    filter.settle(6.4 * MS);
    filter.edge(false, 6.4 * MS);
    expect(filter.settle(6.4 * MS + GLITCH_NS)).toBe(false);
    expect(filter.level).toBe(false);
    expect(filter.dueNs()).toBe(NEVER);
  });

  it('parts a false pulse from the true edge behind it', () => {
    const filter = new Debounce(false);
    filter.edge(true, 5 * MS);
    filter.edge(false, 5.5 * MS);
    filter.edge(true, 6.6 * MS);
    expect(filter.settle(6.6 * MS + GLITCH_NS)).toBe(true);
    expect(filter.changedNs).toBe(6.6 * MS);
  });

  it('does not date a long bounce by a pause inside it', () => {
    const filter = new Debounce(false);
    for (let ms = 0; ms < 9; ms += 1) {
      filter.edge(true, (5 + ms) * MS);
      filter.edge(false, (5.5 + ms) * MS);
    }
    filter.edge(true, 14.8 * MS);
    expect(filter.settle(14.8 * MS + GLITCH_NS)).toBe(true);
    expect(filter.changedNs).toBe(5 * MS);
  });

  it('stands a repeated edge of the same level', () => {
    const filter = new Debounce(false);
    filter.edge(false, 1 * MS);
    expect(filter.settle(9 * MS)).toBe(false);
  });
});

interface Heard {
  readonly what: string;
  readonly lengthMm?: number;
  readonly speedMmS?: number;
  readonly atNs: number;
}

const pairWithEars = (): { pair: BeamPair; heard: Heard[] } => {
  const heard: Heard[] = [];
  const sink: MouthSink = {
    leaving: (atNs) => void heard.push({ what: 'leaving', atNs }),
    transit: (t: Transit) =>
      void heard.push({ what: t.kind, lengthMm: t.lengthMm, speedMmS: t.speedMmS, atNs: t.endNs }),
    blocked: (atNs) => void heard.push({ what: 'blocked', atNs }),
    clear: (atNs) => void heard.push({ what: 'clear', atNs }),
  };
  return { pair: new BeamPair(10, sink), heard };
};

/** Plays edges [beam, covered, ms] and settles whenever something is due. */
const play = (pair: BeamPair, edges: readonly (readonly [0 | 1, boolean, number])[]): void => {
  const settleUntil = (atNs: number): void => {
    for (let due = pair.dueNs(); due !== NEVER && due < atNs; due = pair.dueNs()) pair.settle(due);
  };
  for (const [beam, covered, ms] of edges) {
    settleUntil(ms * MS);
    pair.edge(beam, covered, ms * MS);
  }
  settleUntil(Number.MAX_SAFE_INTEGER);
};

/** Edges of a card of `mm` pulled at a steady speed, from `ms` on. */
const card = (mm: number, speedMmS: number, ms = 0): [0 | 1, boolean, number][] => {
  const at = (x: number): number => ms + (x / speedMmS) * 1000;
  return [
    [0, true, at(0)],
    [1, true, at(10)],
    [0, false, at(mm)],
    [1, false, at(mm + 10)],
  ];
};

describe('the beam pair', () => {
  it.each([300, 600, 1200])('measures a card at %d mm/s in mm', (speed) => {
    const { pair, heard } = pairWithEars();
    play(pair, card(63.5, speed));
    expect(heard.map((h) => h.what)).toEqual(['leaving', 'out']);
    expect(heard[1]?.lengthMm).toBeCloseTo(63.5, 1);
    expect(heard[1]?.speedMmS).toBeCloseTo(speed, 0);
  });

  it('measures a card that is pulled faster and faster', () => {
    const { pair, heard } = pairWithEars();
    const a = 2000;
    const t = (x: number): number => ((-400 + Math.sqrt(400 * 400 + 2 * a * x)) / a) * 1000;
    play(pair, [
      [0, true, t(0)],
      [1, true, t(10)],
      [0, false, t(63.5)],
      [1, false, t(73.5)],
    ]);
    expect(heard[1]?.lengthMm).toBeCloseTo(63.5, 1);
  });

  it('tells a card that goes back in', () => {
    const { pair, heard } = pairWithEars();
    play(pair, [
      [1, true, 0],
      [0, true, 20],
      [1, false, 120],
      [0, false, 140],
    ]);
    expect(heard.map((h) => h.what)).toEqual(['back']);
  });

  it('tells a card that was shown and taken back', () => {
    const { pair, heard } = pairWithEars();
    play(pair, [
      [0, true, 0],
      [1, true, 20],
      [1, false, 120],
      [0, false, 140],
    ]);
    expect(heard.map((h) => h.what)).toEqual(['leaving', 'returned']);
  });

  it('knows a finger that follows the card from outside', () => {
    const { pair, heard } = pairWithEars();
    play(pair, [
      ...card(63.5, 600),
      [1, true, 160],
      [0, true, 175],
      [0, false, 300],
      [1, false, 320],
    ]);
    expect(heard.map((h) => h.what)).toEqual(['leaving', 'out', 'touched']);
  });

  it('gives no length to a card that was held, and none to one that turned', () => {
    const held = pairWithEars();
    play(held.pair, [
      [0, true, 0],
      [1, true, 20],
      [0, false, HELD_NS / MS + 1],
      [1, false, HELD_NS / MS + 20],
    ]);
    expect(held.heard[1]).toMatchObject({ what: 'out', lengthMm: NaN, speedMmS: NaN });
    const turned = pairWithEars();
    play(turned.pair, [
      [0, true, 0],
      [1, true, 20],
      [1, false, 60],
      [1, true, 90],
      [0, false, 150],
      [1, false, 170],
    ]);
    expect(turned.heard.at(-1)).toMatchObject({ what: 'out', lengthMm: NaN });
  });

  it('says blocked after two seconds, and clear', () => {
    const { pair, heard } = pairWithEars();
    play(pair, [
      [1, true, 0],
      [0, true, 20],
      [0, false, 3000],
      [1, false, 3020],
    ]);
    expect(heard.map((h) => h.what)).toEqual(['blocked', 'touched', 'clear']);
    expect(heard[0]?.atNs).toBe(BLOCKED_NS);
    expect(heard[2]?.atNs).toBe(3020 * MS);
  });

  it('does not swap the beams when the first one bounces longer than the skew', () => {
    const { pair, heard } = pairWithEars();
    const bounce: [0 | 1, boolean, number][] = [];
    for (let ms = 0.5; ms < 12; ms += 1) bounce.push([0, false, ms], [0, true, ms + 0.5]);
    const edges: [0 | 1, boolean, number][] = [...card(63.5, 1200), ...bounce];
    play(
      pair,
      edges.sort((a, b) => a[2] - b[2]),
    );
    expect(heard.map((h) => h.what)).toEqual(['leaving', 'out']);
    expect(heard[1]?.lengthMm).toBeCloseTo(63.5, 1);
  });

  it('judges nothing of what was passing when edges were lost', () => {
    const { pair, heard } = pairWithEars();
    pair.edge(0, true, 0);
    pair.reset(true, true, 30 * MS);
    play(pair, [
      [0, false, 60],
      [1, false, 80],
    ]);
    expect(heard.map((h) => h.what)).toEqual(['touched']);
  });
});
