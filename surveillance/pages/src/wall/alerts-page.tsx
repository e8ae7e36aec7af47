import { useMemo, useState } from 'preact/hooks';
import { FINDING_CODES, SEVERITIES } from '../../../../controller/core/finding.js';
import type { Alert } from '../../../floor/api-records.js';
import { PATHS, tableKey } from '../../../floor/api.js';
import { severityMark } from '../words.js';
import { AlertRows } from './alert-rows.js';
import { useAsked } from './ask.js';
import { useFloor, useWallState } from './floor-context.js';
import { pitOf, sortedTexts } from './order.js';
import { Pager } from './pager.js';
import { queryOf } from './route.js';
import { Searches } from './searches.js';
import { isAlertPage } from './shapes.js';

/** The list is asked for anew so often, ms, and with every finding that comes or goes. */
const AGAIN_MS = 10_000;

type Field = 'open' | 'severity' | 'pit' | 'game' | 'code' | 'badge' | 'from' | 'to';
type Filter = Readonly<Record<Field, string>>;

const EMPTY = '';

const filterOf = (query: string): Filter => {
  // Without a choice, what is open: that is what one comes for.
  const values = new URLSearchParams(query === EMPTY ? 'open=1' : query);
  const of = (field: Field): string => values.get(field) ?? '';
  return {
    open: of('open'),
    severity: of('severity'),
    pit: of('pit'),
    game: of('game'),
    code: of('code'),
    badge: of('badge'),
    from: of('from'),
    to: of('to'),
  };
};

/** `open=` says that all are wanted: it keeps an address apart from one without a choice. */
const addressQuery = (filter: Filter): string => {
  const query = queryOf(filter);
  return query === '' ? 'open=' : query;
};

/** A day and time as the browser's field gives it, read as UTC; empty where it is none. */
const msOf = (text: string): string => {
  const ms = Date.parse(`${text}Z`);
  return Number.isNaN(ms) ? '' : String(ms);
};

interface FilterProps {
  readonly filter: Filter;
  readonly set: (filter: Filter) => void;
}

interface SelectProps extends FilterProps {
  readonly field: Field;
  readonly text: string;
  readonly choices: readonly (readonly [value: string, text: string])[];
}

const Select = ({ filter, set, field, text, choices }: SelectProps) => (
  <label>
    {text}
    <select
      value={filter[field]}
      onChange={({ currentTarget }) => {
        set({ ...filter, [field]: currentTarget.value });
      }}
    >
      {choices.map(([value, word]) => (
        <option key={value} value={value}>
          {word}
        </option>
      ))}
    </select>
  </label>
);

interface InputProps extends FilterProps {
  readonly field: Field;
  readonly text: string;
  readonly isTime?: boolean;
}

const Input = ({ filter, set, field, text, isTime = false }: InputProps) => {
  const props = {
    value: filter[field],
    onChange: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => {
      set({ ...filter, [field]: currentTarget.value });
    },
  };
  return (
    <label>
      {text}
      {isTime ? <input type="datetime-local" {...props} /> : <input type="text" {...props} />}
    </label>
  );
};

const ALL = ['', 'All'] as const;
const SEVERITY_CHOICES = [ALL, ...SEVERITIES.map((one) => [one, severityMark(one).word] as const)];
const CODE_CHOICES = [ALL, ...FINDING_CODES.map((code) => [code, code] as const)];

const Filters = ({ filter, set }: FilterProps) => {
  const { store } = useFloor();
  const { version } = useWallState(store);
  const { pits, games } = useMemo(() => {
    const tiles = store.tiles();
    const titles = new Map(
      tiles.flatMap(({ game }) => (game === null ? [] : [[game.id, game.title] as const])),
    );
    return {
      pits: sortedTexts(tiles.map(pitOf)).map((pit) => pit.split('/')[1] ?? pit),
      games: [...titles],
    };
  }, [store, version]);
  const props = { filter, set };
  return (
    <form
      class="filters"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
      }}
    >
      <Select {...props} field="open" text="State" choices={[['1', 'Open'], ALL]} />
      <Select {...props} field="severity" text="Severity" choices={SEVERITY_CHOICES} />
      <Select
        {...props}
        field="pit"
        text="Pit"
        choices={[ALL, ...sortedTexts(pits).map((pit) => [pit, pit] as const)]}
      />
      <Select {...props} field="game" text="Game" choices={[ALL, ...games]} />
      <Select {...props} field="code" text="Finding" choices={CODE_CHOICES} />
      <Input {...props} field="badge" text="Dealer" />
      <Input {...props} field="from" text="From (UTC)" isTime />
      <Input {...props} field="to" text="To" isTime />
    </form>
  );
};

/** Counts on whenever a finding comes or goes anywhere on the wall. */
const useFindingsKey = (): string => {
  const { store } = useFloor();
  const { version } = useWallState(store);
  return useMemo(
    () =>
      store
        .tiles()
        .flatMap(({ key, findings }) =>
          findings.map(({ id, escalation }) => `${key} ${id} ${escalation}`),
        )
        .join(' '),
    [store, version],
  );
};

const asked = (filter: Filter, before: string): string =>
  queryOf({ ...filter, from: msOf(filter.from), to: msOf(filter.to), before });

const ofAlert = ({ table, id }: Alert): string => `${tableKey(table)} ${id}`;

interface AlertsPageProps {
  readonly query: string;
  readonly setQuery: (query: string) => void;
}

/** Every finding there was: open ones first, filters, acknowledgement, saved searches. */
export const AlertsPage = ({ query, setQuery }: AlertsPageProps) => {
  const filter = useMemo(() => filterOf(query), [query]);
  const [before, setBefore] = useState<readonly string[]>([]);
  const [done, setDone] = useState<ReadonlyMap<string, Alert>>(new Map());
  const findings = useFindingsKey();
  const address = `${PATHS.alerts}?${asked(filter, before.at(-1) ?? '')}`;
  const { value, error, isAsking } = useAsked(address, isAlertPage, AGAIN_MS, findings);
  const alerts = (value?.alerts ?? []).map((alert) => {
    const mine = done.get(ofAlert(alert));
    return alert.acknowledged === null && mine !== undefined
      ? { ...alert, acknowledged: mine.acknowledged }
      : alert;
  });
  const set = (next: Filter): void => {
    setBefore([]);
    setQuery(addressQuery(next));
  };
  return (
    <main id="main" class="desk" tabIndex={-1}>
      <h1>Alerts</h1>
      <Filters filter={filter} set={set} />
      <Searches query={addressQuery(filter)} choose={setQuery} />
      {error !== '' && (
        <p class="refused" role="alert">
          {error}
        </p>
      )}
      <p class="none" role="status">
        {value === null ? (isAsking ? 'Asking…' : '') : `${alerts.length} findings shown`}
      </p>
      <AlertRows
        caption="Findings"
        alerts={alerts}
        done={(alert) => {
          setDone((last) => new Map(last).set(ofAlert(alert), alert));
        }}
      />
      <Pager before={before} next={value?.next ?? null} go={setBefore} />
    </main>
  );
};
