import { decode } from '../../../firmware-bridge/framing/decode.js';
import { Framer } from '../../../firmware-bridge/framing/framer.js';
import type { Profile } from '../../../firmware-bridge/framing/profile.js';
import { RepeatFilter } from '../../../firmware-bridge/framing/repeat.js';
import type { Says } from '../../../firmware-bridge/framing/says.js';

/**
 * The shuffler's line without a device on it: the profile's own framing, words and repeats. Bytes
 * may come in any pieces, in several entries of a scenario; what a broken frame left behind stays
 * until `clear`, as it does on the real line.
 */
export class SerialLine {
  readonly #framer: Framer;
  readonly #repeats: RepeatFilter | null;

  constructor(profile: Profile, says: (what: Says) => void) {
    const { repeat } = profile;
    this.#repeats = repeat === undefined ? null : new RepeatFilter(repeat.windowMs);
    this.#framer = new Framer(profile.frame, {
      frame: (buffer, from, to, atNs) => {
        const { decoded, repeatKey } = decode(profile, buffer, from, to);
        if (!decoded.ok) return;
        if (repeatKey !== null && this.#repeats?.isRepeat(repeatKey, atNs) === true) return;
        says(decoded.says);
      },
      rejected: () => undefined,
    });
  }

  /** One character is one byte. */
  push(bytes: string, nowNs: number): void {
    this.#framer.push(
      Uint8Array.from(bytes, (character) => character.charCodeAt(0)),
      nowNs,
    );
  }

  /** The line was opened anew: half a frame from before belongs to nothing. */
  clear(): void {
    this.#framer.clear();
  }
}
