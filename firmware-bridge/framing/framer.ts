import { CHECK_BYTES, checkOf, getCheck } from './checks.js';
import type { FrameRule } from './profile.js';

/** Takes what the framer finds. The buffer is the framer's own: copy what must outlive the call. */
export interface FrameSink {
  /** Payload `buffer[from, to)`: start, end and check taken off. */
  frame(buffer: Uint8Array, from: number, to: number, atNs: number): void;
  /** A frame that was whole but wrong, or longer than the profile allows. */
  rejected(why: RejectReason, atNs: number): void;
}
export type RejectReason = 'check' | 'length' | 'gap';

const MORE = 0;
const IMPOSSIBLE = -1;

/**
 * Finds frames in bytes that come in any chunks.
 *
 *   start | payload | [marker] check | terminator          place: before-end
 *   start | payload | terminator | check                   place: after-end
 *   start | length | payload | check                       end: length
 *
 * The buffer never grows beyond the profile's `maxBytes`; a byte that begins nothing is dropped.
 */
export class Framer {
  /** Totals since the start: for health and the doctor. */
  frames = 0;
  rejects = 0;
  dropped = 0;

  readonly #rule: FrameRule;
  readonly #buffer: Uint8Array;
  readonly #terminator: readonly number[] | null;
  readonly #checkBytes: number;
  readonly #sink: FrameSink;
  #head = 0;
  #tail = 0;
  /** Where the search for the terminator goes on. */
  #scanned = 0;
  #lastNs = -1;

  constructor(rule: FrameRule, sink: FrameSink) {
    this.#rule = rule;
    this.#buffer = new Uint8Array(2 * rule.maxBytes);
    this.#sink = sink;
    this.#terminator = 'terminator' in rule.end ? rule.end.terminator : null;
    this.#checkBytes = CHECK_BYTES[rule.check.kind] * (rule.check.encoding === 'hex' ? 2 : 1);
  }

  push(chunk: Uint8Array, atNs: number): void {
    const gap = this.#rule.gapMs;
    const pause = atNs - this.#lastNs;
    if (gap !== undefined && this.#lastNs >= 0 && pause > gap * 1e6 && this.#tail > this.#head) {
      this.#reject('gap', this.#tail - this.#head, atNs);
    }
    this.#lastNs = atNs;
    for (const byte of chunk) {
      if (this.#tail === this.#buffer.length) this.#compact();
      this.#buffer[this.#tail] = byte;
      this.#tail += 1;
      this.#scan(atNs);
    }
  }

  /** Forgets a frame that has begun: the line was closed. */
  clear(): void {
    this.#head = 0;
    this.#tail = 0;
    this.#scanned = 0;
    this.#lastNs = -1;
  }

  #scan(atNs: number): void {
    for (;;) {
      this.#skip();
      const held = this.#tail - this.#head;
      if (held === 0) return;
      const length = this.#terminator === null ? this.#counted() : this.#delimited();
      if (length === IMPOSSIBLE) {
        this.#reject('length', 1, atNs);
      } else if (length === MORE) {
        if (held < this.#rule.maxBytes) return;
        this.#reject('length', this.#rule.start.length === 0 ? held : 1, atNs);
      } else this.#take(length, atNs);
    }
  }

  /** Drops bytes that begin nothing. */
  #skip(): void {
    const { start } = this.#rule;
    const before = this.#head;
    while (this.#head < this.#tail) {
      const byte = this.#buffer[this.#head] ?? 0;
      if (start.length === 0 || start.includes(byte)) break;
      this.#head += 1;
      this.dropped += 1;
    }
    if (this.#head !== before) this.#scanned = this.#head;
    if (this.#head === this.#tail) {
      this.#head = 0;
      this.#tail = 0;
      this.#scanned = 0;
    }
  }

  /** Length of the frame at the head by its length field; MORE or IMPOSSIBLE. */
  #counted(): number {
    const { end, start, maxBytes } = this.#rule;
    const held = this.#tail - this.#head;
    let total: number;
    if ('fixed' in end) total = end.fixed;
    else if ('length' in end) {
      const { at, bytes, endian, adds } = end.length;
      if (held < at + bytes) return MORE;
      const first = this.#buffer[this.#head + at] ?? 0;
      const second = this.#buffer[this.#head + at + 1] ?? 0;
      const wide = endian === 'big' ? first * 256 + second : second * 256 + first;
      total = (bytes === 1 ? first : wide) + adds;
      if (total < at + bytes + this.#checkBytes) return IMPOSSIBLE;
    } else return IMPOSSIBLE;
    if (total > maxBytes || total <= start.length + this.#checkBytes) return IMPOSSIBLE;
    return held >= total ? total : MORE;
  }

  /** Length of the frame at the head by its terminator; MORE when it has not come. */
  #delimited(): number {
    const { start, check } = this.#rule;
    const terminator = this.#terminator ?? [];
    const offset = start.length === 0 ? 0 : 1;
    let i = Math.max(this.#scanned, this.#head + offset);
    for (; i + terminator.length <= this.#tail; i += 1) {
      if (start.length > 0 && start.includes(this.#buffer[i] ?? -1)) {
        this.dropped += i - this.#head;
        this.#head = i;
        this.#scanned = i + 1;
        return this.#delimited();
      }
      if (!this.#matches(terminator, i)) continue;
      const after = check.place === 'after-end' ? this.#checkBytes : 0;
      const total = i + terminator.length + after - this.#head;
      this.#scanned = i;
      return this.#tail - this.#head >= total ? total : MORE;
    }
    this.#scanned = i;
    return MORE;
  }

  #matches(wanted: readonly number[], at: number): boolean {
    for (let k = 0; k < wanted.length; k += 1) {
      if (this.#buffer[at + k] !== wanted[k]) return false;
    }
    return true;
  }

  #take(length: number, atNs: number): void {
    const { start, check, end } = this.#rule;
    const first = this.#head;
    const stop = first + length;
    const from = first + (start.length === 0 ? 0 : 1);
    const tailBytes = this.#terminator?.length ?? 0;
    const afterEnd = check.place === 'after-end' ? this.#checkBytes : 0;
    const body = stop - afterEnd - tailBytes;
    const to = this.#payloadEnd(from, body);
    if (to < 0 || !this.#checks(first, from, to, body, stop)) {
      const delimited = this.#terminator !== null;
      this.#reject('check', delimited ? length - afterEnd : 1, atNs);
      return;
    }
    const header = 'length' in end ? end.length.at + end.length.bytes : 0;
    const payload = Math.max(from, first + header);
    this.#head = stop;
    this.#scanned = stop;
    if (to <= payload) return;
    this.frames += 1;
    this.#sink.frame(this.#buffer, payload, to, atNs);
  }

  /** Where the payload ends: before the marker or the check; -1 where a check is missing. */
  #payloadEnd(from: number, body: number): number {
    const { check } = this.#rule;
    if (this.#checkBytes === 0 || check.place === 'after-end') return body;
    const marker = check.marker === undefined ? 0 : 1;
    const to = body - this.#checkBytes - marker;
    const marked = marker === 0 || this.#buffer[to] === check.marker?.charCodeAt(0);
    if (to >= from && marked) return to;
    return check.optional ? body : -1;
  }

  #checks(first: number, from: number, to: number, body: number, stop: number): boolean {
    const { check } = this.#rule;
    if (this.#checkBytes === 0) return true;
    const before = check.place === 'before-end';
    if (before && to === body) return true;
    const begin = check.coversStart ? first : from;
    const finish = !before && check.coversEnd ? stop - this.#checkBytes : to;
    const at = before ? body - this.#checkBytes : stop - this.#checkBytes;
    const given = getCheck(this.#buffer, at, CHECK_BYTES[check.kind], check);
    return given === checkOf(check.kind, this.#buffer, begin, finish);
  }

  #reject(why: RejectReason, bytes: number, atNs: number): void {
    this.rejects += 1;
    this.dropped += bytes;
    this.#head += bytes;
    this.#scanned = this.#head;
    this.#sink.rejected(why, atNs);
  }

  #compact(): void {
    this.#buffer.copyWithin(0, this.#head, this.#tail);
    this.#scanned -= this.#head;
    this.#tail -= this.#head;
    this.#head = 0;
  }
}
