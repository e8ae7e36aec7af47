import { useMemo, useState } from 'preact/hooks';
import { type ReportKind, REPORTS } from '../../../floor/api-records.js';
import { PATHS } from '../../../floor/api.js';
import { useFloor, useWallState } from './floor-context.js';
import { pitOf, sortedTexts } from './order.js';
import { queryOf } from './route.js';

type Field = 'table' | 'shoe' | 'badge' | 'pit' | 'day' | 'from' | 'to';
type Values = Readonly<Record<Field, string>>;

const WORDS: Readonly<Record<ReportKind, { readonly title: string; readonly text: string }>> = {
  shoe: {
    title: 'One shoe',
    text: 'Every duty, round and finding of one shoe, with how each is known.',
  },
  table: {
    title: 'One table',
    text: 'Its shoes and findings in a span of days; today where none is given.',
  },
  dealer: {
    title: 'One dealer',
    text: 'Findings while this badge dealt; today where no days are given.',
  },
  day: { title: 'A gaming day', text: 'All tables of a pit or the house.' },
};

/** What each report needs, and what it takes beside it. */
const NEEDS: Readonly<Record<ReportKind, { needed: readonly Field[]; more: readonly Field[] }>> = {
  shoe: { needed: ['table', 'shoe'], more: [] },
  table: { needed: ['table'], more: ['from', 'to'] },
  dealer: { needed: ['badge'], more: ['from', 'to'] },
  day: { needed: ['day'], more: ['pit'] },
};

const LABELS: Readonly<Record<Field, string>> = {
  table: 'Table',
  shoe: 'Shoe',
  badge: 'Badge',
  pit: 'Pit',
  day: 'Day',
  from: 'From day',
  to: 'To day',
};

const TYPES: Readonly<Record<Field, 'text' | 'number' | 'date'>> = {
  table: 'text',
  shoe: 'number',
  badge: 'text',
  pit: 'text',
  day: 'date',
  from: 'date',
  to: 'date',
};

interface InputProps {
  readonly field: Field;
  readonly value: string;
  readonly list: string;
  readonly isNeeded: boolean;
  readonly set: (value: string) => void;
}

const FieldInput = ({ field, value, list, isNeeded, set }: InputProps) => {
  const props = {
    value,
    required: isNeeded,
    onInput: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => {
      set(currentTarget.value);
    },
  };
  switch (TYPES[field]) {
    case 'date':
      return <input type="date" {...props} />;
    case 'number':
      return <input type="number" min={1} {...props} />;
    case 'text':
      return <input type="text" list={list} {...props} />;
  }
};

interface CardProps {
  readonly kind: ReportKind;
  readonly tables: readonly string[];
  readonly pits: readonly string[];
}

/** When a day begins, ms since the epoch; empty where the text is no day. */
const msOfDay = (day: string): string => {
  const ms = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(ms) ? '' : String(ms);
};

const ReportCard = ({ kind, tables, pits }: CardProps) => {
  const [values, setValues] = useState<Values>({
    table: '',
    shoe: '',
    badge: '',
    pit: '',
    day: '',
    from: '',
    to: '',
  });
  const { needed, more } = NEEDS[kind];
  const fields = [...needed, ...more];
  const isWhole = needed.every((field) => values[field] !== '');
  const given = Object.fromEntries(
    fields.map((field) => [
      field,
      // A gaming day goes by its name: only the service knows at which hour it begins.
      TYPES[field] === 'date' && field !== 'day' ? msOfDay(values[field]) : values[field],
    ]),
  );
  const address = (format: string): string =>
    `${PATHS.reports}/${kind}?${queryOf({ ...given, format })}`;
  return (
    <section class="panel report" aria-labelledby={`report-${kind}`}>
      <h2 id={`report-${kind}`}>{WORDS[kind].title}</h2>
      <p class="none">{WORDS[kind].text}</p>
      <div class="filters">
        {fields.map((field) => (
          <label key={field}>
            {LABELS[field]}
            <FieldInput
              field={field}
              value={values[field]}
              list={`${kind}-${field}-list`}
              isNeeded={needed.includes(field)}
              set={(value) => {
                setValues({ ...values, [field]: value });
              }}
            />
          </label>
        ))}
        <datalist id={`${kind}-table-list`}>
          {tables.map((table) => (
            <option key={table} value={table} />
          ))}
        </datalist>
        <datalist id={`${kind}-pit-list`}>
          {pits.map((pit) => (
            <option key={pit} value={pit} />
          ))}
        </datalist>
      </div>
      {isWhole ? (
        <p class="buttons">
          <a class="download" href={address('html')} target="_blank" rel="noopener">
            Open to print<span class="unheard">: {WORDS[kind].title}, in a new window</span>
          </a>
          <a class="download" href={address('csv')} download="">
            CSV<span class="unheard"> of {WORDS[kind].title}</span> ↓
          </a>
        </p>
      ) : (
        <p class="none">
          Needs: {needed.map((field) => LABELS[field].toLowerCase()).join(' and ')}.
        </p>
      )}
    </section>
  );
};

/** Reports per shoe, table, dealer badge and gaming day. */
export const ReportsPage = () => {
  const { store } = useFloor();
  const { version } = useWallState(store);
  const { tables, pits } = useMemo(() => {
    const tiles = store.tiles();
    return {
      tables: sortedTexts(tiles.map(({ key }) => key)),
      pits: sortedTexts(tiles.map((tile) => pitOf(tile).split('/')[1] ?? '')),
    };
  }, [store, version]);
  return (
    <main id="main" class="desk" tabIndex={-1}>
      <h1>Reports</h1>
      <div class="reports">
        {REPORTS.map((kind) => (
          <ReportCard key={kind} kind={kind} tables={tables} pits={pits} />
        ))}
      </div>
    </main>
  );
};
