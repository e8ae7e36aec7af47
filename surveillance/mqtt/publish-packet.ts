/**
 * QoS 1 PUBLISHes as bytes (MQTT 5 section 3.3; 3.1.1 section 3.3):
 *
 *     32 | retain   remaining length   topic length, topic   packet id
 *     [property length  [09 length, correlation data]]       payload
 *
 * The library's own way takes each message through a store, a list of callbacks and half a dozen
 * events that nobody here needs; a row's bytes are written once, straight behind one another, and
 * whatever was put together in one turn leaves in one piece.
 */
const PUBLISH_QOS1 = 0x32;
const RETAIN = 0x01;
const CORRELATION_DATA = 0x09;
/** A length in MQTT: seven bits a byte, the eighth says that more follow. */
export const LENGTH_BITS = 7;
export const MORE = 0x80;
/** Longest remaining length four bytes can say. */
const REMAINING_MAX = 268_435_455;
const TOPIC_MAX = 65_535;
/** Most bytes one UTF-16 unit takes in UTF-8. */
const UTF8_BYTES = 3;
/** Bytes gathered in one piece of memory; a longer packet gets one of its own. */
const SLAB_BYTES = 32_768;
/** Type, lengths, packet id and an empty list of properties, at most. */
const FRAME_BYTES = 1 + 4 + 2 + 2 + 4;
/** Topics kept as bytes: a table speaks on a handful. */
const TOPICS_MAX = 64;

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

/** Packets one behind the other, until somebody takes them all. */
export class PublishBatch {
  #slab: Buffer = Buffer.allocUnsafeSlow(SLAB_BYTES);
  /** First byte nobody has taken, and the place of the next one. */
  #from = 0;
  #at = 0;
  readonly #topics = new Map<string, Buffer>();

  get isEmpty(): boolean {
    return this.#from === this.#at;
  }

  /** @throws RangeError for what no MQTT packet can hold; then nothing was added. */
  add({ topic, payload, retain, id, properties }: PublishPacket): void {
    const name = this.#bytesOf(topic);
    const correlation = properties?.correlation;
    const ofProperties = correlation === undefined ? 0 : 3 + correlation.length;
    const before = 2 + name.length + 2;
    const most = FRAME_BYTES + before + ofProperties + payload.length * UTF8_BYTES;
    if (name.length > TOPIC_MAX || most > REMAINING_MAX) {
      throw new RangeError(`a message of up to ${most} bytes fits no MQTT packet`);
    }
    this.#room(most);
    const out = this.#slab;
    const head = properties === null ? 0 : lengthBytes(ofProperties) + ofProperties;
    // How long the payload is shows when it is written: nearly always as long as it has letters.
    const guess = lengthBytes(before + head + payload.length);
    const start = this.#at;
    let at = start + 1 + guess;
    out[at] = name.length >> 8;
    out[at + 1] = name.length & 0xff;
    out.set(name, at + 2);
    at += 2 + name.length;
    out[at] = id >> 8;
    out[at + 1] = id & 0xff;
    at += 2;
    if (properties !== null) at = putLength(out, at, ofProperties);
    if (correlation !== undefined) {
      out[at] = CORRELATION_DATA;
      at = out.writeUInt16BE(correlation.length, at + 1);
      out.set(correlation, at);
      at += correlation.length;
    }
    at += out.write(payload, at, 'utf8');
    const remaining = at - start - 1 - guess;
    const needed = lengthBytes(remaining);
    if (needed !== guess) {
      out.copyWithin(start + 1 + needed, start + 1 + guess, at);
      at += needed - guess;
    }
    out[start] = retain ? PUBLISH_QOS1 | RETAIN : PUBLISH_QOS1;
    putLength(out, start + 1, remaining);
    this.#at = at;
  }

  /** Everything added since the last call. The bytes stay as they are until `reuse`. */
  take(): Buffer {
    const bytes = this.#slab.subarray(this.#from, this.#at);
    this.#from = this.#at;
    return bytes;
  }

  /** Nobody reads any more what was taken: its memory may be written over. */
  reuse(): void {
    if (this.isEmpty) this.#from = this.#at = 0;
  }

  #bytesOf(topic: string): Buffer {
    const known = this.#topics.get(topic);
    if (known !== undefined) return known;
    const bytes = Buffer.from(topic, 'utf8');
    if (this.#topics.size < TOPICS_MAX) this.#topics.set(topic, bytes);
    return bytes;
  }

  /** What was taken from the old memory stays where it is; what was not moves along. */
  #room(bytes: number): void {
    if (this.#at + bytes <= this.#slab.length) return;
    const waiting = this.#slab.subarray(this.#from, this.#at);
    const larger = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, waiting.length + bytes));
    larger.set(waiting);
    this.#slab = larger;
    this.#from = 0;
    this.#at = waiting.length;
  }
}
