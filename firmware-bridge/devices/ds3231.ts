import type { Cancel, Scheduler } from '../../controller/core/ports.js';
import type { BusError } from '../bus/errors.js';
import type { I2cBus } from '../bus/i2c.js';
import type { KernelClock } from '../bus/kernel-clock.js';
import type { Device, DeviceStatus } from './device.js';
import { Link, type Tell } from './link.js';

/** Registers: Maxim DS3231 data sheet, table 1. */
export const DS = {
  ADDRESS: 0x68,
  SECONDS: 0x00,
  STATUS: 0x0f,
  TEMPERATURE: 0x11,
  REGISTERS: 0x13,
  /** The oscillator has stood still: the time is worth nothing. */
  OSF: 0x80,
} as const;

/** The clock is asked this often, ns. */
export const DS_POLL_NS = 60_000_000_000;

export interface ClockReading {
  /** UTC, ms since the epoch; null where the registers hold no date. */
  readonly wallMs: number | null;
  readonly stopped: boolean;
  /** Null where nobody shows it. */
  readonly celsius: number | null;
}

const bcd = (byte: number): number => {
  const [high, low] = [byte >> 4, byte & 15];
  return high > 9 || low > 9 ? NaN : high * 10 + low;
};

/** Registers 0x00 to 0x12 as one reading. Twelve-hour mode and the century bit are understood. */
export const decodeClock = (r: Uint8Array): ClockReading => {
  const at = (i: number): number => r[i] ?? 0;
  const hours = at(2);
  const twelve = (hours & 0x40) !== 0;
  const hour = twelve
    ? (bcd(hours & 0x1f) % 12) + ((hours & 0x20) === 0 ? 0 : 12)
    : bcd(hours & 0x3f);
  const month = bcd(at(5) & 0x1f);
  const year = 2000 + bcd(at(6)) + ((at(5) & 0x80) === 0 ? 0 : 100);
  const [second, minute, day] = [bcd(at(0) & 0x7f), bcd(at(1) & 0x7f), bcd(at(4) & 0x3f)];
  const wallMs = Date.UTC(year, month - 1, day, hour, minute, second);
  const isDate = month >= 1 && month <= 12 && day >= 1 && day <= 31 && hour < 24 && minute < 60;
  const quarter = (at(DS.TEMPERATURE + 1) >> 6) / 4;
  const whole = at(DS.TEMPERATURE) > 127 ? at(DS.TEMPERATURE) - 256 : at(DS.TEMPERATURE);
  return {
    wallMs: isDate && !Number.isNaN(wallMs) ? wallMs : null,
    stopped: (at(DS.STATUS) & DS.OSF) !== 0,
    celsius: whole + quarter,
  };
};

/** What the kernel's driver shows, as a reading of the chip. */
export const kernelReading = ({ wallMs, celsius }: KernelClock): ClockReading => ({
  wallMs,
  stopped: wallMs === null,
  celsius,
});

/**
 * The battery-backed clock of boards that have none. Read only: the kernel or chrony sets it. Where
 * the kernel's driver owns the chip, what that driver shows is taken.
 */
export class Ds3231 implements Device {
  readonly name: string;
  /** Last good reading, and when it was taken on the scheduler's clock. */
  last: { readonly reading: ClockReading; readonly atNs: number } | null = null;
  readonly #scheduler: Scheduler;
  readonly #bus: I2cBus;
  readonly #address: number;
  readonly #kernel: () => KernelClock | null;
  #tell: Tell = () => undefined;
  #link: Link | null = null;
  #cancel: Cancel | null = null;
  #stale = false;

  constructor(
    name: string,
    scheduler: Scheduler,
    bus: I2cBus,
    address: number = DS.ADDRESS,
    kernel: () => KernelClock | null = () => null,
  ) {
    this.name = name;
    this.#scheduler = scheduler;
    this.#bus = bus;
    this.#address = address;
    this.#kernel = kernel;
  }

  start(tell: Tell): void {
    this.#tell = tell;
    this.#link ??= new Link({
      device: this.name,
      scheduler: this.#scheduler,
      tell,
      silenceNs: null,
      open: () => this.#read(),
      shut: () => this.#cancel?.(),
    });
    this.#link.start();
  }

  stop(): void {
    this.#link?.stop();
    this.#link = null;
  }

  status(): DeviceStatus {
    return {
      state: this.#link?.state ?? 'closed',
      identity: this.#link?.identity ?? null,
      reason: this.#link?.lastReason ?? null,
      counts: {},
      readings: null,
    };
  }

  #read(): void {
    this.#bus.read(this.#address, DS.SECONDS, DS.REGISTERS, (error, bytes) => {
      const reading = error === null ? decodeClock(bytes) : this.#fromKernel(error);
      if (reading === null) {
        this.#link?.down(error?.message ?? 'no answer');
        return;
      }
      if (reading.wallMs === null && !reading.stopped) {
        this.#link?.down('its registers hold no date: no DS3231, or it was never set');
        return;
      }
      const now = this.#scheduler.nowNs();
      this.last = { reading, atNs: now };
      if (this.#link?.state === 'opening') this.#link.up('ds3231');
      // A stopped clock answers well and tells nonsense: say so once.
      if (reading.stopped && !this.#stale)
        this.#tell({ kind: 'device.stale', device: this.name }, now);
      this.#stale = reading.stopped;
      this.#cancel = this.#scheduler.at(now + DS_POLL_NS, () => this.#read());
    });
  }

  #fromKernel({ code }: BusError): ClockReading | null {
    const held = code === 'busy' ? this.#kernel() : null;
    return held === null ? null : kernelReading(held);
  }
}
