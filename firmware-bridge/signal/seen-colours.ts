import type { ColourReference } from './calibration.js';
import { UNKNOWN } from './colour.js';

/** Which colours were read of one passage, and how often. Results stand in its fields. */
export class SeenColours {
  /** After `judge`: the one back that was read; null for none, or for more than one. */
  back: string | null = null;
  backs = 0;
  cover = false;
  readonly #classes: readonly ColourReference[];
  readonly #counts: Int32Array;

  constructor(classes: readonly ColourReference[]) {
    this.#classes = classes;
    this.#counts = new Int32Array(classes.length);
  }

  /** One reading's class, or UNKNOWN. */
  add(index: number): void {
    if (index !== UNKNOWN) this.#counts[index] = (this.#counts[index] ?? 0) + 1;
  }

  judge(): void {
    this.back = null;
    this.backs = 0;
    this.cover = false;
    // By number: `entries()` makes an array for each class, card after card.
    for (let i = 0; i < this.#counts.length; i += 1) {
      const seen = this.#classes[i];
      if (seen === undefined || (this.#counts[i] ?? 0) === 0) continue;
      const { kind, name } = seen;
      if (kind === 'cover') this.cover = true;
      if (kind !== 'back') continue;
      this.backs += 1;
      this.back = name;
    }
    if (this.backs !== 1) this.back = null;
  }

  /** Readings of the card-like colour that was read most often. */
  most(): number {
    let most = 0;
    for (let i = 0; i < this.#counts.length; i += 1) {
      if (this.#classes[i]?.kind !== 'nothing') most = Math.max(most, this.#counts[i] ?? 0);
    }
    return most;
  }

  /** A reading belongs to one passage only. */
  forget(): void {
    this.#counts.fill(0);
  }
}
