import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { until } from '../../contract/gpio.js';
import type { HostPort, Wires } from './host-port.js';

/** What a check has at hand. */
export interface Rig {
  readonly port: HostPort;
  readonly wires: Wires;
}

export type Check = readonly [name: string, run: (rig: Rig) => Promise<void>];

/** The real backends; `virtual` needs no guest. */
export const BACKENDS = ['gpiochip', 'onoff'] as const;
export type Backend = (typeof BACKENDS)[number];

const CHILD = fileURLToPath(new URL('child.js', import.meta.url));

/** A program of its own that uses the hardware: it can be stopped, robbed of rights and killed. */
export class Child {
  /** What it told so far, one JSON text each. */
  readonly told: string[] = [];
  readonly process: ChildProcess;

  constructor(args: readonly string[], user: number | null = null) {
    const who = user === null ? {} : { uid: user, gid: user };
    this.process = fork(CHILD, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], ...who });
    this.process.on('message', (message) => this.told.push(JSON.stringify(message)));
  }

  has(pattern: RegExp): boolean {
    return this.told.some((one) => pattern.test(one));
  }

  async tells(pattern: RegExp, from = 0): Promise<void> {
    const heard = (): string => `${String(pattern)} in ${this.told.slice(from).join(' ')}`;
    await until(heard, () => {
      const failed = this.told.find((one) => one.startsWith('{"failed"'));
      if (failed !== undefined) throw new Error(`the child ${failed}`);
      return this.told.slice(from).some((one) => pattern.test(one));
    });
  }

  order(order: object): void {
    this.process.send(order);
  }

  /** Ends it with a signal and waits until it is gone. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const gone = once(this.process, 'exit');
    this.process.kill(signal);
    await gone;
  }
}
