import { readdirSync, readFileSync } from 'node:fs';
import type { I2cDev } from '../../../firmware-bridge/bus/i2c-dev.js';

/** Number of the bus that the kernel's adapter of this name has. */
export const busNumber = (name: RegExp): number => {
  const folder = '/sys/bus/i2c/devices';
  for (const bus of readdirSync(folder).filter((one) => /^i2c-\d+$/.test(one))) {
    if (name.test(readFileSync(`${folder}/${bus}/name`, 'utf8'))) return Number(bus.slice(4));
  }
  throw new Error(`the guest has no I2C adapter ${String(name)}`);
};

export const write = (bus: I2cDev, address: number, bytes: readonly number[]): Promise<void> =>
  new Promise((resolve, reject) => {
    bus.write(address, Uint8Array.from(bytes), (error) =>
      error === null ? resolve() : reject(error),
    );
  });

export const read = (
  bus: I2cDev,
  address: number,
  register: number,
  length: number,
): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    bus.read(address, register, length, (error, bytes) =>
      error === null ? resolve(bytes) : reject(error),
    );
  });
