/**
 * One attempt to reach a broker and the link that comes of it. The session (session.ts) owns
 * everything that must outlive a link: who is waiting, what was acknowledged, when to try again.
 * Implementations: mqtt-transport.ts (a real broker), fake-transport.ts (in process).
 */
export interface Transport {
  /** Starts one attempt. Never throws and calls nothing back before it returns; ends in
   *  exactly one `closed`, whatever came before. */
  open(request: LinkRequest, events: LinkEvents): Link;
}

export interface LinkRequest {
  readonly clientId: string;
  /** Said by the broker when the link dies without a good-bye. */
  readonly will: OutMessage;
  readonly keepAliveS: number;
  readonly connectTimeoutMs: number;
}

export interface OutMessage {
  readonly topic: string;
  readonly payload: string;
  readonly qos: 0 | 1;
  readonly retain: boolean;
  /** MQTT 5 correlation data of the request this answers. */
  readonly correlation?: Uint8Array;
}

export interface InMessage {
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly retain: boolean;
  /** MQTT 5 only. */
  readonly responseTopic?: string;
  readonly correlation?: Uint8Array;
}

export interface LinkUp {
  /** Most QoS 1 messages the broker takes unacknowledged; 65,535 where it did not say. */
  readonly receiveMaximum: number;
  /** Largest packet the broker takes, bytes; null where it did not say. */
  readonly maximumPacketBytes: number | null;
}

/** Why a link ended, or an attempt failed. */
export interface LinkEnd {
  /** `taken-over`: another client came with our id. `refused`: the broker does not want us. */
  readonly kind: 'lost' | 'refused' | 'taken-over' | 'stopped';
  readonly reason: string;
}

export interface LinkEvents {
  up(link: LinkUp): void;
  message(message: InMessage): void;
  /** Some of what was published has been answered: after one `done`, or a batch of them. */
  room(): void;
  closed(end: LinkEnd): void;
}

export interface Link {
  /**
   * `done` is called at most once: with null when the broker took it (QoS 1: PUBACK; QoS 0:
   * written), with the broker's reason when it would not. Not called when the link ends first.
   */
  publish(message: OutMessage, done: (refusal: string | null) => void): void;
  subscribe(topics: readonly string[], done: (refusal: string | null) => void): void;
  /** A good-bye: the will is not sent. `closed` follows. */
  close(): void;
  /** Cut without a good-bye: the broker sends the will. `closed` follows. */
  drop(reason: string): void;
}
