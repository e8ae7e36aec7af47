import { type ChildProcess, execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { packageRoot } from '../../firmware-bridge/files.js';
import { type Children, freePort, until } from './path-rig.js';

const CLI = join(packageRoot(), 'dist/bundle/cli.js');
const START_LIMIT_MS = 30_000;
const SPREAD = z.object({
  count: z.number(),
  p50Ms: z.number().nullable(),
  p99Ms: z.number().nullable(),
  maxMs: z.number().nullable(),
});
const REPORT = z.object({
  rowsPerSecond: z.number(),
  rows: z.number(),
  acked: SPREAD,
  shown: SPREAD,
  held: SPREAD,
  lost: z.number(),
  drainedS: z.number(),
});

/** What `cutcard load --json` says; times in ms. */
export type Played = z.infer<typeof REPORT>;

export interface Broker {
  readonly port: number;
  readonly mqtt: '5' | '3.1.1';
}

/** The floor's key to order rows again: without it a broker that lost some leaves gaps for good. */
const KEY = { name: 'floor', private: 'floor-command.pem', list: 'command-keys.yaml' } as const;
const CONFIG = 'floor.yaml';

/** `cutcard floor` with SQLite beside a broker; may be killed and started again on its file. */
export class FloorService {
  readonly #children: Children;
  readonly #folder: string;
  readonly #broker: Broker;
  readonly #port: number;
  #starts = 0;
  #process: ChildProcess | null = null;

  private constructor(children: Children, folder: string, broker: Broker, port: number) {
    this.#children = children;
    this.#folder = folder;
    this.#broker = broker;
    this.#port = port;
  }

  static async start(children: Children, folder: string, broker: Broker): Promise<FloorService> {
    const service = new FloorService(children, folder, broker, await freePort());
    service.#configure();
    await service.start();
    return service;
  }

  /** Address of the wall. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** The list of keys for the tables. */
  get keysFile(): string {
    return join(this.#folder, KEY.list);
  }

  #configure(): void {
    const { port, mqtt } = this.#broker;
    const key = join(this.#folder, KEY.private);
    const line = execFileSync(process.execPath, [CLI, 'command', 'new-key', key]).toString();
    const made = /- \{.*\}/.exec(line)?.[0].replace('NAME', KEY.name) ?? '';
    writeFileSync(this.keysFile, `${made}\n`);
    const config = {
      broker: { url: `mqtt://127.0.0.1:${port}`, protocol: mqtt === '5' ? 5 : mqtt },
      store: join(this.#folder, 'floor.db'),
      listen: { host: '127.0.0.1', port: this.#port },
      commandKey: { name: KEY.name, file: key },
    };
    writeFileSync(join(this.#folder, CONFIG), JSON.stringify(config));
  }

  /** Waits until the wall answers. */
  async start(): Promise<void> {
    this.#starts += 1;
    const out = join(this.#folder, `floor-${this.#starts}`);
    const args = [CLI, 'floor', '--config', join(this.#folder, CONFIG)];
    this.#process = this.#children.start(process.execPath, args, out);
    await until('the wall', () => readFileSync(out, 'utf8').includes('wall'), START_LIMIT_MS);
  }

  /** Resident memory, MB. */
  rssMb(): number {
    const status = readFileSync(`/proc/${this.#process?.pid}/status`, 'utf8');
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1000);
  }

  kill(): void {
    this.#process?.kill('SIGKILL');
  }
}

export interface PlayAsked {
  readonly floor: FloorService;
  /** A floor that heard these tables before wants another one: they begin at row 1 again. */
  readonly site: string;
  readonly tables: number;
  readonly seconds: number;
}

/** Plays tables onto a broker by `cutcard load` and waits for its report. */
export const playTables = async (
  children: Children,
  folder: string,
  broker: Broker,
  asked: PlayAsked,
  meanwhile: () => Promise<void> = () => Promise.resolve(),
): Promise<Played> => {
  const out = join(folder, `load-${Date.now()}`);
  const child = children.start(
    process.execPath,
    [
      ...[CLI, 'load', '--broker', `mqtt://127.0.0.1:${broker.port}`, '--mqtt', broker.mqtt],
      ...['--floor', asked.floor.url, '--tables', `${asked.tables}`, '--rate', '1'],
      ...['--minutes', `${asked.seconds / 60}`, '--site', asked.site],
      ...['--keys', asked.floor.keysFile, '--json'],
    ],
    out,
  );
  const limitMs = (asked.seconds + 300) * 1000;
  const ended = until('the tables’ report', () => child.exitCode !== null, limitMs);
  await Promise.all([ended, meanwhile()]);
  const said = readFileSync(out, 'utf8');
  // 1: rows were lost, which the report says.
  if (child.exitCode !== 0 && child.exitCode !== 1) {
    throw new Error(`cutcard load ended with ${child.exitCode}: ${said.slice(-800)}`);
  }
  return REPORT.parse(JSON.parse(said));
};

const ms = (value: number | null): string => (value === null ? 'none' : `${Math.round(value)}`);

/** Rows a second, times to ack and wall, and what was lost, in few words. */
export const playedText = ({ rowsPerSecond, acked, shown, lost }: Played): string =>
  `${rowsPerSecond} rows/s, ack p50/p99 ${ms(acked.p50Ms)}/${ms(acked.p99Ms)} ms, ` +
  `shown ${ms(shown.p50Ms)}/${ms(shown.p99Ms)} ms, ${lost} lost`;

/** What a drill left: rows that never came, and how long the others took. */
export const drilledText = ({ rows, lost, drainedS }: Played): string =>
  `${rows} rows, ${lost} lost, waited ${drainedS} s after the end`;
