import type { Directive } from '../controller/core/directive.js';
import type { Happening } from '../controller/core/observation.js';
import type { Bridge, Scheduler } from '../controller/core/ports.js';
import type { Board } from './boards/load.js';
import type { Buses } from './bus/buses.js';
import type { Device, DeviceStatus } from './devices/device.js';
import { buildDevices } from './devices/registry.js';
import { BusWatch } from './watch/bus-watch.js';

/** The devices of one board as the runtime sees them. Opening goes on after `start` resolves. */
export class BoardBridge implements Bridge {
  readonly board: Board;
  /** What went over the buses last. */
  readonly watch: BusWatch;
  readonly #buses: Buses;
  readonly #devices: readonly Device[];
  #started = false;

  constructor(board: Board, buses: Buses, scheduler: Scheduler) {
    this.board = board;
    this.#buses = buses;
    this.watch = new BusWatch(buses, board, scheduler);
    this.#devices = buildDevices(board, this.watch.buses, scheduler);
  }

  start(tell: (happening: Happening, atNs: number) => void): Promise<void> {
    if (!this.#started) {
      this.#started = true;
      for (const device of this.#devices) device.start(tell);
    }
    return Promise.resolve();
  }

  perform(directive: Directive): void {
    if (!this.#started) return;
    for (const device of this.#devices) device.perform?.(directive);
  }

  /** Outputs go to their safe state; inputs are let go. May be started again. */
  stop(): Promise<void> {
    if (this.#started) {
      this.#started = false;
      for (const device of this.#devices) device.stop();
      this.#buses.flush?.();
    }
    return Promise.resolve();
  }

  /** Lets the buses go too; the bridge cannot be started again after this. */
  async close(): Promise<void> {
    await this.stop();
    this.#buses.gpio.close();
    for (const bus of Object.values(this.#buses.i2c)) bus.close();
  }

  /** Every device by name: for health and the doctor. */
  status(): Readonly<Record<string, DeviceStatus>> {
    return Object.fromEntries(this.#devices.map((device) => [device.name, device.status()]));
  }
}
