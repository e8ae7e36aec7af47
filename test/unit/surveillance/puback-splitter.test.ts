import * as fc from 'fast-check';
import { generate, type Packet } from 'mqtt-packet';
import { describe, expect, it } from 'vitest';
import { PubackSplitter } from '../../../surveillance/mqtt/puback-splitter.js';

const MOST = 64;
const MOST_OTHER = 4096;

/** What comes out of a stream that arrives in the given pieces. */
const split = (
  pieces: readonly Uint8Array[],
): { acks: [number, number][]; other: Buffer; faults: string[] } => {
  const acks: [number, number][] = [];
  const other: Buffer[] = [];
  const faults: string[] = [];
  const splitter = new PubackSplitter(
    {
      acknowledged: (id, reasonCode) => acks.push([id, reasonCode]),
      other: (bytes) => other.push(Buffer.from(bytes)),
      malformed: (reason) => faults.push(reason),
    },
    { pubackBytes: MOST, otherBytes: MOST_OTHER },
  );
  for (const piece of pieces) splitter.push(piece);
  return { acks, other: Buffer.concat(other), faults };
};

const cut = (bytes: Buffer, at: readonly number[]): Buffer[] => {
  const places = [...new Set([0, ...at.map((place) => place % bytes.length), bytes.length])];
  places.sort((a, b) => a - b);
  return places.slice(1).map((end, i) => bytes.subarray(places[i], end));
};

const encode = (packet: Packet, protocolVersion: 4 | 5): Buffer =>
  generate(packet, { protocolVersion });

const puback = fc.record({
  cmd: fc.constant('puback' as const),
  messageId: fc.integer({ min: 1, max: 65_535 }),
  reasonCode: fc.constantFrom(0, 16, 128, 135, 151),
  reasonString: fc.option(fc.string({ maxLength: 20 })),
});
const publish = fc.record({
  cmd: fc.constant('publish' as const),
  topic: fc.string({ minLength: 1, maxLength: 20 }),
  payload: fc.string({ maxLength: 600 }),
});
const ping = fc.constant({ cmd: 'pingresp' as const });

describe('PUBACKs are taken out of what a broker sends', () => {
  it('each with its id and code, all else untouched, however the bytes are cut', () => {
    const stream = fc.array(fc.oneof(puback, publish, ping), { minLength: 1, maxLength: 30 });
    const cuts = fc.array(fc.nat(), { maxLength: 60 });
    fc.assert(
      fc.property(stream, cuts, fc.constantFrom(4 as const, 5 as const), (packets, at, version) => {
        const acks: [number, number][] = [];
        const [all, rest]: [Buffer[], Buffer[]] = [[], []];
        for (const packet of packets) {
          if (packet.cmd === 'puback') {
            const { messageId, reasonCode, reasonString } = packet;
            const more = version === 4 || reasonString === null ? {} : { reasonString };
            all.push(encode({ cmd: 'puback', messageId, reasonCode, properties: more }, version));
            acks.push([messageId, version === 4 ? 0 : reasonCode]);
          } else {
            const bytes = encode(
              packet.cmd === 'publish' ? { ...packet, qos: 0, dup: false, retain: false } : packet,
              version,
            );
            all.push(bytes);
            rest.push(bytes);
          }
        }
        const got = split(cut(Buffer.concat(all), at));
        expect(got).toEqual({ acks, other: Buffer.concat(rest), faults: [] });
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['names no message', [0x40, 0x01, 0x07]],
    ['names no message', [0x40, 0x00]],
    ['is of 65 bytes', [0x40, 0x41, 0x00, 0x01]],
    ['has a length of more than four bytes', [0x40, 0x80, 0x80, 0x80, 0x80, 0x01]],
  ])('one that %s is said, and nothing behind it is read', (how, bytes) => {
    const good = [0x40, 0x02, 0x00, 0x09];
    for (const step of [1, 100]) {
      const stream = Buffer.from([...good, ...bytes, ...good, 0xd0, 0x00]);
      const pieces: Buffer[] = [];
      for (let at = 0; at < stream.length; at += step) pieces.push(stream.subarray(at, at + step));
      const { acks, other, faults } = split(pieces);
      expect(acks).toEqual([[9, 0]]);
      expect(other).toHaveLength(0);
      expect(faults).toEqual([`the broker sent a PUBACK that ${how}`]);
    }
  });

  it('another packet that is too long is said before its bytes come', () => {
    const head = [0x30, 0x81, 0x20];
    for (const pieces of [[Buffer.from(head)], head.map((byte) => Buffer.from([byte]))]) {
      const { faults } = split([...pieces, Buffer.from([0x40, 0x02, 0x00, 0x01])]);
      expect(faults).toEqual(['the broker sent a packet of 4097 bytes, more than 4096']);
    }
    expect(split([Buffer.from([0x30, 0x80, 0x20])]).faults).toEqual([]);
  });

  it('where another packet has no length, the library is left to say so', () => {
    const bytes = Buffer.from([0x30, 0xff, 0xff, 0xff, 0xff, 0x40, 0x02, 0x00, 0x01]);
    for (const pieces of [[bytes], [...bytes].map((byte) => Buffer.from([byte]))]) {
      expect(split(pieces)).toEqual({ acks: [], other: bytes, faults: [] });
    }
  });

  it('takes any bytes without an error, and gives back all that are no PUBACK', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.array(fc.nat()), (bytes, at) => {
        const whole = Buffer.from(bytes);
        if (whole.length === 0) return;
        const [once, pieces] = [split([whole]), split(cut(whole, at))];
        expect(pieces).toEqual(once);
        expect(once.other.length).toBeLessThanOrEqual(whole.length);
        expect(once.faults.length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 500 },
    );
  });
});
