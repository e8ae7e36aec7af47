import { accessSync, constants } from 'node:fs';
import i2c from 'i2c-bus';
import { BusError, reasonOf } from './errors.js';
import { I2C_READ_MAX, NO_BYTES, type I2cBus, type I2cDone } from './i2c.js';
import { codeOf } from './native.js';

/** Longest write that goes as one SMBus block: register and 32 bytes. */
const BLOCK_WRITE_MAX = 33;

type Opened = ReturnType<typeof i2c.openSync>;

/** /dev/i2c-N through i2c-bus. Opened at the first transfer: a missing bus is only a fault. */
export class I2cDev implements I2cBus {
  readonly #number: number;
  #bus: Opened | null = null;

  constructor(number: number) {
    this.#number = number;
  }

  read(address: number, register: number, length: number, done: I2cDone): void {
    const bus = this.#open(done);
    if (bus === null) return;
    if (length > I2C_READ_MAX) {
      const cure = 'read in two steps';
      done(new BusError('config', `${length} bytes in one register read`, cure), NO_BYTES);
      return;
    }
    const buffer = Buffer.alloc(length);
    bus.readI2cBlock(address, register, length, buffer, (error) => {
      if (error === null) done(null, buffer);
      else done(this.#error(address, error), NO_BYTES);
    });
  }

  /** On the wire these three are the same: address, then the bytes. SMBus adapters know two. */
  write(address: number, bytes: Uint8Array, done: I2cDone): void {
    const bus = this.#open(done);
    if (bus === null) return;
    const ended = (error: Error | null): void =>
      done(error === null ? null : this.#error(address, error), NO_BYTES);
    const [first] = bytes;
    if (first === undefined) done(null, NO_BYTES);
    else if (bytes.length === 1) bus.sendByte(address, first, ended);
    else if (bytes.length <= BLOCK_WRITE_MAX) {
      const rest = Buffer.from(bytes.subarray(1));
      bus.writeI2cBlock(address, first, rest.length, rest, ended);
    } else bus.i2cWrite(address, bytes.length, Buffer.from(bytes), ended);
  }

  close(): void {
    this.#bus?.closeSync();
    this.#bus = null;
  }

  #open(done: I2cDone): Opened | null {
    if (this.#bus !== null) return this.#bus;
    const path = `/dev/i2c-${this.#number}`;
    try {
      accessSync(path, constants.R_OK | constants.W_OK);
      this.#bus = i2c.openSync(this.#number);
      return this.#bus;
    } catch (thrown) {
      done(openError(path, thrown), NO_BYTES);
      return null;
    }
  }

  #error(address: number, error: Error): BusError {
    const hex = `0x${address.toString(16)}`;
    const where = `I2C address ${hex} on bus ${this.#number}`;
    const code = codeOf(error);
    // The Pi's own controller gives no code at all for an address that does not answer.
    if (['', 'ENXIO', 'EREMOTEIO', 'ENODEV'].includes(code)) {
      const cure = 'check the cable and the pull-ups; `i2cdetect` shows what answers';
      return new BusError('absent', `nothing answers at ${where}`, cure, error);
    }
    if (code === 'EBUSY') {
      const cure = 'the kernel has a driver for it (an overlay in config.txt): take it out there';
      return new BusError('busy', `${where} is owned by a driver of the kernel`, cure, error);
    }
    if (code === 'ETIMEDOUT') {
      const cure = 'look for a short circuit or a chip that holds the clock';
      return new BusError('timeout', `${where} timed out`, cure, error);
    }
    return new BusError('io', `${where}: ${reasonOf(error)}`, 'check cable and supply', error);
  }
}

const openError = (path: string, thrown: unknown): BusError => {
  const code = codeOf(thrown);
  if (code === 'ENOENT') {
    const cure = 'enable I2C (dtparam=i2c_arm=on) and load i2c-dev';
    return new BusError('absent', `there is no ${path}`, cure, thrown);
  }
  if (code === 'EACCES' || code === 'EPERM') {
    const cure = 'add the user to the group i2c and install the udev rule';
    return new BusError('permission', `${path} may not be opened`, cure, thrown);
  }
  return new BusError('io', `${path}: ${reasonOf(thrown)}`, 'run `cutcard doctor`', thrown);
};
