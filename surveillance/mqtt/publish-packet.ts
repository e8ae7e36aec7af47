/**
 * A QoS 1 PUBLISH as bytes (MQTT 5 section 3.3; 3.1.1 section 3.3):
 *
 *     32 | retain   remaining length   topic length, topic   packet id
 *     [property length  [09 length, correlation data]]       payload
 *
 * The library's own way takes each message through a store, a list of callbacks and half a dozen
 * events that nobody here needs; a row's bytes are written once, straight behind one another.
 */
const PUBLISH_QOS1 = 0x32;
const RETAIN = 0x01;
const CORRELATION_DATA = 0x09;
const LENGTH_BITS = 7;
const MORE = 0x80;
/** Longest remaining length four bytes can say. */
const REMAINING_MAX = 268_435_455;

export interface PublishPacket {
  readonly topic: string;
  readonly payload: string;
  readonly retain: boolean;
  /** 1 to 65,535. */
  readonly id: number;
  /** Null in MQTT 3.1.1, which knows no properties. */
  readonly properties: { readonly correlation?: Uint8Array } | null;
}

const lengthBytes = (n: number): number => (n < 128 ? 1 : n < 16_384 ? 2 : n < 2_097_152 ? 3 : 4);

const putLength = (out: Buffer, at: number, n: number): number => {
  let [rest, to] = [n, at];
  do {
    const low = rest & (MORE - 1);
    rest >>>= LENGTH_BITS;
    out[to] = rest > 0 ? low | MORE : low;
    to += 1;
  } while (rest > 0);
  return to;
};

/** @throws RangeError for what no MQTT packet can hold. */
export const publishBytes = ({ topic, payload, retain, id, properties }: PublishPacket): Buffer => {
  const topicBytes = Buffer.byteLength(topic);
  const payloadBytes = Buffer.byteLength(payload);
  const correlation = properties?.correlation;
  const ofProperties = correlation === undefined ? 0 : 3 + correlation.length;
  const head = properties === null ? 0 : lengthBytes(ofProperties) + ofProperties;
  const remaining = 2 + topicBytes + 2 + head + payloadBytes;
  if (topicBytes > 65_535 || remaining > REMAINING_MAX) {
    throw new RangeError(`a message of ${remaining} bytes fits no MQTT packet`);
  }
  const out = Buffer.allocUnsafe(1 + lengthBytes(remaining) + remaining);
  out[0] = retain ? PUBLISH_QOS1 | RETAIN : PUBLISH_QOS1;
  let at = putLength(out, 1, remaining);
  at = out.writeUInt16BE(topicBytes, at);
  at += out.write(topic, at);
  at = out.writeUInt16BE(id, at);
  if (properties !== null) at = putLength(out, at, ofProperties);
  if (correlation !== undefined) {
    out[at] = CORRELATION_DATA;
    at = out.writeUInt16BE(correlation.length, at + 1);
    out.set(correlation, at);
    at += correlation.length;
  }
  out.write(payload, at);
  return out;
};
