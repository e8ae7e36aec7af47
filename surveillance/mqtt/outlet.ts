import type { TopicKind } from '../contract/topics.js';

/** What a lane needs of the session: room, and a way out. */
export interface Outlet {
  /** QoS 1 messages that may be sent now. */
  room(): number;
  /** `done` when the broker has acknowledged; never when the link ends first. */
  send(kind: Exclude<TopicKind, 'ack' | 'cmd'>, payload: string, done: () => void): void;
}

/** Slots that events leave to alerts, state and answers, so that these never queue behind them. */
export const RESERVED = 4;

/** Room for an ordinary row: with a broker that takes few at once nothing is kept back. */
export const roomForRows = (room: number, window: number): number =>
  room - Math.min(RESERVED, Math.floor(window / 4));
