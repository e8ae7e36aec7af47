import { closeSync, constants, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { BusError, reasonOf } from './errors.js';
import type { EdgeSink, GpioBus, InputLine, LineSpec, OutputLine } from './gpio.js';
import { chipInfo, GPIO, inputRequest, outputRequest, requestedFd } from './gpio-uapi.js';
import { codeOf, loadNative, type Native } from './native.js';

/** Edges taken from the kernel in one read. */
const EVENTS_READ = 64;
const TWO_32 = 4_294_967_296;

export interface ChipFound {
  readonly path: string;
  readonly name: string;
  readonly label: string;
  readonly lines: number;
}

/** Every GPIO chip that can be opened; those that cannot are in `refused` with the reason. */
export const listChips = (
  native: Native,
  folder = '/dev',
): { readonly chips: readonly ChipFound[]; readonly refused: readonly string[] } => {
  const chips: ChipFound[] = [];
  const refused: string[] = [];
  const files = readdirSync(folder).filter((file) => /^gpiochip\d+$/.test(file));
  for (const file of files.sort()) {
    const path = join(folder, file);
    let fd = -1;
    try {
      fd = openSync(path, constants.O_RDWR);
      const answer = new Uint8Array(GPIO.CHIPINFO_BYTES);
      native.ioctl(fd, GPIO.CHIPINFO, answer);
      chips.push({ path, ...chipInfo(answer) });
    } catch (thrown) {
      refused.push(`${path}: ${reasonOf(thrown)}`);
    } finally {
      if (fd >= 0) closeSync(fd);
    }
  }
  return { chips, refused };
};

/** GPIO lines over the kernel's character device, uAPI v2: kernel times and sequence numbers. */
export class GpiochipBus implements GpioBus {
  readonly #native: Native;
  readonly #folder: string;
  readonly #paths = new Map<string, string>();
  readonly #open = new Set<() => void>();

  /** `folder`: where the chips lie. Throws `BusError` when the addon is missing. */
  constructor(native: Native = loadNative(), folder = '/dev') {
    this.#native = native;
    this.#folder = folder;
  }

  input(line: LineSpec, sink: EdgeSink): InputLine {
    const [opened] = this.inputs([line], [sink]);
    if (opened === undefined) throw new BusError('config', 'no line was asked for', '');
    return opened;
  }

  inputs(lines: readonly LineSpec[], sinks: readonly EdgeSink[]): readonly InputLine[] {
    const [first] = lines;
    if (first === undefined) return [];
    const fd = this.#request(first.chip, lines, inputRequest(lines));
    const reader = new EdgeReader(this.#native, fd, lines, sinks);
    const close = (): void => {
      reader.close();
      this.#open.delete(close);
    };
    this.#open.add(close);
    let left = lines.length;
    return lines.map((line, i) => {
      let isOpen = true;
      return {
        read: () => reader.read(i, line),
        close: () => {
          if (!isOpen) return;
          isOpen = false;
          reader.mute(i);
          left -= 1;
          if (left === 0) close();
        },
      };
    });
  }

  output(line: LineSpec, active: boolean): OutputLine {
    const fd = this.#request(line.chip, [line], outputRequest(line, active));
    const values = valuesBuffer();
    const bytes = new Uint8Array(values.buffer);
    let isOpen = true;
    const close = (): void => {
      if (!isOpen) return;
      isOpen = false;
      this.#open.delete(close);
      closeSync(fd);
    };
    this.#open.add(close);
    return {
      set: (on) => {
        if (!isOpen) throw new BusError('closed', `${line.name} was let go`, 'open it again');
        values.setUint32(0, on ? 1 : 0, true);
        values.setUint32(8, 1, true);
        this.#setValues(fd, bytes, line);
      },
      close,
    };
  }

  close(): void {
    for (const close of [...this.#open]) close();
    this.#paths.clear();
  }

  #setValues(fd: number, bytes: Uint8Array, line: LineSpec): void {
    try {
      this.#native.ioctl(fd, GPIO.SET_VALUES, bytes);
    } catch (thrown) {
      throw lineError(line, thrown);
    }
  }

  #request(label: string, lines: readonly LineSpec[], buffer: Uint8Array): number {
    const path = this.#chipPath(label);
    let chip = -1;
    try {
      chip = openSync(path, constants.O_RDWR);
      this.#native.ioctl(chip, GPIO.GET_LINE, buffer);
      return requestedFd(buffer);
    } catch (thrown) {
      // A chip may come back under another number.
      this.#paths.delete(label);
      throw lineError(lines[0], thrown);
    } finally {
      if (chip >= 0) closeSync(chip);
    }
  }

  #chipPath(label: string): string {
    const known = this.#paths.get(label);
    if (known !== undefined) return known;
    const { chips, refused } = listChips(this.#native, this.#folder);
    const found = chips.find((chip) => chip.label === label);
    if (found !== undefined) {
      this.#paths.set(label, found.path);
      return found.path;
    }
    const [reason] = refused;
    if (reason !== undefined) {
      const cure = 'add the user to the group gpio and install the udev rule';
      throw new BusError('permission', `no chip ${label} that may be opened (${reason})`, cure);
    }
    const labels = chips.map((chip) => chip.label).join(', ') || 'none';
    const message = `there is no GPIO chip labelled ${label}; found: ${labels}`;
    throw new BusError('absent', message, 'choose the board file of this machine');
  }
}

const valuesBuffer = (): DataView => new DataView(new ArrayBuffer(GPIO.VALUES_BYTES));

/** Reads the events of one request into one buffer, again and again: no object per edge. */
class EdgeReader {
  readonly #native: Native;
  readonly #fd: number;
  readonly #sinks: (EdgeSink | null)[];
  readonly #offsets: readonly number[];
  readonly #events = Buffer.alloc(GPIO.EVENT_BYTES * EVENTS_READ);
  readonly #view: DataView;
  readonly #values = valuesBuffer();
  readonly #valueBytes: Uint8Array;
  #handle: object | null;
  #isOpen = true;

  constructor(native: Native, fd: number, lines: readonly LineSpec[], sinks: readonly EdgeSink[]) {
    this.#native = native;
    this.#fd = fd;
    this.#sinks = [...sinks];
    this.#offsets = lines.map((line) => line.offset);
    this.#view = new DataView(this.#events.buffer, this.#events.byteOffset, this.#events.length);
    this.#valueBytes = new Uint8Array(this.#values.buffer);
    try {
      this.#handle = native.watch(fd, this.#events, (bytes, errno) => this.#take(bytes, errno));
    } catch (thrown) {
      closeSync(fd);
      throw lineError(lines[0], thrown);
    }
  }

  read(index: number, line: LineSpec): boolean {
    if (!this.#isOpen) throw new BusError('closed', `${line.name} was let go`, 'open it again');
    this.#values.setUint32(0, 0, true);
    this.#values.setUint32(4, 0, true);
    this.#values.setUint32(8, index < 32 ? 2 ** index : 0, true);
    this.#values.setUint32(12, index < 32 ? 0 : 2 ** (index - 32), true);
    try {
      this.#native.ioctl(this.#fd, GPIO.GET_VALUES, this.#valueBytes);
    } catch (thrown) {
      throw lineError(line, thrown);
    }
    const word = this.#values.getUint32(index < 32 ? 0 : 4, true);
    return (word & (1 << (index & 31))) !== 0;
  }

  mute(index: number): void {
    this.#sinks[index] = null;
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    if (this.#handle !== null) this.#native.unwatch(this.#handle);
    this.#handle = null;
    closeSync(this.#fd);
  }

  /**
   * gpio_v2_line_event: timestamp_ns u64 | id u32 | offset u32 | seqno u32 | line_seqno u32 | ...
   */
  #take(bytes: number, errno: number): void {
    if (errno !== 0) {
      this.#handle = null;
      const message = `the lines' chip is gone (errno ${errno})`;
      const error = new BusError('absent', message, 'check the board');
      for (const sink of [...this.#sinks]) sink?.fault(error);
      return;
    }
    for (let at = 0; at + GPIO.EVENT_BYTES <= bytes && this.#isOpen; at += GPIO.EVENT_BYTES) {
      const atNs = this.#view.getUint32(at + 4, true) * TWO_32 + this.#view.getUint32(at, true);
      const rising = this.#view.getUint32(at + 8, true) === GPIO.RISING;
      const index = this.#offsets.indexOf(this.#view.getUint32(at + 12, true));
      this.#sinks[index]?.edge(rising, atNs, this.#view.getUint32(at + 20, true));
    }
  }
}

const lineError = (line: LineSpec | undefined, thrown: unknown): BusError => {
  const name = line === undefined ? 'line' : `${line.name} (${line.chip} line ${line.offset})`;
  switch (codeOf(thrown)) {
    case 'EBUSY':
      return new BusError(
        'busy',
        `${name} is owned by another program or driver`,
        'find it with `gpioinfo`, stop it, or take its overlay out of config.txt',
        thrown,
      );
    case 'EACCES':
    case 'EPERM':
      return new BusError(
        'permission',
        `${name} may not be opened`,
        'add the user to the group gpio and install the udev rule',
        thrown,
      );
    case 'EINVAL':
      return new BusError(
        'io',
        `${name} was refused: no such line, or the chip cannot do what was asked`,
        'compare offset and bias with `gpioinfo`',
        thrown,
      );
    default:
      return new BusError('io', `${name}: ${reasonOf(thrown)}`, 'run `cutcard doctor`', thrown);
  }
};
