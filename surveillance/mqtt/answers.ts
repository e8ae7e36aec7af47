import type { ReplyMessage } from '../contract/messages.js';
import { type Asker, replyTopicOf } from './commands.js';
import type { OutMessage } from './transport.js';

/**
 * Answers waiting for room: a burst of refusals and what else is recorded until a dead link is
 * noticed. Beyond it the oldest is dropped: its asker has timed out by then.
 */
const ANSWERS_MAX = 256;

/** Answers to orders, until there is room to send them. */
export class Answers {
  readonly #topic: string;
  #waiting: { readonly reply: ReplyMessage; readonly asker: Asker }[] = [];

  /** `topic`: where an answer goes whose asker named none. */
  constructor(topic: string) {
    this.#topic = topic;
  }

  add(reply: ReplyMessage, asker: Asker): void {
    if (this.#waiting.length >= ANSWERS_MAX) this.#waiting.shift();
    this.#waiting.push({ reply, asker });
  }

  clear(): void {
    this.#waiting = [];
  }

  next(): OutMessage | null {
    const next = this.#waiting.shift();
    if (next === undefined) return null;
    const { reply, asker } = next;
    const { correlation } = asker;
    return {
      topic: replyTopicOf(this.#topic, asker),
      payload: JSON.stringify(reply),
      qos: 1,
      retain: false,
      ...(correlation === undefined ? {} : { correlation }),
    };
  }
}
