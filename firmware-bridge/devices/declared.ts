import type { Scheduler } from '../../controller/core/ports.js';
import type { ByteStream, StreamSink } from '../bus/stream.js';
import { decode } from '../framing/decode.js';
import { Framer, type FrameSink } from '../framing/framer.js';
import type { Profile } from '../framing/profile.js';
import { RepeatFilter } from '../framing/repeat.js';
import type { Says } from '../framing/says.js';
import type { Device, DeviceStatus } from './device.js';
import { Link, type Tell } from './link.js';

/** Bad frames in a row, or bytes without any frame, that make a line garbage. */
export const GARBAGE_FRAMES = 16;
export const GARBAGE_BYTES = 4096;

/** Takes what a declared device says; false refuses it (answered with the profile's NAK). */
export type OnSays = (says: Says, atNs: number) => boolean;

export interface DeclaredParts {
  readonly name: string;
  readonly scheduler: Scheduler;
  readonly stream: ByteStream;
  readonly profile: Profile;
  readonly onSays: OnSays;
}

/** A device on a byte stream that is described by a profile file alone. */
export class DeclaredDevice implements Device, StreamSink, FrameSink {
  readonly name: string;
  readonly #p: DeclaredParts;
  readonly #framer: Framer;
  readonly #repeats: RepeatFilter | null;
  #link: Link | null = null;
  #tell: Tell = () => undefined;
  #badInRow = 0;
  #droppedAtGood = 0;
  #refused = 0;
  #repeated = 0;

  constructor(parts: DeclaredParts) {
    this.name = parts.name;
    this.#p = parts;
    this.#framer = new Framer(parts.profile.frame, this);
    const { repeat } = parts.profile;
    this.#repeats = repeat === undefined ? null : new RepeatFilter(repeat.windowMs);
  }

  start(tell: Tell): void {
    this.#tell = tell;
    const silenceMs = this.#p.profile.heartbeat?.silenceMs;
    this.#link ??= new Link({
      device: this.name,
      scheduler: this.#p.scheduler,
      tell,
      silenceNs: silenceMs === undefined ? null : silenceMs * 1e6,
      open: () => {
        this.#framer.clear();
        this.#badInRow = 0;
        this.#droppedAtGood = this.#framer.dropped;
        this.#p.stream.open(this);
      },
      shut: () => this.#p.stream.close(),
    });
    this.#link.start();
  }

  stop(): void {
    this.#link?.stop();
    this.#link = null;
  }

  status(): DeviceStatus {
    return {
      state: this.#link?.state ?? 'closed',
      identity: this.#link?.identity ?? null,
      reason: this.#link?.lastReason ?? null,
      counts: {
        frames: this.#framer.frames,
        rejected: this.#framer.rejects,
        droppedBytes: this.#framer.dropped,
        refused: this.#refused,
        repeated: this.#repeated,
      },
      readings: {
        good: this.#framer.frames - this.#refused,
        bad: this.#framer.rejects + this.#refused,
      },
    };
  }

  /** Tells a happening of this device; for the owner of `onSays`. */
  tell: Tell = (happening, atNs) => this.#tell(happening, atNs);

  /** Names the machine at the far end. */
  identify(identity: string): void {
    if (this.#link?.identity !== identity) this.#link?.up(identity);
  }

  send(bytes: Uint8Array): void {
    if (this.#link?.state === 'up') this.#p.stream.write(bytes);
  }

  opened(): void {
    this.#link?.up();
  }

  closed(reason: string): void {
    this.#link?.down(reason);
  }

  bytes(chunk: Uint8Array, atNs: number): void {
    this.#framer.push(chunk, atNs);
    if (this.#framer.dropped - this.#droppedAtGood >= GARBAGE_BYTES) this.#garbage();
  }

  frame(buffer: Uint8Array, from: number, to: number, atNs: number): void {
    const { decoded, repeatKey } = decode(this.#p.profile, buffer, from, to);
    if (!decoded.ok) {
      this.#refused += 1;
      this.#answer(false);
      this.#bad();
      return;
    }
    this.#badInRow = 0;
    this.#droppedAtGood = this.#framer.dropped;
    this.#link?.heard(atNs);
    if (repeatKey !== null && this.#repeats?.isRepeat(repeatKey, atNs) === true) {
      this.#repeated += 1;
      this.#answer(true);
      return;
    }
    const says = decoded.says;
    if (says.say === 'identity') this.identify(says.identity);
    const taken = says.say === 'identity' || says.say === 'alive' || this.#p.onSays(says, atNs);
    if (!taken) this.#refused += 1;
    this.#answer(taken);
  }

  rejected(): void {
    this.#answer(false);
    this.#bad();
  }

  #bad(): void {
    this.#badInRow += 1;
    if (this.#badInRow >= GARBAGE_FRAMES) this.#garbage();
  }

  #garbage(): void {
    const { baud, dataBits, parity } = this.#p.profile.line;
    const form = `${baud} baud, ${dataBits} bits, parity ${parity}`;
    this.#link?.down(`answers garbage: no frame of ${this.#p.profile.name} at ${form}`);
  }

  /** Nothing is sent unless the profile declares an answer: a machine may dislike it. */
  #answer(taken: boolean): void {
    const { ack } = this.#p.profile;
    if (ack !== undefined) this.#p.stream.write(Uint8Array.of(taken ? ack.accept : ack.refuse));
  }
}
