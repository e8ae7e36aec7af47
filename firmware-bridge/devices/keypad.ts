import type { Role } from '../../controller/core/cards.js';
import type { Cancel, Scheduler } from '../../controller/core/ports.js';
import { reasonOf } from '../bus/errors.js';
import type { GpioBus, InputLine, LineSpec } from '../bus/gpio.js';
import type { I2cBus } from '../bus/i2c.js';
import type { Device, DeviceStatus } from './device.js';
import { KeypadDecoder, type KeypadKey } from './keypad-codec.js';
import { Link, type Tell } from './link.js';
import { Mcp23017, MCP_POLL_NS } from './mcp23017.js';

/** A key that changed less than this ago is bouncing, ns. */
export const KEY_LOCKOUT_NS = 20_000_000;
/** A badge that was read counts for presses within this time, ns. */
export const BADGE_VALID_NS = 10_000_000_000;
/** Reads of one interrupt before the line counts as stuck. */
export const INTERRUPT_READS_MAX = 32;

export interface KeypadParts {
  readonly name: string;
  readonly scheduler: Scheduler;
  readonly gpio: GpioBus;
  readonly bus: I2cBus;
  readonly address: number;
  readonly interrupt: LineSpec;
  /** Keyswitches: active while turned. */
  readonly floorKey: LineSpec | null;
  readonly techKey: LineSpec | null;
  /** Key at each pin, A0 first. */
  readonly keys: readonly KeypadKey[];
}

/** The dealer's keypad on a key expander, with keyswitches that give the role. */
export class Keypad implements Device {
  readonly name: string;
  readonly #p: KeypadParts;
  readonly #chip: Mcp23017;
  readonly #decoder = new KeypadDecoder();
  readonly #changedNs: Float64Array;
  #pins = 0;
  #tell: Tell = () => undefined;
  #link: Link | null = null;
  #interrupt: InputLine | null = null;
  #floor: InputLine | null = null;
  #tech: InputLine | null = null;
  #reading = false;
  #pressedNs = 0;
  #reads = 0;
  #cancel: Cancel | null = null;
  #badge: string | null = null;
  #badgeNs = 0;
  #bounces = 0;

  constructor(parts: KeypadParts) {
    this.name = parts.name;
    this.#p = parts;
    this.#changedNs = new Float64Array(parts.keys.length).fill(-KEY_LOCKOUT_NS);
    this.#chip = new Mcp23017(parts.bus, parts.address, (reason) => this.#link?.down(reason));
  }

  start(tell: Tell): void {
    this.#tell = tell;
    this.#link ??= new Link({
      device: this.name,
      scheduler: this.#p.scheduler,
      tell,
      silenceNs: null,
      open: () => this.#open(),
      shut: () => this.#shut(),
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
      counts: { bounces: this.#bounces, refused: this.#decoder.refused },
      readings: null,
    };
  }

  /** A badge was shown beside the keypad. */
  badge(badge: string, atNs: number): void {
    this.#badge = badge;
    this.#badgeNs = atNs;
  }

  #open(): void {
    try {
      const { gpio, interrupt, floorKey, techKey } = this.#p;
      this.#interrupt = gpio.input(interrupt, {
        edge: (active, atNs) => {
          if (active) this.#onInterrupt(atNs);
        },
        fault: (error) => this.#link?.down(error.message),
      });
      const quiet = {
        edge: () => undefined,
        fault: (error: Error) => this.#link?.down(error.message),
      };
      this.#floor = floorKey === null ? null : gpio.input(floorKey, quiet);
      this.#tech = techKey === null ? null : gpio.input(techKey, quiet);
    } catch (thrown) {
      this.#link?.down(reasonOf(thrown));
      return;
    }
    this.#chip.configure((pins) => {
      this.#pins = pins;
      this.#link?.up('mcp23017');
      this.#armPoll();
    });
  }

  #shut(): void {
    this.#cancel?.();
    this.#reading = false;
    this.#interrupt?.close();
    this.#floor?.close();
    this.#tech?.close();
    this.#interrupt = null;
    this.#floor = null;
    this.#tech = null;
  }

  #armPoll(): void {
    const due = this.#p.scheduler.nowNs() + MCP_POLL_NS;
    this.#cancel = this.#p.scheduler.at(due, () => this.#chip.verify(() => this.#armPoll()));
  }

  #onInterrupt(atNs: number): void {
    this.#pressedNs = atNs;
    if (this.#reading) return;
    this.#reads = 0;
    this.#read();
  }

  /** Reads until the interrupt line is quiet: a change during a read raises it again. */
  #read(): void {
    this.#reading = true;
    this.#reads += 1;
    if (this.#reads > INTERRUPT_READS_MAX) {
      this.#link?.down('the interrupt line stays active');
      return;
    }
    const atNs = this.#pressedNs;
    this.#chip.readPins((flags, captured, now) => {
      this.#reading = false;
      if (this.#interrupt === null) return;
      // The captured levels say what happened first, the present ones what followed.
      this.#levels((this.#pins & ~flags) | (captured & flags), atNs);
      this.#levels(now, this.#p.scheduler.nowNs());
      if (this.#isInterrupted()) this.#read();
    });
  }

  #isInterrupted(): boolean {
    try {
      return this.#interrupt?.read() === true;
    } catch (thrown) {
      this.#link?.down(reasonOf(thrown));
      return false;
    }
  }

  #levels(pins: number, atNs: number): void {
    const changed = pins ^ this.#pins;
    this.#pins = pins;
    if (changed === 0) return;
    const { keys } = this.#p;
    for (let i = 0; i < keys.length; i += 1) {
      const key = keys[i];
      if (key === undefined || (changed & (1 << i)) === 0) continue;
      const quiet = atNs - (this.#changedNs[i] ?? 0) >= KEY_LOCKOUT_NS;
      this.#changedNs[i] = atNs;
      if ((pins & (1 << i)) === 0) continue;
      if (quiet) this.#key(key, atNs);
      else this.#bounces += 1;
    }
  }

  #key(key: KeypadKey, atNs: number): void {
    const badge = atNs - this.#badgeNs <= BADGE_VALID_NS ? this.#badge : null;
    const press = this.#decoder.key(key, this.#role(), badge, atNs);
    if (press === null) return;
    this.#badge = null;
    this.#tell(press, atNs);
  }

  #role(): Role {
    try {
      if (this.#tech?.read() === true) return 'tech';
      return this.#floor?.read() === true ? 'floor' : 'dealer';
    } catch {
      // A keyswitch that cannot be read gives nobody more rights.
      return 'dealer';
    }
  }
}
