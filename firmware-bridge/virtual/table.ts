import type { Role } from '../../controller/core/cards.js';
import type { Batch, DeviceName, Lamp } from '../../controller/core/observation.js';
import type { Scheduler } from '../../controller/core/ports.js';
import type { Press } from '../../controller/core/press.js';
import { chooseOnBoard, fitBoard, lineSpec, type Board } from '../boards/load.js';
import { BoardBridge } from '../bridge.js';
import type { LineSpec } from '../bus/gpio.js';
import { SharedI2c } from '../bus/shared-i2c.js';
import { VirtualGpio } from '../bus/virtual-gpio.js';
import { VirtualI2c, type VirtualChip } from '../bus/virtual-i2c.js';
import { VirtualStream } from '../bus/virtual-stream.js';
import { keysFor } from '../devices/keypad-codec.js';
import { rawPressOf } from '../devices/panel-codec.js';
import type { FieldValue } from '../framing/profile.js';
import { recordBuses } from '../trace/record.js';
import { virtualBoard } from './board.js';
import type { Hands, ShufflerSaid, VirtualTable, VirtualTableOptions } from './hands.js';
import { KeypadModel } from './keypad-model.js';
import { LcdChip } from './lcd-chip.js';
import { Machine, type LineNoise } from './machines.js';
import { McpChip } from './mcp-chip.js';
import { MouthModel, type Surface } from './mouth-model.js';
import { chanceAt, PLAIN_NOISE, type NoiseModel } from './noise.js';
import { Random } from './random.js';
import { TcsChip } from './tcs-chip.js';
import { TowerModel } from './tower-model.js';

const MS = 1e6;
/** By then every device of the board has opened and set itself up, ns after the start. */
export const READY_NS = 150 * MS;
/** From the last edge to the observation: filter, colour transfer, a reader's message, ns. */
const MOUTH_LATENCY_NS = 120 * MS;
/** From the last byte or key to the observation, ns. */
const WORD_LATENCY_NS = 30 * MS;
/** Switch filter and its bounce, ns. */
const SWITCH_LATENCY_NS = 120 * MS;
/** The lamp tap has judged a steady light or a blink by then, ns. */
const LAMP_LATENCY_NS = 4_500 * MS;
/** Baud of a stream that no device uses. */
const DEFAULT_BAUD = 9600;
const LAMP_HALF_NS = 400 * MS;
/** A pulled or plugged device is noticed by then: polls every 5 s, back-off up to 10 s. */
const LINK_LATENCY_NS = 16_000 * MS;

/** A whole table in memory: the same lines, registers and bytes as the real one. */
export const createVirtualTable = (
  scheduler: Scheduler,
  options: VirtualTableOptions,
): VirtualTable => {
  const { table } = options;
  const { shufflerProfile } = options;
  const choices = shufflerProfile === undefined ? {} : { shufflerProfile };
  const board = fitBoard(chooseOnBoard(virtualBoard(), choices), {
    shuffler: table.shuffler !== 'none',
    reader: table.reader === 'rank',
    lampTap: options.lampTap === true,
    blockedMs: table.policy.blockedMs,
  });
  const world = new World(scheduler, board, options);
  const buses = {
    gpio: world.gpio,
    i2c: { head: new SharedI2c(world.i2c, scheduler) },
    streams: world.streams,
  };
  const { record } = options;
  const used =
    record === undefined ? buses : recordBuses(buses, board, scheduler, { ...record, table });
  const bridge = new BoardBridge(board, used, scheduler);
  return { bridge, hands: world, close: () => bridge.close() };
};

class World implements Hands {
  readonly gpio = new VirtualGpio();
  readonly i2c: VirtualI2c;
  readonly streams: Record<string, VirtualStream> = {};
  readonly #scheduler: Scheduler;
  readonly #board: Board;
  readonly #batch: Batch;
  readonly #noise: number;
  readonly #model: NoiseModel;
  readonly #random: Random;
  readonly #mouth: MouthModel;
  readonly #cardMm: number;
  readonly #coverMm: number;
  readonly #colour: TcsChip;
  readonly #keys: McpChip;
  readonly #lcd = new LcdChip();
  readonly #keypad: KeypadModel;
  readonly #machines = new Map<string, Machine>();
  readonly #readyNs: number;
  readonly #tower = new TowerModel();
  #lampNo = 0;

  constructor(scheduler: Scheduler, board: Board, options: VirtualTableOptions) {
    this.#scheduler = scheduler;
    this.#board = board;
    this.#batch = options.table.batches[0] ?? 'red';
    this.#noise = options.noise ?? 1;
    this.#model = options.model ?? PLAIN_NOISE;
    this.#random = new Random(options.seed);
    this.#readyNs = scheduler.nowNs() + READY_NS;
    this.i2c = new VirtualI2c(scheduler);
    const calibration = board.calibrations['mouth'];
    if (calibration === undefined) throw new Error('the virtual board has no mouth calibration');
    this.#cardMm = calibration.cardMm;
    this.#coverMm = calibration.coverMm;
    this.#mouth = new MouthModel({
      scheduler,
      gpio: this.gpio,
      beamA: this.#line('beam-a'),
      beamB: this.#line('beam-b'),
      spacingMm: calibration.spacingMm,
      random: this.#random.fork(),
      noise: this.#noise,
      model: this.#model,
    });
    const { light } = this.#mouth;
    const { colours } = calibration;
    const random = this.#random.fork();
    this.#colour = new TcsChip(light, colours, random, this.#noise, this.#model);
    const interrupt = this.#line('keypad-int');
    this.#keys = new McpChip((active, atNs) => this.gpio.drive(interrupt, active, atNs));
    this.#keypad = this.#fitKeypad();
    this.#fitChips();
    this.#fitMachines();
    this.gpio.onOutput = (line, active) =>
      this.#tower.set(line.name, active, this.#scheduler.nowNs());
  }

  cards(what: number | readonly string[], back: Batch = this.#batch): number {
    const faces = typeof what === 'number' ? new Array<string>(what).fill('?') : what;
    let end = this.#scheduler.nowNs();
    for (const face of faces) {
      end = this.#pull(this.#cardMm, [{ fromMm: 0, name: back }], (atNs) => this.#read(face, atNs));
    }
    return this.#seen(end);
  }

  cover(): number {
    return this.#seen(this.#pull(this.#coverMm, [{ fromMm: 0, name: 'cover' }]));
  }

  back(): number {
    this.#ready();
    return this.#seen(this.#mouth.push(this.#cardMm));
  }

  double(back: Batch = this.#batch, shiftMm?: number, stops = false): number {
    const shift = shiftMm ?? this.#random.between(...this.#model.hand.overlapMm);
    const surfaces = [{ fromMm: 0, name: back }];
    this.#ready();
    return this.#seen(this.#mouth.pull(this.#cardMm + shift, surfaces, undefined, stops));
  }

  stick(beam: 'a' | 'b', covered: boolean | null): number {
    this.#mouth.stick(beam === 'a' ? 0 : 1, covered);
    return this.#seen(this.#scheduler.nowNs());
  }

  loseEdges(beam: 'a' | 'b', count: number): number {
    this.gpio.dropEdges(this.#line(`beam-${beam}`), count);
    return this.#seen(this.#scheduler.nowNs());
  }

  touch(): number {
    this.#ready();
    return this.#seen(this.#mouth.touch());
  }

  block(ms: number): number {
    this.#ready();
    return this.#seen(this.#mouth.block(ms));
  }

  press(press: Press): number {
    const keys = keysFor(press);
    if (keys !== null) {
      this.#keypad.freeNs = Math.max(this.#keypad.freeNs, this.#readyNs);
      return this.#keypad.type(keys, press.role) + WORD_LATENCY_NS;
    }
    const start = Math.max(this.#scheduler.nowNs(), this.#readyNs);
    return this.#machine('panel').press(rawPressOf(press), start) + WORD_LATENCY_NS;
  }

  shuffler(said: ShufflerSaid): number {
    const { kind, ...fields } = said;
    const values: Record<string, FieldValue> = {};
    for (const [key, value] of Object.entries<FieldValue>(fields)) values[key] = value;
    return this.#say('shuffler', kind, values);
  }

  serial(raw: string): number {
    const bytes = Uint8Array.from(raw, (c) => c.charCodeAt(0) & 0xff);
    const start = Math.max(this.#scheduler.nowNs(), this.#readyNs);
    return this.#machine('shuffler').raw(bytes, start) + WORD_LATENCY_NS;
  }

  lamp(lamp: Lamp): number {
    const no = (this.#lampNo += 1);
    const now = this.#scheduler.nowNs();
    const set = (green: boolean, red: boolean): void => {
      this.gpio.drive(this.#line('lamp-green'), green, this.#scheduler.nowNs());
      this.gpio.drive(this.#line('lamp-red'), red, this.#scheduler.nowNs());
    };
    if (lamp !== 'blink') this.#scheduler.at(now, () => set(lamp === 'green', lamp === 'red'));
    else {
      const flip = (on: boolean): void => {
        if (this.#lampNo !== no) return;
        set(false, on);
        this.#scheduler.at(this.#scheduler.nowNs() + LAMP_HALF_NS, () => flip(!on));
      };
      this.#scheduler.at(now, () => flip(true));
    }
    return now + LAMP_LATENCY_NS;
  }

  lid(open: boolean): number {
    return this.#switch('lid', open);
  }

  shoe(present: boolean): number {
    return this.#switch('shoe', present);
  }

  link(device: DeviceName, up: boolean): number {
    const spec = this.#board.devices[device];
    if (spec === undefined) {
      const known = Object.keys(this.#board.devices).join(', ');
      throw new Error(`the board has no device \`${device}\`; it has ${known}`);
    }
    const now = this.#scheduler.nowNs();
    const latency = up ? LINK_LATENCY_NS : 6_000 * MS;
    if ('stream' in spec) {
      this.streams[spec.stream]?.plug(up);
      return now + (up ? LINK_LATENCY_NS : WORD_LATENCY_NS);
    }
    if ('bus' in spec) {
      this.i2c.pull(spec.address, !up);
      // A chip whose cable was out comes back as after power-on.
      if (up) this.#powerOn(spec.driver, now);
      return now + latency;
    }
    for (const value of Object.values(spec)) {
      if (typeof value === 'string' && Object.hasOwn(this.#board.lines, value)) {
        this.gpio.break(this.#line(value), !up);
      }
    }
    return now + latency;
  }

  mute(device: DeviceName): number {
    this.#machine(device).mute = true;
    return this.#scheduler.nowNs();
  }

  gate(): 'open' | 'locked' {
    return this.gpio.level(this.#line('gate')) ? 'locked' : 'open';
  }

  tower(): ReturnType<Hands['tower']> {
    return this.#tower.shows(this.#scheduler.nowNs());
  }

  display(): readonly string[] {
    return this.#lcd.lines();
  }

  announced(): string {
    return this.#machines.get('panel')?.told.get('announce') ?? '';
  }

  sounded(): string {
    return this.#machines.get('panel')?.told.get('sound') ?? '';
  }

  #line(name: string): LineSpec {
    return lineSpec(this.#board, name);
  }

  #machine(name: string): Machine {
    const machine = this.#machines.get(name);
    if (machine === undefined) throw new Error(`this table has no ${name}`);
    return machine;
  }

  #ready(): void {
    this.#mouth.freeNs = Math.max(this.#mouth.freeNs, this.#readyNs);
  }

  #seen(endNs: number): number {
    return Math.ceil(endNs + MOUTH_LATENCY_NS);
  }

  #pull(lengthMm: number, surfaces: readonly Surface[], onPass?: (atNs: number) => void): number {
    this.#ready();
    return this.#mouth.pull(lengthMm, surfaces, onPass);
  }

  /** The rank reader, where there is one, tells the face as the card passes it. */
  #read(face: string, atNs: number): void {
    const reader = this.#machines.get('reader');
    if (reader === undefined) return;
    const rank = face.slice(0, -1).toUpperCase();
    const suit = face.slice(-1).toLowerCase();
    const known = { rank: rank === '10' ? 'T' : rank, suit };
    reader.say({ observe: 'rank', values: face === '?' ? {} : known }, atNs);
  }

  #say(name: string, observe: string, values: Readonly<Record<string, FieldValue>>): number {
    const machine = this.#machine(name);
    const start = Math.max(this.#scheduler.nowNs(), this.#readyNs);
    const end = machine.say({ observe, values }, start);
    if (end === null) {
      const said = JSON.stringify({ observe, ...values });
      throw new Error(`the profile ${machine.profile.name} has no words for ${said}`);
    }
    return end + WORD_LATENCY_NS;
  }

  #switch(name: string, active: boolean): number {
    const start = Math.max(this.#scheduler.nowNs(), this.#readyNs);
    let t = start;
    const set = (on: boolean, atNs: number): void => {
      const due = Math.round(atNs);
      this.#scheduler.at(due, () => this.gpio.drive(this.#line(name), on, due));
    };
    set(active, t);
    const pulses = this.#noise > 0 ? this.#random.whole(1, 6) : 0;
    for (let i = 0; i < pulses; i += 1) {
      set(!active, (t += this.#random.between(0.2, 3) * MS));
      set(active, (t += this.#random.between(0.2, 3) * MS));
    }
    return Math.round(t) + SWITCH_LATENCY_NS;
  }

  #powerOn(driver: string, atNs: number): void {
    if (driver === 'tcs34725') this.#colour.powerOn();
    else if (driver === 'keypad') this.#keys.powerOn(atNs);
    else if (driver === 'display') this.#lcd.powerOn();
  }

  #fitChips(): void {
    const chips: Readonly<Record<string, VirtualChip>> = {
      tcs34725: this.#colour,
      keypad: this.#keys,
      display: this.#lcd,
    };
    for (const spec of Object.values(this.#board.devices)) {
      const chip = chips[spec.driver];
      if ('address' in spec && chip !== undefined) this.i2c.fit(spec.address, chip);
    }
  }

  #fitKeypad(): KeypadModel {
    const spec = this.#board.devices['keypad'];
    const keys = spec?.driver === 'keypad' ? spec.keys : [];
    const turn = (role: Role, atNs: number): void => {
      this.gpio.drive(this.#line('key-floor'), role === 'floor', atNs);
      this.gpio.drive(this.#line('key-tech'), role === 'tech', atNs);
    };
    return new KeypadModel({
      scheduler: this.#scheduler,
      chip: this.#keys,
      keys,
      turn,
      random: this.#random.fork(),
      noise: this.#noise,
      model: this.#model,
    });
  }

  #lineNoise(): LineNoise | null {
    const { lostByteChance, repeatChance } = this.#model.serial;
    if (this.#noise <= 0 || (lostByteChance <= 0 && repeatChance <= 0)) return null;
    return {
      random: this.#random.fork(),
      lostByteChance: chanceAt(lostByteChance, this.#noise),
      repeatChance: chanceAt(repeatChance, this.#noise),
    };
  }

  #fitMachines(): void {
    for (const name of Object.keys(this.#board.streams)) {
      const found = Object.entries(this.#board.devices).find(
        ([, spec]) => 'stream' in spec && spec.stream === name,
      );
      const [device] = found ?? [];
      const profile = device === undefined ? undefined : this.#board.profiles[device];
      const stream = new VirtualStream(this.#scheduler, profile?.line.baud ?? DEFAULT_BAUD);
      this.streams[name] = stream;
      if (device === undefined || profile === undefined) continue;
      const identity = `virtual-${device}/1`;
      const noise = this.#lineNoise();
      this.#machines.set(device, new Machine(this.#scheduler, stream, profile, identity, noise));
    }
  }
}
