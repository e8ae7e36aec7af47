import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync, rmSync, type WriteStream } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';

export type Arch = 'amd64' | 'arm64';

/** An emulated machine on a busy host: nothing here is about speed. */
const BOOT_MS = 3_600_000;
const COMMAND_MS = 3_600_000;
const QUIT_MS = 30_000;
const FALL_MS = 600_000;
const TRY_MS = 1000;
const MEMORY_MB = 1024;
/** The machine's disk in the folder of its run; it is backed by `root.img` of its base. */
export const DISK = 'disk.qcow2';
const OUTPUT_MAX = 16 * 1024 * 1024;

export interface GuestParts {
  readonly arch: Arch;
  /** Folder with root.img, vmlinuz and initrd.img (base.sh). */
  readonly base: string;
  /** Folder of this run: its disk, sockets and console. */
  readonly folder: string;
  /** Folder that the guest sees under /mnt/parcel, read-only. */
  readonly parcel: string;
}

export interface Answer {
  readonly code: number;
  readonly output: string;
}

/** Plain processors: what a newer one adds (five page levels, wide registers) is slow emulated. */
const MACHINE: Readonly<Record<Arch, readonly string[]>> = {
  amd64: ['qemu-system-x86_64', '-M', 'q35', '-cpu', 'Nehalem'],
  arm64: ['qemu-system-aarch64', '-M', 'virt', '-cpu', 'cortex-a72'],
};
const CONSOLE: Readonly<Record<Arch, string>> = { amd64: 'ttyS0', arm64: 'ttyAMA0' };

/** Jobs of the night and logins at the console: nobody needs them here. */
const MASKED = [
  ...['apt-daily.timer', 'apt-daily-upgrade.timer', 'man-db.timer', 'dpkg-db-backup.timer'],
  ...['e2scrub_all.timer', 'e2scrub_reap.service', 'fstrim.timer', 'getty.target'],
];

/**
 * What costs an emulated processor much and is not tried here: guards against side channels, and
 * doubts about a clock that stands still with its host.
 */
const LIGHTER = [
  ...[
    'mitigations=off',
    'nokaslr',
    'audit=0',
    'selinux=0',
    'apparmor=0',
    'nowatchdog',
    'no_timer_check',
  ],
  ...['tsc=reliable', 'random.trust_cpu=on', 'cryptomgr.notests', 'quiet'],
  ...['systemd.show_status=0', ...MASKED.map((unit) => `systemd.mask=${unit}`)],
];

/** One emulated machine with a disk of its own that outlives a power cut. */
export class Guest {
  readonly #parts: GuestParts;
  readonly #disk: string;
  #machine: ChildProcess | null = null;
  #line: Socket | null = null;
  #console: WriteStream | null = null;
  #heard = '';
  #waiting: ((line: string) => void) | null = null;

  constructor(parts: GuestParts) {
    this.#parts = parts;
    this.#disk = join(parts.folder, DISK);
  }

  /** Switches the machine on and waits until it takes commands. @returns ms until then */
  async on(): Promise<number> {
    const { base, folder } = this.#parts;
    mkdirSync(folder, { recursive: true });
    if (!existsSync(this.#disk)) {
      const backing = join(base, 'root.img');
      const args = ['create', '-q', '-f', 'qcow2', '-b', backing, '-F', 'raw', this.#disk];
      execFileSync('qemu-img', args);
    }
    const fromMs = performance.now();
    const socket = join(folder, 'agent.sock');
    rmSync(socket, { force: true });
    const [program = '', ...args] = this.#commandLine(socket);
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

  /** Restarts by the guest's own word. @returns ms until it takes commands again */
  async reboot(): Promise<number> {
    await this.off();
    return this.on();
  }

  /** Shuts down as an administrator would; after a while the power goes anyway. */
  async off(): Promise<void> {
    const machine = this.#machine;
    if (machine === null) return;
    const gone = new Promise<void>((resolve) => machine.once('exit', () => resolve()));
    this.#line?.write(`${Buffer.from('systemctl poweroff').toString('base64')}\n`);
    const late = setTimeout(() => machine.kill('SIGKILL'), QUIT_MS * 6);
    await gone;
    clearTimeout(late);
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

  #commandLine(socket: string): readonly string[] {
    const { arch, base, parcel } = this.#parts;
    const append = `root=/dev/vda rw console=${CONSOLE[arch]} panic=-1 ${LIGHTER.join(' ')}`;
    return [
      ...MACHINE[arch],
      ...['-smp', '2', '-m', String(MEMORY_MB), '-accel', 'tcg,thread=multi,tb-size=512'],
      ...['-display', 'none', '-no-reboot', '-nodefaults', '-serial', 'stdio'],
      ...['-kernel', join(base, 'vmlinuz'), '-initrd', join(base, 'initrd.img')],
      ...['-append', append],
      ...['-drive', `file=${this.#disk},if=virtio,format=qcow2,cache=writeback`],
      ...['-device', 'i6300esb', '-action', 'watchdog=reset'],
      ...['-device', 'virtio-serial-pci'],
      ...['-chardev', `socket,id=agent,path=${socket},server=on,wait=off`],
      ...['-device', 'virtserialport,chardev=agent,name=cutcard.test'],
      ...['-fsdev', `local,id=parcel,path=${parcel},security_model=none,readonly=on`],
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
