import type { MqttClient } from 'mqtt';
import { TOPIC_PREFIX } from '../contract/topics.js';
import { videoEventOf } from './onvif.js';

/** Messages being published; beyond it the relay says that it is falling behind. */
const OUTSTANDING_MAX = 1000;
const SETTLE_STEP_MS = 20;

export interface RelayCounts {
  readonly heard: number;
  readonly sent: number;
  /** Heard and not sent on: no alert or mark of the contract, or too many at once. */
  readonly passedOver: number;
}

/**
 * Listens to the alerts and marks of a site (or of all) and publishes each as a video event. It
 * keeps nothing: a video system that was away has the tables' own history.
 */
export class VideoRelay {
  readonly #client: MqttClient;
  readonly #prefix: string;
  readonly #site: string | null;
  #heard = 0;
  #sent = 0;
  #passedOver = 0;
  #outstanding = 0;

  constructor(client: MqttClient, prefix: string, site: string | null) {
    this.#client = client;
    this.#prefix = prefix;
    this.#site = site;
  }

  get counts(): RelayCounts {
    return { heard: this.#heard, sent: this.#sent, passedOver: this.#passedOver };
  }

  /** What was heard is passed on and acknowledged, or `limitMs` are over. */
  async settled(limitMs: number): Promise<void> {
    for (let ms = 0; ms < limitMs; ms += SETTLE_STEP_MS) {
      if (this.#outstanding === 0 || !this.#client.connected) return;
      await new Promise((resolve) => setTimeout(resolve, SETTLE_STEP_MS));
    }
  }

  async start(): Promise<void> {
    this.#client.on('message', (topic, payload) => this.#pass(topic, payload.toString('utf8')));
    const root = `${TOPIC_PREFIX}/${this.#site ?? '+'}/+/+`;
    await this.#client.subscribeAsync([`${root}/alert`, `${root}/mark`], { qos: 1 });
  }

  #pass(topic: string, payload: string): void {
    this.#heard += 1;
    const event = videoEventOf(this.#prefix, topic, payload);
    if (event === null || this.#outstanding >= OUTSTANDING_MAX) {
      this.#passedOver += 1;
      return;
    }
    this.#outstanding += 1;
    this.#client.publish(event.topic, event.payload, { qos: 1 }, (error) => {
      this.#outstanding -= 1;
      if (error instanceof Error) this.#passedOver += 1;
      else this.#sent += 1;
    });
  }
}
