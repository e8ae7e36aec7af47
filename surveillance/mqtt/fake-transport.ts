import type { Scheduler } from '../../controller/core/ports.js';
import type { Link, LinkEnd, LinkEvents, LinkRequest, OutMessage, Transport } from './transport.js';

const NS_PER_MS = 1e6;
/** Messages kept for whoever looks; the oldest go first. */
const KEPT_MAX = 200_000;

export interface FakeTransportOptions {
  readonly scheduler: Scheduler;
  /** There and back, ms. */
  readonly roundTripMs?: number;
  readonly receiveMaximum?: number;
  readonly maximumPacketBytes?: number;
  /** Messages kept in `published`: a week of play is not to fill the memory. */
  readonly keep?: number;
}

/**
 * A broker and its network in this process, on the scheduler's clock: scenario and simulation runs
 * publish through the whole session and outbox without a socket. What the broker took is in
 * `published`, in its order; `network(false)` cuts the cable, `hold(true)` keeps every PUBACK back.
 */
export class FakeTransport implements Transport {
  readonly #options: FakeTransportOptions;
  readonly #published: OutMessage[] = [];
  readonly #retained = new Map<string, OutMessage>();
  #link: FakeLink | null = null;
  #network: 'up' | 'down' | 'silent' = 'up';
  #isHolding = false;
  #attempts = 0;
  #refuse: ((message: OutMessage) => string | null) | null = null;

  constructor(options: FakeTransportOptions) {
    this.#options = options;
  }

  /** Everything the broker took, oldest first, wills included. */
  get published(): readonly OutMessage[] {
    return this.#published;
  }

  get attempts(): number {
    return this.#attempts;
  }

  retained(topic: string): OutMessage | undefined {
    return this.#retained.get(topic);
  }

  /**
   * `false` cuts the cable: the link ends and attempts fail. `silent`: a half-open connection,
   * where what is sent is swallowed and nobody says so.
   */
  network(isUp: boolean | 'silent'): void {
    this.#network = isUp === 'silent' ? 'silent' : isUp ? 'up' : 'down';
    if (this.#network === 'down') this.#link?.end({ kind: 'lost', reason: 'the network is off' });
  }

  hold(isHolding: boolean): void {
    this.#isHolding = isHolding;
  }

  /** An access list: a text refuses the message with it. */
  refuse(rule: ((message: OutMessage) => string | null) | null): void {
    this.#refuse = rule;
  }

  /** The broker's disk is gone: what was retained with it. */
  wipe(): void {
    this.#retained.clear();
  }

  /** Ends the link from the broker's side. */
  end(end: LinkEnd): void {
    this.#link?.end(end);
  }

  /** Something another client published; nothing happens without a link. */
  deliver(
    topic: string,
    payload: string | Uint8Array,
    more: {
      readonly retain?: boolean;
      readonly responseTopic?: string;
      readonly correlation?: Uint8Array;
    } = {},
  ): void {
    const bytes = typeof payload === 'string' ? new TextEncoder().encode(payload) : payload;
    this.#link?.events.message({ retain: false, ...more, topic, payload: bytes });
  }

  open(request: LinkRequest, events: LinkEvents): Link {
    this.#attempts += 1;
    const link = new FakeLink(request, events, this.#server());
    this.#link = link;
    this.#after(() => {
      if (this.#network === 'up') {
        link.up({
          receiveMaximum: this.#options.receiveMaximum ?? 65_535,
          maximumPacketBytes: this.#options.maximumPacketBytes ?? null,
        });
      } else {
        link.end({ kind: 'lost', reason: 'the broker cannot be reached' });
      }
    });
    return link;
  }

  #server(): Server {
    return {
      after: (task) => this.#after(task),
      take: (message) => {
        if (this.#network !== 'up') return { isHeard: false, refusal: null };
        const refusal = this.#refuse?.(message) ?? null;
        if (refusal === null) this.#keep(message);
        return { isHeard: !this.#isHolding, refusal };
      },
      will: (message) => this.#keep(message),
    };
  }

  #keep(message: OutMessage): void {
    this.#published.push(message);
    if (this.#published.length > (this.#options.keep ?? KEPT_MAX)) this.#published.shift();
    if (message.retain) this.#retained.set(message.topic, message);
  }

  #after(task: () => void): void {
    const { scheduler, roundTripMs } = this.#options;
    scheduler.at(scheduler.nowNs() + (roundTripMs ?? 1) * NS_PER_MS, task);
  }
}

interface Server {
  readonly after: (task: () => void) => void;
  readonly take: (message: OutMessage) => {
    readonly isHeard: boolean;
    readonly refusal: string | null;
  };
  readonly will: (message: OutMessage) => void;
}

class FakeLink implements Link {
  readonly events: LinkEvents;
  readonly #request: LinkRequest;
  readonly #server: Server;
  #isUp = false;
  #isEnded = false;

  constructor(request: LinkRequest, events: LinkEvents, server: Server) {
    this.#request = request;
    this.events = events;
    this.#server = server;
  }

  up(limits: Parameters<LinkEvents['up']>[0]): void {
    if (this.#isEnded) return;
    this.#isUp = true;
    this.events.up(limits);
  }

  end(end: LinkEnd): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    if (this.#isUp && end.kind !== 'stopped') this.#server.will(this.#request.will);
    this.#isUp = false;
    this.#server.after(() => this.events.closed(end));
  }

  publish(message: OutMessage, done: (refusal: string | null) => void): void {
    if (!this.#isUp) return;
    const { isHeard, refusal } = this.#server.take(message);
    if (!isHeard && refusal === null) return;
    this.#server.after(() => {
      if (!this.#isUp) return;
      done(refusal);
      // An answer may have ended the link: then nothing that is sent now is heard.
      this.events.room();
    });
  }

  subscribe(_topics: readonly string[], done: (refusal: string | null) => void): void {
    this.#server.after(() => {
      if (this.#isUp) done(null);
    });
  }

  close(): void {
    this.end({ kind: 'stopped', reason: 'closed by us' });
  }

  drop(reason: string): void {
    this.end({ kind: 'lost', reason });
  }
}
