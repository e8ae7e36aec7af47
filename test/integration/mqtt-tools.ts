import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import type { Decision } from '../../controller/core/decision.js';
import { evolve } from '../../controller/core/evolve.js';
import type { Happening } from '../../controller/core/observation.js';
import type { Cancel, Scheduler, TableStep } from '../../controller/core/ports.js';
import { initialState, type TableState } from '../../controller/core/state.js';
import { Publisher, type PublisherParts } from '../../surveillance/mqtt/publisher.js';
import type { PublisherFault } from '../../surveillance/mqtt/publisher-parts.js';
import type { Transport } from '../../surveillance/mqtt/transport.js';
import { type Missing, needsProgram } from '../support/needs.js';
import { inspectOwn, MemoryJournal, NAME, tableOf } from '../unit/surveillance/rows.js';

/** These tests wait for things to come about, on a machine that is busy with other tests. */
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const FOUND = ['/usr/sbin/mosquitto', '/usr/local/sbin/mosquitto', '/usr/bin/mosquitto'];
export const MOSQUITTO = FOUND.find((path) => existsSync(path)) ?? null;

/** Why these tests do not run here; null when they do. */
export const whyNoMosquitto = (): Missing =>
  (MOSQUITTO === null ? needsProgram('mosquitto') : null) ?? needsProgram('mosquitto_sub');

export const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms));

export const until = async (what: string, isTrue: () => boolean, ms = 60_000): Promise<void> => {
  const end = Date.now() + ms;
  while (!isTrue()) {
    if (Date.now() > end) throw new Error(`after ${ms} ms still not: ${what}`);
    await sleep(10);
  }
};

export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = dial(port, '127.0.0.1');
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });

/** A mosquitto of our own on loopback, with its store in a folder of its own. */
export class Mosquitto {
  readonly dir = mkdtempSync(join(tmpdir(), 'cutcard-mosquitto-'));
  #child: ChildProcess | null = null;
  log = '';

  readonly port: number;

  private constructor(port: number) {
    this.port = port;
  }

  /** `config` gets the port and the folder for its store. */
  static async start(
    config: (port: number, dir: string) => string = plainConfig,
  ): Promise<Mosquitto> {
    const port = await freePort();
    const broker = new Mosquitto(port);
    writeFileSync(join(broker.dir, 'mosquitto.conf'), config(port, broker.dir));
    await broker.up();
    return broker;
  }

  async up(): Promise<void> {
    const child = spawn(MOSQUITTO ?? 'mosquitto', ['-c', join(this.dir, 'mosquitto.conf')], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    const keep = (chunk: Buffer): void => {
      this.log = (this.log + chunk.toString()).slice(-20_000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    for (let i = 0; i < 2400; i += 1) {
      if (await answers(this.port)) return;
      if (child.exitCode !== null) break;
      await sleep(25);
    }
    throw new Error(`mosquitto did not come up on port ${this.port}: ${this.log}`);
  }

  /** Without warning, as in a power cut. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    this.#child = null;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  }

  hup(): void {
    this.#child?.kill('SIGHUP');
  }

  /** What it kept on disk is gone. */
  wipe(): void {
    rmSync(join(this.dir, 'mosquitto.db'), { force: true });
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.dir, { recursive: true, force: true });
  }
}

export const plainConfig = (port: number, dir: string): string =>
  [
    `listener ${port} 127.0.0.1`,
    'allow_anonymous true',
    'persistence true',
    `persistence_location ${dir}/`,
    'max_queued_messages 200000',
    'user root',
    '',
  ].join('\n');

/** mosquitto_sub: a consumer that shares no line of code with us. */
export class Subscriber {
  readonly lines: { readonly topic: string; readonly payload: string }[] = [];
  readonly #child: ChildProcess;
  #rest = '';

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.stdout?.on('data', (chunk: Buffer) => {
      const parts = (this.#rest + chunk.toString()).split('\n');
      this.#rest = parts.pop() ?? '';
      for (const line of parts) {
        const tab = line.indexOf('\t');
        this.lines.push({ topic: line.slice(0, tab), payload: line.slice(tab + 1) });
      }
    });
  }

  static async start(port: number, topics: readonly string[]): Promise<Subscriber> {
    const args = ['-h', '127.0.0.1', '-p', `${port}`, '-V', 'mqttv5', '-q', '1', '-F', '%t\t%p'];
    const child = spawn(
      'mosquitto_sub',
      [...args, ...['probe', ...topics].flatMap((topic) => ['-t', topic])],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const subscriber = new Subscriber(child);
    for (let i = 0; i < 1000 && !subscriber.lines.some(({ topic }) => topic === 'probe'); i += 1) {
      publishOnce(port, 'probe', 'x');
      await sleep(20);
    }
    return subscriber;
  }

  of(topic: string): string[] {
    return this.lines.filter((line) => line.topic === topic).map(({ payload }) => payload);
  }

  stop(): void {
    this.#child.kill('SIGKILL');
  }
}

export const publishOnce = (port: number, topic: string, payload: string | Buffer): void => {
  const args = ['-h', '127.0.0.1', '-p', `${port}`, '-V', 'mqttv5', '-q', '1', '-t', topic, '-s'];
  execFileSync('mosquitto_pub', args, { input: payload, timeout: 60_000 });
};

/** A cable between a client and its broker that can be cut, frozen or narrowed. */
export class Cable {
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #isFrozen = false;
  #isCut = false;
  port = 0;

  private constructor(to: number) {
    this.#server = createServer((near) => {
      if (this.#isCut) {
        near.destroy();
        return;
      }
      const far = dial(to, '127.0.0.1');
      const pair = [near, far] as const;
      this.#pairs.add(pair);
      const end = (): void => {
        near.destroy();
        far.destroy();
        this.#pairs.delete(pair);
      };
      for (const [from, into] of [pair, [far, near] as const]) {
        from.on('data', (chunk) => {
          if (!this.#isFrozen) into.write(chunk);
        });
        from.on('close', end);
        from.on('error', end);
      }
    });
  }

  static async to(port: number): Promise<Cable> {
    const cable = new Cable(port);
    await new Promise<void>((resolve) => cable.#server.listen(0, '127.0.0.1', () => resolve()));
    const address = cable.#server.address();
    cable.port = typeof address === 'object' && address !== null ? address.port : 0;
    return cable;
  }

  cut(isCut: boolean): void {
    this.#isCut = isCut;
    if (!isCut) return;
    for (const [near, far] of this.#pairs) {
      near.destroy();
      far.destroy();
    }
  }

  /** Half open: both ends stand, nothing gets through and nothing is said. */
  freeze(isFrozen: boolean): void {
    this.#isFrozen = isFrozen;
  }

  async stop(): Promise<void> {
    this.cut(true);
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

/** The clock of this machine as the controller sees it. */
export const realClock: Scheduler = {
  nowNs: () => Number(process.hrtime.bigint()),
  wallMs: () => Date.now(),
  wallTrusted: () => true,
  at: (dueNs, task): Cancel => {
    const ms = Math.max(0, (dueNs - Number(process.hrtime.bigint())) / 1e6);
    const timer = setTimeout(task, ms);
    return () => clearTimeout(timer);
  },
};

export interface LiveTable {
  readonly publisher: Publisher;
  readonly journal: MemoryJournal;
  readonly faults: [PublisherFault, string][];
  readonly told: Happening[];
  commit(happening: Happening, decisions?: readonly Decision[]): Promise<void>;
  start(): void;
}

/** A table whose rows are made by the test; commands become rows of it as in the real loop. */
export const liveTable = (transport: Transport, more: Partial<PublisherParts> = {}): LiveTable => {
  const journal = new MemoryJournal();
  const faults: [PublisherFault, string][] = [];
  const told: Happening[] = [];
  let state: TableState = initialState(tableOf());
  const commit = async (
    happening: Happening,
    decisions: readonly Decision[] = [],
  ): Promise<void> => {
    const stamp = {
      seq: journal.head().seq + 1,
      atNs: realClock.nowNs(),
      wallMs: realClock.wallMs(),
      wallTrusted: true,
    };
    const step: TableStep = { observation: { ...stamp, ...happening }, decisions };
    const stored = journal.append([step]);
    state = evolve(state, stamp, decisions);
    const after = state;
    await stored;
    publisher.committed(step, after);
  };
  const publisher = new Publisher({
    table: NAME,
    version: '0.1.0',
    mqtt: '5',
    cameras: [],
    consumers: ['historian'],
    keys: [],
    scheduler: realClock,
    random: Math.random,
    tell: (happening) => {
      told.push(happening);
      void commit(happening);
    },
    report: (kind, text) => faults.push([kind, text]),
    inspect: inspectOwn,
    backoff: { baseMs: 50, capMs: 500, floorMs: 10 },
    ...more,
    journal,
    transport,
  });
  return { publisher, journal, faults, told, commit, start: () => publisher.start(state) };
};
