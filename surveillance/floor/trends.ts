import type { TrendDay } from './api-records.js';
import type { GamingDay } from './days.js';
import { numberIn, textIn, type Value } from './store/db.js';
import { Where } from './store/desk-store.js';
import type { FloorStore } from './store/floor-store.js';

export interface TrendQuery {
  readonly pit?: string | undefined;
  readonly table?: string | undefined;
}

/** Measures of one day looked at. */
const MEASURES_MAX = 50_000;

const scope = ({ pit, table }: TrendQuery): Where => {
  const where = new Where();
  if (pit !== undefined) where.inPit(pit);
  if (table !== undefined) where.and('p.key = ?', table);
  return where;
};

const spread = (
  sorted: readonly number[],
): { readonly median: number; readonly longest: number } | null => {
  const longest = sorted.at(-1);
  const median = sorted[Math.floor((sorted.length - 1) / 2)];
  return longest === undefined || median === undefined ? null : { median, longest };
};

const inSeconds = (sorted: readonly number[]): TrendDay['timeToStopS'] =>
  spread(sorted.map((ms) => Math.round(ms / 100) / 10));

/** What one gaming day came to; tables and pits may be chosen. */
export const trendDayOf = async (
  store: FloorStore,
  { day, fromMs, toMs }: GamingDay,
  query: TrendQuery,
): Promise<TrendDay> => {
  const where = scope(query);
  const between = (column: string): readonly [string, readonly Value[]] => [
    `${where.text} AND ${column} >= ? AND ${column} < ?`,
    [...where.values, fromMs, toMs],
  ];
  const sums = async (from: string, columns: string, at: string) => {
    const [text, values] = between(at);
    const sql = `SELECT ${columns} FROM ${from} JOIN place p ON p.id = t.place WHERE ${text}`;
    return (await store.db.all(sql, values))[0] ?? {};
  };
  const shoes = await sums('shoe t', 'count(*) AS shoes', 't.from_ms');
  const rounds = await sums(
    'round t',
    'count(*) AS rounds, CAST(coalesce(sum(t.cards), 0) AS BIGINT) AS cards',
    't.from_ms',
  );
  const [text, values] = between('t.raised_ms');
  const codes = await store.db.all(
    `SELECT t.code AS code, t.severity AS severity, count(*) AS n FROM finding t
     JOIN place p ON p.id = t.place WHERE ${text} GROUP BY t.code, t.severity`,
    values,
  );
  const count = (isCounted: (code: string, severity: string) => boolean): number =>
    codes
      .filter((row) => isCounted(textIn(row, 'code'), textIn(row, 'severity')))
      .reduce((sum, row) => sum + numberIn(row, 'n'), 0);
  const measures = await measuresOf(store, between('t.at_ms'));
  const missed: readonly string[] = ['burn.short', 'burn.dealer-missing'];
  return {
    day,
    shoes: numberIn(shoes, 'shoes'),
    rounds: numberIn(rounds, 'rounds'),
    cards: numberIn(rounds, 'cards'),
    findings: count((_code, severity) => severity !== 'info'),
    stops: count((_code, severity) => severity === 'stop'),
    missedBurns: count((code) => missed.includes(code)),
    cardsAfterWarning: await cardsAfterWarning(store, text, values),
    timeToStopS: inSeconds(measures.get('time-to-stop') ?? []),
    cutDwellS: inSeconds(measures.get('cut-dwell') ?? []),
    countAgeRounds: spread(measures.get('count-age') ?? []),
  };
};

/** Amounts of a day by kind, sorted. */
const measuresOf = async (
  store: FloorStore,
  [text, values]: readonly [string, readonly Value[]],
): Promise<ReadonlyMap<string, readonly number[]>> => {
  const rows = await store.db.all(
    `SELECT t.kind AS kind, t.amount AS amount FROM measure t JOIN place p ON p.id = t.place
     WHERE ${text} ORDER BY t.amount LIMIT ${MEASURES_MAX}`,
    values,
  );
  const kinds = new Map<string, number[]>();
  for (const row of rows) {
    const kind = textIn(row, 'kind');
    kinds.set(kind, [...(kinds.get(kind) ?? []), numberIn(row, 'amount')]);
  }
  return kinds;
};

/** Stands in the findings' details; only stops have any. */
const cardsAfterWarning = async (
  store: FloorStore,
  text: string,
  values: readonly Value[],
): Promise<number> => {
  const rows = await store.db.all(
    `SELECT t.detail AS detail FROM finding t JOIN place p ON p.id = t.place
     WHERE ${text} AND t.severity = 'stop' LIMIT ${MEASURES_MAX}`,
    values,
  );
  let sum = 0;
  for (const row of rows) {
    sum += Number(/"cardsAfterWarning":(\d+)/.exec(textIn(row, 'detail'))?.[1] ?? 0);
  }
  return sum;
};
