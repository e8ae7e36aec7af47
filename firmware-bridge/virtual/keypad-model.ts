import type { Role } from '../../controller/core/cards.js';
import type { Scheduler } from '../../controller/core/ports.js';
import type { KeypadKey } from '../devices/keypad-codec.js';
import type { McpChip } from './mcp-chip.js';
import { PLAIN_NOISE, type NoiseModel } from './noise.js';
import type { Random } from './random.js';

const MS = 1e6;
/** Turning a keyswitch and letting the contact settle, ms. */
const TURN_MS = 300;

export interface KeypadModelParts {
  readonly scheduler: Scheduler;
  readonly chip: McpChip;
  readonly keys: readonly KeypadKey[];
  /** Sets the keyswitches for a role. */
  readonly turn: (role: Role, atNs: number) => void;
  readonly random: Random;
  readonly noise: number;
  readonly model?: NoiseModel;
}

/** A finger on the keypad: presses keys one after the other, with bouncing contacts. */
export class KeypadModel {
  freeNs = 0;
  readonly #scheduler: Scheduler;
  readonly #chip: McpChip;
  readonly #keys: readonly KeypadKey[];
  readonly #turn: (role: Role, atNs: number) => void;
  readonly #random: Random;
  readonly #noise: number;
  readonly #key: NoiseModel['key'];

  constructor(parts: KeypadModelParts) {
    this.#scheduler = parts.scheduler;
    this.#chip = parts.chip;
    this.#keys = parts.keys;
    this.#turn = parts.turn;
    this.#random = parts.random;
    this.#noise = parts.noise;
    this.#key = (parts.model ?? PLAIN_NOISE).key;
  }

  /** Returns when the last key is released and the keyswitch back, ns. */
  type(sequence: readonly KeypadKey[], role: Role): number {
    let t = Math.max(this.#scheduler.nowNs(), this.freeNs);
    const turned = role !== 'dealer';
    if (turned) {
      this.#scheduler.at(t, () => this.#turn(role, this.#scheduler.nowNs()));
      t += TURN_MS * MS;
    }
    for (const key of sequence) {
      const pin = this.#keys.indexOf(key);
      this.#contact(pin, true, t);
      t += this.#random.between(...this.#key.holdMs) * MS;
      this.#contact(pin, false, t);
      t += this.#random.between(...this.#key.gapMs) * MS;
    }
    if (turned) {
      this.#scheduler.at(t, () => this.#turn('dealer', this.#scheduler.nowNs()));
      t += TURN_MS * MS;
    }
    this.freeNs = Math.round(t);
    return this.freeNs;
  }

  #contact(pin: number, closed: boolean, atNs: number): void {
    this.#set(pin, closed, atNs);
    if (this.#noise <= 0) return;
    const quiet = atNs + this.#random.between(...this.#key.bounceMs) * MS * this.#noise;
    let t = atNs + this.#random.between(...this.#key.pulseMs) * MS;
    while (t < quiet) {
      this.#set(pin, !closed, t);
      t += this.#random.between(...this.#key.pulseMs) * MS;
      this.#set(pin, closed, t);
      t += this.#random.between(...this.#key.pulseMs) * MS;
    }
  }

  #set(pin: number, closed: boolean, atNs: number): void {
    const due = Math.round(atNs);
    this.#scheduler.at(due, () => this.#chip.key(pin, closed, due));
  }
}
