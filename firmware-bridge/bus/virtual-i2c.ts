import type { Scheduler } from '../../controller/core/ports.js';
import { BusError } from './errors.js';
import { NO_BYTES, type I2cBus, type I2cDone } from './i2c.js';

/** A chip on the virtual bus, at register level. */
export interface VirtualChip {
  /** A write as it comes over the wire. */
  write(bytes: Uint8Array, atNs: number): void;
  /** A read after `register` was written. */
  read(register: number, length: number, atNs: number): Uint8Array;
}

/** Time of one byte with its acknowledge at 400 kHz, ns. */
const BYTE_NS = 22_500;

/** I2C in memory: chips by address; transfers take the time a real bus takes. */
export class VirtualI2c implements I2cBus {
  readonly #chips = new Map<number, VirtualChip>();
  readonly #absent = new Set<number>();
  readonly #scheduler: Scheduler;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  fit(address: number, chip: VirtualChip): void {
    this.#chips.set(address, chip);
  }

  /** Pulls a chip off the bus, or puts it back. */
  pull(address: number, away: boolean): void {
    if (away) this.#absent.add(address);
    else this.#absent.delete(address);
  }

  read(address: number, register: number, length: number, done: I2cDone): void {
    this.#after(3 + length, () => {
      const chip = this.#chip(address);
      if (chip === null) done(absent(address), NO_BYTES);
      else done(null, chip.read(register, length, this.#scheduler.nowNs()));
    });
  }

  write(address: number, bytes: Uint8Array, done: I2cDone): void {
    const copy = Uint8Array.from(bytes);
    this.#after(1 + copy.length, () => {
      const chip = this.#chip(address);
      chip?.write(copy, this.#scheduler.nowNs());
      done(chip === null ? absent(address) : null, NO_BYTES);
    });
  }

  close(): void {
    // Chips and their registers outlive the program that used them.
  }

  #chip(address: number): VirtualChip | null {
    return this.#absent.has(address) ? null : (this.#chips.get(address) ?? null);
  }

  #after(bytes: number, run: () => void): void {
    this.#scheduler.at(this.#scheduler.nowNs() + bytes * BYTE_NS, run);
  }
}

const absent = (address: number): BusError => {
  const hex = `0x${address.toString(16)}`;
  return new BusError('absent', `nothing answers at I2C address ${hex}`, 'check the cable');
};
