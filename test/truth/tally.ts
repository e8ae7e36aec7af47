import { faultNamed, tablesFor } from './faults.js';
import { NOMINAL, type TruthParams } from './params.js';
import { truthTables } from './tables.js';
import { Trial, type TrialResult } from './trial.js';

/** A piece of work for one thread. `kind` null: correct play of `count` cards. */
export interface Job {
  readonly kind: string | null;
  readonly noise: number;
  readonly seed: number;
  /** Faults to inject, or cards to play. */
  readonly count: number;
}

/** A seed that did not come out as it should. */
export interface Odd {
  readonly outcome: TrialResult['outcome'];
  readonly kind: string | null;
  readonly table: string;
  readonly noise: number;
  readonly seed: number;
  /** Cards of a correct play. */
  readonly cards?: number;
  readonly code: string | null;
  readonly observed: string;
}

/** What came of many trials of one kind at one level of noise. */
export interface Tally {
  readonly kind: string | null;
  readonly noise: number;
  injected: number;
  found: number;
  missed: number;
  wrong: number;
  /** Found after so many cards: index is the number of cards. */
  readonly after: number[];
  falseAlarms: number;
  miscounts: number;
  /** Cards of correct play over which nothing may be raised. */
  cleanCards: number;
  cards: number;
  readonly odd: Odd[];
}

/** Odd seeds kept of one kind. */
const ODD_MAX = 20;
/** Trials tried for one that finds a place for its fault. */
const TRIES_MAX = 3;
/** Cards of one table's correct play, and tables at which nothing is sensed. */
const PLAY_CARDS = 3000;

export const freshTally = (kind: string | null, noise: number): Tally => ({
  kind,
  noise,
  injected: 0,
  found: 0,
  missed: 0,
  wrong: 0,
  after: [],
  falseAlarms: 0,
  miscounts: 0,
  cleanCards: 0,
  cards: 0,
  odd: [],
});

const note = (tally: Tally, odd: Odd): void => {
  if (tally.odd.length < ODD_MAX) tally.odd.push(odd);
};

const count = (tally: Tally, result: TrialResult): void => {
  tally.cards += result.cards;
  tally.cleanCards += result.cleanCards;
  switch (result.outcome) {
    case 'found': {
      tally.injected += 1;
      tally.found += 1;
      const after = result.cardsToFind ?? 0;
      while (tally.after.length <= after) tally.after.push(0);
      tally.after[after] = (tally.after[after] ?? 0) + 1;
      return;
    }
    case 'missed':
    case 'wrong':
      tally.injected += 1;
      tally[result.outcome] += 1;
      return;
    case 'false-alarm':
      tally.falseAlarms += 1;
      return;
    case 'miscount':
      tally.miscounts += 1;
      return;
    case 'clean':
    case 'never':
      return;
  }
};

const injectAll = async (job: Job, kind: string, params: TruthParams): Promise<Tally> => {
  const tally = freshTally(kind, job.noise);
  const fault = faultNamed(kind);
  if (fault === undefined) throw new Error(`there is no fault \`${kind}\``);
  const tables = tablesFor(fault);
  const last = job.seed + job.count * TRIES_MAX;
  for (let seed = job.seed; tally.injected < job.count && seed < last; seed += 1) {
    const table = tables[seed % tables.length];
    if (table === undefined) break;
    const result = await new Trial({ fault, table, noise: job.noise, seed, params }).run();
    count(tally, result);
    const { outcome, code, observed } = result;
    if (outcome === 'found' && (result.cardsToFind ?? 0) <= fault.withinCards) continue;
    if (outcome === 'never') continue;
    note(tally, { outcome, kind, table: table.name, noise: job.noise, seed, code, observed });
  }
  return tally;
};

const playAll = async (job: Job, params: TruthParams): Promise<Tally> => {
  const tally = freshTally(null, job.noise);
  const tables = truthTables();
  for (let seed = job.seed; tally.cards < job.count; seed += 1) {
    const table = tables[seed % tables.length];
    if (table === undefined) break;
    const cards = Math.min(PLAY_CARDS, job.count - tally.cards);
    const { noise } = job;
    const result = await new Trial({ fault: null, table, noise, seed, params, cards }).run();
    count(tally, result);
    const { outcome, code, observed } = result;
    if (outcome === 'clean') continue;
    note(tally, { outcome, kind: null, table: table.name, noise, seed, cards, code, observed });
  }
  return tally;
};

/** Does one job: everything follows from its numbers. */
export const runJob = (job: Job, params: TruthParams = NOMINAL): Promise<Tally> =>
  job.kind === null ? playAll(job, params) : injectAll(job, job.kind, params);

/** Adds one tally of the same kind and noise to another. */
export const addTally = (into: Tally, from: Tally): void => {
  into.injected += from.injected;
  into.found += from.found;
  into.missed += from.missed;
  into.wrong += from.wrong;
  into.falseAlarms += from.falseAlarms;
  into.miscounts += from.miscounts;
  into.cleanCards += from.cleanCards;
  into.cards += from.cards;
  from.after.forEach((n, i) => {
    while (into.after.length <= i) into.after.push(0);
    into.after[i] = (into.after[i] ?? 0) + n;
  });
  for (const odd of from.odd) note(into, odd);
};
