import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync, rmSync, type WriteStream } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';

/** An emulated machine on a busy host: nothing here is about speed. */
const BOOT_MS = 3_600_000;
const COMMAND_MS = 3_600_000;
const FALL_MS = 600_000;
const TRY_MS = 1000;
const OUTPUT_MAX = 16 * 1024 * 1024;

export interface GuestParts {
  /** What the emulator is started with, asked anew at each power on: board, kernel, disk. */
  readonly machine: () => readonly string[];
  /** Folder of this run: its sockets and console, and as a rule its disk. */
  readonly folder: string;
  /** Folder that the guest sees under /mnt/parcel, read-only. */
  readonly parcel: string;
}

export interface Answer {
  readonly code: number;
  readonly output: string;
}

/** One emulated machine with a disk of its own that outlives a power cut. */
export class Guest {
  readonly #parts: GuestParts;
  #machine: ChildProcess | null = null;
  #line: Socket | null = null;
  #console: WriteStream | null = null;
  #heard = '';
  #waiting: ((line: string) => void) | null = null;

  constructor(parts: GuestParts) {
    this.#parts = parts;
  }

  /** Switches the machine on and waits until it takes commands. @returns ms until then */
  async on(): Promise<number> {
    const { folder } = this.#parts;
    mkdirSync(folder, { recursive: true });
    const fromMs = performance.now();
    const socket = join(folder, 'agent.sock');
    rmSync(socket, { force: true });
    const [program = '', ...args] = [...this.#parts.machine(), ...this.#ends(socket)];
    const machine = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#machine = machine;
    this.#console = createWriteStream(join(folder, 'console.log'), { flags: 'a' });
    machine.stdout.pipe(this.#console);
    machine.stderr.pipe(this.#console, { end: false });
    await this.#connect(socket, fromMs + BOOT_MS);
    return performance.now() - fromMs;
  }

  /** Runs a command line as root in the guest. @throws when it does not answer in time */
  async run(command: string): Promise<Answer> {
    const answer = this.#nextLine(COMMAND_MS, command);
    this.#line?.write(`${Buffer.from(command).toString('base64')}\n`);
    const [code = '', output = ''] = (await answer).split(' ');
    return { code: Number(code), output: Buffer.from(output, 'base64').toString('utf8') };
  }

  /** As `run`, but what ends with another code than 0 is an error. @returns its output */
  async must(command: string): Promise<string> {
    const { code, output } = await this.run(command);
    if (code !== 0) throw new Error(`in the guest: ${command}\nended with ${code}:\n${output}`);
    return output;
  }

  /** Asks again and again until the output matches. @throws after `COMMAND_MS` */
  async until(command: string, wanted: RegExp): Promise<string> {
    const untilMs = performance.now() + COMMAND_MS;
    for (;;) {
      const { output } = await this.run(command);
      if (wanted.test(output)) return output;
      if (performance.now() > untilMs) {
        throw new Error(`in the guest: ${command}\nnever showed ${String(wanted)}:\n${output}`);
      }
      await this.run('sleep 1');
    }
  }

  /** Runs a command that ends the machine. @throws when it goes on instead */
  async falls(command: string): Promise<void> {
    const machine = this.#machine;
    if (machine === null || isOff(machine)) throw new Error(`${command}: the machine is off`);
    const gone = new Promise<void>((resolve) => machine.once('exit', () => resolve()));
    let late: NodeJS.Timeout | undefined;
    const never = new Promise<void>((_resolve, reject) => {
      late = setTimeout(() => reject(new Error(`${command}: the machine went on`)), FALL_MS);
    });
    this.#line?.write(`${Buffer.from(command).toString('base64')}\n`);
    await Promise.race([gone, never]).finally(() => clearTimeout(late));
    this.#forget();
  }

  /** The power goes: nothing in the guest hears of it, what it had not synced is gone. */
  async powerCut(): Promise<void> {
    const machine = this.#machine;
    if (machine === null) return;
    if (!isOff(machine)) {
      const gone = new Promise<void>((resolve) => machine.once('exit', () => resolve()));
      machine.kill('SIGKILL');
      await gone;
    }
    this.#forget();
  }

  #forget(): void {
    this.#line?.destroy();
    this.#console?.end();
    this.#machine = null;
    this.#line = null;
    this.#waiting = null;
    this.#heard = '';
  }

  /** The line to the test, the parcel and a watchdog: what every machine has. */
  #ends(socket: string): readonly string[] {
    return [
      ...['-smp', '2', '-accel', 'tcg,thread=multi,tb-size=512', '-display', 'none'],
      ...['-no-reboot', '-nodefaults', '-serial', 'stdio'],
      ...['-device', 'i6300esb', '-action', 'watchdog=reset'],
      ...['-device', 'virtio-serial-pci'],
      ...['-chardev', `socket,id=agent,path=${socket},server=on,wait=off`],
      ...['-device', 'virtserialport,chardev=agent,name=cutcard.test'],
      ...['-fsdev', `local,id=parcel,path=${this.#parts.parcel},security_model=none,readonly=on`],
      ...['-device', 'virtio-9p-pci,fsdev=parcel,mount_tag=parcel'],
    ];
  }

  async #connect(socket: string, untilMs: number): Promise<void> {
    for (;;) {
      if (isOff(this.#machine)) throw new Error('the emulator ended by itself; see console.log');
      if (performance.now() > untilMs) throw new Error('the emulator gave no line to its guest');
      const line = existsSync(socket) ? await reached(socket) : null;
      if (line !== null) {
        this.#line = line;
        line.setEncoding('utf8').on('data', (text: string) => this.#take(text));
        break;
      }
      await new Promise((resolve) => setTimeout(resolve, TRY_MS));
    }
    await this.#nextLine(untilMs - performance.now(), 'the start');
    await this.must(
      'mountpoint -q /mnt/parcel || { mkdir -p /mnt/parcel && ' +
        'mount -t 9p -o trans=virtio,version=9p2000.L,ro parcel /mnt/parcel; }',
    );
  }

  #take(text: string): void {
    this.#heard += text;
    if (this.#heard.length > OUTPUT_MAX) this.#heard = '';
    for (let end = this.#heard.indexOf('\n'); end >= 0; end = this.#heard.indexOf('\n')) {
      const line = this.#heard.slice(0, end);
      this.#heard = this.#heard.slice(end + 1);
      const waiting = this.#waiting;
      this.#waiting = null;
      waiting?.(line);
    }
  }

  #nextLine(limitMs: number, what: string): Promise<string> {
    const machine = this.#machine;
    if (isOff(machine)) return Promise.reject(new Error(`${what}: the machine is off`));
    return new Promise((resolve, reject) => {
      const fail = (why: string): void => {
        clearTimeout(late);
        this.#waiting = null;
        reject(new Error(`${what}: ${why}`));
      };
      const late = setTimeout(() => fail(`no answer within ${limitMs / 1000} s`), limitMs);
      const ended = (): void => fail('the machine went off');
      machine?.once('exit', ended);
      this.#waiting = (line) => {
        clearTimeout(late);
        machine?.off('exit', ended);
        resolve(line);
      };
    });
  }
}

/** Not switched on, or ended: by itself, or by somebody's signal. */
const isOff = (machine: ChildProcess | null): boolean =>
  machine === null || machine.exitCode !== null || machine.signalCode !== null;

const reached = (socket: string): Promise<Socket | null> =>
  new Promise((resolve) => {
    const line = connect(socket);
    line.once('connect', () => resolve(line));
    line.once('error', () => resolve(null));
  });
