import type { Directive } from '../../controller/core/directive.js';
import type { Scheduler } from '../../controller/core/ports.js';
import type { ByteStream } from '../bus/stream.js';
import { encode } from '../framing/encode.js';
import type { Profile } from '../framing/profile.js';
import type { Says } from '../framing/says.js';
import { DeclaredDevice } from './declared.js';
import type { Device, DeviceStatus } from './device.js';
import type { Tell } from './link.js';
import { readPanel } from './panel-codec.js';

/** The operator panel: any press with badge and words comes in, words and sounds go out. */
export class Panel implements Device {
  readonly name: string;
  readonly #device: DeclaredDevice;
  readonly #profile: Profile;

  constructor(name: string, scheduler: Scheduler, stream: ByteStream, profile: Profile) {
    this.name = name;
    this.#profile = profile;
    const onSays = (says: Says, atNs: number): boolean => this.#take(says, atNs);
    this.#device = new DeclaredDevice({ name, scheduler, stream, profile, onSays });
  }

  start(tell: Tell): void {
    this.#device.start(tell);
  }

  stop(): void {
    this.#device.stop();
  }

  status(): DeviceStatus {
    return this.#device.status();
  }

  perform(directive: Directive): void {
    if (directive.to === 'announce') this.#show({ announce: directive.text });
    else if (directive.to === 'sound') this.#show({ sound: directive.pattern });
  }

  #show(values: Readonly<Record<string, string>>): void {
    const frame = encode(this.#profile, { observe: 'show', values }, 0);
    if (frame !== null) this.#device.send(frame);
  }

  #take(says: Says, atNs: number): boolean {
    if (says.say !== 'json') return false;
    const read = readPanel(says.value);
    if (!read.ok) return false;
    if (read.value.say === 'press') this.#device.tell(read.value.press, atNs);
    else if (read.value.say === 'identity') this.#device.identify(read.value.identity);
    return true;
  }
}
