import * as fc from 'fast-check';
import { parser, type Packet } from 'mqtt-packet';
import { describe, expect, it } from 'vitest';
import { PublishBatch, type PublishPacket } from '../../../surveillance/mqtt/publish-packet.js';

/** The library's own reading of our bytes. */
const read = (bytes: Buffer, protocolVersion: 4 | 5): Packet[] => {
  const packets: Packet[] = [];
  const reader = parser({ protocolVersion });
  reader.on('packet', (packet) => packets.push(packet));
  expect(reader.parse(bytes)).toBe(0);
  return packets;
};

const publishBytes = (packet: PublishPacket): Buffer => {
  const batch = new PublishBatch();
  batch.add(packet);
  return batch.take();
};

describe('a PUBLISH as bytes', () => {
  it('is read as it was meant, whatever is in it, in both versions of MQTT', () => {
    const message = fc.record({
      topic: fc.string({ minLength: 1, maxLength: 200, unit: 'grapheme' }),
      payload: fc.string({ maxLength: 4000, unit: 'grapheme', size: 'max' }),
      retain: fc.boolean(),
      id: fc.integer({ min: 1, max: 65_535 }),
      correlation: fc.option(fc.uint8Array({ minLength: 1, maxLength: 300 })),
      isV5: fc.boolean(),
    });
    fc.assert(
      fc.property(message, ({ topic, payload, retain, id, correlation, isV5 }) => {
        const asked = correlation === null ? {} : { correlation };
        const properties = isV5 ? asked : null;
        const bytes = publishBytes({ topic, payload, retain, id, properties });
        const [packet, ...more] = read(Buffer.concat([bytes, bytes]), isV5 ? 5 : 4);
        expect(more).toHaveLength(1);
        expect(packet).toMatchObject({ cmd: 'publish', qos: 1, dup: false, retain, topic });
        expect(packet?.messageId).toBe(id);
        expect(packet?.cmd === 'publish' ? packet.payload.toString() : null).toBe(
          Buffer.from(payload).toString(),
        );
        const got = packet?.cmd === 'publish' ? packet.properties?.correlationData : undefined;
        expect(got?.toString('hex')).toBe(
          isV5 && correlation !== null ? Buffer.from(correlation).toString('hex') : undefined,
        );
      }),
      { numRuns: 100 },
    );
  });

  it.each([126, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152])(
    'a remaining length of %i takes the bytes it should',
    (remaining) => {
      const payload = 'x'.repeat(remaining - 2 - 1 - 2);
      const bytes = publishBytes({ topic: 't', payload, retain: false, id: 7, properties: null });
      const [packet] = read(bytes, 4);
      expect(packet).toMatchObject({ length: remaining, messageId: 7, topic: 't' });
    },
  );

  it('what no packet can hold is refused', () => {
    const topic = 't'.repeat(65_536);
    const batch = new PublishBatch();
    batch.add({ topic: 't', payload: 'before', retain: false, id: 1, properties: null });
    expect(() => batch.add({ topic, payload: '', retain: false, id: 2, properties: null })).toThrow(
      RangeError,
    );
    expect(read(batch.take(), 4)).toMatchObject([{ cmd: 'publish', messageId: 1 }]);
  });
});

describe('a batch of PUBLISHes', () => {
  it('gives them in order, whenever it is taken from and its memory is used again', () => {
    const turns = fc.array(
      fc.record({
        payloads: fc.array(
          fc
            .tuple(fc.constantFrom('x', 'é', '€', '😀'), fc.nat({ max: 9000 }))
            .map(([letter, times]) => letter.repeat(times)),
          { maxLength: 8 },
        ),
        isTaken: fc.boolean(),
        isReused: fc.boolean(),
      }),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(turns, (all) => {
        const batch = new PublishBatch();
        const [sent, pieces]: [string[], Buffer[]] = [[], []];
        for (const { payloads, isTaken, isReused } of all) {
          for (const payload of payloads) {
            sent.push(Buffer.from(payload).toString());
            batch.add({ topic: 't/é', payload, retain: true, id: sent.length, properties: {} });
          }
          // What was taken is only good until the memory is used again.
          if (isTaken) pieces.push(Buffer.from(batch.take()));
          if (isReused) batch.reuse();
        }
        pieces.push(batch.take());
        expect(batch.isEmpty).toBe(true);
        const packets = read(Buffer.concat(pieces), 5);
        expect(packets.map((packet) => packet.messageId)).toEqual(sent.map((_, i) => i + 1));
        expect(
          packets.map((packet) => (packet.cmd === 'publish' ? packet.payload.toString() : null)),
        ).toEqual(sent);
      }),
      { numRuns: 50 },
    );
  });

  it('leaves alone what was taken until it is told that nobody reads it any more', () => {
    const batch = new PublishBatch();
    const add = (payload: string): void =>
      batch.add({ topic: 't', payload, retain: false, id: 1, properties: null });
    add('first');
    const first = batch.take();
    const copy = Buffer.from(first);
    for (let i = 0; i < 100; i += 1) add('x'.repeat(1000));
    batch.take();
    add('last');
    expect(first.equals(copy)).toBe(true);
  });
});
