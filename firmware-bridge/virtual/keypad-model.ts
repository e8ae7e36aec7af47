import type { Role } from '../../controller/core/cards.js';
import type { Scheduler } from '../../controller/core/ports.js';
import type { KeypadKey } from '../devices/keypad-codec.js';
import type { McpChip } from './mcp-chip.js';
import type { Random } from './random.js';

const MS = 1e6;
const HOLD_MS = [60, 120] as const;
const GAP_MS = [60, 150] as const;
const BOUNCE_MS = [0.5, 5] as const;
const PULSE_MS = [0.1, 0.9] as const;
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

  constructor(parts: KeypadModelParts) {
    this.#scheduler = parts.scheduler;
    this.#chip = parts.chip;
    this.#keys = parts.keys;
    this.#turn = parts.turn;
    this.#random = parts.random;
    this.#noise = parts.noise;
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
      t += this.#random.between(...HOLD_MS) * MS;
      this.#contact(pin, false, t);
      t += this.#random.between(...GAP_MS) * MS;
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
    const quiet = atNs + this.#random.between(...BOUNCE_MS) * MS * this.#noise;
    let t = atNs + this.#random.between(...PULSE_MS) * MS;
    while (t < quiet) {
      this.#set(pin, !closed, t);
      t += this.#random.between(...PULSE_MS) * MS;
      this.#set(pin, closed, t);
      t += this.#random.between(...PULSE_MS) * MS;
    }
  }

  #set(pin: number, closed: boolean, atNs: number): void {
    const due = Math.round(atNs);
    this.#scheduler.at(due, () => this.#chip.key(pin, closed, due));
  }
}
