import type { Readings } from './device.js';

/** What the mouth counts of itself. */
export class MouthTally {
  /** Passages that were told. */
  told = 0;
  lostEdges = 0;
  unknownColours = 0;
  strayRanks = 0;
  drifted = 0;

  counts(): Readonly<Record<string, number>> {
    const { lostEdges, unknownColours, strayRanks, drifted } = this;
    return { lostEdges, unknownColours, strayRanks, drifted };
  }

  /** An unknown colour is a bad reading only where there is something to see colours by. */
  readings(hasColour: boolean): Readings {
    const unknown = hasColour ? this.unknownColours : 0;
    return { good: this.told - unknown, bad: unknown + this.lostEdges };
  }
}
