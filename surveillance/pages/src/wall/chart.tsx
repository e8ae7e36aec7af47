import { useEffect, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';

export interface ChartLine {
  readonly label: string;
  /** One a day; null on a day without a figure: the line has a hole there, not a zero. */
  readonly values: readonly (number | null)[];
  readonly look: 'bars' | 'line' | 'dashed';
}

interface ChartProps {
  readonly title: string;
  readonly unit: string;
  /** Gaming days, `2026-11-29`. */
  readonly days: readonly string[];
  readonly lines: readonly ChartLine[];
  /** Said where no day has a figure: nothing was measured, which is not the same as none. */
  readonly unmeasured: string;
  /** Said where every figure is zero: it was looked for and did not happen. */
  readonly nothing: string;
}

/** Why a chart would be empty; null where it shows something. */
const emptyText = ({ lines, unmeasured, nothing }: ChartProps): string | null => {
  const figures = lines.flatMap(({ values }) => values.filter((value) => value !== null));
  if (figures.length === 0) return unmeasured;
  return figures.every((value) => value === 0) ? nothing : null;
};

const HEIGHT = 210;
const BAR_SHARE = 0.7;
const BAR_MAX_PX = 26;
const DAY_S = 86_400;

interface Colours {
  readonly text: string;
  readonly grid: string;
  readonly main: string;
  readonly second: string;
}

const coloursOf = (element: Element): Colours => {
  const style = getComputedStyle(element);
  const of = (name: string): string => style.getPropertyValue(name).trim();
  return {
    text: of('--soft'),
    grid: of('--line'),
    main: of('--focus'),
    second: of('--attend'),
  };
};

const seriesOf = (
  plot: typeof uPlot,
  { lines }: ChartProps,
  { main, second }: Colours,
): uPlot.Series[] =>
  lines.map((line, i): uPlot.Series => {
    const stroke = i === 0 ? main : second;
    if (line.look === 'bars') {
      const paths = plot.paths.bars?.({ size: [BAR_SHARE, BAR_MAX_PX] });
      return {
        label: line.label,
        stroke,
        fill: stroke,
        points: { show: false },
        ...(paths === undefined ? {} : { paths }),
      };
    }
    const dash = line.look === 'dashed' ? { dash: [6, 4] } : {};
    return { label: line.label, stroke, width: 2, points: { size: 5 }, ...dash };
  });

const optionsOf = (
  plot: typeof uPlot,
  props: ChartProps,
  colours: Colours,
  width: number,
): uPlot.Options => {
  const axis = { stroke: colours.text, grid: { stroke: colours.grid }, ticks: { show: false } };
  return {
    width,
    height: HEIGHT,
    // A gaming day is a date, not an instant: nothing of it may move with a time zone.
    tzDate: (s) => plot.tzDate(new Date(s * 1000), 'Etc/UTC'),
    scales: {
      // Half a day of room on both sides: the first and the last bar show whole.
      x: { range: (_plot, min, max) => [min - DAY_S / 2, max + DAY_S / 2] },
      y: { range: (_plot, _min, max) => [0, Math.max(1, Math.ceil(max * 1.1))] },
    },
    legend: { live: false },
    cursor: { show: false },
    axes: [
      {
        ...axis,
        space: 70,
        incrs: [1, 2, 7, 14, 28, 91].map((days) => days * DAY_S),
        values: (_plot, splits) => splits.map((s) => new Date(s * 1000).toISOString().slice(5, 10)),
      },
      { ...axis, size: 46 },
    ],
    series: [{ label: 'Day' }, ...seriesOf(plot, props, colours)],
  };
};

/** Draws into an element and keeps to its width; the answer ends it. */
const draw = async (box: HTMLElement, props: ChartProps, ending: AbortSignal): Promise<void> => {
  const { default: plot } = await import('uplot');
  if (ending.aborted) return;
  const data: uPlot.AlignedData = [
    props.days.map((day) => Date.parse(`${day}T00:00:00Z`) / 1000),
    ...props.lines.map(({ values }) => [...values]),
  ];
  const chart = new plot(
    optionsOf(plot, props, coloursOf(box), Math.max(200, box.clientWidth)),
    data,
    box,
  );
  const observer = new ResizeObserver(() => {
    chart.setSize({ width: Math.max(200, box.clientWidth), height: HEIGHT });
  });
  observer.observe(box);
  ending.addEventListener('abort', () => {
    observer.disconnect();
    chart.destroy();
  });
};

const Figures = ({ title, unit, days, lines }: ChartProps) => (
  <div class="table-scroll figures" tabIndex={0} role="region" aria-label={`${title}, as a table`}>
    <table>
      <caption class="unheard">
        {title}, {unit}
      </caption>
      <thead>
        <tr>
          <th scope="col">Gaming day</th>
          {lines.map(({ label }) => (
            <th key={label} scope="col">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {days.map((day, i) => (
          <tr key={day}>
            <th scope="row">{day}</th>
            {lines.map(({ label, values }) => (
              <td key={label}>{values[i] ?? 'none'}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

/** A chart, and the same figures as a table for whoever does not see it. */
export const Chart = (props: ChartProps) => {
  const box = useRef<HTMLDivElement>(null);
  const [isTable, setIsTable] = useState(false);
  const { title, unit, days, lines } = props;
  const empty = emptyText(props);
  useEffect(() => {
    if (box.current === null || isTable || empty !== null) return undefined;
    const ending = new AbortController();
    void draw(box.current, props, ending.signal);
    return () => {
      ending.abort();
    };
  }, [days, lines, isTable, empty]);
  return (
    <section class="panel chart" aria-label={title}>
      <div class="stepper-bar">
        <h2>{title}</h2>
        <span class="none">{unit}</span>
        <button
          type="button"
          class="plain for-screen"
          aria-pressed={isTable}
          onClick={() => {
            setIsTable(!isTable);
          }}
        >
          As a table<span class="unheard">: {title}</span>
        </button>
      </div>
      {isTable && <Figures {...props} />}
      {!isTable && empty !== null && <p class="none">{empty}</p>}
      {!isTable && empty === null && (
        <div
          ref={box}
          role="img"
          aria-label={`${title}, ${days.length} days. The button before shows the figures.`}
        />
      )}
    </section>
  );
};
