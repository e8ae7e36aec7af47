import type { Rank, Suit } from '../../controller/core/cards.js';
import type { Cancel, Scheduler } from '../../controller/core/ports.js';
import { reasonOf } from '../bus/errors.js';
import type { EdgeSink, GpioBus, InputLine, LineSpec } from '../bus/gpio.js';
import { BeamPair, type MouthSink } from '../signal/beam-pair.js';
import type { MouthCalibration } from '../signal/calibration.js';
import { BlindWatch } from '../signal/blind.js';
import { ColourClassifier, UNKNOWN } from '../signal/colour.js';
import { NEVER } from '../signal/debounce.js';
import { DriftTracker } from '../signal/drift.js';
import { judgePassage, tenth, whole } from '../signal/judge.js';
import { SeenColours } from '../signal/seen-colours.js';
import type { Transit } from '../signal/transit.js';
import type { Device, DeviceStatus } from './device.js';
import { Link, type Tell } from './link.js';
import { MouthTally } from './mouth-tally.js';
import { TCS_INTEGRATION_NS, type Tcs34725 } from './tcs34725.js';

/** From both beams covered to the first reading whose whole integration saw the card, ns. */
export const FIRST_SAMPLE_NS = 2 * TCS_INTEGRATION_NS + 1_000_000;
/** Readings of one card; a card that is held still needs no more. */
export const SAMPLES_MAX = 8;
/** Pause before a reading that met an uncovered beam is tried again, ns. */
const RESAMPLE_NS = 2_000_000;
/** A rank reader may report this long after the card has left, ns. */
export const RANK_WAIT_NS = 60_000_000;
/** Looks at a line whose level differs from its last edge before edges count as lost. */
export const LATE_EDGES_MAX = 8;
const LATE_EDGE_NS = 1_000_000;
/** The mouth is idle after so long without an edge, ns: filter and two integrations. */
export const IDLE_NS = 50_000_000;
/** So many bad readings of the empty mouth make the colour sensor stale: 15 s. */
export const DRIFTED_READINGS = 3;

export interface MouthParts {
  readonly name: string;
  readonly scheduler: Scheduler;
  readonly gpio: GpioBus;
  readonly beamA: LineSpec;
  readonly beamB: LineSpec;
  /** null: no colour sensor; backs are unknown and the cover card is known by its length only. */
  readonly colour: Tcs34725 | null;
  /** A rank reader is fitted: a card waits for its reading. */
  readonly reader: boolean;
  readonly calibration: MouthCalibration;
  /** Something that lies in the mouth this long blocks it, ns. */
  readonly blockedNs: number;
}

/** A passage that is over and waits for a colour transfer or a rank. */
interface Passed {
  kind: Transit['kind'];
  endNs: number;
  lengthMm: number;
  speedMmS: number;
  waiting: boolean;
}

/** The shoe's mouth: two beams and a colour sensor become cards. */
export class ShoeMouth implements Device, MouthSink {
  readonly name: string;
  readonly #p: MouthParts;
  readonly #pair: BeamPair;
  readonly #classifier: ColourClassifier;
  readonly #drift: DriftTracker;
  readonly #blind = new BlindWatch();
  readonly #seen: SeenColours;
  readonly #passed: Passed;
  #tell: Tell = () => undefined;
  #link: Link | null = null;
  #a: InputLine | null = null;
  #b: InputLine | null = null;
  #cancelSettle: Cancel | null = null;
  #settleNs = NEVER;
  #late = 0;
  #samples = 0;
  #sampling = false;
  #cancelSample: Cancel | null = null;
  #cancelWait: Cancel | null = null;
  #rank: Rank | null = null;
  #suit: Suit | null = null;
  #rankConflict = false;
  #rankHeard = false;
  /** Readings of the empty mouth in a row that drift cannot explain. */
  #drifted = 0;
  /** Last edge of either beam, settled or not. */
  #edgeNs = 0;
  readonly #tally = new MouthTally();

  constructor(parts: MouthParts) {
    this.name = parts.name;
    this.#p = parts;
    this.#pair = new BeamPair(parts.calibration.spacingMm, this, parts.blockedNs);
    this.#classifier = new ColourClassifier(parts.calibration.colours);
    const empty = parts.calibration.colours.find((c) => c.kind === 'nothing');
    this.#drift = new DriftTracker(empty?.clear ?? 1);
    this.#seen = new SeenColours(parts.calibration.colours);
    this.#passed = { kind: 'touched', endNs: NEVER, lengthMm: NaN, speedMmS: NaN, waiting: false };
    if (parts.colour !== null && empty !== undefined) {
      parts.colour.isIdle = () => this.#isIdle();
      parts.colour.onIdle = (_ok, clear) => this.#idle(clear);
    }
  }

  start(tell: Tell): void {
    this.#tell = tell;
    this.#link ??= new Link({
      device: this.name,
      scheduler: this.#p.scheduler,
      tell,
      silenceNs: null,
      open: () => this.#open(),
      shut: () => this.#shut(),
    });
    this.#link.start();
  }

  stop(): void {
    this.#link?.stop();
    this.#link = null;
  }

  status(): DeviceStatus {
    return {
      state: this.#link?.state ?? 'closed',
      identity: this.#link?.identity ?? null,
      reason: this.#link?.lastReason ?? null,
      counts: this.#tally.counts(),
      readings: this.#tally.readings(this.#p.colour !== null),
    };
  }

  /** A reading of the rank reader; without a rank it saw a card it could not read. */
  rank(rank: Rank | null, suit: Suit | null, atNs: number): void {
    const passing = this.#pair.transit.startNs !== NEVER && this.#pair.transit.startNs <= atNs;
    if (!passing && !this.#passed.waiting) {
      this.#tally.strayRanks += 1;
      return;
    }
    if (this.#rankHeard && (rank !== this.#rank || suit !== this.#suit)) this.#rankConflict = true;
    this.#rankHeard = true;
    this.#rank = rank;
    this.#suit = suit;
    if (this.#passed.waiting) this.#finish(false);
  }

  leaving(atNs: number): void {
    // The card before this one can wait no longer.
    if (this.#passed.waiting) this.#finish(true);
    this.#beginSamples(atNs);
  }

  outside(atNs: number): void {
    // What a card before it saw must not be taken for the finger's.
    if (!this.#passed.waiting) this.#beginSamples(atNs);
  }

  #beginSamples(atNs: number): void {
    if (this.#p.colour?.isUp !== true) return;
    this.#samples = 0;
    this.#armSample(Math.max(atNs + FIRST_SAMPLE_NS, this.#p.scheduler.nowNs()));
  }

  transit(transit: Transit): void {
    if (this.#passed.waiting) this.#finish(true);
    const passed = this.#passed;
    passed.kind = transit.kind;
    passed.endNs = transit.endNs;
    passed.lengthMm = transit.lengthMm;
    passed.speedMmS = transit.speedMmS;
    passed.waiting = true;
    this.#cancelSample?.();
    const blind = this.#blind.passed(transit, this.#seen.most());
    if (blind === null) this.#finish(false);
    else this.#lost(`beam ${blind} did not see what passed the other one`);
  }

  blocked(atNs: number): void {
    this.#tell({ kind: 'mouth.blocked' }, atNs);
  }

  clear(atNs: number): void {
    if (this.#passed.waiting) this.#finish(true);
    this.#tell({ kind: 'mouth.clear' }, atNs);
  }

  #open(): void {
    try {
      const beams = [this.#p.beamA, this.#p.beamB];
      // In one request: a stalled program must still get the edges of both in their true order.
      const [a, b] = this.#p.gpio.inputs(beams, [this.#sinkFor(0), this.#sinkFor(1)]);
      this.#a = a ?? null;
      this.#b = b ?? null;
      this.#pair.reset(a?.read() ?? false, b?.read() ?? false, this.#p.scheduler.nowNs());
    } catch (thrown) {
      this.#link?.down(reasonOf(thrown));
      return;
    }
    this.#link?.up();
    this.#armSettle();
  }

  #shut(): void {
    this.#cancelSettle?.();
    this.#cancelSample?.();
    this.#cancelWait?.();
    this.#settleNs = NEVER;
    this.#passed.waiting = false;
    this.#forget();
    this.#a?.close();
    this.#b?.close();
    this.#a = null;
    this.#b = null;
  }

  #sinkFor(beam: 0 | 1): EdgeSink {
    let seq = 0;
    return {
      edge: (active, atNs, lineSeq) => {
        const expected = seq + 1;
        seq = lineSeq;
        if (lineSeq !== expected) {
          this.#lost(`${lineSeq - expected} edges of beam ${beam === 0 ? 'A' : 'B'} were lost`);
          return;
        }
        this.#edgeNs = atNs;
        this.#pair.edge(beam, active, atNs);
        this.#armSettle();
      },
      fault: (error) => this.#link?.down(error.message),
    };
  }

  /** Edges are missing: take the levels as they are and say that cards may have moved unseen. */
  #lost(reason: string): void {
    this.#tally.lostEdges += 1;
    this.#late = 0;
    try {
      const now = this.#p.scheduler.nowNs();
      this.#passed.waiting = false;
      this.#forget();
      this.#pair.reset(this.#a?.read() ?? false, this.#b?.read() ?? false, now);
      this.#link?.interrupted(reason);
      this.#armSettle();
    } catch (thrown) {
      this.#link?.down(reasonOf(thrown));
    }
  }

  #armSettle(): void {
    const due = this.#pair.dueNs();
    if (due === NEVER || (this.#settleNs !== NEVER && this.#settleNs <= due)) return;
    this.#cancelSettle?.();
    this.#settleNs = due;
    this.#cancelSettle = this.#p.scheduler.at(due, this.#settle);
  }

  readonly #settle = (): void => {
    this.#settleNs = NEVER;
    const now = this.#p.scheduler.nowNs();
    const due = this.#pair.dueNs();
    if (due !== NEVER && due <= now) {
      if (!this.#levelsAgree()) return;
      this.#pair.settle(now);
    }
    this.#armSettle();
  };

  /** A timer may run before edges the kernel already holds: then the line reads otherwise. */
  #levelsAgree(): boolean {
    try {
      const a = this.#a?.read() === this.#pair.rawLevel(0);
      const b = this.#b?.read() === this.#pair.rawLevel(1);
      if (a && b) {
        this.#late = 0;
        return true;
      }
    } catch (thrown) {
      this.#link?.down(reasonOf(thrown));
      return false;
    }
    this.#late += 1;
    if (this.#late > LATE_EDGES_MAX) {
      this.#lost('a beam changed and no edge was told');
      return false;
    }
    this.#settleNs = this.#p.scheduler.nowNs() + LATE_EDGE_NS;
    this.#cancelSettle = this.#p.scheduler.at(this.#settleNs, this.#settle);
    return false;
  }

  #armSample(dueNs: number): void {
    this.#cancelSample?.();
    this.#cancelSample = this.#p.scheduler.at(dueNs, () => this.#sample());
  }

  #sample(): void {
    // Beam A lies inside the sensor: while it is covered the card covers the sensor whole.
    const { transit } = this.#pair;
    const outside = transit.outside();
    if (!transit.leaving() && !outside) return;
    if (!this.#pair.rawLevel(outside ? 1 : 0)) {
      // Its end, or a false pulse: look again when the filter knows.
      this.#armSample(this.#p.scheduler.nowNs() + RESAMPLE_NS);
      return;
    }
    this.#samples += 1;
    this.#sampling = true;
    this.#p.colour?.sample((ok, clear, red, green, blue) => {
      this.#sampling = false;
      const index = ok ? this.#classifier.classify(clear, red, green, blue) : UNKNOWN;
      this.#seen.add(index);
      if (this.#passed.waiting) this.#finish(false);
    });
    if (this.#samples < SAMPLES_MAX) {
      this.#armSample(this.#p.scheduler.nowNs() + TCS_INTEGRATION_NS);
    }
  }

  /** Empty for so long that no card can be in the reading's window. */
  #isIdle(): boolean {
    const sinceNs = this.#p.scheduler.nowNs() - this.#edgeNs;
    return this.#pair.transit.startNs === NEVER && sinceNs >= IDLE_NS;
  }

  /** The lamp is dead, the window covered, or daylight falls in: colours cannot be trusted. */
  #idle(clear: number): void {
    const ok = this.#drift.idle(clear);
    this.#classifier.setGain(this.#drift.gain);
    this.#drifted = ok ? 0 : this.#drifted + 1;
    if (this.#drifted !== DRIFTED_READINGS) return;
    this.#tally.drifted += 1;
    const device = this.#p.colour?.name ?? this.name;
    this.#tell({ kind: 'device.stale', device }, this.#p.scheduler.nowNs());
  }

  /** Ends a passage when all of it is in, or at once when `now`. */
  #finish(now: boolean): void {
    const passed = this.#passed;
    const isCard = passed.kind === 'out';
    if (!now && isCard && (this.#sampling || this.#awaitsRank())) return;
    passed.waiting = false;
    this.#cancelWait?.();
    if (isCard) this.#tellOut(passed);
    else if (passed.kind === 'back') this.#tell({ kind: 'card.back' }, passed.endNs);
    this.#forget();
  }

  #awaitsRank(): boolean {
    if (!this.#p.reader || this.#rankHeard) return false;
    const due = this.#passed.endNs + RANK_WAIT_NS;
    if (this.#p.scheduler.nowNs() >= due) return false;
    this.#cancelWait?.();
    this.#cancelWait = this.#p.scheduler.at(due, () => {
      if (this.#passed.waiting) this.#finish(false);
    });
    return true;
  }

  #tellOut(passed: Passed): void {
    this.#tally.told += 1;
    this.#seen.judge();
    const { back, backs, cover } = this.#seen;
    if (back === null && !cover) this.#tally.unknownColours += 1;
    const { endNs, lengthMm, speedMmS } = passed;
    const { calibration } = this.#p;
    const passage = judgePassage(lengthMm, speedMmS, backs > 0, cover, calibration);
    if (passage === 'double') {
      this.#tell({ kind: 'card.double', lengthMm: tenth(lengthMm) ?? 0 }, endNs);
      return;
    }
    if (passage !== 'cover') this.#tellCard(passed, back, passage === 'card');
    if (passage !== 'card') this.#tell({ kind: 'cover.out' }, endNs);
  }

  #tellCard(passed: Passed, back: string | null, alone: boolean): void {
    const rank = this.#rankConflict ? null : this.#rank;
    const suit = rank === null ? null : this.#suit;
    this.#tell(
      {
        kind: 'card.out',
        ...(back === null ? {} : { back }),
        ...(rank === null ? {} : { rank }),
        ...(suit === null ? {} : { suit }),
        lengthMm: alone ? tenth(passed.lengthMm) : null,
        speedMmS: alone ? whole(passed.speedMmS) : null,
      },
      passed.endNs,
    );
  }

  /** A reading belongs to one passage only; a rank must not outlive its card. */
  #forget(): void {
    this.#seen.forget();
    this.#rank = null;
    this.#suit = null;
    this.#rankConflict = false;
    this.#rankHeard = false;
  }
}
