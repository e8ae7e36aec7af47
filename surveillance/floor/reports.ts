import type { Alerts } from './alerts.js';
import { LIMITS, tableIdOf } from './api.js';
import type { Alert } from './api-records.js';
import type { GamingDay } from './days.js';
import type { Report, ReportList } from './report-form.js';
import { numberIn, textIn } from './store/db.js';
import type { FloorStore } from './store/floor-store.js';
import type { ShoeLife } from './store/life-store.js';
import { trendDayOf } from './trends.js';

export interface ReportParts {
  readonly store: FloorStore;
  readonly alerts: Alerts;
  readonly nowMs: () => number;
}

export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Pages of findings one report takes. */
const PAGES_MAX = 10;
const SHOES_MAX = 2000;

const at = (ms: number): string => new Date(ms).toISOString().replace('T', ' ').slice(0, 19);
const seconds = (ms: number): string => (ms / 1000).toFixed(1);

const spanFacts = ({ fromMs, toMs }: Span): readonly (readonly [string, string])[] => [
  ['From (UTC)', at(fromMs)],
  ['To (UTC)', at(toMs)],
];

/** All findings of a question, newest first, up to the limit of a report. */
const findingsOf = async (
  alerts: Alerts,
  query: Parameters<Alerts['page']>[0],
): Promise<readonly Alert[]> => {
  const found: Alert[] = [];
  let before: string | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const next = await alerts.page({ ...query, before, limit: LIMITS.page });
    found.push(...next.alerts);
    if (next.next === null) break;
    before = next.next;
  }
  return found;
};

const findingList = (findings: readonly Alert[]): ReportList => ({
  title: 'Findings',
  heads: [
    ...['raised (UTC)', 'table', 'shoe.round', 'finding', 'clause', 'severity', 'observed'],
    ...['dealer', 'cards after warning', 'time to stop, s', 'acknowledged', 'cleared (UTC)', 'how'],
  ],
  rows: findings.map((one) => [
    at(one.raisedMs),
    `${one.table.pit}/${one.table.table}`,
    `${one.shoe ?? '?'}.${one.round ?? '?'}`,
    `${one.id} ${one.code}`,
    one.clause,
    one.severity,
    one.observed,
    one.dealer ?? 'not known',
    String(one.cardsAfterWarning),
    seconds(one.timeToStopMs),
    one.acknowledged === null ? '' : `${one.acknowledged.by}: ${one.acknowledged.note}`,
    one.cleared === null ? 'open' : at(one.cleared.atMs),
    one.cleared === null ? '' : `${one.cleared.how} (${one.cleared.by})`,
  ]),
});

const shoeRow = (shoe: ShoeLife): readonly string[] => [
  String(shoe.shoe),
  at(shoe.fromMs),
  at(shoe.toMs),
  shoe.batch ?? 'not known',
  String(shoe.loaded),
  String(shoe.out),
  String(shoe.rounds),
  String(shoe.findings),
  String(shoe.stops),
  `${shoe.fromSeq} to ${shoe.toSeq}`,
];
const SHOE_HEADS = [
  ...['shoe', 'from (UTC)', 'to (UTC)', 'batch', 'loaded', 'out', 'rounds', 'findings'],
  ...['stops', 'rows'],
];

/** One shoe; null where it is not known. */
export const shoeReport = async (
  { store, alerts, nowMs }: ReportParts,
  table: string,
  shoe: number,
): Promise<Report | null> => {
  const life = await store.shoe(table, shoe);
  if (life === null) return null;
  const rounds = await store.rounds(table, shoe);
  const findings = await findingsOf(alerts, { table, shoe });
  return {
    title: `Shoe ${shoe} of ${table}`,
    facts: [['Written (UTC)', at(nowMs())]],
    lists: [
      { title: 'Shoe', heads: SHOE_HEADS, rows: [shoeRow(life)] },
      {
        title: 'Rounds',
        heads: ['round', 'began (UTC)', 'cards', 'dealer', 'rows'],
        rows: rounds.map((round) => [
          String(round.round),
          at(round.fromMs),
          String(round.cards),
          round.dealer ?? 'not known',
          `${round.fromSeq} to ${round.toSeq}`,
        ]),
      },
      findingList(findings),
    ],
  };
};

/** One table over a span. */
export const tableReport = async (
  { store, alerts, nowMs }: ReportParts,
  table: string,
  span: Span,
): Promise<Report> => {
  const shoes = (await store.shoes(table, SHOES_MAX)).filter(
    ({ fromMs, toMs }) => toMs >= span.fromMs && fromMs < span.toMs,
  );
  const voids = await store.voids(table, span.fromMs, span.toMs);
  const { fromMs, toMs } = span;
  return {
    title: `Table ${table}`,
    facts: [...spanFacts(span), ['Written (UTC)', at(nowMs())]],
    lists: [
      { title: 'Shoes', heads: SHOE_HEADS, rows: shoes.map(shoeRow) },
      {
        title: 'Void rounds',
        heads: ['at (UTC)', 'round', 'cards', 'by', 'open findings', 'row'],
        rows: voids.map((one) => [
          at(one.atMs),
          `${one.shoe}.${one.round}`,
          String(one.cards),
          one.by,
          one.findings.map(({ code }) => code).join(' '),
          String(one.seq),
        ]),
      },
      findingList(await findingsOf(alerts, { table, fromMs, toMs })),
    ],
  };
};

/** One dealer's badge over a span. */
export const dealerReport = async (
  { store, alerts, nowMs }: ReportParts,
  badge: string,
  span: Span,
): Promise<Report> => {
  const { fromMs, toMs } = span;
  const tables = await store.db.all(
    `SELECT p.key, count(*) AS rounds, CAST(coalesce(sum(r.cards), 0) AS BIGINT) AS cards
     FROM round r JOIN place p ON p.id = r.place
     WHERE r.dealer = ? AND r.from_ms >= ? AND r.from_ms < ? GROUP BY p.key ORDER BY p.key`,
    [badge, fromMs, toMs],
  );
  const findings = await findingsOf(alerts, { badge, fromMs, toMs });
  return {
    title: `Dealer ${badge}`,
    facts: [...spanFacts(span), ['Written (UTC)', at(nowMs())]],
    lists: [
      {
        title: 'Tables',
        heads: ['table', 'rounds', 'cards'],
        rows: tables.map((row) => [
          textIn(row, 'key'),
          String(numberIn(row, 'rounds')),
          String(numberIn(row, 'cards')),
        ]),
      },
      findingList(findings),
    ],
  };
};

/** One gaming day, of the floor or of a pit: a line a table. */
export const dayReport = async (
  { store, alerts, nowMs }: ReportParts,
  day: GamingDay,
  pit: string | undefined,
): Promise<Report> => {
  const { fromMs, toMs } = day;
  const places = await store.db.all('SELECT key FROM place ORDER BY key LIMIT 10000');
  const rows: (readonly string[])[] = [];
  for (const place of places) {
    const table = textIn(place, 'key');
    if (pit !== undefined && tableIdOf(table)?.pit !== pit) continue;
    const sum = await trendDayOf(store, day, { table });
    if (sum.shoes + sum.rounds + sum.findings === 0) continue;
    rows.push([
      table,
      String(sum.shoes),
      String(sum.rounds),
      String(sum.cards),
      String(sum.findings),
      String(sum.stops),
      String(sum.missedBurns),
      String(sum.cardsAfterWarning),
      sum.timeToStopS === null ? '' : String(sum.timeToStopS.longest),
    ]);
  }
  return {
    title: `Gaming day ${day.day}${pit === undefined ? '' : `, pit ${pit}`}`,
    facts: [...spanFacts(day), ['Written (UTC)', at(nowMs())]],
    lists: [
      {
        title: 'Tables that played',
        heads: [
          ...['table', 'shoes', 'rounds', 'cards', 'findings', 'stops', 'missed burns'],
          ...['cards after warning', 'longest time to stop, s'],
        ],
        rows,
      },
      findingList(await findingsOf(alerts, { pit, fromMs, toMs })),
    ],
  };
};
