import type { VirtualChip } from '../bus/virtual-i2c.js';
import { TCS, TCS_CYCLE_NS } from '../devices/tcs34725.js';
import type { ColourReference } from '../signal/calibration.js';
import type { LightHistory } from './light.js';
import { PLAIN_NOISE, type NoiseModel } from './noise.js';
import type { Random } from './random.js';

/** The references were taken at this integration (4 cycles) and gain (4x). */
const REFERENCE_CYCLES = 4;
const GAINS = [1, 4, 16, 60];
const REFERENCE_GAIN = 4;

/** Skin under a white lamp, counts: warm, half as bright as a white card. */
const FINGER: ColourReference = {
  name: 'finger',
  kind: 'nothing',
  clear: 900,
  red: 400,
  green: 280,
  blue: 220,
};

/** A TCS34725 at register level: converts the light of its last whole integration window. */
export class TcsChip implements VirtualChip {
  readonly #registers = new Uint8Array(32);
  readonly #light: LightHistory;
  readonly #surfaces: ReadonlyMap<string, ColourReference>;
  readonly #random: Random;
  readonly #noise: number;
  readonly #model: NoiseModel['colour'];
  #enabledNs = -1;

  constructor(
    light: LightHistory,
    surfaces: readonly ColourReference[],
    random: Random,
    noise: number,
    model: NoiseModel = PLAIN_NOISE,
  ) {
    this.#light = light;
    this.#surfaces = new Map([FINGER, ...surfaces].map((s) => [s.name, s]));
    this.#random = random;
    this.#noise = noise;
    this.#model = model.colour;
    this.powerOn();
  }

  /** Registers as after power-on (data sheet, reset column). */
  powerOn(): void {
    this.#registers.fill(0);
    this.#registers[TCS.ATIME] = 0xff;
    this.#registers[TCS.ID] = 0x44;
    this.#enabledNs = -1;
  }

  write(bytes: Uint8Array, atNs: number): void {
    const command = bytes[0] ?? 0;
    if ((command & TCS.COMMAND) === 0) return;
    let register = command & 0x1f;
    for (const value of bytes.subarray(1)) {
      const readOnly = register >= TCS.ID;
      if (!readOnly) this.#registers[register] = value;
      if (register === TCS.ENABLE) {
        const running = (value & (TCS.PON | TCS.AEN)) === (TCS.PON | TCS.AEN);
        this.#enabledNs = running ? atNs : -1;
      }
      if ((command & TCS.AUTO_INCREMENT) !== 0) register = (register + 1) & 0x1f;
    }
  }

  read(command: number, length: number, atNs: number): Uint8Array {
    const bytes = new Uint8Array(length);
    if ((command & TCS.COMMAND) === 0) return bytes;
    this.#convert(atNs);
    let register = command & 0x1f;
    for (let i = 0; i < length; i += 1) {
      bytes[i] = this.#registers[register] ?? 0;
      if ((command & TCS.AUTO_INCREMENT) !== 0) register = (register + 1) & 0x1f;
    }
    return bytes;
  }

  /** Brings the data registers to the last window that ended before `atNs`. */
  #convert(atNs: number): void {
    const cycles = 256 - (this.#registers[TCS.ATIME] ?? 0xff);
    const windowNs = cycles * TCS_CYCLE_NS;
    const windows = this.#enabledNs < 0 ? 0 : Math.floor((atNs - this.#enabledNs) / windowNs);
    if (windows < 1) {
      this.#registers[TCS.STATUS] = 0;
      return;
    }
    const toNs = this.#enabledNs + windows * windowNs;
    const gain = GAINS[(this.#registers[TCS.CONTROL] ?? 0) & 3] ?? 1;
    const scale = (cycles / REFERENCE_CYCLES) * (gain / REFERENCE_GAIN) * this.#lamp(toNs);
    const sums = [0, 0, 0, 0];
    this.#light.shares(toNs - windowNs, toNs, (name, share) => {
      const seen = this.#surfaces.get(name) ?? this.#surfaces.get('nothing');
      if (seen === undefined) return;
      for (const [i, counts] of [seen.clear, seen.red, seen.green, seen.blue].entries()) {
        sums[i] = (sums[i] ?? 0) + counts * share * scale;
      }
    });
    this.#registers[TCS.STATUS] = TCS.AVALID;
    for (const [i, sum] of sums.entries()) {
      const scattered = sum * (1 + this.#model.scatter * this.#noise * this.#random.normal());
      const counts = Math.max(0, Math.min(1024 * cycles, Math.round(scattered)));
      this.#registers[TCS.CDATA + 2 * i] = counts & 0xff;
      this.#registers[TCS.CDATA + 2 * i + 1] = counts >> 8;
    }
  }

  #lamp(atNs: number): number {
    const { drift, driftPeriodS } = this.#model;
    return 1 + drift * this.#noise * Math.sin((2 * Math.PI * atNs) / (driftPeriodS * 1e9));
  }
}
