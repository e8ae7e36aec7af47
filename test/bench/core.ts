import { step } from '../../controller/core/decide.js';
import { evolve } from '../../controller/core/evolve.js';
import type { Observation } from '../../controller/core/observation.js';
import type { TableStep } from '../../controller/core/ports.js';
import { initialState } from '../../controller/core/state.js';
import { encodeStep } from '../../storage/canonical.js';
import { stepOfRow } from '../../storage/decode.js';
import { count, median } from './median.js';
import { benchRules, shoeSteps, take } from './shoe-steps.js';
import type { Figure } from './storage.js';

const STEPS = 100_000;
const ROUNDS = 7;

interface Bare {
  readonly seq: number;
  readonly atNs: number;
  readonly out: number;
  readonly rounds: number;
  readonly presses: number;
}

/** The least a reducer over the same observations can do: a switch and a new object. */
const bare = (state: Bare, observation: Observation): Bare => {
  const { seq, atNs } = observation;
  switch (observation.kind) {
    case 'card.out':
      return { ...state, seq, atNs, out: state.out + 1 };
    case 'press':
      return observation.key === 'no-more-bets'
        ? { ...state, seq, atNs, rounds: state.rounds + 1 }
        : { ...state, seq, atNs, presses: state.presses + 1 };
    default:
      return { ...state, seq, atNs };
  }
};

const perSecond = (work: () => void): number => {
  const startMs = performance.now();
  work();
  return (STEPS * 1000) / (performance.now() - startMs);
};

const decideAll = (steps: readonly TableStep[]): number => {
  let state = initialState(benchRules.table);
  for (const { observation } of steps) state = step(state, observation, benchRules).state;
  return state.shoe.no;
};

const foldAll = (steps: readonly TableStep[]): number => {
  let state = initialState(benchRules.table);
  for (const { observation, decisions } of steps) state = evolve(state, observation, decisions);
  return state.shoe.no;
};

const bareAll = (steps: readonly TableStep[]): number => {
  let state: Bare = { seq: 0, atNs: 0, out: 0, rounds: 0, presses: 0 };
  for (const { observation } of steps) state = bare(state, observation);
  return state.out;
};

const copy = ([step]: readonly TableStep[]): TableStep => {
  if (step === undefined) throw new Error('the bench ran out of steps');
  return stepOfRow(step.observation.seq, encodeStep(step));
};

/** Whole, correct shoes through the rules, and folded again, beside a bare reducer. */
export const coreFigures = (): readonly Figure[] => {
  const made = shoeSteps();
  // Copies, as a journal would give them: keeping what the rules themselves made would teach the
  // engine that it lives long, and every later step would pay for that in collected garbage.
  const steps = Array.from({ length: STEPS }, () => copy(take(made, 1)));
  const rates: { decide: number[]; fold: number[]; bare: number[] } = {
    decide: [],
    fold: [],
    bare: [],
  };
  let kept = 0;
  for (let round = 0; round <= ROUNDS; round += 1) {
    const probe = perSecond(() => (kept += bareAll(steps)));
    const decide = perSecond(() => (kept += decideAll(steps)));
    const fold = perSecond(() => (kept += foldAll(steps)));
    if (round === 0) continue;
    rates.bare.push(probe);
    rates.decide.push(decide);
    rates.fold.push(fold);
  }
  if (kept === 0) throw new Error('nothing was played');
  const figure = (what: string, ours: readonly number[], goal: string): Figure => ({
    what,
    subject: `${count(median(ours))}/s`,
    peer: `${count(median(rates.bare))}/s bare reducer`,
    ratio: median(ours.map((n, i) => n / (rates.bare[i] ?? Number.NaN))).toFixed(3),
    goal,
  });
  return [
    figure('rules: observations decided and folded', rates.decide, '>= 1,000,000/s'),
    figure('rows folded (restore, replay)', rates.fold, 'year in <= 15 s: >= 200,000/s'),
  ];
};
