import type { Cancel, Scheduler } from '../../controller/core/ports.js';
import { BACKOFF, Backoff, type BackoffLimits, REFUSED_FLOOR_MS } from './backoff.js';
import type { InMessage, Link, LinkEnd, LinkUp, OutMessage, Transport } from './transport.js';

/** Silence after which a link is asked whether it lives, s: half-open ones show in 1.5 times it. */
export const KEEP_ALIVE_S = 12;
/** Longest wait for CONNACK, ms. */
export const CONNECT_TIMEOUT_MS = 10_000;
/** Longest wait for a PUBACK before the link is taken for dead, ms. */
export const PUBACK_TIMEOUT_MS = 15_000;
/** QoS 1 messages outstanding; a broker that takes fewer says so. More adds waiting, not speed. */
export const WINDOW = 32;
const NS_PER_MS = 1e6;

export type SessionState = 'stopped' | 'connecting' | 'up' | 'waiting';

export interface SessionOwner {
  /** Said on each link before anything else; the subscriptions are asked for just before. */
  birth(): OutMessage;
  will(): OutMessage;
  subscriptions(): readonly string[];
  /** The link is up, the birth is on its way and the subscriptions are asked for. */
  up(link: LinkUp): void;
  /** There is room for another message. */
  room(): void;
  message(message: InMessage): void;
  /** The link is gone: what was not acknowledged counts as not sent. */
  down(end: LinkEnd): void;
  /** Something a technician should know; the session goes on by itself. */
  fault(kind: LinkFault, reason: string): void;
}

export type LinkFault =
  | 'connect'
  | 'lost'
  | 'refused'
  | 'taken-over'
  | 'puback-timeout'
  | 'publish-refused'
  | 'subscribe-refused';

export interface SessionParts {
  readonly transport: Transport;
  readonly scheduler: Scheduler;
  readonly clientId: string;
  readonly owner: SessionOwner;
  /** From 0 to 1, for the jitter; a simulated run gives a seeded one. */
  readonly random: () => number;
  readonly backoff?: BackoffLimits;
  readonly window?: number;
  readonly keepAliveS?: number;
  readonly pubackTimeoutMs?: number;
}

interface Waiting {
  readonly sentNs: number;
  open: boolean;
}

/**
 * Keeps one link to the broker up, for as long as it runs: birth and will, back-off, PUBACK
 * time-outs, the broker's Receive Maximum. It holds no messages: whoever publishes keeps what it
 * wants to keep. Nothing here throws or blocks on account of the network.
 */
export class Session {
  readonly #parts: SessionParts;
  readonly #backoff: Backoff;
  readonly #window: number;
  #state: SessionState = 'stopped';
  #link: Link | null = null;
  #limits: LinkUp | null = null;
  /** Counts links, so that a late call of an old one is told from the present one's. */
  #generation = 0;
  #waiting: Waiting[] = [];
  #outstanding = 0;
  #upNs = 0;
  #retry: Cancel | null = null;
  #watch: Cancel | null = null;
  #connects = 0;
  #stopped: (() => void) | null = null;
  #yielding: string | null = null;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#backoff = new Backoff(parts.backoff ?? BACKOFF, parts.random);
    this.#window = parts.window ?? WINDOW;
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Links that came up since the start. */
  get connects(): number {
    return this.#connects;
  }

  get outstanding(): number {
    return this.#outstanding;
  }

  /** QoS 1 messages that may be out at once: ours or the broker's limit; 0 without a link. */
  get window(): number {
    if (this.#state !== 'up' || this.#limits === null) return 0;
    return Math.min(this.#window, this.#limits.receiveMaximum);
  }

  /** QoS 1 messages that may be sent now. */
  get room(): number {
    return Math.max(0, this.window - this.#outstanding);
  }

  /** Largest payload the broker takes, bytes, less what the header needs; null for no limit. */
  get maximumPacketBytes(): number | null {
    return this.#limits?.maximumPacketBytes ?? null;
  }

  start(): void {
    if (this.#state !== 'stopped') return;
    this.#open();
  }

  /** Says good-bye where there is a link. Resolves when it is closed, or after 2 s. */
  stop(last: OutMessage | null): Promise<void> {
    this.#retry?.();
    this.#retry = null;
    const link = this.#link;
    if (link === null) {
      this.#state = 'stopped';
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const cancel = this.#parts.scheduler.at(
        this.#parts.scheduler.nowNs() + 2000 * NS_PER_MS,
        () => link.drop('stopped while the broker was silent'),
      );
      this.#stopped = () => {
        cancel();
        resolve();
      };
      if (last === null || this.#state !== 'up') {
        link.close();
        return;
      }
      link.publish(last, () => link.close());
    });
  }

  /**
   * Sends at once. The caller looks at `room` first for QoS 1; without a link the message is
   * gone and `done` is not called, as when a link ends before the PUBACK.
   */
  publish(message: OutMessage, done?: () => void): void {
    const link = this.#link;
    if (link === null || this.#state !== 'up') return;
    if (message.qos === 0) {
      link.publish(message, () => undefined);
      return;
    }
    const generation = this.#generation;
    const waiting: Waiting = { sentNs: this.#parts.scheduler.nowNs(), open: true };
    this.#waiting.push(waiting);
    this.#outstanding += 1;
    this.#watchOldest();
    link.publish(message, (refusal) => {
      if (generation !== this.#generation || !waiting.open) return;
      waiting.open = false;
      this.#outstanding -= 1;
      while (this.#waiting[0]?.open === false) this.#waiting.shift();
      if (refusal !== null) {
        this.#parts.owner.fault(
          'publish-refused',
          `the broker would not take \`${message.topic}\`: ${refusal}; check the access list`,
        );
        link.drop(`publish refused: ${refusal}`);
        return;
      }
      done?.();
    });
  }

  /** Another box speaks with our name: leaves it the floor for a while, and says so. */
  yieldTo(reason: string): void {
    this.#yielding = reason;
    this.#link?.drop(reason);
  }

  /** Drops the link, if there is one; the next attempt follows by itself. */
  reconnect(reason: string): void {
    this.#link?.drop(reason);
  }

  #open(): void {
    const { transport, clientId, owner, keepAliveS } = this.#parts;
    this.#retry = null;
    this.#state = 'connecting';
    this.#generation += 1;
    const generation = this.#generation;
    const current = (): boolean => generation === this.#generation;
    this.#link = transport.open(
      {
        clientId,
        will: owner.will(),
        keepAliveS: keepAliveS ?? KEEP_ALIVE_S,
        connectTimeoutMs: CONNECT_TIMEOUT_MS,
      },
      {
        up: (limits) => {
          if (current()) this.#up(limits);
        },
        message: (message) => {
          if (current()) owner.message(message);
        },
        room: () => {
          if (current() && this.#state === 'up') owner.room();
        },
        closed: (end) => {
          if (current()) this.#closed(end);
        },
      },
    );
  }

  #up(limits: LinkUp): void {
    const link = this.#link;
    if (link === null) return;
    const { owner, scheduler } = this.#parts;
    this.#state = 'up';
    this.#limits = limits;
    this.#upNs = scheduler.nowNs();
    this.#connects += 1;
    const generation = this.#generation;
    link.subscribe(owner.subscriptions(), (refusal) => {
      if (refusal === null || generation !== this.#generation) return;
      owner.fault('subscribe-refused', `the broker would not give us our commands: ${refusal}`);
    });
    this.publish(owner.birth());
    owner.up(limits);
    owner.room();
  }

  #closed(how: LinkEnd): void {
    const { owner, scheduler } = this.#parts;
    const end: LinkEnd =
      this.#yielding === null ? how : { kind: 'taken-over', reason: this.#yielding };
    this.#yielding = null;
    const upMs =
      this.#state === 'up' ? Math.max(1, (scheduler.nowNs() - this.#upNs) / NS_PER_MS) : 0;
    this.#generation += 1;
    this.#link = null;
    this.#limits = null;
    this.#waiting = [];
    this.#outstanding = 0;
    this.#watch?.();
    this.#watch = null;
    owner.down(end);
    if (this.#stopped !== null || end.kind === 'stopped') {
      this.#state = 'stopped';
      this.#stopped?.();
      this.#stopped = null;
      return;
    }
    owner.fault(upMs === 0 && end.kind === 'lost' ? 'connect' : end.kind, end.reason);
    this.#state = 'waiting';
    const least = end.kind === 'lost' ? 0 : REFUSED_FLOOR_MS;
    const waitMs = this.#backoff.nextMs(upMs, least);
    this.#retry = scheduler.at(scheduler.nowNs() + waitMs * NS_PER_MS, () => this.#open());
  }

  /** One timer, for the oldest message that has no PUBACK. */
  #watchOldest(): void {
    if (this.#watch !== null) return;
    const oldest = this.#waiting[0];
    if (oldest === undefined) return;
    const { scheduler, owner, pubackTimeoutMs } = this.#parts;
    const limitNs = (pubackTimeoutMs ?? PUBACK_TIMEOUT_MS) * NS_PER_MS;
    this.#watch = scheduler.at(oldest.sentNs + limitNs, () => {
      this.#watch = null;
      if (oldest.open) {
        owner.fault('puback-timeout', `no PUBACK for ${Math.round(limitNs / 1e9)} s`);
        this.#link?.drop('PUBACK time-out');
        return;
      }
      this.#watchOldest();
    });
  }
}
