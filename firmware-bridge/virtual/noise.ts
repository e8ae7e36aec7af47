/** Uniform between two bounds, in the unit the field's name ends with. */
export type Range = readonly [low: number, high: number];

/**
 * How hands, light, contacts and lines behave at the nominal level. Where each number comes from:
 * docs/TRUTH.md. Nothing here was chosen by looking at what the classifier can stand; a technician
 * puts measured values in its place (`npm run truth -- --params FILE`).
 */
export interface NoiseModel {
  readonly hand: {
    /** Speed of a pull, mm/s, anew for each card. */
    readonly speedMmS: Range;
    /** A hand speeds up or slows down by at most this part over one pull. */
    readonly change: number;
    /** Pause between the end of one pull and the next, ms. */
    readonly pauseMs: Range;
    /** Chance that a pull stops half-way, and for how long, ms. */
    readonly stopChance: number;
    readonly stopMs: Range;
    /** Chance that a card is begun, let go and slips back before it is pulled: a partial pull. */
    readonly peekChance: number;
    /** How far such a card comes out, mm. */
    readonly peekMm: Range;
    /** How much longer than one card two overlapped ones are, mm. */
    readonly overlapMm: Range;
  };
  readonly finger: {
    /** How often a finger follows the card into the mouth, after what gap, for how long. */
    readonly chance: number;
    readonly gapMs: Range;
    readonly stayMs: Range;
  };
  readonly beam: {
    /** Scatter of an edge's time, ms: phototransistor and light path. */
    readonly scatterMs: number;
    /** Flutter after an edge, and the lengths of its pulses, ms. */
    readonly bounceMs: Range;
    readonly pulseMs: Range;
    /** Chance a passage of one false pulse from ambient light, and its length, ms. */
    readonly flickerChance: number;
    readonly flickerMs: Range;
  };
  readonly colour: {
    /** Deviation of one reading, as a part of itself. */
    readonly scatter: number;
    /** Slow change of the head's own lamp: amplitude as a part of itself, and period, s. */
    readonly drift: number;
    readonly driftPeriodS: number;
  };
  readonly key: {
    readonly holdMs: Range;
    readonly gapMs: Range;
    readonly bounceMs: Range;
    readonly pulseMs: Range;
  };
  readonly serial: {
    /** Chance that one byte is lost; that a whole frame is said twice. */
    readonly lostByteChance: number;
    readonly repeatChance: number;
  };
}

/** What the virtual table does when nothing else is given: no stops, peeks or line faults. */
export const PLAIN_NOISE: NoiseModel = {
  hand: {
    speedMmS: [300, 1200],
    change: 0.2,
    pauseMs: [150, 420],
    stopChance: 0,
    stopMs: [80, 900],
    peekChance: 0,
    peekMm: [4, 45],
    overlapMm: [14, 40],
  },
  finger: { chance: 0.25, gapMs: [20, 80], stayMs: [50, 500] },
  beam: {
    scatterMs: 0.05,
    bounceMs: [1, 5],
    pulseMs: [0.1, 0.8],
    flickerChance: 0.002,
    flickerMs: [0.1, 1.5],
  },
  colour: { scatter: 0.01, drift: 0.05, driftPeriodS: 3600 },
  key: { holdMs: [60, 120], gapMs: [60, 150], bounceMs: [0.5, 5], pulseMs: [0.1, 0.9] },
  serial: { lostByteChance: 0, repeatChance: 0 },
};

/** A chance at some level of noise: it grows with the level and ends at certainty. */
export const chanceAt = (chance: number, level: number): number => Math.min(1, chance * level);
