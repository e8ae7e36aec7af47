import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Strip, StripMark } from '../../../floor/api-table.js';
import { Shape } from '../frame.js';
import { plainWord, severityMark } from '../words.js';
import { memo } from './memo.js';
import {
  axisCounts,
  layoutOf,
  nearest,
  placeOfRow,
  saysBefore,
  type StripLayout,
  stripText,
} from './strip-layout.js';

const HEIGHT = 148;
/** Top and height of each lane, px. */
const LANES = {
  findings: { y: 4, h: 20 },
  cards: { y: 30, h: 44 },
  rounds: { y: 82, h: 16 },
  presses: { y: 106, h: 12 },
  axis: { y: 126, h: 16 },
} as const;
const FLAG = 15;
const MIN_WIDTH = 200;

/** A mark in words, as the slider says it. */
const markText = (mark: StripMark): string => {
  switch (mark.kind) {
    case 'card':
      return mark.use === 'burn' ? `card ${mark.out}, burnt` : `card ${mark.out}`;
    case 'press':
      return `${mark.by}: ${mark.key}${mark.taken ? '' : ', refused'}`;
    case 'raised':
      return `${severityMark(mark.severity).word} ${mark.code}`;
    case 'cleared':
      return `${mark.code} cleared`;
    case 'gate':
      return mark.locked ? 'gate locked' : 'gate open';
    case 'gap':
      return `rows up to ${mark.to} are missing here`;
    case 'round-begin':
    case 'round-end':
    case 'round-void':
      return `round ${mark.round} ${mark.kind.slice('round-'.length)}`;
    default:
      return plainWord(mark.kind);
  }
};

interface LanesProps {
  readonly layout: StripLayout;
  readonly strip: Strip;
  readonly width: number;
}

const ticks = (xs: readonly number[], y: number, h: number): string =>
  xs.map((x) => `M${x.toFixed(1)} ${y}v${h}`).join('');

const Cards = ({ layout, strip, width }: LanesProps) => {
  const { y, h } = LANES.cards;
  const slot = ((1 - layout.begin) * width) / Math.max(1, strip.loaded);
  const xs = (use: string): number[] =>
    layout.cards.filter(({ mark }) => mark.use === use).map(({ x }) => x * width);
  return (
    <>
      <rect
        class="stack"
        x={layout.begin * width}
        y={y}
        width={width * (1 - layout.begin)}
        height={h}
      />
      {layout.locked.map(({ from, to }) => (
        <rect
          key={from}
          class="locked-span"
          x={from * width}
          y={y - 3}
          width={Math.max(2, (to - from) * width)}
          height={h + 6}
        />
      ))}
      <path
        class="ticks"
        stroke-width={Math.min(1.3, slot * 0.45)}
        d={ticks(xs('round'), y + 4, h - 8)}
      />
      <path
        class="ticks burnt"
        stroke-width={Math.min(2, slot * 0.6)}
        d={ticks(xs('burn'), y + h / 2, h / 2 - 2)}
      />
      <path
        class="ticks other"
        stroke-width={Math.min(2.6, slot * 0.8)}
        d={ticks(xs('other'), y - 2, h + 4)}
      />
    </>
  );
};

const Rounds = ({ layout, width }: LanesProps) => {
  const { y, h } = LANES.rounds;
  return (
    <>
      {layout.rounds.map(({ from, to, round, isVoid }, i) => {
        const wide = Math.max(1.5, (to - from) * width - 1);
        return (
          <g key={`${round}.${i}`}>
            <rect
              class={isVoid ? 'round void' : 'round'}
              x={from * width}
              y={y}
              width={wide}
              height={h}
              rx="2"
            />
            {wide > 22 && (
              <text class="round-no" x={(from + (to - from) / 2) * width} y={y + h - 4}>
                {round}
              </text>
            )}
          </g>
        );
      })}
    </>
  );
};

const Flags = ({ layout, width }: LanesProps) => {
  const { y } = LANES.findings;
  return (
    <>
      {layout.findings.map(({ x, mark }) => (
        <g key={mark.id} class={`flag tone-${severityMark(mark.severity).tone}`}>
          <path class="pole" d={`M${(x * width).toFixed(1)} ${y + FLAG}V${LANES.rounds.y - 4}`} />
          <svg x={x * width - FLAG / 2} y={y} width={FLAG} height={FLAG}>
            <Shape mark={severityMark(mark.severity)} />
          </svg>
        </g>
      ))}
      {layout.covers.map(({ x, mark }) => (
        <g key={mark.seq} class="cover-mark">
          <rect x={x * width - 1.5} y={LANES.cards.y - 6} width="3" height={LANES.cards.h + 12} />
          <text x={x * width - 6} y={LANES.cards.y - 8}>
            cover card
          </text>
        </g>
      ))}
    </>
  );
};

const Presses = ({ layout, width }: LanesProps) => {
  const { y, h } = LANES.presses;
  const middle = y + h / 2;
  return (
    <>
      {layout.presses.map(({ x, mark }) => (
        <circle
          key={`${mark.seq}.${mark.key}`}
          class={mark.taken ? 'press' : 'press refused-press'}
          cx={x * width}
          cy={middle}
          r={mark.taken ? 2.2 : 3.6}
        />
      ))}
      {layout.oddities.map(({ x, mark }) => (
        <path
          key={mark.seq}
          class="oddity"
          d={`M${(x * width).toFixed(1)} ${middle - 5}l5 5-5 5-5-5Z`}
        />
      ))}
      {layout.gaps.map(({ x, mark }) => (
        <g key={mark.seq} class="gap">
          <rect x={x * width - 4} y={LANES.cards.y} width="8" height={LANES.cards.h} />
          <text x={x * width} y={LANES.cards.y - 8}>
            gap
          </text>
        </g>
      ))}
    </>
  );
};

const Axis = ({ layout, strip, width }: LanesProps) => {
  const { y, h } = LANES.axis;
  const cards = Math.max(strip.loaded, 1);
  const counts = axisCounts(cards, (1 - layout.begin) * width);
  return (
    <>
      {counts.map((count) => {
        const x = (layout.begin + ((1 - layout.begin) * count) / cards) * width;
        return (
          <text key={count} class={count === cards ? 'axis last' : 'axis'} x={x} y={y + h - 3}>
            {count}
          </text>
        );
      })}
      {saysBefore(layout.begin, width) && (
        <text class="axis first" x="2" y={y + h - 3}>
          before
        </text>
      )}
    </>
  );
};

/** Everything but the cursor: drawn anew only when the shoe or the width is another. */
const Lanes = memo((props: LanesProps) => (
  <g>
    <Cards {...props} />
    <Rounds {...props} />
    <Presses {...props} />
    <Flags {...props} />
    <Axis {...props} />
  </g>
));

/** Width of an element, px, as it changes. */
const useWidth = () => {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(MIN_WIDTH);
  useEffect(() => {
    if (box.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setWidth(Math.max(MIN_WIDTH, Math.floor(entry.contentRect.width)));
    });
    observer.observe(box.current);
    return () => {
      observer.disconnect();
    };
  }, []);
  return { box, width };
};

interface StripProps {
  readonly strip: Strip;
  /** Row that is looked at. */
  readonly seq: number;
  readonly zoom: number;
  readonly seek: (seq: number) => void;
}

/** The shoe from the first card to the last. Arrow keys walk its marks, a click goes there. */
export const ShoeStrip = ({ strip, seq, zoom, seek }: StripProps) => {
  const { box, width: shown } = useWidth();
  const width = shown * zoom;
  const layout = useMemo(() => layoutOf(strip), [strip]);
  const text = useMemo(() => stripText(strip), [strip]);
  const at = layout.rows.findLastIndex((row) => row <= seq);
  const marks = layout.all.filter(({ mark }) => mark.seq === layout.rows[at]);
  const x = placeOfRow(layout, seq);
  const step = (by: number): void => {
    const to = layout.rows[Math.min(layout.rows.length - 1, Math.max(0, at + by))];
    if (to !== undefined) seek(to);
  };
  return (
    <div class="strip-scroll" ref={box}>
      <div
        class="strip"
        role="slider"
        tabIndex={0}
        aria-label={text}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, layout.rows.length - 1)}
        aria-valuenow={Math.max(0, at)}
        aria-valuetext={
          marks.map(({ mark }) => markText(mark)).join(', ') || 'before the first mark'
        }
        onKeyDown={(event) => {
          const by = { ArrowLeft: -1, ArrowRight: 1, PageUp: -20, PageDown: 20 }[event.key];
          if (by === undefined) return;
          event.preventDefault();
          event.stopPropagation();
          step(by);
        }}
        onClick={(event) => {
          const { left, width: wide } = event.currentTarget.getBoundingClientRect();
          const found = nearest(layout, (event.clientX - left) / wide);
          if (found !== null) seek(found.seq);
        }}
      >
        <svg width={width} height={HEIGHT} aria-hidden="true" focusable="false">
          <Lanes layout={layout} strip={strip} width={width} />
          {x !== null && <path class="cursor" d={`M${(x * width).toFixed(1)} 0V${HEIGHT}`} />}
        </svg>
      </div>
    </div>
  );
};

/** What the marks mean. */
export const StripKey = () => (
  <ul class="strip-key" aria-hidden="true">
    <li>
      <svg viewBox="0 0 16 16">
        <path class="ticks" stroke-width="1.3" d="M4 2v12M8 2v12M12 2v12" />
      </svg>
      card
    </li>
    <li>
      <svg viewBox="0 0 16 16">
        <path class="ticks burnt" stroke-width="2" d="M4 8v7M8 8v7M12 8v7" />
      </svg>
      burnt
    </li>
    <li>
      <svg viewBox="0 0 16 16">
        <path class="ticks other" stroke-width="2.6" d="M8 0v16" />
      </svg>
      outside of a round
    </li>
    <li>
      <svg viewBox="0 0 16 16">
        <rect class="round" y="4" width="16" height="8" rx="2" />
      </svg>
      round
    </li>
    <li>
      <svg viewBox="0 0 16 16">
        <circle class="press" cx="8" cy="8" r="3" />
      </svg>
      press
    </li>
    <li>
      <svg viewBox="0 0 16 16">
        <circle class="press refused-press" cx="8" cy="8" r="4" />
      </svg>
      refused
    </li>
    <li>
      <svg viewBox="0 0 16 16">
        <rect class="locked-span" width="16" height="16" />
      </svg>
      gate locked
    </li>
  </ul>
);
