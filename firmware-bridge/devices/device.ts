import type { Directive } from '../../controller/core/directive.js';
import type { Link, Tell } from './link.js';

/** One piece of hardware. `start` and `stop` may be called twice and never throw. */
export interface Device {
  readonly name: string;
  start(tell: Tell): void;
  /** Outputs go to their safe state. */
  stop(): void;
  /** Takes the directives it can perform; the others are not its business. */
  perform?(directive: Directive): void;
  /** For health and the doctor. */
  status(): DeviceStatus;
}

export interface DeviceStatus {
  readonly state: Link['state'];
  readonly identity: string | null;
  readonly reason: string | null;
  /** What went wrong without breaking the link, by name: rejected frames, unknown colours. */
  readonly counts: Readonly<Record<string, number>>;
  /** What was read of it since the program began; null where it gives nothing to judge. */
  readonly readings: Readings | null;
}

/** Readings of a sensor: those that could be used, and those that could not. */
export interface Readings {
  readonly good: number;
  readonly bad: number;
}
