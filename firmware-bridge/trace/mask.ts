import { decode } from '../framing/decode.js';
import { encode } from '../framing/encode.js';
import { Framer } from '../framing/framer.js';
import type { Profile } from '../framing/profile.js';

/**
 * What a trace may keep of a rank reader's line. Frames are taken apart and written again: a card
 * becomes "a card that could not be read", heartbeats stay, and whatever is no good frame is left
 * out, so that no byte of a rank can reach the file by a side way.
 */
export class RankMask {
  readonly #profile: Profile;
  readonly #framer: Framer;
  #out: number[] = [];
  #sequence = 0;

  constructor(profile: Profile) {
    this.#profile = profile;
    this.#framer = new Framer(profile.frame, {
      frame: (buffer, from, to) => this.#frame(buffer, from, to),
      rejected: () => undefined,
    });
  }

  /** The masked bytes of the frames that this chunk completes; often none. */
  mask(chunk: Uint8Array, atNs: number): Uint8Array {
    this.#out = [];
    this.#framer.push(chunk, atNs);
    return Uint8Array.from(this.#out);
  }

  #frame(buffer: Uint8Array, from: number, to: number): void {
    const { decoded } = decode(this.#profile, buffer, from, to);
    if (!decoded.ok) return;
    const { says } = decoded;
    const values = says.say === 'identity' ? { identity: says.identity } : {};
    const frame = encode(this.#profile, { observe: says.say, values }, this.#sequence);
    this.#sequence = (this.#sequence + 1) % 100;
    if (frame !== null) this.#out.push(...frame);
  }
}
