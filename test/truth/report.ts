import type { Fault, Seen } from './fault.js';
import { FAULTS } from './faults.js';
import type { Odd, Tally } from './tally.js';

/** One line of the confusion table. */
export interface Line {
  readonly kind: string;
  readonly what: string;
  readonly seen: Seen;
  readonly why: string | null;
  readonly noise: number;
  readonly injected: number;
  readonly found: number;
  readonly foundShare: number;
  readonly withinCards: number;
  /** Cards until found; null where none was. */
  readonly medianCards: number | null;
  readonly maxCards: number | null;
  readonly late: number;
  readonly missed: number;
  readonly wrong: number;
  readonly after: readonly number[];
  /** Whether the goal is met; null for what cannot be seen. */
  readonly met: boolean | null;
}

/** False alarms over all correct play at one level of noise. */
export interface Alarms {
  readonly noise: number;
  readonly cards: number;
  readonly falseAlarms: number;
  readonly miscounts: number;
  readonly perMillion: number;
  /** 95 % upper bound, per million cards: 3 / cards where there was none. */
  readonly upperPerMillion: number;
  readonly goalPerMillion: number;
  /** null: too few cards to tell. */
  readonly met: boolean | null;
}

export interface Report {
  readonly truth: 1;
  readonly at: string;
  readonly machine: string;
  readonly source: string;
  readonly seed: number;
  readonly seconds: number;
  readonly cardsPerSecond: number;
  readonly lines: readonly Line[];
  readonly alarms: readonly Alarms[];
  readonly odd: readonly Odd[];
  /** Every goal that can be judged is met. */
  readonly met: boolean;
}

/** Share of faults to be found, by level of noise. */
const foundGoal = (noise: number): number => (noise <= 1 ? 1 : 0.999);
/** False alarms per million cards, by level of noise. */
const alarmGoal = (noise: number): number => (noise <= 1 ? 1 : 100);
const MILLION = 1e6;

const median = (after: readonly number[]): number | null => {
  const all = after.reduce((sum, n) => sum + n, 0);
  let seen = 0;
  for (const [cards, n] of after.entries()) {
    seen += n;
    if (n > 0 && 2 * seen >= all) return cards;
  }
  return null;
};

const lineOf = (fault: Fault, tally: Tally): Line => {
  const { injected, found, missed, wrong, after, noise } = tally;
  const late = after.slice(fault.withinCards + 1).reduce((sum, n) => sum + n, 0);
  const share = injected === 0 ? 0 : (found - late) / injected;
  return {
    kind: fault.kind,
    what: fault.what,
    seen: fault.seen,
    why: fault.why ?? null,
    noise,
    injected,
    found,
    foundShare: injected === 0 ? 0 : found / injected,
    withinCards: fault.withinCards,
    medianCards: median(after),
    maxCards: found === 0 ? null : after.length - 1,
    late,
    missed,
    wrong,
    after,
    met: fault.seen === 'never' || injected === 0 ? null : share >= foundGoal(noise),
  };
};

/** Upper 95 % bound of a Poisson mean of which `n` were counted (Wilson-Hilferty). */
const upperBound = (n: number): number => {
  if (n === 0) return 3;
  const k = n + 1;
  return k * (1 - 1 / (9 * k) + 1.645 / (3 * Math.sqrt(k))) ** 3;
};

const alarmsOf = (noise: number, tallies: readonly Tally[]): Alarms => {
  const sum = (of: (tally: Tally) => number): number =>
    tallies.reduce((total, tally) => total + (tally.noise === noise ? of(tally) : 0), 0);
  const cards = sum((tally) => tally.cleanCards);
  const falseAlarms = sum((tally) => tally.falseAlarms);
  const miscounts = sum((tally) => tally.miscounts);
  const goal = alarmGoal(noise);
  const perMillion = ((falseAlarms + miscounts) / Math.max(cards, 1)) * MILLION;
  const enough = cards * goal >= MILLION;
  return {
    noise,
    cards,
    falseAlarms,
    miscounts,
    perMillion,
    upperPerMillion: (upperBound(falseAlarms + miscounts) / Math.max(cards, 1)) * MILLION,
    goalPerMillion: goal,
    met: enough || falseAlarms + miscounts > 1 ? perMillion <= goal : null,
  };
};

export const reportOf = (
  tallies: readonly Tally[],
  about: Pick<Report, 'at' | 'machine' | 'source' | 'seed' | 'seconds'>,
): Report => {
  const lines = FAULTS.flatMap((fault) =>
    tallies.filter(({ kind }) => kind === fault.kind).map((tally) => lineOf(fault, tally)),
  );
  const levels = [...new Set(tallies.map(({ noise }) => noise))].sort((a, b) => a - b);
  const alarms = levels.map((noise) => alarmsOf(noise, tallies));
  const unseen = new Set(FAULTS.filter(({ seen }) => seen === 'never').map(({ kind }) => kind));
  const cards = tallies.reduce((sum, tally) => sum + tally.cards, 0);
  return {
    truth: 1,
    ...about,
    cardsPerSecond: Math.round(cards / Math.max(about.seconds, 0.001)),
    lines,
    alarms,
    odd: tallies.flatMap(({ kind, odd }) =>
      kind !== null && unseen.has(kind)
        ? odd.filter(({ outcome }) => outcome === 'false-alarm' || outcome === 'miscount')
        : odd,
    ),
    met: lines.every(({ met }) => met !== false) && alarms.every(({ met }) => met !== false),
  };
};

const percent = (share: number): string => `${(share * 100).toFixed(share === 1 ? 0 : 3)} %`;
const pad = (text: string | number, width: number): string => String(text).padStart(width);

const goalWord = (met: boolean | null, none: string): string => {
  if (met === null) return none;
  return met ? 'met' : 'NOT MET';
};

/** The table for a terminal. */
export const tableText = (report: Report): string => {
  const head =
    `${'fault'.padEnd(26)}${pad('noise', 6)}${pad('injected', 9)}${pad('found', 10)}` +
    `${pad('median', 7)}${pad('max', 5)}${pad('late', 6)}` +
    `${pad('missed', 7)}${pad('wrong', 6)}  goal`;
  const rows = report.lines.map(
    (line) =>
      `${line.kind.padEnd(26)}${pad(line.noise, 6)}${pad(line.injected, 9)}` +
      `${pad(percent(line.foundShare), 10)}${pad(line.medianCards ?? '-', 7)}` +
      `${pad(line.maxCards ?? '-', 5)}${pad(line.late, 6)}${pad(line.missed, 7)}` +
      `${pad(line.wrong, 6)}  ${goalWord(line.met, 'cannot be seen')}`,
  );
  const alarms = report.alarms.map(
    (a) =>
      `noise ${a.noise}: ${a.falseAlarms} false alarms and ${a.miscounts} miscounts in ` +
      `${a.cards} cards: ${a.perMillion.toFixed(2)} per million (95 % below ` +
      `${a.upperPerMillion.toFixed(2)}), goal ${a.goalPerMillion}: ` +
      goalWord(a.met, 'too few cards to tell'),
  );
  const odd = report.odd.map((one) => `  ${JSON.stringify(one)}`);
  return [
    head,
    ...rows,
    '',
    ...alarms,
    ...(odd.length === 0 ? [] : ['', 'seeds to look at:', ...odd]),
    '',
    `${report.cardsPerSecond} cards/s over ${report.seconds.toFixed(0)} s; ${report.source}`,
    '',
  ].join('\n');
};
