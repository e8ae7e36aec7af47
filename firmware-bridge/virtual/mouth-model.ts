import type { Scheduler } from '../../controller/core/ports.js';
import type { LineSpec } from '../bus/gpio.js';
import type { VirtualGpio } from '../bus/virtual-gpio.js';
import { LightHistory } from './light.js';
import type { Random } from './random.js';

const MS = 1e6;
/** Hand speeds, mm/s. */
export const HAND_SLOW = 300;
export const HAND_FAST = 1200;
/** A hand speeds up or slows down by at most this part over one pull. */
const PULL_CHANGE = 0.2;
/** Where the colour sensor sits: so far outside beam A, mm. */
const SENSOR_MM = 5;
/** Scatter of an edge's time at nominal noise, ns: phototransistor and light path. */
const EDGE_SCATTER_NS = 50_000;
/** Bounce after an edge, ms, and the lengths of its pulses, ms. */
const BOUNCE_MS = [1, 5] as const;
const PULSE_MS = [0.1, 0.8] as const;
/** How often a finger follows the card into the mouth, and its times, ms. */
const FINGER_CHANCE = 0.25;
const FINGER_GAP_MS = [20, 80] as const;
const FINGER_MS = [50, 500] as const;
/** Pause of the hand between two cards, ms. */
const PAUSE_MS = [150, 420] as const;
/** Short false pulses of a beam (ambient light), a card. */
const FLICKER_CHANCE = 0.002;
const FLICKER_MS = [0.1, 1.5] as const;

/** A piece of the thing that moves: surface from `fromMm` behind the leading edge on. */
export interface Surface {
  readonly fromMm: number;
  readonly name: string;
}

/** Distance over time of one pull: constant acceleration. */
class Motion {
  readonly #v: number;
  readonly #a: number;

  constructor(random: Random, noise: number, travelMm: number) {
    this.#v = random.between(HAND_SLOW, HAND_FAST);
    const change = random.between(-PULL_CHANGE, PULL_CHANGE) * Math.min(noise, 1.5);
    // v² = v0² + 2ax at the end of the travel.
    const end = Math.min(Math.max(this.#v * (1 + change), HAND_SLOW), HAND_FAST);
    this.#a = (end * end - this.#v * this.#v) / (2 * travelMm);
  }

  /** Time in ns to travel so far. */
  toNs(mm: number): number {
    const root = Math.sqrt(Math.max(this.#v * this.#v + 2 * this.#a * mm, 1));
    return ((2 * mm) / (this.#v + root)) * 1e9;
  }
}

export interface MouthModelParts {
  readonly scheduler: Scheduler;
  readonly gpio: VirtualGpio;
  readonly beamA: LineSpec;
  readonly beamB: LineSpec;
  readonly spacingMm: number;
  readonly random: Random;
  readonly noise: number;
}

/** Cards, fingers and light at the shoe's mouth, as edges on two lines and surfaces over time. */
export class MouthModel {
  readonly light = new LightHistory();
  /** The mouth is the hand's until then. */
  freeNs = 0;
  readonly #p: MouthModelParts;
  readonly #base: [boolean, boolean] = [false, false];
  readonly #flicker: [boolean, boolean] = [false, false];

  constructor(parts: MouthModelParts) {
    this.#p = parts;
  }

  /** Pulls something out from now on or when the hand is free; `onPass` runs half-way through.
   *  Returns when its last edge is over, ns. */
  pull(lengthMm: number, surfaces: readonly Surface[], onPass?: (atNs: number) => void): number {
    const { random, noise, spacingMm } = this.#p;
    const start = this.#begin();
    const motion = new Motion(random, noise, lengthMm + spacingMm);
    const at = (mm: number): number => start + motion.toNs(mm);
    this.#edge(0, true, at(0));
    this.#edge(1, true, at(spacingMm));
    this.#edge(0, false, at(lengthMm));
    const end = at(lengthMm + spacingMm);
    this.#edge(1, false, end);
    for (const surface of surfaces) this.#show(surface.name, at(SENSOR_MM + surface.fromMm));
    this.#show('nothing', at(SENSOR_MM + lengthMm));
    if (onPass !== undefined) {
      const passNs = at(lengthMm / 2);
      this.#p.scheduler.at(passNs, () => onPass(passNs));
    }
    if (noise > 0 && random.chance(FLICKER_CHANCE * noise)) this.#flick(start, end);
    return this.#rest(end);
  }

  /** Puts a card back in from outside. */
  push(lengthMm: number): number {
    const { random, noise, spacingMm } = this.#p;
    const start = this.#begin();
    const motion = new Motion(random, noise, lengthMm + spacingMm);
    this.#edge(1, true, start);
    this.#edge(0, true, start + motion.toNs(spacingMm));
    this.#edge(1, false, start + motion.toNs(lengthMm));
    const end = start + motion.toNs(lengthMm + spacingMm);
    this.#edge(0, false, end);
    this.#show('card', start + motion.toNs(SENSOR_MM));
    this.#show('nothing', end);
    this.freeNs = end + random.between(...PAUSE_MS) * MS;
    return end;
  }

  /** A card comes out part of the way and goes back in. */
  touch(): number {
    const { random, noise, spacingMm } = this.#p;
    const start = this.#begin();
    const reach = random.between(spacingMm + 5, 45);
    const out = new Motion(random, noise, reach);
    const turn = start + out.toNs(reach) + random.between(20, 120) * MS;
    const back = new Motion(random, noise, reach);
    this.#edge(0, true, start);
    this.#edge(1, true, start + out.toNs(spacingMm));
    this.#edge(1, false, turn + back.toNs(reach - spacingMm));
    const end = turn + back.toNs(reach);
    this.#edge(0, false, end);
    this.freeNs = end + random.between(...PAUSE_MS) * MS;
    return end;
  }

  /** Something from outside lies in the mouth for so long. */
  block(ms: number): number {
    const start = this.#begin();
    const end = start + ms * MS;
    const inside = Math.min(20, ms / 4) * MS;
    this.#edge(1, true, start);
    this.#edge(0, true, start + inside);
    this.#edge(0, false, end - inside);
    this.#edge(1, false, end);
    this.#show('finger', start + inside);
    this.#show('nothing', end - inside);
    this.freeNs = end + this.#p.random.between(...PAUSE_MS) * MS;
    return end;
  }

  #begin(): number {
    return Math.max(this.#p.scheduler.nowNs(), this.freeNs);
  }

  /** After a pull the finger may follow into the mouth; then the hand pauses. */
  #rest(end: number): number {
    const { random, noise } = this.#p;
    let free = end;
    if (noise > 0 && random.chance(FINGER_CHANCE)) {
      const from = end + random.between(...FINGER_GAP_MS) * MS;
      const to = from + random.between(...FINGER_MS) * MS;
      this.#edge(1, true, from);
      this.#edge(1, false, to);
      if (random.chance(0.5)) {
        this.#edge(0, true, from + 15 * MS);
        this.#edge(0, false, to - 15 * MS);
      }
      free = to;
    }
    this.freeNs = free + random.between(...PAUSE_MS) * MS;
    return end;
  }

  /** A change of a beam with its scatter and bounce. */
  #edge(beam: 0 | 1, covered: boolean, atNs: number): void {
    const { random, noise } = this.#p;
    const first = Math.max(atNs + EDGE_SCATTER_NS * noise * random.between(-1, 1), 0);
    this.#set(beam, covered, first);
    if (noise <= 0) return;
    const quiet = first + random.between(...BOUNCE_MS) * MS * noise;
    let t = first + random.between(...PULSE_MS) * MS;
    while (t < quiet) {
      this.#set(beam, !covered, t);
      t += random.between(...PULSE_MS) * MS;
      this.#set(beam, covered, t);
      t += random.between(...PULSE_MS) * MS;
    }
  }

  #set(beam: 0 | 1, covered: boolean, atNs: number): void {
    this.#p.scheduler.at(Math.round(atNs), () => {
      this.#base[beam] = covered;
      this.#drive(beam);
    });
  }

  #flick(fromNs: number, toNs: number): void {
    const { random, scheduler } = this.#p;
    const beam = random.chance(0.5) ? 0 : 1;
    const at = Math.round(random.between(fromNs, toNs));
    const end = at + Math.round(random.between(...FLICKER_MS) * MS);
    for (const [when, on] of [
      [at, true],
      [end, false],
    ] as const) {
      scheduler.at(when, () => {
        this.#flicker[beam] = on;
        this.#drive(beam);
      });
    }
  }

  #drive(beam: 0 | 1): void {
    const { gpio, beamA, beamB, scheduler } = this.#p;
    const level = this.#base[beam] !== this.#flicker[beam];
    gpio.drive(beam === 0 ? beamA : beamB, level, scheduler.nowNs());
  }

  #show(surface: string, atNs: number): void {
    const due = Math.round(atNs);
    this.#p.scheduler.at(due, () => this.light.show(surface, due));
  }
}
