import { mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { GPIO } from '../../firmware-bridge/bus/gpio-uapi.js';
import { GpiochipBus } from '../../firmware-bridge/bus/gpiochip.js';
import { loadNative, type Native } from '../../firmware-bridge/bus/native.js';

/**
 * A GPIO chip made of two named pipes, for machines that have none: the real backend and the real
 * addon read the kernel's records from one, and what sets an output is written to the other. Only
 * the chip's own requests are answered here.
 */
export const PIPE_CHIP = 'pipes';

/** What the pipe of the outputs is given for each that is set, as a byte. */
export const SET_ACTIVE = 65;
export const SET_INACTIVE = 73;

/** Offsets in gpiochip_info, gpio_v2_line_request and its configuration. */
const LABEL_AT = GPIO.NAME_BYTES;
const LINES_AT = 2 * GPIO.NAME_BYTES;
const FLAGS_AT = 288;
const FD_AT = 588;
const INPUT_FLAG = 4;
const FALLING = 2;
/** In a record's padding: the levels after it, a bit a line in the order of the request. */
const LEVELS_AT = 24;
const TWO_32 = 4_294_967_296;
/** Records of one write. */
const EDGES_MAX = 16;

export interface PipeChip {
  readonly edges: string;
  readonly outputs: string;
  /** Where the chip's file is made. */
  readonly folder: string;
  /** After an output was written. */
  readonly onSet?: (active: boolean) => void;
}

/** The backend on that chip. @throws BusError when the addon was not built. */
export const pipeChipBus = ({ edges, outputs, folder, onSet }: PipeChip): GpiochipBus => {
  const chips = join(folder, 'chips');
  mkdirSync(chips);
  writeFileSync(join(chips, 'gpiochip0'), '');
  const addon = loadNative();
  const [active, inactive] = [Uint8Array.of(SET_ACTIVE), Uint8Array.of(SET_INACTIVE)];
  // The newest record that was read tells the levels too.
  let records: Uint8Array = new Uint8Array(GPIO.EVENT_BYTES);
  let recordsEnd: number = GPIO.EVENT_BYTES;
  const native: Native = {
    watch: (fd, buffer, callback) => {
      records = buffer;
      return addon.watch(fd, buffer, (bytes, errno) => {
        recordsEnd = bytes;
        callback(bytes, errno);
      });
    },
    unwatch: (handle) => addon.unwatch(handle),
    notify: (path, text) => addon.notify(path, text),
    ioctl: (fd, request, buffer) => {
      const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
      if (request === GPIO.CHIPINFO) {
        new TextEncoder().encodeInto(PIPE_CHIP, buffer.subarray(LABEL_AT));
        view.setUint32(LINES_AT, GPIO.LINES_MAX, true);
      } else if (request === GPIO.GET_LINE) {
        const isInput = (view.getUint32(FLAGS_AT, true) & INPUT_FLAG) !== 0;
        view.setInt32(FD_AT, openSync(isInput ? edges : outputs, 'r+'), true);
      } else if (request === GPIO.GET_VALUES) {
        view.setUint32(0, records[recordsEnd - GPIO.EVENT_BYTES + LEVELS_AT] ?? 0, true);
      } else if (request === GPIO.SET_VALUES) {
        const isActive = (view.getUint32(0, true) & 1) === 1;
        writeSync(fd, isActive ? active : inactive);
        onSet?.(isActive);
      }
    },
  };
  return new GpiochipBus(native, chips);
};

export interface PipeEdge {
  readonly offset: number;
  readonly active: boolean;
}

/** Makes the records a kernel would queue, with sequence numbers of request and line. */
export class EdgeRecords {
  readonly #offsets: readonly number[];
  readonly #bytes = Buffer.alloc(GPIO.EVENT_BYTES * EDGES_MAX);
  readonly #lineSeq = new Map<number, number>();
  #seq = 0;
  #levels = 0;

  /** `offsets`: of the lines that are watched, in the order of their request. */
  constructor(offsets: readonly number[]) {
    this.#offsets = offsets;
  }

  /** Records of these edges without their times, in a buffer that the next call uses again. */
  of(edges: readonly PipeEdge[]): Buffer {
    for (const [i, { offset, active }] of edges.entries()) {
      const at = i * GPIO.EVENT_BYTES;
      const lineSeq = (this.#lineSeq.get(offset) ?? 0) + 1;
      this.#lineSeq.set(offset, lineSeq);
      this.#seq += 1;
      const bit = 1 << this.#offsets.indexOf(offset);
      this.#levels = active ? this.#levels | bit : this.#levels & ~bit;
      this.#bytes.writeUInt32LE(active ? GPIO.RISING : FALLING, at + 8);
      this.#bytes.writeUInt32LE(offset, at + 12);
      this.#bytes.writeUInt32LE(this.#seq, at + 16);
      this.#bytes.writeUInt32LE(lineSeq, at + 20);
      this.#bytes.writeUInt8(this.#levels, at + LEVELS_AT);
    }
    return this.#bytes.subarray(0, edges.length * GPIO.EVENT_BYTES);
  }

  /** Dates the record at this place, ns on the monotonic clock. */
  stamp(index: number, atNs: number): void {
    this.#bytes.writeUInt32LE(atNs % TWO_32, index * GPIO.EVENT_BYTES);
    this.#bytes.writeUInt32LE(Math.floor(atNs / TWO_32), index * GPIO.EVENT_BYTES + 4);
  }
}
