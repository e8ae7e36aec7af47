import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const MOSQUITTO = ['/usr/sbin/mosquitto', '/usr/local/sbin/mosquitto', '/usr/bin/mosquitto'];
const LOOK_MS = 50;

/** Programs the path bench starts; null when all are there, else what is missing. */
export const missingPrograms = (names: readonly string[]): string | null => {
  const missing = names.filter((name) =>
    name === 'mosquitto'
      ? !MOSQUITTO.some((path) => existsSync(path))
      : spawnSync('sh', ['-c', 'command -v "$1"', 'sh', name]).status !== 0,
  );
  return missing.length === 0 ? null : `${missing.join(', ')} missing (npm run setup)`;
};

export const childFile = (name: string): string =>
  fileURLToPath(new URL(`${name}-child.js`, import.meta.url));

export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });

/** Waits until it is true. @throws naming what did not come. */
export const until = async (
  what: string,
  isTrue: () => boolean,
  limitMs: number,
): Promise<void> => {
  for (let ms = 0; !isTrue(); ms += LOOK_MS) {
    if (ms > limitMs) throw new Error(`after ${limitMs / 1000} s still not: ${what}`);
    await sleep(LOOK_MS);
  }
};

/** Child processes of one measurement; all end with it. */
export class Children {
  readonly #all: { readonly child: ChildProcess; readonly name: string }[] = [];

  /** `outFile`: where its standard output goes; what it says on stderr is kept for an error. */
  start(
    command: string,
    args: readonly string[],
    outFile: string,
    cwd?: string,
    env?: NodeJS.ProcessEnv,
  ): ChildProcess {
    const [out, err] = [openSync(outFile, 'w'), openSync(`${outFile}.err`, 'w')];
    const child = spawn(command, [...args], {
      stdio: ['ignore', out, err],
      ...(cwd ? { cwd } : {}),
      ...(env ? { env } : {}),
    });
    closeSync(out);
    closeSync(err);
    this.#all.push({ child, name: outFile });
    return child;
  }

  /** @throws with a child's last words when one has ended. */
  check(): void {
    for (const { child, name } of this.#all) {
      if (child.exitCode === null) continue;
      const said = readFileSync(`${name}.err`, 'utf8').slice(-800);
      throw new Error(`${name} ended with ${child.exitCode}: ${said}`);
    }
  }

  async stop(): Promise<void> {
    for (const { child } of this.#all.splice(0).reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await gone;
    }
  }
}

/** A pair of pseudo-terminals, joined: what is written to one is read from the other. */
export const serialPair = async (
  children: Children,
  folder: string,
): Promise<{ readonly machine: string; readonly table: string }> => {
  const [machine, table] = [join(folder, 'machine'), join(folder, 'table')];
  const end = (link: string): string => `pty,raw,echo=0,link=${link}`;
  children.start('socat', [end(machine), end(table)], join(folder, 'socat'));
  await until('the serial pair', () => existsSync(machine) && existsSync(table), 10_000);
  return { machine, table };
};

/** A mosquitto on loopback that keeps nothing on disk; may be killed and started again. */
export class BenchBroker {
  readonly port: number;
  readonly #children: Children;
  readonly #folder: string;
  #starts = 0;
  #process: ChildProcess | null = null;

  private constructor(children: Children, folder: string, port: number) {
    this.#children = children;
    this.#folder = folder;
    this.port = port;
  }

  /** `more`: further lines of its configuration. */
  static async start(
    children: Children,
    folder: string,
    more: readonly string[] = ['allow_anonymous true'],
  ): Promise<BenchBroker> {
    const broker = new BenchBroker(children, folder, await freePort());
    const lines = [
      `listener ${broker.port} 127.0.0.1`,
      'user root',
      'persistence false',
      'set_tcp_nodelay true',
      'max_queued_messages 1000000',
      ...more,
    ];
    writeFileSync(join(folder, 'mosquitto.conf'), `${lines.join('\n')}\n`);
    await broker.again();
    return broker;
  }

  async again(): Promise<void> {
    this.#starts += 1;
    const program = MOSQUITTO.find((path) => existsSync(path)) ?? 'mosquitto';
    const log = join(this.#folder, `mosquitto-${this.#starts}`);
    this.#process = this.#children.start(
      program,
      ['-c', join(this.#folder, 'mosquitto.conf')],
      log,
    );
    await until('the broker', () => readFileSync(`${log}.err`, 'utf8').includes('running'), 10_000);
  }

  kill(): void {
    this.#process?.kill('SIGKILL');
  }
}

/** One message as it reached a subscriber. */
export interface Heard {
  /** Wall time, ms. */
  readonly atMs: number;
  readonly topic: string;
  readonly payload: string;
}

/** mosquitto_sub, writing to a file so that reading it costs the measurement nothing. */
export class Listener {
  readonly #file: string;

  private constructor(file: string) {
    this.#file = file;
  }

  static async start(
    children: Children,
    folder: string,
    args: readonly string[],
  ): Promise<Listener> {
    const file = join(folder, 'heard');
    const format = ['-F', '%U\t%t\t%p', '-q', '1', '-V', 'mqttv5'];
    children.start('mosquitto_sub', ['-h', '127.0.0.1', ...args, ...format], file);
    const listener = new Listener(file);
    await sleep(300);
    return listener;
  }

  get bytes(): number {
    return statSync(this.#file).size;
  }

  all(): readonly Heard[] {
    return readFileSync(this.#file, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => {
        const [at = '', topic = '', ...payload] = line.split('\t');
        return { atMs: Number(at) * 1000, topic, payload: payload.join('\t') };
      });
  }
}

/** CPU seconds a process has used. */
export const cpuS = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
};
