import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';

/** A guest that says nothing at all for so long hangs, ms: the emulator is slow, not silent. */
const SILENCE_MS = 900_000;
/** Longest life of a guest, ms. */
const LIFE_MS = 3_600_000;
const CONNECT_TRIES = 600;
const CONNECT_PAUSE_MS = 100;
/** Lines of the console that are kept for a failure. */
const CONSOLE_LINES = 200;

/** Sockets by which host and guest talk, by the names both know them by. */
export type Channel = 'agent' | 'checks' | 'serial' | 'panel' | 'qmp';

export interface GuestOptions {
  readonly program: string;
  readonly args: (socket: (channel: Channel) => string) => readonly string[];
  readonly channels: readonly Channel[];
  readonly log: (line: string) => void;
}

/** One running emulator with its sockets. It is killed when it hangs and when we end. */
export class Guest {
  readonly console: string[] = [];
  /** Resolves when the emulator has ended: null when it ended by itself. */
  readonly ended: Promise<string | null>;
  readonly #folder = mkdtempSync(join(tmpdir(), 'cutcard-arm-'));
  readonly #process: ChildProcess;
  readonly #sockets = new Map<Channel, Socket>();
  readonly #kill = (): boolean => this.#process.kill('SIGKILL');
  #heardMs = performance.now();
  #why: string | null = null;
  #isDone = false;
  readonly #log: (line: string) => void;

  constructor({ program, args, log }: GuestOptions) {
    this.#log = log;
    const socket = (channel: Channel): string => join(this.#folder, channel);
    this.#process = spawn(program, args(socket), { stdio: ['ignore', 'pipe', 'pipe'] });
    process.once('exit', this.#kill);
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (line) => {
        this.heard();
        this.note(line);
      });
    }
    this.ended = this.#end();
  }

  /** A line of the console. */
  note(line: string): void {
    this.console.push(line);
    if (this.console.length > CONSOLE_LINES) this.console.shift();
    this.#log(line);
  }

  /** The guest lives: it said something. */
  heard(): void {
    this.#heardMs = performance.now();
  }

  /** Lines of a channel; one that breaks with its guest ends quietly, and `ended` says why. */
  async lines(channel: Channel, hear: (line: string) => void): Promise<Socket> {
    const socket = await this.open(channel);
    const lines = createInterface({ input: socket });
    lines.on('line', hear);
    lines.on('error', () => undefined);
    return socket;
  }

  /** Ends the emulator at once. `why` null: it has nothing more to do. */
  stop(why: string | null): void {
    this.#isDone ||= why === null;
    this.#why ??= why;
    this.#kill();
  }

  /** Connects to a channel; the emulator makes its sockets when it starts. */
  async open(channel: Channel): Promise<Socket> {
    const known = this.#sockets.get(channel);
    if (known !== undefined) return known;
    for (let tries = 0; ; tries += 1) {
      const socket = connect(join(this.#folder, channel));
      try {
        await once(socket, 'connect');
        socket.on('error', () => undefined);
        this.#sockets.set(channel, socket);
        return socket;
      } catch (error) {
        socket.destroy();
        if (tries === CONNECT_TRIES || this.#process.exitCode !== null) throw error;
        await pause(CONNECT_PAUSE_MS);
      }
    }
  }

  async #end(): Promise<string | null> {
    const startMs = performance.now();
    const watch = setInterval(() => {
      const now = performance.now();
      if (now - this.#heardMs > SILENCE_MS) this.stop(`silent for ${SILENCE_MS / 1000} s`);
      else if (now - startMs > LIFE_MS) this.stop(`not done in ${LIFE_MS / 1000} s`);
    }, 1000);
    const failed = new Promise<string>((resolve) => {
      this.#process.once('error', (error) => resolve(error.message));
    });
    const exited = once(this.#process, 'exit').then(([code]: unknown[]) =>
      code === 0 || this.#isDone ? null : `the emulator ended with ${String(code)}`,
    );
    const result = await Promise.race([exited, failed]);
    clearInterval(watch);
    process.removeListener('exit', this.#kill);
    for (const socket of this.#sockets.values()) socket.destroy();
    rmSync(this.#folder, { recursive: true, force: true });
    return this.#why ?? result;
  }
}
