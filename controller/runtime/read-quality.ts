import type { Readings } from '../../firmware-bridge/devices/device.js';

/** Looks that a share is made of: with one in ten seconds, the last minutes. */
const LOOKS = 30;
const THOUSANDTHS = 1000;

/** Readings of each device since the program began; null where there is nothing to judge. */
export type ReadingsNow = () => Readonly<Record<string, Readings | null>>;

/** What share of a device's readings could be used lately. */
export class ReadQuality {
  readonly #now: ReadingsNow;
  readonly #looks: Readonly<Record<string, Readings | null>>[] = [];

  constructor(now: ReadingsNow) {
    this.#now = now;
  }

  /** From 0 to 1, by device; null where nothing was read since the oldest look kept. */
  look(): Readonly<Record<string, number | null>> {
    const now = this.#now();
    const [oldest] = this.#looks;
    this.#looks.push(now);
    if (this.#looks.length > LOOKS) this.#looks.shift();
    return Object.fromEntries(
      Object.entries(now).map(([name, is]) => [name, shareOf(oldest?.[name] ?? NONE, is)]),
    );
  }
}

const NONE: Readings = { good: 0, bad: 0 };

const shareOf = (was: Readings, is: Readings | null): number | null => {
  if (is === null) return null;
  const [good, bad] = [is.good - was.good, is.bad - was.bad];
  if (good + bad <= 0) return null;
  return Math.round((good / (good + bad)) * THOUSANDTHS) / THOUSANDTHS;
};
