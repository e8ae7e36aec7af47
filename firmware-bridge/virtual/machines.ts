import type { Cancel, Scheduler } from '../../controller/core/ports.js';
import type { RawPress } from '../../controller/core/press-parse.js';
import type { VirtualStream } from '../bus/virtual-stream.js';
import { decode } from '../framing/decode.js';
import { encode, frameOf, jsonBytes, type Saying } from '../framing/encode.js';
import { Framer } from '../framing/framer.js';
import type { Profile } from '../framing/profile.js';

/** A machine says that it is alive this often, ns. */
const ALIVE_NS = 5_000_000_000;
/** A message's number runs from 0 to here. */
const SEQUENCE_MAX = 99;

/** The far end of a stream: a shuffler, a reader or a panel that speaks a declared profile. */
export class Machine {
  /** What a panel was last told: `announce`, `sound`. */
  readonly told = new Map<string, string>();
  readonly profile: Profile;
  readonly #scheduler: Scheduler;
  readonly #stream: VirtualStream;
  readonly #identity: string;
  readonly #framer: Framer;
  #sequence = 0;
  #cancel: Cancel | null = null;

  constructor(scheduler: Scheduler, stream: VirtualStream, profile: Profile, identity: string) {
    this.profile = profile;
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
    return this.#stream.say(frame, startNs);
  }

  /** A panel's press, numbered. */
  press(raw: RawPress, startNs: number): number {
    const frame = frameOf(this.profile.frame, jsonBytes({ n: this.#sequence, ...raw }));
    this.#sequence = (this.#sequence + 1) % (SEQUENCE_MAX + 1);
    return this.#stream.say(frame, startNs);
  }

  raw(bytes: Uint8Array, startNs: number): number {
    return this.#stream.say(bytes, startNs);
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
