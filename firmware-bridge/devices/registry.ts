import type { Scheduler } from '../../controller/core/ports.js';
import { lineSpec, type Board } from '../boards/load.js';
import type { DeviceSpec } from '../boards/schema.js';
import type { Buses } from '../bus/buses.js';
import { BusError } from '../bus/errors.js';
import type { I2cBus } from '../bus/i2c.js';
import { type KernelClock, kernelClock } from '../bus/kernel-clock.js';
import type { ByteStream } from '../bus/stream.js';
import type { Says } from '../framing/says.js';
import { CharacterDisplay } from './character-display.js';
import { DeclaredDevice, type OnSays } from './declared.js';
import type { Device } from './device.js';
import { Ds3231 } from './ds3231.js';
import { Keypad } from './keypad.js';
import { Gate, Sounder, Tower } from './outputs.js';
import { Panel } from './panel.js';
import { ShoeMouth } from './shoe-mouth.js';
import { LampTap, LID, SHOE, Switch } from './switches.js';
import { Tcs34725 } from './tcs34725.js';

const NS_PER_MS = 1e6;

/** Builds every device of a board, each found by its driver's name; in the board's order. */
export const buildDevices = (board: Board, buses: Buses, scheduler: Scheduler): Device[] => {
  const built = new Map<string, Device>();
  const builder = new Builder(board, buses, scheduler, built);
  // A mouth is built on its colour sensor, whatever the order in the file.
  const names = Object.keys(board.devices);
  const sensorsFirst = [
    ...names.filter((name) => board.devices[name]?.driver === 'tcs34725'),
    ...names.filter((name) => board.devices[name]?.driver !== 'tcs34725'),
  ];
  for (const name of sensorsFirst) {
    const spec = board.devices[name];
    if (spec !== undefined) built.set(name, builder.build(name, spec));
  }
  return [...built.values()];
};

class Builder {
  readonly #board: Board;
  readonly #buses: Buses;
  readonly #scheduler: Scheduler;
  readonly #built: ReadonlyMap<string, Device>;

  constructor(
    board: Board,
    buses: Buses,
    scheduler: Scheduler,
    built: ReadonlyMap<string, Device>,
  ) {
    this.#board = board;
    this.#buses = buses;
    this.#scheduler = scheduler;
    this.#built = built;
  }

  build(name: string, spec: DeviceSpec): Device {
    const scheduler = this.#scheduler;
    const { gpio } = this.#buses;
    const parts = { name, scheduler, gpio };
    const line = (of: string) => lineSpec(this.#board, of);
    switch (spec.driver) {
      case 'tcs34725':
        return new Tcs34725(name, scheduler, this.#i2c(spec.bus), spec.address);
      case 'shoe-mouth':
        return this.#mouth(name, spec);
      case 'keypad':
        return new Keypad({
          ...parts,
          bus: this.#i2c(spec.bus),
          address: spec.address,
          interrupt: line(spec.interrupt),
          floorKey: spec.floorKey === undefined ? null : line(spec.floorKey),
          techKey: spec.techKey === undefined ? null : line(spec.techKey),
          keys: spec.keys,
        });
      case 'display':
        return new CharacterDisplay(name, scheduler, this.#i2c(spec.bus), spec.address);
      case 'ds3231':
        return this.#clock(name, spec);
      case 'gate':
        return new Gate(parts, line(spec.line), spec.safe === 'locked');
      case 'tower':
        return new Tower(parts, [line(spec.green), line(spec.amber), line(spec.red)]);
      case 'sounder':
        return new Sounder(parts, line(spec.line));
      case 'lid':
        return new Switch(parts, line(spec.line), LID);
      case 'shoe-present':
        return new Switch(parts, line(spec.line), SHOE);
      case 'lamp-tap':
        return new LampTap(parts, [line(spec.green), line(spec.red)]);
      case 'panel':
        return new Panel(name, scheduler, this.#stream(spec.stream), this.#profile(name));
      case 'shuffler':
      case 'rack':
      case 'rank-reader':
      case 'badge-reader':
        return this.#declared(name, spec);
    }
  }

  #mouth(name: string, spec: Extract<DeviceSpec, { driver: 'shoe-mouth' }>): ShoeMouth {
    const colour = spec.colour === undefined ? undefined : this.#built.get(spec.colour);
    const calibration = this.#board.calibrations[name];
    if (calibration === undefined) throw missing(`the mouth ${name} has no calibration`);
    return new ShoeMouth({
      name,
      scheduler: this.#scheduler,
      gpio: this.#buses.gpio,
      beamA: lineSpec(this.#board, spec.beamA),
      beamB: lineSpec(this.#board, spec.beamB),
      colour: colour instanceof Tcs34725 ? colour : null,
      reader: spec.reader !== undefined,
      calibration,
      blockedNs: spec.blockedMs * NS_PER_MS,
    });
  }

  #declared(
    name: string,
    spec: Extract<DeviceSpec, { driver: 'shuffler' | 'rack' | 'rank-reader' | 'badge-reader' }>,
  ): DeclaredDevice {
    const device: DeclaredDevice = new DeclaredDevice({
      name,
      scheduler: this.#scheduler,
      stream: this.#stream(spec.stream),
      profile: this.#profile(name),
      onSays: (says, atNs) => this.#hear(spec, device, says, atNs),
    });
    return device;
  }

  #hear(spec: DeviceSpec, device: DeclaredDevice, says: Says, atNs: number): ReturnType<OnSays> {
    switch (says.say) {
      case 'observation':
        device.tell(says.happening, atNs);
        return true;
      case 'rank': {
        const mouth = spec.driver === 'rank-reader' ? this.#built.get(spec.mouth) : undefined;
        if (!(mouth instanceof ShoeMouth)) return false;
        mouth.rank(says.rank ?? null, says.suit ?? null, atNs);
        return true;
      }
      case 'badge': {
        const keypad = spec.driver === 'badge-reader' ? this.#built.get(spec.keypad) : undefined;
        if (!(keypad instanceof Keypad)) return false;
        keypad.badge(says.badge, atNs);
        return true;
      }
      default:
        return false;
    }
  }

  #clock(name: string, { bus, address }: Extract<DeviceSpec, { driver: 'ds3231' }>): Ds3231 {
    const spec = this.#board.i2c[bus];
    const kernel = (): KernelClock | null =>
      spec?.backend === 'i2c-dev' ? kernelClock(spec.number, address) : null;
    return new Ds3231(name, this.#scheduler, this.#i2c(bus), address, kernel);
  }

  #i2c(name: string): I2cBus {
    const bus = this.#buses.i2c[name];
    if (bus === undefined) throw missing(`no I2C bus ${name} was opened`);
    return bus;
  }

  #stream(name: string): ByteStream {
    const stream = this.#buses.streams[name];
    if (stream === undefined) throw missing(`no stream ${name} was opened`);
    return stream;
  }

  #profile(name: string) {
    const profile = this.#board.profiles[name];
    if (profile === undefined) throw missing(`the device ${name} has no profile`);
    return profile;
  }
}

const missing = (message: string): BusError =>
  new BusError('config', message, 'name it in the board file');
