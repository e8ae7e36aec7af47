import type { HealthMessage, StateMessage } from '../contract/messages.js';
import type { LinkFault } from './session.js';

export type PublisherFault =
  | LinkFault
  | 'too-large'
  | 'journal-read'
  | 'journal-gap'
  | 'ack-mismatch'
  | 'ack-ahead'
  | 'ack-unreadable'
  | 'consumer-went-back';

/** What the runtime knows of the box. */
export type BoxHealth = Pick<
  HealthMessage,
  | 'uptimeS'
  | 'rssBytes'
  | 'diskFreeBytes'
  | 'diskWrittenBytes'
  | 'diskLifeUsedPercent'
  | 'temperatureC'
  | 'devices'
  | 'certificate'
>;

/** What a table shows while no row can be written, and why. No row says it: this does. */
export type ShownFault = Required<Pick<StateMessage, 'fault' | 'gate' | 'tower' | 'display'>>;

export interface PublisherStats {
  readonly isUp: boolean;
  /** Rows the broker has not acknowledged. */
  readonly queued: number;
  /** Rows the slowest named consumer has not proved to hold; null where none is named. */
  readonly undelivered: number | null;
  readonly outstanding: number;
  readonly connects: number;
  readonly refusedCommands: number;
  readonly faults: Readonly<Record<string, number>>;
}
