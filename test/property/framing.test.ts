import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode } from '../../firmware-bridge/framing/decode.js';
import { encode, type Saying } from '../../firmware-bridge/framing/encode.js';
import { Framer } from '../../firmware-bridge/framing/framer.js';
import { parseProfile } from '../../firmware-bridge/framing/parse-profile.js';
import type { Profile } from '../../firmware-bridge/framing/profile.js';
import { loadProfile } from '../../firmware-bridge/files.js';
import { readPanel } from '../../firmware-bridge/devices/panel-codec.js';

const NAMES = [
  'shuffler-stx',
  'shuffler-lines',
  'shuffler-binary',
  'rank-reader',
  'badge-reader',
  'panel',
] as const;
const profiles = new Map(NAMES.map((name) => [name, loadProfile(name, '/')]));
const profileOf = (name: (typeof NAMES)[number]): Profile => {
  const profile = profiles.get(name);
  if (profile === undefined) throw new Error(name);
  return profile;
};

/** Bytes that often look like the start of something. */
const bytes = fc.uint8Array({ maxLength: 600 }).chain((raw) =>
  fc
    .array(fc.constantFrom(0x02, 0x03, 0xa5, 0x0a, 0x2a, 0x23, 0x20, 0x30, 0x43), {
      maxLength: 200,
    })
    .map((marks) => {
      const mixed = Uint8Array.from(raw);
      marks.forEach((mark, i) => {
        if (mixed.length > 0) mixed[(i * 37) % mixed.length] = mark;
      });
      return mixed;
    }),
);

const hear = (profile: Profile, whole: Uint8Array, cuts: readonly number[]): string[] => {
  const said: string[] = [];
  const framer = new Framer(profile.frame, {
    frame: (buffer, from, to) => {
      expect(to - from).toBeLessThanOrEqual(profile.frame.maxBytes);
      const { decoded } = decode(profile, buffer, from, to);
      if (decoded.ok && decoded.says.say === 'json') readPanel(decoded.says.value);
      said.push(JSON.stringify(decoded));
    },
    rejected: (why) => said.push(why),
  });
  let at = 0;
  for (const cut of [...cuts, whole.length]) {
    const to = Math.min(Math.max(cut, at), whole.length);
    // One time for all: a gap would rightly cut a frame.
    framer.push(whole.subarray(at, to), 1e6);
    at = to;
  }
  return said;
};

describe.each(NAMES)('framing by %s', (name) => {
  it('stands any bytes, and hears the same however they are cut', () => {
    fc.assert(
      fc.property(bytes, fc.array(fc.nat(600), { maxLength: 40 }), (whole, cuts) => {
        const sorted = [...cuts].sort((a, b) => a - b);
        expect(hear(profileOf(name), whole, sorted)).toEqual(hear(profileOf(name), whole, []));
      }),
      { numRuns: 400 },
    );
  });
});

const batch = fc.constantFrom('red', 'blue');
const lamp = fc.constantFrom('green', 'red', 'blink', 'off');
const saying: fc.Arbitrary<Saying> = fc.oneof(
  fc.record({
    observe: fc.constant('shuffler.start'),
    values: fc.record({ batch }, { requiredKeys: [] }),
  }),
  fc.record({
    observe: fc.constant('shuffler.done'),
    values: fc.record(
      {
        batch,
        count: fc.integer({ min: 0, max: 648 }),
        mode: fc.constantFrom('shuffle', 'sort', 'count'),
        lamp,
      },
      { requiredKeys: [] },
    ),
  }),
  fc.record({
    observe: fc.constant('shuffler.lamp'),
    values: fc.record({ lamp, batch }, { requiredKeys: ['lamp'] }),
  }),
  fc.record({ observe: fc.constant('shuffler.jam'), values: fc.constant({}) }),
  fc.record({ observe: fc.constant('shuffler.door'), values: fc.record({ open: fc.boolean() }) }),
  fc.record({
    observe: fc.constantFrom('shuffler.inventory', 'shuffler.unload'),
    values: fc.record({ batch, count: fc.integer({ min: 0, max: 648 }) }),
  }),
);

describe.each(['shuffler-stx', 'shuffler-lines', 'shuffler-binary'] as const)('%s', (name) => {
  it('gives back what was said, in order, through noise between frames', () => {
    const profile = profileOf(name);
    fc.assert(
      fc.property(fc.array(saying, { minLength: 1, maxLength: 12 }), (sayings) => {
        const frames = sayings.map((s, i) => encode(profile, s, i) ?? new Uint8Array());
        const whole = Uint8Array.from(frames.flatMap((f) => [...f]));
        const expected = sayings.map((s) => ({
          ok: true,
          says: { say: 'observation', happening: { kind: s.observe, ...s.values } },
        }));
        const heard: unknown[] = hear(profile, whole, []).map((text): unknown => JSON.parse(text));
        expect(heard).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a flipped bit', () => {
  it.each(['shuffler-binary', 'rank-reader', 'panel'] as const)(
    'never makes %s say something else',
    (name) => {
      const profile = profileOf(name);
      const said: Saying =
        name === 'shuffler-binary'
          ? { observe: 'shuffler.done', values: { count: 416, batch: 'red' } }
          : name === 'panel'
            ? { observe: 'press', values: { key: 'washed', n: 1 } }
            : { observe: 'rank', values: { rank: '7', suit: 'h' } };
      const frame = encode(profile, said, 5);
      if (frame === null) throw new Error('no words');
      const [whole] = hear(profile, frame, []);
      for (let bit = 0; bit < frame.length * 8; bit += 1) {
        const bad = Uint8Array.from(frame);
        bad[bit >> 3] = (bad[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        const messages = hear(profile, bad, []).filter((m) => m.startsWith('{'));
        // Hex digits may differ in case only: that is the same check.
        expect(messages.filter((m) => m !== whole)).toEqual([]);
      }
    },
  );
});

describe('a profile file', () => {
  it('of any text ends in a profile or in faults with a line', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (text) => {
        const result = parseProfile(text, 'any.yaml');
        if (!result.ok)
          for (const fault of result.faults) expect(fault.line).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 300 },
    );
  });
});
