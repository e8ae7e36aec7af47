import { LENGTH_BITS, MORE } from './publish-packet.js';

/**
 * Takes the PUBACKs out of what a broker sends (MQTT 5 section 3.4, 3.1.1 section 3.4):
 *
 *     40   remaining length (1 to 4 bytes)   packet id   [reason code   [properties]]
 *
 * A backlog brings one for each row. The library makes an object, a list of buffers, a turn and
 * half a dozen events of each; here a PUBACK is two numbers. All other packets pass untouched, and
 * the library judges them; it keeps a packet until it is whole, so that one too long ends the link
 * before its bytes come. Bytes may come in pieces of any size.
 */
const PUBACK = 0x40;
/** A length of more bytes than four is none. */
const LENGTH_BITS_MAX = 28;
const ID_BYTES = 2;

export interface SplitSink {
  /** `reasonCode` 0 where the broker gave none. */
  acknowledged(id: number, reasonCode: number): void;
  /** Bytes of other packets, in order; good until this returns. */
  other(bytes: Uint8Array): void;
  /** The broker sent a PUBACK that is none, or too long a packet; nothing behind it is read. */
  malformed(reason: string): void;
}

/** Longest packets taken, bytes behind their length. */
export interface SplitLimits {
  readonly pubackBytes: number;
  readonly otherBytes: number;
}

export class PubackSplitter {
  readonly #sink: SplitSink;
  readonly #most: SplitLimits;
  #state: 'head' | 'length' | 'body' = 'head';
  #isPuback = false;
  /** Where packets begin is not known any more. */
  #isBroken = false;
  #length = 0;
  #lengthBits = 0;
  /** Bytes of the packet's body that were seen. */
  #seen = 0;
  #id = 0;
  #code = 0;

  constructor(sink: SplitSink, most: SplitLimits) {
    this.#sink = sink;
    this.#most = most;
  }

  push(chunk: Uint8Array): void {
    const end = chunk.length;
    let at = 0;
    /** First byte of others that was not passed on. */
    let from = 0;
    while (at < end) {
      if (this.#isBroken) {
        at = end;
      } else if (this.#state === 'head') {
        const isPuback = chunk[at] === PUBACK;
        if (isPuback) this.#pass(chunk, from, at);
        this.#begin(isPuback);
        at += 1;
      } else if (this.#state === 'length') {
        this.#lengthByte(chunk[at] ?? 0);
        at += 1;
      } else if (this.#isPuback) {
        this.#pubackByte(chunk[at] ?? 0);
        at += 1;
      } else {
        const some = Math.min(this.#length - this.#seen, end - at);
        this.#seen += some;
        if (this.#seen === this.#length) this.#state = 'head';
        at += some;
      }
      if (this.#isPuback) from = at;
    }
    this.#pass(chunk, from, end);
  }

  #pass(chunk: Uint8Array, from: number, to: number): void {
    if (to > from) this.#sink.other(chunk.subarray(from, to));
  }

  #begin(isPuback: boolean): void {
    this.#isPuback = isPuback;
    this.#state = 'length';
    this.#length = 0;
    this.#lengthBits = 0;
    this.#seen = 0;
    this.#id = 0;
    this.#code = 0;
  }

  #lengthByte(byte: number): void {
    this.#length += (byte & (MORE - 1)) << this.#lengthBits;
    this.#lengthBits += LENGTH_BITS;
    if (byte >= MORE) {
      // Of another packet the library says what is wrong with it: the rest passes.
      if (this.#lengthBits >= LENGTH_BITS_MAX) this.#break('has a length of more than four bytes');
      return;
    }
    this.#state = this.#length === 0 ? 'head' : 'body';
    if (!this.#isPuback) {
      if (this.#length > this.#most.otherBytes) this.#tooLong();
    } else if (this.#length < ID_BYTES) this.#break('names no message');
    else if (this.#length > this.#most.pubackBytes) this.#break(`is of ${this.#length} bytes`);
  }

  #tooLong(): void {
    this.#isBroken = true;
    const most = this.#most.otherBytes;
    this.#sink.malformed(`the broker sent a packet of ${this.#length} bytes, more than ${most}`);
  }

  #pubackByte(byte: number): void {
    if (this.#seen < ID_BYTES) this.#id = (this.#id << 8) | byte;
    else if (this.#seen === ID_BYTES) this.#code = byte;
    this.#seen += 1;
    if (this.#seen < this.#length) return;
    this.#state = 'head';
    this.#sink.acknowledged(this.#id, this.#code);
  }

  #break(how: string): void {
    this.#isBroken = true;
    if (this.#isPuback) this.#sink.malformed(`the broker sent a PUBACK that ${how}`);
  }
}
