import type { GpioBus } from './gpio.js';
import type { I2cBus } from './i2c.js';
import type { ByteStream } from './stream.js';

/** Every bus of one board, by the names its board file gives them. */
export interface Buses {
  readonly gpio: GpioBus;
  readonly i2c: Readonly<Record<string, I2cBus>>;
  readonly streams: Readonly<Record<string, ByteStream>>;
  /** Writes out what a recording still holds in memory. */
  readonly flush?: () => void;
}
