import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A clock chip as the kernel's own driver shows it. */
export interface KernelClock {
  /** UTC, ms since the epoch; null where the driver calls the time invalid. */
  readonly wallMs: number | null;
  /** Null where the driver shows none. */
  readonly celsius: number | null;
}

const numberIn = (path: string): number | null => {
  try {
    const text = readFileSync(path, 'utf8').trim();
    return /^-?\d+$/.test(text) ? Number(text) : null;
  } catch {
    return null;
  }
};

const onlyIn = (folder: string): string | null => {
  try {
    const [name] = readdirSync(folder);
    return name === undefined ? null : join(folder, name);
  } catch {
    return null;
  }
};

/**
 * The clock at an I2C address that the kernel's driver owns (`dtoverlay=i2c-rtc,ds3231`): it sets
 * the system's time at the start, and nobody else may talk to the chip. Read from sysfs
 * (`rtc/rtcN/since_epoch`, s; `hwmon/hwmonN/temp1_input`, m°C). Null where no driver has it.
 */
export const kernelClock = (bus: number, address: number, sys = '/sys'): KernelClock | null => {
  const chip = `${bus}-${address.toString(16).padStart(4, '0')}`;
  const device = join(sys, 'bus/i2c/devices', chip);
  const rtc = onlyIn(join(device, 'rtc'));
  if (rtc === null) return null;
  const seconds = numberIn(join(rtc, 'since_epoch'));
  const sensor = onlyIn(join(device, 'hwmon'));
  const milli = sensor === null ? null : numberIn(join(sensor, 'temp1_input'));
  return {
    wallMs: seconds === null ? null : seconds * 1000,
    celsius: milli === null ? null : milli / 1000,
  };
};
