import type { BusError } from './errors.js';

/**
 * Ends one transfer. A callback, not a promise: on a simulated clock a transfer ends at its own
 * instant, inside the task that moves the clock. `bytes` is empty after a write or an error.
 */
export type I2cDone = (error: BusError | null, bytes: Uint8Array) => void;

/** One I2C bus. Backends: `i2c-dev`, `virtual`, a recorded trace. */
export interface I2cBus {
  /** Writes `register`, then reads `length` bytes with a repeated start. */
  read(address: number, register: number, length: number, done: I2cDone): void;
  /** Writes the bytes as they stand: register first where the chip has registers. */
  write(address: number, bytes: Uint8Array, done: I2cDone): void;
  close(): void;
}

export const NO_BYTES = new Uint8Array(0);
/** SMBus block limit, bytes: the kernel refuses longer register reads. */
export const I2C_READ_MAX = 32;
