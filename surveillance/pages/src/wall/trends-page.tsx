import { useMemo, useState } from 'preact/hooks';
import type { TrendDay } from '../../../floor/api-records.js';
import { PATHS } from '../../../floor/api.js';
import { useAsked } from './ask.js';
import { Chart, type ChartLine } from './chart.js';
import { useFloor } from './floor-context.js';
import { pitOf, sortedTexts } from './order.js';
import { numberOf, queryOf } from './route.js';
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
}[] = [
  { field: 'timeToStopS', title: 'Time to stop', unit: 'seconds from the stop to the last card' },
  { field: 'cutDwellS', title: 'Cut dwell', unit: 'seconds the cut took' },
  { field: 'countAgeRounds', title: 'Age of counts', unit: 'rounds since the last verified count' },
];

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

const Charts = ({ days }: { readonly days: readonly TrendDay[] }) => {
  const drawn = useMemo(
    () => ({
      names: days.map(({ day }) => day),
      burns: burnLines(days),
      findings: findingLines(days),
      after: afterLines(days),
      spreads: SPREADS.map((one) => ({ ...one, lines: spread(days, one.field) })),
    }),
    [days],
  );
  return (
    <div class="charts">
      <Chart title="Missed burns" unit="a day" days={drawn.names} lines={drawn.burns} />
      <Chart title="Findings and stops" unit="a day" days={drawn.names} lines={drawn.findings} />
      <Chart title="Cards after a stop" unit="a day" days={drawn.names} lines={drawn.after} />
      {drawn.spreads.map(({ title, unit, lines }) => (
        <Chart key={title} title={title} unit={unit} days={drawn.names} lines={lines} />
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
