import { createReadStream, openSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Asked, Said } from '../words.js';

/** The port by which the checks talk to the host: one JSON object a line, both ways. */
export class HostPort {
  readonly #fd: number;
  readonly #waiting = new Map<number, (answer: string) => void>();
  readonly #input: ReturnType<typeof createReadStream>;
  #asked = 0;

  constructor(path: string) {
    this.#fd = openSync(path, 'r+');
    // A port can be opened once: reading and writing share one file.
    this.#input = createReadStream(path, { fd: this.#fd });
    createInterface({ input: this.#input }).on('line', (line) => this.#hear(line));
  }

  say(said: Said): void {
    const bytes = Buffer.from(`${JSON.stringify(said)}\n`);
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#fd, bytes, at);
  }

  /** Asks the host for something that can only come from outside. */
  ask(asked: Asked): Promise<string> {
    this.#asked += 1;
    const id = this.#asked;
    const answer = new Promise<string>((resolve) => this.#waiting.set(id, resolve));
    this.say({ say: 'ask', id, asked });
    return answer;
  }

  #hear(line: string): void {
    const heard: unknown = JSON.parse(line);
    if (typeof heard !== 'object' || heard === null) return;
    if (!('id' in heard) || typeof heard.id !== 'number') return;
    const answer = 'answer' in heard && typeof heard.answer === 'string' ? heard.answer : '';
    this.#waiting.get(heard.id)?.(answer);
    this.#waiting.delete(heard.id);
  }
}

/** The agent's answer without its `ok`. @throws where it could not do it. */
export const okOf = (answer: string): readonly number[] => {
  const [word, ...numbers] = answer.split(' ');
  if (word !== 'ok') throw new Error(`the agent said: ${answer}`);
  return numbers.map(Number);
};

/** The wires of the simulated chip, moved by the agent at the host's word. */
export class Wires {
  readonly #port: HostPort;

  constructor(port: HostPort) {
    this.#port = port;
  }

  /** Moves a wire; returns when, ns. */
  async pull(offset: number, high: boolean): Promise<number> {
    const [atNs] = await this.agent(`pull ${offset} ${high ? 1 : 0}`);
    return atNs ?? NaN;
  }

  async level(offset: number): Promise<boolean> {
    const [level] = await this.agent(`value ${offset}`);
    return level === 1;
  }

  async agent(command: string): Promise<readonly number[]> {
    return okOf(await this.#port.ask({ agent: command }));
  }
}
