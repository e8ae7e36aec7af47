import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The built command line, as `npm test` builds it before it runs. */
export const CLI = fileURLToPath(new URL('../../dist/controller/runtime/cli.js', import.meta.url));

const WAIT_MS = 60_000;

/** A running `cutcard`, its output kept as it comes. */
export class Cutcard {
  out = '';
  err = '';
  readonly child: ChildProcess;
  readonly #ended: Promise<number | NodeJS.Signals>;
  #changed: () => void = () => undefined;

  /** `env`: what the process finds in its environment besides ours. */
  constructor(args: readonly string[], cwd?: string, env: Readonly<Record<string, string>> = {}) {
    this.child = spawn(process.execPath, [CLI, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
      ...(cwd === undefined ? {} : { cwd }),
    });
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.out += text;
      this.#changed();
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.err += text;
      this.#changed();
    });
    this.#ended = new Promise((resolve) => {
      this.child.on('close', (code, signal) => {
        resolve(code ?? signal ?? 'SIGKILL');
        this.#changed();
      });
    });
  }

  /** The first match in everything said so far or to come. @throws when it does not come in time */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    const untilMs = performance.now() + WAIT_MS;
    for (;;) {
      const match = pattern.exec(this.out) ?? pattern.exec(this.err);
      if (match !== null) return match;
      const leftMs = untilMs - performance.now();
      if (leftMs <= 0 || this.child.exitCode !== null) {
        throw new Error(`no ${String(pattern)} in:\n${this.out}\n${this.err}`);
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(leftMs, 200));
        this.#changed = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  /** Sends the signal and waits for the end. */
  async end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals> {
    this.child.kill(signal);
    return this.#ended;
  }

  ended(): Promise<number | NodeJS.Signals> {
    return this.#ended;
  }
}
