import { useMemo, useState } from 'preact/hooks';
import type { TrendDay } from '../../../floor/api-records.js';
import { PATHS } from '../../../floor/api.js';
import { useAsked } from './ask.js';
import { Chart, type ChartLine } from './chart.js';
import { useFloor } from './floor-context.js';
import { pitOf, sortedTexts } from './order.js';
import { numberOf, queryOf } from './route.js';
import { plural } from '../words.js';
import { isTrends } from './shapes.js';

const DAY_MS = 86_400_000;
const SPANS = [7, 30, 90, 365] as const;
const USUAL_DAYS = 30;

type Spread = 'timeToStopS' | 'cutDwellS' | 'countAgeRounds';

const spread = (days: readonly TrendDay[], field: Spread): readonly ChartLine[] => [
  { label: 'Median', look: 'line', values: days.map((day) => day[field]?.median ?? null) },
  { label: 'Longest', look: 'dashed', values: days.map((day) => day[field]?.longest ?? null) },
];

const SPREADS: readonly {
  readonly field: Spread;
  readonly title: string;
  readonly unit: string;
  readonly unmeasured: string;
  readonly nothing: string;
}[] = [
  {
    field: 'timeToStopS',
    title: 'Time to stop',
    unit: 'seconds from the stop to the last card',
    unmeasured: 'Nothing to measure: no card came out after a stop in these days.',
    nothing: 'Less than a tenth of a second each time.',
  },
  {
    field: 'cutDwellS',
    title: 'Cut dwell',
    unit: 'seconds the cut took',
    unmeasured: 'Not measured: no cut was pressed in these days. That says nothing of the cuts.',
    nothing: 'Less than a tenth of a second each time: pressed as soon as it was due.',
  },
  {
    field: 'countAgeRounds',
    title: 'Age of counts',
    unit: 'rounds since the last verified count',
    unmeasured:
      'Not measured: no count was verified after play in these days. That says nothing of cards.',
    nothing: 'Counted before every round.',
  },
];

const COUNT = { unit: 'a day', unmeasured: 'Nothing was played in these days.' };

const burnLines = (days: readonly TrendDay[]): readonly ChartLine[] => [
  { label: 'Missed burns', look: 'bars', values: days.map((day) => day.missedBurns) },
];
const findingLines = (days: readonly TrendDay[]): readonly ChartLine[] => [
  { label: 'Findings', look: 'bars', values: days.map((day) => day.findings) },
  { label: 'Stops', look: 'line', values: days.map((day) => day.stops) },
];
const afterLines = (days: readonly TrendDay[]): readonly ChartLine[] => [
  { label: 'Cards', look: 'bars', values: days.map((day) => day.cardsAfterWarning) },
];

const sum = (days: readonly TrendDay[], field: 'rounds' | 'shoes'): number =>
  days.reduce((total, day) => total + day[field], 0);

const Charts = ({ days }: { readonly days: readonly TrendDay[] }) => {
  const drawn = useMemo(
    () => ({
      names: days.map(({ day }) => day),
      played: `${plural(sum(days, 'rounds'), 'round')} of ${plural(sum(days, 'shoes'), 'shoe')}`,
      burns: burnLines(days),
      findings: findingLines(days),
      after: afterLines(days),
      spreads: SPREADS.map((one) => ({ ...one, lines: spread(days, one.field) })),
    }),
    [days],
  );
  return (
    <div class="charts">
      <Chart
        {...COUNT}
        title="Missed burns"
        days={drawn.names}
        lines={drawn.burns}
        nothing={`None was missed: ${drawn.played}.`}
      />
      <Chart
        {...COUNT}
        title="Findings and stops"
        days={drawn.names}
        lines={drawn.findings}
        nothing={`Nothing was found: ${drawn.played}.`}
      />
      <Chart
        {...COUNT}
        title="Cards after a stop"
        days={drawn.names}
        lines={drawn.after}
        nothing={`No card came out after a stop: ${drawn.played}.`}
      />
      {drawn.spreads.map(({ field, ...one }) => (
        <Chart key={field} {...one} days={drawn.names} />
      ))}
    </div>
  );
};

/** How the house does from day to day. */
export const TrendsPage = () => {
  const { store } = useFloor();
  const [days, setDays] = useState(USUAL_DAYS);
  const [pit, setPit] = useState('');
  const [openedMs] = useState(() => (store.state.atMs === 0 ? Date.now() : store.state.atMs));
  const query = queryOf({ from: String(openedMs - days * DAY_MS), to: String(openedMs), pit });
  const { value, error, isAsking } = useAsked(`${PATHS.trends}?${query}`, isTrends);
  const pits = sortedTexts(store.tiles().map((tile) => pitOf(tile).split('/')[1] ?? ''));
  return (
    <main id="main" class="desk" tabIndex={-1}>
      <div class="desk-bar">
        <h1>Trends</h1>
        <label>
          Days{' '}
          <select
            value={String(days)}
            onChange={({ currentTarget }) => {
              setDays(numberOf(currentTarget.value) ?? USUAL_DAYS);
            }}
          >
            {SPANS.map((span) => (
              <option key={span} value={String(span)}>
                {span}
              </option>
            ))}
          </select>
        </label>
        <label>
          Pit{' '}
          <select
            value={pit}
            onChange={({ currentTarget }) => {
              setPit(currentTarget.value);
            }}
          >
            <option value="">All</option>
            {pits.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
      </div>
      {error !== '' && (
        <p class="refused" role="alert">
          {error}
        </p>
      )}
      {value === null && isAsking && <p class="none">Asking…</p>}
      {value?.days.length === 0 && <p class="none">Nothing was played in these days.</p>}
      {value !== null && value.days.length > 0 && <Charts days={value.days} />}
    </main>
  );
};
