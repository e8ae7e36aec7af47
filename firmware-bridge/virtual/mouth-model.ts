import type { Scheduler } from '../../controller/core/ports.js';
import type { LineSpec } from '../bus/gpio.js';
import type { VirtualGpio } from '../bus/virtual-gpio.js';
import { LightHistory } from './light.js';
import { chanceAt, PLAIN_NOISE, type NoiseModel } from './noise.js';
import type { Random } from './random.js';

const MS = 1e6;
/** Where the colour sensor sits: so far outside beam A, mm. */
const SENSOR_MM = 5;
/** How much more than nominal a hand may change its speed in one pull, whatever the noise. */
const CHANGE_LEVEL_MAX = 1.5;

/** A piece of the thing that moves: surface from `fromMm` behind the leading edge on. */
export interface Surface {
  readonly fromMm: number;
  readonly name: string;
}

/** Distance over time of one pull: constant acceleration, at most one stop on the way. */
class Motion {
  readonly #v: number;
  readonly #a: number;
  readonly #stopMm: number;
  readonly #stopNs: number;

  constructor(parts: {
    readonly random: Random;
    readonly model: NoiseModel;
    readonly level: number;
    readonly travelMm: number;
    /** null: as chance has it. */
    readonly stops: boolean | null;
  }) {
    const { random, level, travelMm } = parts;
    const { hand } = parts.model;
    const [slow, fast] = hand.speedMmS;
    this.#v = random.between(slow, fast);
    const change = random.between(-hand.change, hand.change) * Math.min(level, CHANGE_LEVEL_MAX);
    // v² = v0² + 2ax at the end of the travel.
    const end = Math.min(Math.max(this.#v * (1 + change), slow), fast);
    this.#a = (end * end - this.#v * this.#v) / (2 * travelMm);
    const chance = level > 0 ? chanceAt(hand.stopChance, level) : 0;
    const stop = parts.stops ?? (chance > 0 && random.chance(chance));
    this.#stopMm = stop ? random.between(0, travelMm) : Infinity;
    this.#stopNs = stop ? random.between(...hand.stopMs) * MS : 0;
  }

  /** Time in ns to travel so far. */
  toNs(mm: number): number {
    const root = Math.sqrt(Math.max(this.#v * this.#v + 2 * this.#a * mm, 1));
    return ((2 * mm) / (this.#v + root)) * 1e9 + (mm > this.#stopMm ? this.#stopNs : 0);
  }
}

export interface MouthModelParts {
  readonly scheduler: Scheduler;
  readonly gpio: VirtualGpio;
  readonly beamA: LineSpec;
  readonly beamB: LineSpec;
  readonly spacingMm: number;
  readonly random: Random;
  /** Level of the noise: 1 is nominal, 0 a perfect world. */
  readonly noise: number;
  readonly model?: NoiseModel;
}

/** Cards, fingers and light at the shoe's mouth, as edges on two lines and surfaces over time. */
export class MouthModel {
  readonly light = new LightHistory();
  /** The mouth is the hand's until then. */
  freeNs = 0;
  readonly #p: MouthModelParts;
  readonly #model: NoiseModel;
  readonly #base: [boolean, boolean] = [false, false];
  readonly #flicker: [boolean, boolean] = [false, false];
  /** A beam at fault shows this, whatever passes it. */
  readonly #stuck: [boolean | null, boolean | null] = [null, null];

  constructor(parts: MouthModelParts) {
    this.#p = parts;
    this.#model = parts.model ?? PLAIN_NOISE;
  }

  /** Pulls something out from now on or when the hand is free; `onPass` runs half-way through.
   *  Returns when its last edge is over, ns. */
  pull(
    lengthMm: number,
    surfaces: readonly Surface[],
    onPass?: (atNs: number) => void,
    stops: boolean | null = null,
  ): number {
    const { random, noise, spacingMm } = this.#p;
    const { hand, beam } = this.#model;
    if (noise > 0 && hand.peekChance > 0 && random.chance(chanceAt(hand.peekChance, noise))) {
      this.#peek(random.between(...hand.peekMm), surfaces[0]?.name ?? 'nothing');
    }
    const start = this.#begin();
    const motion = this.#motion(lengthMm + spacingMm, stops);
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
    const flickers = noise > 0 && random.chance(chanceAt(beam.flickerChance, noise));
    this.#rest(end);
    if (flickers) this.#flick(start, this.freeNs);
    return end;
  }

  /** Puts a card back in from outside. */
  push(lengthMm: number): number {
    const { random, spacingMm } = this.#p;
    const start = this.#begin();
    const motion = this.#motion(lengthMm + spacingMm);
    this.#edge(1, true, start);
    this.#edge(0, true, start + motion.toNs(spacingMm));
    this.#edge(1, false, start + motion.toNs(lengthMm));
    const end = start + motion.toNs(lengthMm + spacingMm);
    this.#edge(0, false, end);
    this.#show('card', start + motion.toNs(SENSOR_MM));
    this.#show('nothing', end);
    this.freeNs = end + random.between(...this.#model.hand.pauseMs) * MS;
    return end;
  }

  /** A card comes out part of the way and goes back in. */
  touch(): number {
    return this.#peek(this.#p.random.between(this.#p.spacingMm + 5, 45), null);
  }

  /** From now on a beam's receiver shows this level, whatever passes; null: it works again. */
  stick(beam: 0 | 1, covered: boolean | null): void {
    this.#stuck[beam] = covered;
    this.#drive(beam);
  }

  /** `surface` null: too far from the sensor to be seen by it. */
  #peek(reachMm: number, surface: string | null): number {
    const { random, spacingMm } = this.#p;
    const start = this.#begin();
    const out = this.#motion(reachMm);
    const turn = start + out.toNs(reachMm) + random.between(20, 120) * MS;
    const back = this.#motion(reachMm);
    this.#edge(0, true, start);
    if (reachMm > spacingMm) {
      this.#edge(1, true, start + out.toNs(spacingMm));
      this.#edge(1, false, turn + back.toNs(reachMm - spacingMm));
    }
    const end = turn + back.toNs(reachMm);
    this.#edge(0, false, end);
    if (surface !== null && reachMm > SENSOR_MM) {
      this.#show(surface, start + out.toNs(SENSOR_MM));
      this.#show('nothing', turn + back.toNs(reachMm - SENSOR_MM));
    }
    this.freeNs = end + random.between(...this.#model.hand.pauseMs) * MS;
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
    this.freeNs = end + this.#p.random.between(...this.#model.hand.pauseMs) * MS;
    return end;
  }

  #motion(travelMm: number, stops: boolean | null = null): Motion {
    const { random, noise: level } = this.#p;
    return new Motion({ random, model: this.#model, level, travelMm, stops });
  }

  #begin(): number {
    return Math.max(this.#p.scheduler.nowNs(), this.freeNs);
  }

  /** After a pull the finger may follow into the mouth; then the hand pauses. */
  #rest(end: number): void {
    const { random, noise } = this.#p;
    const { finger } = this.#model;
    let free = end;
    if (noise > 0 && random.chance(finger.chance)) {
      const from = end + random.between(...finger.gapMs) * MS;
      const to = from + random.between(...finger.stayMs) * MS;
      this.#edge(1, true, from);
      this.#edge(1, false, to);
      this.#show('finger', from);
      this.#show('nothing', to);
      if (random.chance(0.5)) {
        this.#edge(0, true, from + 15 * MS);
        this.#edge(0, false, to - 15 * MS);
      }
      free = to;
    }
    this.freeNs = free + random.between(...this.#model.hand.pauseMs) * MS;
  }

  /** A change of a beam with its scatter and bounce. */
  #edge(beam: 0 | 1, covered: boolean, atNs: number): void {
    const { random, noise } = this.#p;
    const { scatterMs, bounceMs, pulseMs } = this.#model.beam;
    const first = Math.max(atNs + scatterMs * MS * noise * random.between(-1, 1), 0);
    this.#set(beam, covered, first);
    if (noise <= 0) return;
    const quiet = first + random.between(...bounceMs) * MS * noise;
    let t = first + random.between(...pulseMs) * MS;
    while (t < quiet) {
      this.#set(beam, !covered, t);
      t += random.between(...pulseMs) * MS;
      this.#set(beam, covered, t);
      t += random.between(...pulseMs) * MS;
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
    const end = at + Math.round(random.between(...this.#model.beam.flickerMs) * MS);
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
    const level = this.#stuck[beam] ?? this.#base[beam] !== this.#flicker[beam];
    gpio.drive(beam === 0 ? beamA : beamB, level, scheduler.nowNs());
  }

  #show(surface: string, atNs: number): void {
    const due = Math.round(atNs);
    this.#p.scheduler.at(due, () => this.light.show(surface, due));
  }
}
