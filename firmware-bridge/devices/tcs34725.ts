import type { Cancel, Scheduler } from '../../controller/core/ports.js';
import type { I2cBus } from '../bus/i2c.js';
import type { Device, DeviceStatus } from './device.js';
import { Link, type Tell } from './link.js';

/** Registers and bits: ams TCS3472 data sheet, register description. */
export const TCS = {
  ADDRESS: 0x29,
  COMMAND: 0x80,
  AUTO_INCREMENT: 0x20,
  ENABLE: 0x00,
  ATIME: 0x01,
  CONTROL: 0x0f,
  ID: 0x12,
  STATUS: 0x13,
  CDATA: 0x14,
  PON: 0x01,
  AEN: 0x02,
  AVALID: 0x01,
  /** TCS34721/TCS34725 and TCS34723/TCS34727. */
  IDS: [0x44, 0x4d],
} as const;

/** One integration cycle, ns. */
export const TCS_CYCLE_NS = 2_400_000;
/**
 * Four cycles, 9.6 ms: the fastest card covers the sensor for 45 ms, so at least one whole
 * integration falls inside it after the two windows that an edge may have cut (2 x 9.6 ms).
 */
export const TCS_CYCLES = 4;
export const TCS_INTEGRATION_NS = TCS_CYCLES * TCS_CYCLE_NS;
/** Full scale at four cycles, counts. */
export const TCS_COUNTS_MAX = 1024 * TCS_CYCLES;
/** Gain 4x: a white card under the head's own lamp reads about half of full scale. */
export const TCS_GAIN_4X = 0x01;
/** The chip is asked this often whether it is still there and still set up, ns. */
export const TCS_POLL_NS = 5_000_000_000;
/** Power-on to first conversion, ns (data sheet: 2.4 ms). */
const WARM_UP_NS = 3_000_000;

/** Takes a colour reading: counts at the fixed gain; `ok` false when there is none. */
export type ColourTake = (
  ok: boolean,
  clear: number,
  red: number,
  green: number,
  blue: number,
) => void;

const register = (address: number): number => TCS.COMMAND | TCS.AUTO_INCREMENT | address;

/** The colour sensor of the shoe mouth, free-running; read on demand. */
export class Tcs34725 implements Device {
  readonly name: string;
  /** Told each reading of the empty mouth (every TCS_POLL_NS): see the mouth's drift tracker. */
  onIdle: ColourTake | null = null;
  /** Tells the poll whether the mouth is empty. */
  isIdle: () => boolean = () => true;

  readonly #scheduler: Scheduler;
  readonly #bus: I2cBus;
  readonly #address: number;
  #link: Link | null = null;
  #cancel: Cancel | null = null;
  #readings = 0;
  #failures = 0;

  constructor(name: string, scheduler: Scheduler, bus: I2cBus, address: number = TCS.ADDRESS) {
    this.name = name;
    this.#scheduler = scheduler;
    this.#bus = bus;
    this.#address = address;
  }

  start(tell: Tell): void {
    this.#link ??= new Link({
      device: this.name,
      scheduler: this.#scheduler,
      tell,
      silenceNs: null,
      open: () => this.#open(),
      shut: () => this.#cancel?.(),
    });
    this.#link.start();
  }

  stop(): void {
    this.#link?.stop();
    this.#link = null;
  }

  get isUp(): boolean {
    return this.#link?.state === 'up';
  }

  sample(take: ColourTake): void {
    this.#bus.read(this.#address, register(TCS.STATUS), 9, (error, bytes) => {
      if (error !== null) {
        this.#failures += 1;
        this.#link?.down(error.message);
        take(false, 0, 0, 0, 0);
        return;
      }
      this.#readings += 1;
      const valid = ((bytes[0] ?? 0) & TCS.AVALID) !== 0;
      const [clear, red, green, blue] = [
        word(bytes, 1),
        word(bytes, 3),
        word(bytes, 5),
        word(bytes, 7),
      ];
      // At full scale the shares of the colours are no longer true.
      take(valid && clear < TCS_COUNTS_MAX, clear, red, green, blue);
    });
  }

  status(): DeviceStatus {
    return {
      state: this.#link?.state ?? 'closed',
      identity: this.#link?.identity ?? null,
      reason: this.#link?.lastReason ?? null,
      counts: { readings: this.#readings, failures: this.#failures },
      readings: { good: this.#readings, bad: this.#failures },
    };
  }

  #open(): void {
    this.#bus.read(this.#address, register(TCS.ID), 1, (error, bytes) => {
      const id = bytes[0] ?? 0;
      if (error !== null) this.#link?.down(error.message);
      else if (!TCS.IDS.some((known) => known === id)) {
        this.#link?.down(`identity 0x${id.toString(16)} is no TCS34725 (0x44 or 0x4d)`);
      } else this.#configure(id);
    });
  }

  #configure(id: number): void {
    this.#write(TCS.ENABLE, TCS.PON, () => {
      this.#cancel = this.#scheduler.at(this.#scheduler.nowNs() + WARM_UP_NS, () => {
        this.#write(TCS.ATIME, 256 - TCS_CYCLES, () =>
          this.#write(TCS.CONTROL, TCS_GAIN_4X, () =>
            this.#write(TCS.ENABLE, TCS.PON | TCS.AEN, () => {
              this.#link?.up(`tcs34725/0x${id.toString(16)}`);
              this.#armPoll();
            }),
          ),
        );
      });
    });
  }

  #write(address: number, value: number, then: () => void): void {
    const bytes = Uint8Array.of(TCS.COMMAND | address, value);
    this.#bus.write(this.#address, bytes, (error) => {
      if (error === null) then();
      else this.#link?.down(error.message);
    });
  }

  #armPoll(): void {
    this.#cancel = this.#scheduler.at(this.#scheduler.nowNs() + TCS_POLL_NS, () => this.#poll());
  }

  /** A chip that lost its power comes back with the registers of the data sheet's reset column. */
  #poll(): void {
    this.#bus.read(this.#address, register(TCS.ENABLE), 2, (error, bytes) => {
      if (error !== null) {
        this.#link?.down(error.message);
        return;
      }
      if (bytes[0] !== (TCS.PON | TCS.AEN) || bytes[1] !== 256 - TCS_CYCLES) {
        this.#link?.down('the chip lost its settings: its supply failed');
        return;
      }
      const idle = this.onIdle;
      if (idle !== null && this.isIdle()) {
        this.sample((ok, c, r, g, b) => {
          if (ok && this.isIdle()) idle(ok, c, r, g, b);
        });
      }
      this.#armPoll();
    });
  }
}

const word = (bytes: Uint8Array, at: number): number =>
  (bytes[at] ?? 0) + 256 * (bytes[at + 1] ?? 0);
