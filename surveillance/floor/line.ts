import { isIP } from 'node:net';
import { connect, type IClientOptions, type MqttClient } from 'mqtt';
import { Backoff, type BackoffLimits } from '../mqtt/backoff.js';
import type { BrokerAddress } from '../mqtt/mqtt-transport.js';
import { withVersionCure } from '../mqtt/version-words.js';

const KEEP_ALIVE_S = 12;
const CONNECT_MS = 10_000;
/** QoS 1 messages the broker may have outstanding towards us. */
const RECEIVE_MAXIMUM = 500;
/** Own publishes (acks, orders) under way at most; what is beyond is said again later. */
const OUT_MAX = 2000;
const BACKOFF: BackoffLimits = { baseMs: 250, capMs: 10_000, floorMs: 50 };

export interface LineMessage {
  readonly topic: string;
  readonly payload: Buffer;
  readonly retain: boolean;
}

export interface LineParts {
  readonly address: () => BrokerAddress;
  readonly clientId: string;
  /** Asked at each connection. */
  readonly subscriptions: () => readonly string[];
  readonly message: (message: LineMessage) => void;
  /** False while no more can be taken in: the broker then waits. */
  readonly hasRoom: () => boolean;
  readonly changed: (isUp: boolean, why: string) => void;
  readonly random: () => number;
}

/**
 * The service's link to a broker. A new client for each attempt, as at the table; nothing is
 * queued here: what must not be lost is in the store and in the tables' journals.
 */
export class Line {
  readonly #parts: LineParts;
  readonly #backoff: Backoff;
  #client: MqttClient | null = null;
  #isUp = false;
  #upSinceMs = 0;
  #out = 0;
  #timer: NodeJS.Timeout | null = null;
  #isStopped = true;
  /** The library waits for this before it takes the next packet. */
  #waiting: (() => void)[] = [];

  constructor(parts: LineParts) {
    this.#parts = parts;
    this.#backoff = new Backoff(BACKOFF, parts.random);
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  start(): void {
    if (!this.#isStopped) return;
    this.#isStopped = false;
    this.#open();
  }

  /** Room was made: the broker may go on. */
  drained(): void {
    if (this.#waiting.length === 0 || !this.#parts.hasRoom()) return;
    for (const next of this.#waiting.splice(0)) next();
  }

  /** False where it could not be sent; QoS 1. */
  publish(topic: string, payload: string, retain: boolean): boolean {
    const client = this.#client;
    if (client === null || !this.#isUp || this.#out >= OUT_MAX) return false;
    this.#out += 1;
    client.publish(topic, payload, { qos: 1, retain }, () => {
      if (client === this.#client) this.#out -= 1;
    });
    return true;
  }

  /** Safe twice. */
  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    const client = this.#client;
    this.#client = null;
    if (client === null) return;
    for (const next of this.#waiting.splice(0)) next();
    const closed = new Promise<void>((resolve) => client.end(false, {}, () => resolve()));
    const late = new Promise<void>((resolve) => setTimeout(resolve, 2000).unref());
    await Promise.race([closed, late]);
    client.end(true);
    this.#down('stopped');
  }

  #open(): void {
    const { address, clientId } = this.#parts;
    let client: MqttClient;
    try {
      client = connect(optionsOf(address(), clientId));
    } catch (cause) {
      this.#later(cause instanceof Error ? cause.message : 'the attempt could not be made');
      return;
    }
    this.#client = client;
    this.#out = 0;
    let why = 'the connection was closed';
    client.handleMessage = (_packet, next) => {
      if (this.#parts.hasRoom()) next();
      else this.#waiting.push(() => next());
    };
    client.on('connect', () => this.#connected(client));
    client.on('message', (topic, payload, { retain }) => {
      this.#parts.message({ topic, payload, retain });
    });
    client.on('error', (error) => {
      why = error.message === '' ? why : withVersionCure(error.message);
      client.end(true);
    });
    const closed = (): void => {
      if (this.#client !== client) return;
      this.#client = null;
      this.#waiting = [];
      client.end(true);
      this.#down(why);
      this.#later(why);
    };
    client.on('close', closed);
    client.on('end', closed);
  }

  #connected(client: MqttClient): void {
    if (client !== this.#client) return;
    client.subscribe([...this.#parts.subscriptions()], { qos: 1 }, (error) => {
      if (client !== this.#client) return;
      if (error !== null) {
        client.end(true);
        return;
      }
      this.#isUp = true;
      this.#upSinceMs = performance.now();
      this.#parts.changed(true, 'connected');
    });
  }

  #down(why: string): void {
    if (!this.#isUp) return;
    this.#isUp = false;
    this.#parts.changed(false, why);
  }

  #later(why: string): void {
    if (this.#isStopped) return;
    const upMs = this.#upSinceMs === 0 ? 0 : performance.now() - this.#upSinceMs;
    this.#upSinceMs = 0;
    if (upMs === 0) this.#parts.changed(false, why);
    this.#timer = setTimeout(() => this.#open(), this.#backoff.nextMs(upMs));
  }
}

const optionsOf = (address: BrokerAddress, clientId: string): IClientOptions => {
  const { tls, username, password, host } = address;
  const isV5 = address.mqtt === '5';
  const name = tls?.serverName ?? (isIP(host) === 0 ? host : undefined);
  return {
    protocol: tls === null ? 'mqtt' : 'mqtts',
    host,
    port: address.port,
    protocolVersion: isV5 ? 5 : 4,
    protocolId: 'MQTT',
    clientId,
    clean: true,
    keepalive: KEEP_ALIVE_S,
    reschedulePings: true,
    connectTimeout: CONNECT_MS,
    reconnectPeriod: 0,
    resubscribe: false,
    queueQoSZero: false,
    timerVariant: 'native',
    ...(isV5 ? { properties: { sessionExpiryInterval: 0, receiveMaximum: RECEIVE_MAXIMUM } } : {}),
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(tls === null
      ? {}
      : {
          ca: tls.ca,
          cert: tls.certificate,
          key: tls.key,
          ...(name === undefined ? {} : { servername: name }),
          rejectUnauthorized: true,
          minVersion: 'TLSv1.3',
        }),
  };
};
