import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { type IClientOptions, MqttClient, ReasonCodes } from 'mqtt';
import { writeToStream } from 'mqtt-packet';
import { BrokerStream } from './broker-stream.js';
import type {
  InMessage,
  Link,
  LinkEnd,
  LinkEvents,
  LinkRequest,
  OutMessage,
  Transport,
} from './transport.js';
import { withVersionCure } from './version-words.js';

// Else the library keeps each of the 65,536 numbers as a buffer of its own: 6 MB.
writeToStream.cacheNumbers = false;

export interface BrokerAddress {
  readonly host: string;
  readonly port: number;
  /** `5`, or the declared weaker mode `3.1.1`: refusals by the access list are not seen there. */
  readonly mqtt: '5' | '3.1.1';
  /** Null: plain TCP, for a demo on this machine only. */
  readonly tls: TlsIdentity | null;
  /** Where a broker asks for a name and a password beside or instead of a certificate. */
  readonly username?: string;
  readonly password?: string;
}

/** PEM texts; the key stays in this process. */
export interface TlsIdentity {
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
  /** Name the broker's certificate must carry; the host where it is not given. */
  readonly serverName?: string;
}

/** Largest packet we take, bytes: commands and acks are small, and so are PUBACKs. */
const MAX_IN_BYTES = 16_384;
/**
 * Largest packet that does not end the link, bytes. MQTT 5 brokers are told the limit above;
 * 3.1.1 knows none, and whoever may write an order could else fill this machine's memory.
 */
const MAX_PACKET_BYTES = 1_048_576;
/** QoS 1 messages the broker may have outstanding towards us. */
const RECEIVE_MAXIMUM = 16;
const DEFAULT_RECEIVE_MAXIMUM = 65_535;
/** CONNACK and DISCONNECT reason codes that waiting does not cure by itself. */
const REFUSALS: ReadonlySet<number> = new Set([1, 2, 4, 5, 132, 133, 134, 135, 138, 140]);
const TAKEN_OVER = 142;

/** Packet ids up to here are ours; the library has the rest for what it subscribes to. */
const OWN_IDS = 60_000;
const ALL_IDS = 65_535;
/** Reason codes from here on say that the broker would not take it. */
const FIRST_REFUSAL = 0x80;

/**
 * A link over mqtt.js. Each attempt is a new client that is thrown away at its end: the library's
 * queue, its re-send at reconnect, its timers and its packet ids never outlive a connection, so
 * none of its ways to lose a message is ever taken. What is to be sent again comes from the
 * journal.
 */
export class MqttTransport implements Transport {
  readonly #address: BrokerAddress | (() => BrokerAddress);

  /** Give a function where the certificate may be renewed: it is asked at each attempt. */
  constructor(address: BrokerAddress | (() => BrokerAddress)) {
    this.#address = address;
  }

  open(request: LinkRequest, events: LinkEvents): Link {
    try {
      const address = typeof this.#address === 'function' ? this.#address() : this.#address;
      return new MqttLink(address, request, events);
    } catch (cause) {
      // A certificate that cannot be read or used: said, and tried again like any other failure.
      const reason = cause instanceof Error ? cause.message : 'the attempt could not be made';
      setImmediate(() => events.closed({ kind: 'refused', reason }));
      return NO_LINK;
    }
  }
}

const NO_PROPERTIES = {};

const refusalOf = (reasonCode: number): string => {
  const known = Object.entries(ReasonCodes).find(([code]) => Number(code) === reasonCode)?.[1];
  return known ?? `reason ${reasonCode}`;
};

const NO_LINK: Link = {
  publish: () => undefined,
  subscribe: () => undefined,
  close: () => undefined,
  drop: () => undefined,
};

const optionsOf = (address: BrokerAddress, request: LinkRequest): IClientOptions => {
  const { username, password } = address;
  const isV5 = address.mqtt === '5';
  return {
    protocolVersion: isV5 ? 5 : 4,
    protocolId: 'MQTT',
    clientId: request.clientId,
    clean: true,
    keepalive: request.keepAliveS,
    reschedulePings: true,
    connectTimeout: request.connectTimeoutMs,
    reconnectPeriod: 0,
    resubscribe: false,
    queueQoSZero: false,
    messageIdProvider: new UpperIds(),
    timerVariant: 'native',
    will: {
      topic: request.will.topic,
      payload: Buffer.from(request.will.payload),
      qos: request.will.qos,
      retain: request.will.retain,
    },
    ...(isV5
      ? {
          properties: {
            sessionExpiryInterval: 0,
            receiveMaximum: RECEIVE_MAXIMUM,
            maximumPacketSize: MAX_IN_BYTES,
          },
        }
      : {}),
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
  };
};

const tlsOptions = (tls: TlsIdentity, host: string): ConnectionOptions => ({
  ca: tls.ca,
  cert: tls.certificate,
  key: tls.key,
  // A name, never an address (RFC 6066); the certificate is held against the address all the same.
  ...(tls.serverName !== undefined || isIP(host) === 0
    ? { servername: tls.serverName ?? host }
    : {}),
  rejectUnauthorized: true,
  minVersion: 'TLSv1.3',
});

/** Ids for the library, of the part that we leave to it. */
class UpperIds {
  #last = OWN_IDS;

  allocate(): number {
    this.#last = this.#last >= ALL_IDS ? OWN_IDS + 1 : this.#last + 1;
    return this.#last;
  }

  getLastAllocated(): number {
    return this.#last;
  }

  register(): boolean {
    return true;
  }

  deallocate(): void {
    // Used in turn: by the time one comes round again its SUBSCRIBE is long answered.
  }

  clear(): void {
    this.#last = OWN_IDS;
  }
}

type Done = (refusal: string | null) => void;
interface Answer {
  readonly done: Done;
  readonly reasonCode: number;
}

class MqttLink implements Link {
  readonly #client: MqttClient;
  readonly #stream: BrokerStream;
  readonly #isV5: boolean;
  readonly #events: LinkEvents;
  #end: LinkEnd | null = null;
  #isClosed = false;
  /** What the broker has answered since the last turn, told together. */
  #answers: Answer[] = [];
  /** Sent and not acknowledged, by packet id. */
  readonly #open = new Map<number, Done>();
  #lastId = 0;

  constructor(address: BrokerAddress, request: LinkRequest, events: LinkEvents) {
    const { host, port, tls, mqtt } = address;
    this.#isV5 = mqtt === '5';
    this.#events = events;
    const stream = new BrokerStream({
      ...{ host, port, most: { pubackBytes: MAX_IN_BYTES, otherBytes: MAX_PACKET_BYTES } },
      tls: tls === null ? null : tlsOptions(tls, host),
      acknowledged: (id, reasonCode) => this.#acknowledged(id, reasonCode),
      failed: (error) => {
        this.#end ??= endOf(0, reasonOf(error));
      },
    });
    this.#stream = stream;
    this.#client = new MqttClient(() => stream, optionsOf(address, request));
    this.#listen();
  }

  publish(message: OutMessage, done: Done): void {
    if (this.#isClosed || !this.#client.connected) return;
    const { topic, payload, qos, retain, correlation } = message;
    if (qos === 0) {
      this.#client.publish(topic, payload, { qos, retain }, () => done(null));
      return;
    }
    const id = this.#freeId();
    this.#open.set(id, done);
    const properties = correlation === undefined ? NO_PROPERTIES : { correlation };
    this.#stream.send({ topic, payload, retain, id, properties: this.#isV5 ? properties : null });
  }

  #freeId(): number {
    do {
      this.#lastId = this.#lastId >= OWN_IDS ? 1 : this.#lastId + 1;
    } while (this.#open.has(this.#lastId));
    return this.#lastId;
  }

  /**
   * A broker sends its PUBACKs one by one. Told together, what is sent in their place leaves in
   * one write instead of one for each message.
   */
  #acknowledged(id: number, reasonCode: number): void {
    const done = this.#open.get(id);
    if (done === undefined) return;
    this.#open.delete(id);
    if (this.#answers.push({ done, reasonCode }) === 1) setImmediate(() => this.#tellAnswers());
  }

  #tellAnswers(): void {
    const answers = this.#answers;
    this.#answers = [];
    // The library does not see them, and would ask a broker that answers whether it lives.
    this.#client.reschedulePing();
    for (const { done, reasonCode } of answers) {
      if (this.#isClosed || this.#end !== null) return;
      done(reasonCode < FIRST_REFUSAL ? null : refusalOf(reasonCode));
    }
    // An answer may have ended the link.
    if (!this.#isClosed && this.#end === null) this.#events.room();
  }

  subscribe(topics: readonly string[], done: (refusal: string | null) => void): void {
    if (this.#isClosed || !this.#client.connected) return;
    this.#client.subscribe([...topics], { qos: 1 }, (error) => {
      if (this.#isClosed || this.#end !== null) return;
      done(error === null ? null : error.message);
    });
  }

  close(): void {
    this.#end ??= { kind: 'stopped', reason: 'closed by us' };
    if (this.#client.connected) this.#client.end(false);
    else this.#cut();
  }

  drop(reason: string): void {
    this.#end ??= { kind: 'lost', reason };
    this.#cut();
  }

  /** No DISCONNECT: the broker is to send the will. */
  #cut(): void {
    this.#stream.destroy();
    this.#client.end(true);
    // A stream that never opened does not always say that it is closed.
    setImmediate(() => this.#closed());
  }

  #listen(): void {
    const client = this.#client;
    client.on('connect', (packet) => {
      if (this.#end !== null) return;
      const { properties } = packet;
      this.#events.up({
        receiveMaximum: properties?.receiveMaximum ?? DEFAULT_RECEIVE_MAXIMUM,
        maximumPacketBytes: properties?.maximumPacketSize ?? null,
      });
    });
    client.on('message', (topic, payload, packet) => {
      if (this.#isClosed) return;
      const { responseTopic, correlationData } = packet.properties ?? {};
      const message: InMessage = {
        topic,
        payload,
        retain: packet.retain,
        ...(responseTopic === undefined ? {} : { responseTopic }),
        ...(correlationData === undefined ? {} : { correlation: correlationData }),
      };
      this.#events.message(message);
    });
    client.on('disconnect', (packet) => {
      const code = packet.reasonCode ?? 0;
      this.#end ??= endOf(code, `the broker ended the session with reason ${code}`);
    });
    client.on('error', (error) => {
      const code = 'code' in error && typeof error.code === 'number' ? error.code : 0;
      this.#end ??= endOf(code, reasonOf(error));
      this.#cut();
    });
    client.on('close', () => this.#closed());
    client.on('end', () => this.#closed());
  }

  #closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#client.end(true);
    this.#events.closed(this.#end ?? { kind: 'lost', reason: 'the connection was closed' });
  }
}

/** A failed handshake names what to look at: it is a certificate or a clock. */
const reasonOf = (error: Error): string => {
  const said = error.message.trim() || 'the link failed';
  const code = 'code' in error ? String(error.code) : '';
  const isTls = /certificate|ssl|tls/i.test(said) || /^(ERR_(SSL|TLS)|CERT_|UNABLE_TO)/.test(code);
  return isTls
    ? `the TLS handshake failed: ${said}; compare the clocks and see to the certificates ` +
        '(cutcard provision status)'
    : withVersionCure(said);
};

const endOf = (code: number, reason: string): LinkEnd => {
  if (code === TAKEN_OVER) {
    return {
      kind: 'taken-over',
      reason: "another client came with this table's id: two boxes carry the same name",
    };
  }
  return { kind: REFUSALS.has(code) ? 'refused' : 'lost', reason };
};
