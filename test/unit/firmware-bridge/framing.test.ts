import { describe, expect, it } from 'vitest';
import { CHECK_KINDS, checkOf, type CheckKind } from '../../../firmware-bridge/framing/checks.js';
import { decode, type Message } from '../../../firmware-bridge/framing/decode.js';
import { encode } from '../../../firmware-bridge/framing/encode.js';
import { Framer } from '../../../firmware-bridge/framing/framer.js';
import { parseProfile } from '../../../firmware-bridge/framing/parse-profile.js';
import type { Profile } from '../../../firmware-bridge/framing/profile.js';
import { RepeatFilter } from '../../../firmware-bridge/framing/repeat.js';
import { loadProfile } from '../../../firmware-bridge/files.js';

const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (c) => c.charCodeAt(0));
const profile = (name: string): Profile => loadProfile(name, '/');

const hear = (
  p: Profile,
  chunks: readonly Uint8Array[],
): { says: Message[]; rejected: string[] } => {
  const says: Message[] = [];
  const rejected: string[] = [];
  const framer = new Framer(p.frame, {
    frame: (buffer, from, to) => void says.push(decode(p, buffer, from, to)),
    rejected: (why) => void rejected.push(why),
  });
  chunks.forEach((chunk, i) => framer.push(chunk, i * 1e6));
  return { says, rejected };
};
const happenings = (p: Profile, text: string): unknown[] =>
  hear(p, [bytesOf(text)]).says.map((m) =>
    m.decoded.ok
      ? m.decoded.says.say === 'observation'
        ? m.decoded.says.happening
        : m.decoded.says
      : m.decoded.why,
  );

describe('checks', () => {
  /** Check values of "123456789" as the public catalogues print them. */
  const CATALOGUE: Readonly<Record<CheckKind, number>> = {
    none: 0,
    xor: 0x31,
    lrc: 0x31,
    sum8: 0xdd,
    sum16: 0x01dd,
    twos8: 0x23,
    crc8: 0xf4,
    'crc16-ccitt': 0x29b1,
    'crc16-xmodem': 0x31c3,
    'crc16-modbus': 0x4b37,
    'crc16-arc': 0xbb3d,
    crc32: 0xcbf43926,
  };
  it.each(CHECK_KINDS)('%s', (kind) => {
    const bytes = bytesOf('x123456789y');
    expect(checkOf(kind, bytes, 1, 10)).toBe(CATALOGUE[kind]);
  });
});

describe('shuffler-stx, sentence by sentence', () => {
  const p = profile('shuffler-stx');
  it.each([
    ['\x02CNT 416\x03', { kind: 'shuffler.done', count: 416, mode: 'shuffle' }],
    ['\x02START red\x03', { kind: 'shuffler.start', batch: 'red' }],
    ['\x02START -\x03', { kind: 'shuffler.start' }],
    ['\x02START\x03', { kind: 'shuffler.start' }],
    [
      '\x02DONE 416 Red SHUFFLE GREEN\x03',
      { kind: 'shuffler.done', batch: 'red', count: 416, mode: 'shuffle', lamp: 'green' },
    ],
    ['\x02DONE - red SORT -\x03', { kind: 'shuffler.done', batch: 'red', mode: 'sort' }],
    ['\x02LAMP BLINK\x03', { kind: 'shuffler.lamp', lamp: 'blink' }],
    ['\x02JAM\x03', { kind: 'shuffler.jam' }],
    ['\x02DOOR OPEN\x03', { kind: 'shuffler.door', open: true }],
    ['\x02INV 208 blue\x03', { kind: 'shuffler.inventory', batch: 'blue', count: 208 }],
    ['\x02UNLOAD 415 red\x03', { kind: 'shuffler.unload', batch: 'red', count: 415 }],
    ['\x02ALIVE\x03', { say: 'alive' }],
    ['\x02ID house machine 7\x03', { say: 'identity', identity: 'house machine 7' }],
  ])('%j', (raw, said) => {
    expect(happenings(p, raw)).toEqual([said]);
  });

  it('takes a right check, refuses a wrong one, and says why a sentence is none', () => {
    const right = encode(p, { observe: 'shuffler.done', values: { count: 52 } }, 3);
    expect(right).not.toBeNull();
    const text = String.fromCharCode(...(right ?? []));
    expect(text).toBe('\x02#03 DONE 52 - - -*' + text.slice(-3));
    expect(happenings(p, text)).toEqual([{ kind: 'shuffler.done', count: 52 }]);
    const wrong = text.replace('52', '53');
    expect(hear(p, [bytesOf(wrong)])).toMatchObject({ says: [], rejected: ['check'] });
    expect(happenings(p, '\x02CNT 9999\x03')).toEqual(['CNT: field count cannot be `9999`']);
    expect(happenings(p, '\x02CNT\x03')).toEqual(['CNT: field count is missing']);
    expect(happenings(p, '\x02CNT 1 2\x03')[0]).toMatch(/more words/);
    expect(happenings(p, '\x02HELLO\x03')[0]).toMatch(/no sentence has the code `HELLO`/);
  });

  it('finds the next frame when one was cut off', () => {
    expect(happenings(p, 'noise\x02CNT 4\x02CNT 416\x03')).toEqual([
      { kind: 'shuffler.done', count: 416, mode: 'shuffle' },
    ]);
  });
});

describe('the other reference profiles', () => {
  it('hears lines that end in CR LF or LF, in any chunks', () => {
    const p = profile('shuffler-lines');
    const text = 'CNT 416\r\nJAM\n\r\nDOOR CLOSED\r\n';
    const chunks = Array.from(text, (c) => bytesOf(c));
    const says = hear(p, chunks).says.map((m) => (m.decoded.ok ? m.decoded.says : m.decoded.why));
    expect(says).toEqual([
      { say: 'observation', happening: { kind: 'shuffler.done', count: 416, mode: 'shuffle' } },
      { say: 'observation', happening: { kind: 'shuffler.jam' } },
      expect.stringMatching(/no sentence/),
      { say: 'observation', happening: { kind: 'shuffler.door', open: false } },
    ]);
  });

  it.each([
    ['shuffler.start', { batch: 'blue' }],
    ['shuffler.start', {}],
    ['shuffler.done', { count: 415, batch: 'red', mode: 'count', lamp: 'blink' }],
    ['shuffler.done', {}],
    ['shuffler.lamp', { lamp: 'off' }],
    ['shuffler.jam', {}],
    ['shuffler.door', { open: false }],
    ['shuffler.inventory', { batch: 'red', count: 0 }],
    ['shuffler.unload', { batch: 'blue', count: 648 }],
  ])('binary with CRC-16: %s %j comes back as it was said', (observe, values) => {
    const p = profile('shuffler-binary');
    const frame = encode(p, { observe, values }, 200);
    if (frame === null) throw new Error('the profile has no words for it');
    const [said] = hear(p, [frame]).says;
    expect(said?.decoded).toEqual({
      ok: true,
      says: { say: 'observation', happening: { kind: observe, ...values } },
    });
  });

  it('finds a binary frame behind a broken one', () => {
    const p = profile('shuffler-binary');
    const good = encode(p, { observe: 'shuffler.jam', values: {} }, 1) ?? new Uint8Array();
    const broken = Uint8Array.from(good);
    broken[2] = 0xff;
    const heard = hear(p, [Uint8Array.of(...broken, ...good)]);
    expect(heard.says).toHaveLength(1);
    expect(heard.rejected.length).toBeGreaterThan(0);
  });

  it('reads ranks, and a card that could not be read', () => {
    const p = profile('rank-reader');
    const seen = encode(p, { observe: 'rank', values: { rank: 'T', suit: 'h' } }, 1);
    const unread = encode(p, { observe: 'rank', values: {} }, 2);
    const says = hear(p, [seen ?? new Uint8Array(), unread ?? new Uint8Array()]).says;
    expect(says.map((m) => (m.decoded.ok ? m.decoded.says : null))).toEqual([
      { say: 'rank', rank: 'T', suit: 'h' },
      { say: 'rank' },
    ]);
    expect(happenings(p, '\x02CARD 7 h\x03')).toEqual([]);
  });

  it('reads a badge', () => {
    const p = profile('badge-reader');
    const frame = encode(p, { observe: 'badge', values: { badge: 'D-77' } }, 0);
    expect(hear(p, [frame ?? new Uint8Array()]).says[0]?.decoded).toEqual({
      ok: true,
      says: { say: 'badge', badge: 'D-77' },
    });
  });
});

describe('repeats', () => {
  it('knows the same message again within the window, and not after it', () => {
    const filter = new RepeatFilter(2000);
    expect(filter.isRepeat('#07 JAM', 0)).toBe(false);
    expect(filter.isRepeat('#07 JAM', 1e9)).toBe(true);
    expect(filter.isRepeat('#08 JAM', 1e9)).toBe(false);
    expect(filter.isRepeat('#07 JAM', 4e9)).toBe(false);
  });
});

describe('a profile that cannot be meant', () => {
  const base = `profile: 1
name: mine
title: Mine
device: shuffler
body: text
line: { baud: 9600 }
frame: { start: [2], end: { terminator: [3] } }
sentences:
  - { code: JAM, observe: shuffler.jam }
`;
  const faultsOf = (text: string): string[] => {
    const result = parseProfile(text, 'mine.yaml');
    return result.ok ? [] : result.faults.map((f) => `${f.line}: ${f.message}`);
  };
  it('is taken when it is well', () => {
    expect(faultsOf(base)).toEqual([]);
  });
  it.each([
    ['an unknown key', base.replace('title: Mine', 'title: Mine\ncolour: red'), /^4: .*colour/],
    ['a baud rate out of range', base.replace('9600', '300'), /^6: line.baud/],
    ['a start byte in the terminator', base.replace('[3]', '[2]'), /^7: .*also in the terminator/],
    ['an observation of another device', base.replace('shuffler.jam', 'rank'), /^9: .*cannot say/],
    [
      'a field that is not there',
      `${base}  - { code: CNT, observe: shuffler.done, with: { count: $n } }\n`,
      /^10: .*there is no field \$n/,
    ],
    [
      'a key the observation lacks',
      `${base}  - { code: CNT, observe: shuffler.jam, with: { count: 3 } }\n`,
      /^10: .*has no count/,
    ],
    [
      'a key that is missing',
      `${base}  - { code: DOOR, observe: shuffler.door }\n`,
      /^10: .*needs open/,
    ],
    ['a code that stands twice', `${base}  - { code: JAM, observe: alive }\n`, /^10: .*twice/],
    ['a heartbeat nobody sends', `${base}heartbeat: { silenceMs: 5000 }\n`, /^10: .*alive/],
    ['two keys of one name', `${base}name: other\n`, /^10: .*unique/i],
    ['no YAML', 'profile: [', /^1: /],
    ['an alias', `${base}x: &a 1\ny: *a\n`, /alias/],
    [
      'an optional check without a marker',
      base.replace('end: {', 'check: { kind: xor, encoding: hex, optional: true }, end: {'),
      /marker/,
    ],
    [
      'a binary check in front of a terminator',
      base.replace('end: {', 'check: { kind: xor }, end: {'),
      /can look like it/,
    ],
  ])('%s', (_name, text, fault) => {
    expect(faultsOf(text).some((f) => fault.test(f))).toBe(true);
  });
});
