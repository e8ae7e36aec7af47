import { createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { decode } from '../../firmware-bridge/framing/decode.js';
import { frameOf, jsonBytes } from '../../firmware-bridge/framing/encode.js';
import { Framer } from '../../firmware-bridge/framing/framer.js';
import type { Profile } from '../../firmware-bridge/framing/profile.js';
import { ROLES, type Role } from '../core/cards.js';
import { parsePress, PRESS_ROLE, type RawPress } from '../core/press-parse.js';

/** How often the panel says that it is there, ms. */
const ALIVE_MS = 5000;
/** Longest wait for the table's answer to one press, ms. */
const ANSWER_MS = 5000;
const NUMBER_MAX = 65_535;
const LINE_MAX = 256;
/** A table that leaves so many messages unanswered is none, or speaks another protocol. */
const UNANSWERED_MAX = 64;
const GONE = 'the table went away before it answered: see what its page says';

export interface PanelParts {
  readonly profile: Profile;
  readonly host: string;
  readonly port: number;
  readonly input: Readable;
  readonly output: Writable;
}

/** What the table's sounds mean to whoever stands at the terminal. */
const SOUNDS: Readonly<Record<string, string>> = {
  stop: 'sound: STOP, no card may leave; its page says why',
  hold: 'sound: a step is missing; its page says which',
  notice: 'sound: a notice; its page says what',
  escalate: 'sound: a finding nobody has answered yet; its page says which',
};

/** What the table said, in words; as it came where this panel has none for it. */
const wordsOf = (value: unknown): string => {
  if (typeof value === 'object' && value !== null) {
    if ('announce' in value) return `announced: ${String(value.announce)}`;
    const sound = 'sound' in value ? SOUNDS[String(value.sound)] : undefined;
    if (sound !== undefined) return sound;
  }
  return `table says ${JSON.stringify(value)}`;
};

const isRole = (word: string): word is Role => ROLES.some((role) => role === word);

/** `cut seat 13` or `floor: clear 3` as a press; words that say what is wrong with it else. */
export const pressOfLine = (line: string): RawPress | string => {
  const match = /^(?:([a-z]+):\s*)?([a-z-]+)(?:\s+(.+))?$/.exec(line.trim());
  const [, who, key, rest] = match ?? [];
  if (key === undefined || line.length > LINE_MAX) {
    return 'write KEY or KEY VALUE, such as `first-card 7` or `floor: clear 3`';
  }
  if (who !== undefined && !isRole(who)) return `there is no role ${who}: ${ROLES.join(', ')}`;
  const lowest = Object.entries(PRESS_ROLE).find(([known]) => known === key)?.[1];
  if (lowest === undefined) return `there is no key ${key}; ${Object.keys(PRESS_ROLE).join(' ')}`;
  const value = rest === undefined ? {} : { value: /^\d+$/.test(rest) ? Number(rest) : rest };
  const raw: RawPress = { key, role: who === undefined ? lowest : who, ...value };
  const parsed = parsePress(raw);
  return parsed.ok ? raw : parsed.why;
};

/**
 * Plays the operator panel of a development board: the table connects to it, lines typed here go
 * there as presses, and the table's answers and words are shown.
 */
export class Panel {
  readonly #parts: PanelParts;
  readonly #server: Server;
  readonly #framer: Framer;
  #table: Socket | null = null;
  #number = 0;
  /** What was sent to the table that is there, in order: each gets one answer. */
  readonly #unanswered: ((words: string) => void)[] = [];
  #arrived: () => void = () => undefined;

  constructor(parts: PanelParts) {
    this.#parts = parts;
    this.#server = createServer((socket) => this.#welcome(socket));
    this.#framer = new Framer(parts.profile.frame, {
      frame: (buffer, from, to) => this.#hear(buffer, from, to),
      rejected: () => undefined,
    });
  }

  /** Until the input ends or the signal aborts. @returns presses that the table did not take */
  async run(signal: AbortSignal): Promise<number> {
    const { host, port, input, output } = this.#parts;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, resolve);
    });
    const alive = setInterval(() => this.#send({ alive: true }), ALIVE_MS);
    const lines = createInterface({ input, signal });
    const place = this.#server.address();
    const at = typeof place === 'object' && place !== null ? place.port : port;
    this.#say(`waiting for the table on ${host}:${at}; keys as in docs/DEVBOARD.md, end: Ctrl-D`);
    let refused = 0;
    try {
      for await (const line of lines) {
        if (line.trim() === '' || line.startsWith('#')) continue;
        const raw = pressOfLine(line);
        if (typeof raw === 'string') {
          refused += 1;
          this.#say(`not sent: ${raw}`);
          continue;
        }
        await this.#present(signal);
        const words = await this.#press(raw);
        if (words !== 'taken') refused += 1;
        output.write(`${raw.key}: ${words}\n`);
      }
    } finally {
      clearInterval(alive);
      this.#table?.destroy();
      this.#server.close();
    }
    return refused;
  }

  #say(words: string): void {
    this.#parts.output.write(`panel: ${words}\n`);
  }

  #present(signal: AbortSignal): Promise<void> {
    if (this.#table !== null || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      this.#arrived = resolve;
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  #press(raw: RawPress): Promise<string> {
    return new Promise((resolve) => {
      const late = setTimeout(() => resolve('the table did not answer'), ANSWER_MS);
      this.#send({ n: this.#number, ...raw }, (words) => {
        clearTimeout(late);
        resolve(words);
      });
      this.#number = (this.#number + 1) % (NUMBER_MAX + 1);
    });
  }

  /** `answered`: once, with the table's answer to this message, or when it can give none. */
  #send(
    message: Readonly<Record<string, unknown>>,
    answered: (words: string) => void = () => undefined,
  ): void {
    const { frame, ack } = this.#parts.profile;
    if (this.#table === null) return;
    this.#table.write(frameOf(frame, jsonBytes(message)));
    if (ack === undefined) return;
    this.#unanswered.push(answered);
    if (this.#unanswered.length > UNANSWERED_MAX) this.#table.destroy();
  }

  /** Answers of a table that is gone do not come: the next one's are for what it is sent. */
  #forget(): void {
    for (const answered of this.#unanswered.splice(0)) answered(GONE);
  }

  /** One table at a time: a new one takes the place of the last. */
  #welcome(socket: Socket): void {
    this.#table?.destroy();
    this.#forget();
    this.#table = socket;
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      if (this.#table === socket) this.#take(bytes);
    });
    socket.on('close', () => {
      if (this.#table !== socket) return;
      this.#table = null;
      this.#forget();
      this.#say('the table went away');
    });
    this.#say('the table is there');
    this.#send({ identity: 'terminal panel' });
    this.#arrived();
  }

  #take(bytes: Uint8Array): void {
    const { ack } = this.#parts.profile;
    for (const byte of bytes) {
      if (byte === ack?.accept) this.#unanswered.shift()?.('taken');
      if (byte === ack?.refuse) this.#unanswered.shift()?.('refused');
    }
    this.#framer.push(bytes, 0);
  }

  #hear(buffer: Uint8Array, from: number, to: number): void {
    const { decoded } = decode(this.#parts.profile, buffer, from, to);
    if (!decoded.ok || decoded.says.say !== 'json') return;
    this.#say(wordsOf(decoded.says.value));
  }
}
