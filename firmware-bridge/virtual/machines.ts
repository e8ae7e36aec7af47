import type { Cancel, Scheduler } from '../../controller/core/ports.js';
import type { RawPress } from '../../controller/core/press-parse.js';
import type { VirtualStream } from '../bus/virtual-stream.js';
import { decode } from '../framing/decode.js';
import { encode, frameOf, jsonBytes, type Saying } from '../framing/encode.js';
import { Framer } from '../framing/framer.js';
import type { Profile } from '../framing/profile.js';
import type { Random } from './random.js';

/** A machine says that it is alive this often, ns. */
const ALIVE_NS = 5_000_000_000;
/** A message's number runs from 0 to here. */
const SEQUENCE_MAX = 99;
/** A machine that waits for an answer says its word again after so long without one, ns. */
const ANSWER_NS = 300_000_000;
/** How often it tries in all. */
const TRIES_MAX = 4;

/** Bytes that get lost and frames that are said twice on a machine's line. */
export interface LineNoise {
  readonly random: Random;
  readonly lostByteChance: number;
  readonly repeatChance: number;
}

/** The far end of a stream: a shuffler, a reader or a panel that speaks a declared profile. */
export class Machine {
  /** What a panel was last told: `announce`, `sound`. */
  readonly told = new Map<string, string>();
  readonly profile: Profile;
  /** Says nothing any more, though its line stays open. */
  mute = false;
  readonly #scheduler: Scheduler;
  readonly #stream: VirtualStream;
  readonly #identity: string;
  readonly #framer: Framer;
  #sequence = 0;
  #cancel: Cancel | null = null;

  readonly #noise: LineNoise | null;

  constructor(
    scheduler: Scheduler,
    stream: VirtualStream,
    profile: Profile,
    identity: string,
    noise: LineNoise | null = null,
  ) {
    this.profile = profile;
    this.#noise = noise;
    this.#scheduler = scheduler;
    this.#stream = stream;
    this.#identity = identity;
    this.#framer = new Framer(profile.frame, {
      frame: (buffer, from, to) => this.#hear(buffer, from, to),
      rejected: () => undefined,
    });
    stream.onOpen = () => this.#wake();
    stream.onWrite = (bytes, atNs) => this.#framer.push(bytes, atNs);
  }

  /** Returns when the last byte is through; null when the profile has no words for it. */
  say(saying: Saying, startNs: number): number | null {
    const frame = encode(this.profile, saying, this.#sequence);
    if (frame === null) return null;
    this.#sequence = (this.#sequence + 1) % (SEQUENCE_MAX + 1);
    return this.#send(frame, startNs);
  }

  /** A panel's press, numbered. */
  press(raw: RawPress, startNs: number): number {
    const frame = frameOf(this.profile.frame, jsonBytes({ n: this.#sequence, ...raw }));
    this.#sequence = (this.#sequence + 1) % (SEQUENCE_MAX + 1);
    return this.#send(frame, startNs);
  }

  raw(bytes: Uint8Array, startNs: number): number {
    return this.#stream.say(bytes, startNs);
  }

  /** A frame as the line lets it through: whole, short of bytes, or twice. */
  #send(frame: Uint8Array, startNs: number): number {
    if (this.mute) return startNs;
    const noise = this.#noise;
    if (noise === null) return this.#stream.say(frame, startNs);
    let end = startNs;
    for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
      const heard = frame.filter(() => !noise.random.chance(noise.lostByteChance));
      end = this.#stream.say(heard, end);
      if (heard.length === frame.length || this.profile.ack === undefined) break;
      // Nobody acknowledges a broken frame: the machine says it again.
      end += ANSWER_NS;
    }
    return noise.random.chance(noise.repeatChance) ? this.#stream.say(frame, end) : end;
  }

  #wake(): void {
    this.#cancel?.();
    const values = { identity: this.#identity };
    this.say({ observe: 'identity', values }, this.#scheduler.nowNs());
    this.#beat();
  }

  #beat(): void {
    const values = this.profile.body === 'json' ? { alive: true } : {};
    const now = this.#scheduler.nowNs();
    this.say({ observe: 'alive', values }, now);
    this.#cancel = this.#scheduler.at(now + ALIVE_NS, () => this.#beat());
  }

  #hear(buffer: Uint8Array, from: number, to: number): void {
    const { decoded } = decode(this.profile, buffer, from, to);
    if (!decoded.ok || decoded.says.say !== 'json') return;
    const { value } = decoded.says;
    if (typeof value !== 'object' || value === null) return;
    for (const [key, text] of Object.entries(value)) {
      if (typeof text === 'string') this.told.set(key, text);
    }
  }
}
