import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../../../controller/core/procedure.js';
import type { Happening } from '../../../controller/core/observation.js';
import { SimulatedClock } from '../../../controller/core/simulated-clock.js';
import type { Hands } from '../../../firmware-bridge/virtual/hands.js';
import { createVirtualTable, READY_NS } from '../../../firmware-bridge/virtual/table.js';

const rig = async (
  seed: number,
  noise: number,
  table: Parameters<typeof createVirtualTable>[1]['table'],
  lampTap = false,
) => {
  const clock = new SimulatedClock();
  const { bridge, hands } = createVirtualTable(clock, { seed, noise, table, lampTap });
  const told: [Happening, number][] = [];
  await bridge.start((h, atNs) => told.push([h, atNs]));
  clock.runUntil(READY_NS);
  const after = (act: (hands: Hands) => number): Happening[] => {
    const from = told.length;
    clock.runUntil(act(hands));
    return told.slice(from).map(([h]) => h);
  };
  return { clock, bridge, hands, told, after };
};
const COMMON = { batches: ['red', 'blue'], policy: DEFAULT_POLICY } as const;
const BARE = { shuffler: 'none', reader: 'none', ...COMMON } as const;
const FULL = { shuffler: 'counting', reader: 'rank', ...COMMON } as const;

/** What a thing done must be seen as. */
const DEEDS: readonly (readonly [string, (hands: Hands) => number, string | null])[] = [
  ['a card', (h) => h.cards(1), 'card.out red'],
  ['a card of the other batch', (h) => h.cards(1, 'blue'), 'card.out blue'],
  ['the cover card', (h) => h.cover(), 'cover.out'],
  ['a card put back', (h) => h.back(), 'card.back'],
  ['two at once', (h) => h.double(), 'card.double'],
  ['a card shown and taken back', (h) => h.touch(), null],
];
const seenAs = (happening: Happening): string =>
  happening.kind === 'card.out' ? `card.out ${happening.back ?? '?'}` : happening.kind;

describe('the virtual table, hands to observations', () => {
  it.each([
    [0, 600],
    [1, 4000],
    [3, 1500],
  ])('is one for one at noise %d over %d deeds', async (noise, count) => {
    const { after } = await rig(77, noise, BARE);
    for (let i = 0; i < count; i += 1) {
      const pick = (i * 7919) % 20;
      const [name, act, expected] = DEEDS[pick < 15 ? 0 : pick - 14] ?? [];
      if (act === undefined) throw new Error('no such deed');
      const seen = after(act).map(seenAs);
      expect([i, name, seen]).toEqual([i, name, expected === null ? [] : [expected]]);
    }
  });

  it('measures cards within two millimetres at every hand speed', async () => {
    const { after } = await rig(3, 1, BARE);
    const speeds: number[] = [];
    for (const happening of after((h) => h.cards(300))) {
      if (happening.kind !== 'card.out') throw new Error(`saw ${happening.kind}`);
      expect(Math.abs((happening.lengthMm ?? NaN) - 63.5)).toBeLessThan(2);
      speeds.push(happening.speedMmS ?? NaN);
    }
    expect(Math.min(...speeds)).toBeLessThan(400);
    expect(Math.max(...speeds)).toBeGreaterThan(1100);
  });

  it('joins each rank to its card and never guesses one', async () => {
    const { after } = await rig(9, 1, FULL);
    const faces = Array.from(
      { length: 120 },
      (_, i) => ['7h', '?', 'Td', 'As', '10c'][i % 5] ?? '?',
    );
    const seen = after((h) => h.cards(faces)).map((h) =>
      h.kind === 'card.out' ? `${h.rank ?? '?'}${h.suit ?? ''}` : h.kind,
    );
    expect(seen).toEqual(faces.map((f) => f.replace('10', 'T')));
  });

  it('leaves the rank out when the reader is away', async () => {
    const { after } = await rig(9, 1, FULL);
    expect(after((h) => h.link('reader', false))).toMatchObject([{ kind: 'link.down' }]);
    const [card] = after((h) => h.cards(['7h']));
    expect(card).toMatchObject({ kind: 'card.out', back: 'red' });
    expect(card).not.toHaveProperty('rank');
  });

  it('leaves the back out when the colour sensor is away', async () => {
    const { after } = await rig(9, 1, BARE);
    expect(after((h) => h.link('colour', false))).toMatchObject([
      { kind: 'link.down', device: 'colour' },
    ]);
    expect(after((h) => h.cards(1))[0]).not.toHaveProperty('back');
    expect(after((h) => h.cover()).map((h) => h.kind)).toEqual(['cover.out']);
    expect(after((h) => h.link('colour', true))).toMatchObject([{ kind: 'link.up' }]);
    expect(after((h) => h.cards(1))[0]).toHaveProperty('back', 'red');
  });

  it('says what lies in the mouth, and nothing of what lies there shortly', async () => {
    const { after } = await rig(4, 1, BARE);
    expect(after((h) => h.block(1500))).toEqual([]);
    expect(after((h) => h.block(2500))).toEqual([
      { kind: 'mouth.blocked' },
      { kind: 'mouth.clear' },
    ]);
  });

  it('gives every shuffler message and press back as it was made', async () => {
    const { after } = await rig(5, 1, FULL);
    const said = {
      kind: 'shuffler.done',
      batch: 'red',
      count: 416,
      mode: 'shuffle',
      lamp: 'green',
    } as const;
    expect(after((h) => h.shuffler(said))).toEqual([said]);
    expect(after((h) => h.shuffler({ kind: 'shuffler.door', open: true }))).toEqual([
      { kind: 'shuffler.door', open: true },
    ]);
    expect(after((h) => h.serial('\x02CNT 416\x03'))).toEqual([
      { kind: 'shuffler.done', count: 416, mode: 'shuffle' },
    ]);
    const press = { kind: 'press', role: 'floor', key: 'accept-gap', cards: 3 } as const;
    expect(after((h) => h.press(press))).toEqual([press]);
    const badge = {
      kind: 'press',
      role: 'dealer',
      badge: 'D-7',
      key: 'dealer-in',
      dealer: 'D-7',
    } as const;
    expect(after((h) => h.press(badge))).toEqual([badge]);
  });

  it('keys 500 presses at three times the noise without one lost or doubled', async () => {
    const { after } = await rig(6, 3, BARE);
    for (let i = 0; i < 500; i += 1) {
      const press = { kind: 'press', role: 'dealer', key: 'stub-count', n: i } as const;
      expect(after((h) => h.press(press))).toEqual([press]);
    }
  });

  it('tells lid, shoe and lamp', async () => {
    const { after, clock } = await rig(8, 1, FULL, true);
    clock.runUntil(4e9);
    expect(after((h) => h.lid(true))).toEqual([{ kind: 'lid.open' }]);
    expect(after((h) => h.lid(false))).toEqual([{ kind: 'lid.closed' }]);
    expect(after((h) => h.shoe(true))).toEqual([{ kind: 'shoe.loaded' }]);
    expect(after((h) => h.shoe(false))).toEqual([{ kind: 'shoe.empty' }]);
    expect(after((h) => h.lamp('green'))).toEqual([{ kind: 'shuffler.lamp', lamp: 'green' }]);
    expect(after((h) => h.lamp('blink'))).toEqual([{ kind: 'shuffler.lamp', lamp: 'blink' }]);
    expect(after((h) => h.lamp('red'))).toEqual([{ kind: 'shuffler.lamp', lamp: 'red' }]);
  });

  it('shows its outputs, and their safe state after the stop', async () => {
    const { clock, bridge, hands } = await rig(8, 1, FULL);
    expect(hands.gate()).toBe('locked');
    bridge.perform({ to: 'gate', locked: false });
    bridge.perform({ to: 'tower', colour: 'red', light: 'blink' });
    bridge.perform({
      to: 'display',
      line1: 'BURN',
      line2: '',
      step: 'burn',
      clause: '§ 631a.5(f)',
    });
    bridge.perform({ to: 'announce', text: 'last hand' });
    bridge.perform({ to: 'sound', pattern: 'stop' });
    clock.runUntil(clock.nowNs() + 3e9);
    expect(hands.gate()).toBe('open');
    expect(hands.tower()).toEqual({ colour: 'red', light: 'blink' });
    expect(hands.display()).toEqual(['BURN', '', 'burn', '§ 631a.5(f)']);
    expect([hands.announced(), hands.sounded()]).toEqual(['last hand', 'stop']);
    bridge.perform({ to: 'tower', colour: 'green', light: 'steady' });
    clock.runUntil(clock.nowNs() + 3e9);
    expect(hands.tower()).toEqual({ colour: 'green', light: 'steady' });
    await bridge.stop();
    await bridge.stop();
    expect(hands.gate()).toBe('locked');
    clock.runUntil(clock.nowNs() + 2e9);
    expect(hands.tower().colour).toBe('off');
  });

  it('goes on after the program was stopped and started again', async () => {
    const { clock, bridge, hands } = await rig(8, 1, BARE);
    await bridge.stop();
    clock.runUntil(hands.cards(3));
    const seen: string[] = [];
    await bridge.start((h) => seen.push(seenAs(h)));
    clock.runUntil(clock.nowNs() + 1e9);
    seen.length = 0;
    clock.runUntil(hands.cards(2));
    expect(seen).toEqual(['card.out red', 'card.out red']);
  });

  it('repeats itself to the nanosecond', async () => {
    const run = async () => {
      const { clock, hands, told } = await rig(21, 1, FULL);
      clock.runUntil(hands.cards(['7h', '?', 'Kd']));
      clock.runUntil(hands.double());
      return told;
    };
    expect(await run()).toEqual(await run());
  });

  it('recovers every device whose cable was pulled', async () => {
    const { after } = await rig(12, 1, FULL);
    for (const device of [
      'shuffler',
      'panel',
      'colour',
      'keypad',
      'display',
      'mouth',
      'lid',
      'gate',
    ]) {
      const down = after((h) => h.link(device, false)).filter((h) => h.kind === 'link.down');
      const up = after((h) => h.link(device, true)).filter((h) => h.kind === 'link.up');
      // An output that nobody sets cannot be missed.
      const noticed = device === 'gate' ? 0 : 1;
      expect([device, down.length, up.length > 0]).toEqual([device, noticed, noticed === 1]);
    }
    expect(after((h) => h.cards(1)).map(seenAs)).toEqual(['card.out red']);
  });

  it('calls the inner beam blind at the first card, the outer one at the third', async () => {
    for (const [beam, cards] of [
      ['a', 1],
      ['b', 3],
    ] as const) {
      const { after } = await rig(5, 1, BARE);
      after((h) => h.stick(beam, false));
      const seen = Array.from({ length: cards }, () => after((h) => h.cards(1))).flat();
      expect(seen.map((h) => h.kind)).toEqual(['link.down', 'link.up']);
      const reason = `beam ${beam.toUpperCase()} did not see what passed the other one`;
      expect(seen[0]).toMatchObject({ reason });
    }
  });

  it('never takes a finger or a card shown and taken back for a blind beam', async () => {
    const { after } = await rig(6, 3, BARE);
    const seen = Array.from({ length: 400 }, (_, i) =>
      after((h) => (i % 3 === 0 ? h.touch() : h.cards(1))),
    ).flat();
    expect(seen.filter((h) => h.kind !== 'card.out')).toEqual([]);
  });
});
