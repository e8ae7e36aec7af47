import type { Scheduler } from '../../controller/core/ports.js';
import { BusError } from './errors.js';
import { NO_BYTES, type I2cBus, type I2cDone } from './i2c.js';

/** Attempts of one transfer; a loose wire fails all of them, a disturbed one the first only. */
export const I2C_ATTEMPTS = 3;
/** Pause between attempts, ns. */
export const I2C_RETRY_NS = 2_000_000;
/** Transfers that may wait; a device that asks faster than the bus runs is at fault. */
export const I2C_QUEUE_MAX = 64;

interface Transfer {
  readonly address: number;
  /** Negative: a write of `bytes`. */
  readonly register: number;
  readonly length: number;
  readonly bytes: Uint8Array;
  readonly done: I2cDone;
  attempts: number;
}

const WRITE = -1;

/** One transfer at a time on one bus, tried again a few times; devices share it. */
export class SharedI2c implements I2cBus {
  readonly #bus: I2cBus;
  readonly #scheduler: Scheduler;
  readonly #queue: Transfer[] = [];
  #busy = false;
  #closed = false;

  constructor(bus: I2cBus, scheduler: Scheduler) {
    this.#bus = bus;
    this.#scheduler = scheduler;
  }

  read(address: number, register: number, length: number, done: I2cDone): void {
    this.#add({ address, register, length, bytes: NO_BYTES, done, attempts: 0 });
  }

  write(address: number, bytes: Uint8Array, done: I2cDone): void {
    this.#add({ address, register: WRITE, length: 0, bytes, done, attempts: 0 });
  }

  close(): void {
    this.#closed = true;
    const error = new BusError('closed', 'the I2C bus was closed', 'start the controller again');
    for (const transfer of this.#queue.splice(0)) transfer.done(error, NO_BYTES);
    this.#bus.close();
  }

  #add(transfer: Transfer): void {
    if (this.#closed || this.#queue.length >= I2C_QUEUE_MAX) {
      const code = this.#closed ? 'closed' : 'limit';
      const error = new BusError(code, `I2C queue ${code}`, 'lower the rate of readings');
      transfer.done(error, NO_BYTES);
      return;
    }
    this.#queue.push(transfer);
    if (!this.#busy) this.#next();
  }

  #next(): void {
    const transfer = this.#queue[0];
    if (transfer === undefined || this.#closed) {
      this.#busy = false;
      return;
    }
    this.#busy = true;
    transfer.attempts += 1;
    const ended: I2cDone = (error, bytes) => this.#ended(transfer, error, bytes);
    const { address, register, length } = transfer;
    if (register === WRITE) this.#bus.write(address, transfer.bytes, ended);
    else this.#bus.read(address, register, length, ended);
  }

  #ended(transfer: Transfer, error: BusError | null, bytes: Uint8Array): void {
    if (this.#queue[0] !== transfer) return;
    if (error?.retry === 'retry' && transfer.attempts < I2C_ATTEMPTS && !this.#closed) {
      this.#scheduler.at(this.#scheduler.nowNs() + I2C_RETRY_NS, () => this.#next());
      return;
    }
    this.#queue.shift();
    transfer.done(error, bytes);
    this.#next();
  }
}
