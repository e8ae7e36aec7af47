import type { Scheduler } from '../../controller/core/ports.js';
import type { GpioBus, LineSpec } from '../bus/gpio.js';
import type { ColourTake, Tcs34725 } from '../devices/tcs34725.js';
import { TCS_INTEGRATION_NS } from '../devices/tcs34725.js';
import { BeamPair } from '../signal/beam-pair.js';
import type { ColourReference, MouthCalibration } from '../signal/calibration.js';
import { DEFAULT_SPACING_MM } from '../signal/calibration.js';
import { NEVER } from '../signal/debounce.js';
import type { Transit } from '../signal/transit.js';
import { ColourLearner, PULLS_MIN, READINGS_MIN, SpacingLearner } from './learn.js';

export interface CalibrationParts {
  readonly scheduler: Scheduler;
  readonly gpio: GpioBus;
  readonly beamA: LineSpec;
  readonly beamB: LineSpec;
  readonly colour: Tcs34725;
  /** Passes time until `done` says true; false when it gave up. */
  readonly wait: (done: () => boolean) => Promise<boolean>;
  /** Live view: one line that may replace the last one. */
  readonly show: (line: string) => void;
}

export interface CalibrationPlan {
  readonly cardMm: number;
  readonly coverMm: number;
  /** Asks the person to do something and waits until it is done or being done. */
  readonly ask: (what: Step) => Promise<void>;
  readonly batches: readonly string[];
}

/** What the person is asked for, one after the other. */
export type Step =
  | { readonly do: 'clear-mouth' }
  | { readonly do: 'hold'; readonly surface: string }
  | { readonly do: 'pull-cards'; readonly count: number };

export interface Learnt {
  readonly calibration: MouthCalibration;
  readonly learners: readonly ColourLearner[];
  readonly spacing: SpacingLearner;
}

const percent = (part: number, whole: number): number =>
  whole <= 0 ? 0 : Math.round((100 * part) / whole);

/** The live view of one reading: counts, and the shares of the colours. */
export const colourLine = (c: number, r: number, g: number, b: number): string => {
  const sum = r + g + b;
  const [red, green, blue] = [percent(r, sum), percent(g, sum), percent(b, sum)];
  return `clear ${c}  red ${red} %  green ${green} %  blue ${blue} %`;
};

/** A step of the calibration gave nothing to learn from. */
export class CalibrationError extends Error {
  override readonly name = 'CalibrationError';
}

/** Reads one surface until there are enough readings. Rejects when the sensor gives none. */
const learnColour = async (
  parts: CalibrationParts,
  name: string,
  kind: ColourReference['kind'],
): Promise<ColourLearner> => {
  const learner = new ColourLearner(name, kind);
  let failures = 0;
  const take: ColourTake = (ok, c, r, g, b) => {
    if (!ok) {
      failures += 1;
      return;
    }
    learner.add(c, r, g, b);
    parts.show(`${name}: ${colourLine(c, r, g, b)}  (${learner.readings} of ${READINGS_MIN})`);
  };
  const next = (): void => {
    parts.colour.sample((...reading) => {
      take(...reading);
      const now = parts.scheduler.nowNs();
      // One whole integration later the chip has a fresh value.
      if (learner.readings < READINGS_MIN) parts.scheduler.at(now + TCS_INTEGRATION_NS, next);
    });
  };
  next();
  const enough = await parts.wait(() => learner.readings >= READINGS_MIN);
  if (enough) return learner;
  const why = failures > 0 ? 'the sensor does not answer, or it is blinded' : 'no reading came';
  throw new CalibrationError(`${name}: ${why}; run \`cutcard doctor\``);
};

/** Watches pulls of a card until there are enough of them. */
const learnSpacing = async (
  parts: CalibrationParts,
  cardMm: number,
  ask: () => Promise<void>,
): Promise<SpacingLearner> => {
  const learner = new SpacingLearner(cardMm);
  let backwards = 0;
  const pair = new BeamPair(DEFAULT_SPACING_MM, {
    leaving: () => undefined,
    blocked: () => parts.show('the mouth is blocked'),
    clear: () => undefined,
    transit: (transit: Transit) => {
      if (transit.kind === 'back') backwards += 1;
      if (transit.kind !== 'out') return;
      learner.add(transit.leadNs, transit.coverNs, transit.trailNs);
      const mm = learner.spacingMm().toFixed(2);
      parts.show(`pull ${learner.pulls} of ${PULLS_MIN}: beams ${mm} mm apart`);
    },
  });
  const settle = (): void => {
    const now = parts.scheduler.nowNs();
    const due = pair.dueNs();
    if (due !== NEVER && due <= now) pair.settle(now);
    const next = pair.dueNs();
    if (next !== NEVER) parts.scheduler.at(next, settle);
  };
  const sink = (beam: 0 | 1) => ({
    edge: (active: boolean, atNs: number): void => {
      pair.edge(beam, active, atNs);
      parts.scheduler.at(pair.dueNs(), settle);
    },
    fault: (error: Error): void => parts.show(error.message),
  });
  const lines = parts.gpio.inputs([parts.beamA, parts.beamB], [sink(0), sink(1)]);
  try {
    await ask();
    const enough = await parts.wait(() => learner.pulls >= PULLS_MIN);
    if (enough) return learner;
    const swapped = backwards > learner.pulls ? 'beams A and B are swapped' : 'too few pulls';
    const seen = `${learner.pulls} outward, ${backwards} inward passages were seen`;
    throw new CalibrationError(`${swapped}: ${seen}`);
  } finally {
    for (const line of lines) line.close();
  }
};

/** The whole calibration of one shoe head. The colour sensor must be up. */
export const runCalibration = async (
  parts: CalibrationParts,
  plan: CalibrationPlan,
): Promise<Learnt> => {
  const learners: ColourLearner[] = [];
  await plan.ask({ do: 'clear-mouth' });
  learners.push(await learnColour(parts, 'nothing', 'nothing'));
  for (const batch of plan.batches) {
    await plan.ask({ do: 'hold', surface: batch });
    learners.push(await learnColour(parts, batch, 'back'));
  }
  await plan.ask({ do: 'hold', surface: 'cover' });
  learners.push(await learnColour(parts, 'cover', 'cover'));
  const spacing = await learnSpacing(parts, plan.cardMm, () =>
    plan.ask({ do: 'pull-cards', count: PULLS_MIN }),
  );
  return {
    learners,
    spacing,
    calibration: {
      spacingMm: Math.round(spacing.spacingMm() * 100) / 100,
      cardMm: plan.cardMm,
      coverMm: plan.coverMm,
      colours: learners.map((learner) => learner.reference()),
    },
  };
};
