import type { Socket } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod';
import { packageRoot } from '../../../firmware-bridge/files.js';
import { encode } from '../../../firmware-bridge/framing/encode.js';
import { loadBoard } from '../../../firmware-bridge/boards/load.js';
import type { Profile } from '../../../firmware-bridge/framing/profile.js';
import type { Asked, Said, SerialName, Story } from '../words.js';
import { Guest } from './guest.js';
import type { Tier } from './tiers.js';

/** A machine on a serial line says that it lives this often, ms. */
const ALIVE_MS = 2_000;

const serial = z.enum(['serial', 'panel']);
const askedSchema: z.ZodType<Asked> = z.union([
  z.strictObject({ agent: z.string() }),
  z.strictObject({ send: z.string(), to: serial }),
  z.strictObject({ heard: serial }),
  z.strictObject({ story: z.literal(true) }),
  z.strictObject({ device: z.string(), property: z.string(), value: z.number() }),
]);
const figureSchema = z.strictObject({
  what: z.enum(['edge to callback', 'edge to gate output']),
  backend: z.enum(['gpiochip', 'onoff', 'virtual']),
  count: z.number(),
  p50Us: z.number(),
  p95Us: z.number(),
  maxUs: z.number(),
});
const saidSchema: z.ZodType<Said> = z.discriminatedUnion('say', [
  z.strictObject({ say: z.literal('ask'), id: z.number(), asked: askedSchema }),
  z.strictObject({ say: z.literal('passed'), name: z.string(), ms: z.number() }),
  z.strictObject({ say: z.literal('failed'), name: z.string(), why: z.string() }),
  z.strictObject({ say: z.literal('note'), text: z.string() }),
  z.strictObject({ say: z.literal('figure'), figure: figureSchema }),
  z.strictObject({ say: z.literal('journal'), backend: z.string(), rows: z.array(z.string()) }),
  z.strictObject({ say: z.literal('end') }),
]);

export type Heard = Exclude<Said, { say: 'ask' | 'end' }>;

/** How long a guest may take to go off after its last word, ms. */
const OFF_MS = 10_000;

/** Machines of the rig's board by the channel of their line. */
const MACHINES: Readonly<Record<SerialName, string>> = { serial: 'shuffler', panel: 'panel' };

/** One run of a guest: passes on what it tells and does what it asks for. */
export class Session {
  readonly #tier: Tier;
  readonly #story: Story;
  readonly #guest: Guest;
  readonly #profiles: Readonly<Record<string, Profile>>;
  readonly #heard: Record<SerialName, string> = { serial: '', panel: '' };
  #alive: NodeJS.Timeout | null = null;
  #ended = false;

  constructor(tier: Tier, story: Story, verbose: boolean) {
    this.#tier = tier;
    this.#story = story;
    this.#profiles = loadBoard(join(packageRoot(), 'test/arm/rig.yaml')).profiles;
    const log = (line: string): void => {
      if (verbose) process.stdout.write(`    | ${line}\n`);
    };
    this.#guest = new Guest({ ...tier.guest, log });
  }

  /** Runs to the guest's own end. Null when it ended as it should; else why it did not. */
  async run(tell: (heard: Heard) => void): Promise<string | null> {
    try {
      const checks = await this.#guest.open('checks');
      await this.#guest.lines('checks', (line) => {
        this.#guest.heard();
        // The Pi's checks share their port with its console.
        if (!line.startsWith('{')) {
          this.#guest.note(line);
          return;
        }
        const parsed = saidSchema.safeParse(JSON.parse(line));
        if (!parsed.success) tell({ say: 'failed', name: 'the port', why: line });
        else if (parsed.data.say === 'end') this.#end();
        else if (parsed.data.say === 'ask') void this.#answer(checks, parsed.data);
        else tell(parsed.data);
      });
      if (this.#tier.hasStory) await this.#plugMachines();
      const why = await this.#guest.ended;
      return why ?? (this.#ended ? null : 'the guest ended before its checks did');
    } finally {
      if (this.#alive !== null) clearInterval(this.#alive);
      this.#guest.stop('the rig ended');
    }
  }

  /** The emulated Pi cannot switch itself off: it stands still after its last word. */
  #end(): void {
    this.#ended = true;
    setTimeout(() => this.#guest.stop(null), OFF_MS).unref();
  }

  console(): string {
    return this.#guest.console.join('\n');
  }

  /** The far ends of the serial lines: they say who they are and that they live. */
  async #plugMachines(): Promise<void> {
    for (const name of ['serial', 'panel'] as const) {
      const socket = await this.#guest.open(name);
      socket.on('data', (bytes) => {
        this.#heard[name] += bytes.toString('hex');
      });
    }
  }

  async #keepAlive(): Promise<void> {
    const beat = async (first: boolean): Promise<void> => {
      for (const name of ['serial', 'panel'] as const) {
        const profile = this.#profiles[MACHINES[name]];
        if (profile === undefined) continue;
        const socket = await this.#guest.open(name);
        const identity = `rig-${MACHINES[name]}/1`;
        const say = (observe: string, values: Readonly<Record<string, string | boolean>>): void => {
          const frame = encode(profile, { observe, values }, 0);
          if (frame !== null) socket.write(frame);
        };
        if (first) say('identity', { identity });
        say('alive', profile.body === 'json' ? { alive: true } : {});
      }
    };
    await beat(true);
    this.#alive ??= setInterval(() => void beat(false), ALIVE_MS);
  }

  async #answer(checks: Socket, { id, asked }: Extract<Said, { say: 'ask' }>): Promise<void> {
    const answer = await this.#do(asked);
    checks.write(`${JSON.stringify({ id, answer })}\n`);
  }

  async #do(asked: Asked): Promise<string> {
    if ('agent' in asked) return this.#agent(asked.agent);
    if ('send' in asked) {
      const socket = await this.#guest.open(asked.to);
      socket.write(Buffer.from(asked.send, 'hex'));
      return 'ok';
    }
    if ('heard' in asked) {
      const heard = this.#heard[asked.heard];
      this.#heard[asked.heard] = '';
      return heard;
    }
    if ('story' in asked) {
      await this.#keepAlive();
      return JSON.stringify(this.#story);
    }
    const { device, property, value } = asked;
    return this.#set(device, property, value);
  }

  /** Sets a property of one of the emulator's devices. */
  async #set(path: string, property: string, value: number): Promise<string> {
    if (this.#monitor === null) {
      this.#monitor = await this.#guest.lines('qmp', (line) => {
        if (/"(return|error)"/.test(line)) this.#returned.shift()?.(line);
      });
      await this.#command({ execute: 'qmp_capabilities' });
    }
    const answer = await this.#command({
      execute: 'qom-set',
      arguments: { path, property, value },
    });
    return answer.includes('"return"') ? 'ok' : answer;
  }

  #monitor: Socket | null = null;
  readonly #returned: ((answer: string) => void)[] = [];

  #command(command: object): Promise<string> {
    return new Promise((resolve) => {
      this.#returned.push(resolve);
      this.#monitor?.write(`${JSON.stringify(command)}\n`);
    });
  }

  readonly #asked: ((answer: string) => void)[] = [];
  #agentReady: Promise<Socket> | null = null;

  /** One command after another; the agent's first word is `ready`. */
  async #agent(command: string): Promise<string> {
    this.#agentReady ??= this.#guest.lines('agent', (line) => {
      if (line !== 'ready') this.#asked.shift()?.(line);
    });
    const socket = await this.#agentReady;
    return new Promise((resolve) => {
      this.#asked.push(resolve);
      socket.write(`${command}\n`);
    });
  }
}
