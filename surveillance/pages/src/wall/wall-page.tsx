import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useFloor } from './floor-context.js';
import { GridHold, stepInGrid } from './grid.js';
import {
  countsOf,
  heldOrder,
  NO_FILTER,
  orderOf,
  passes,
  pitOf,
  sortedTexts,
  type WallFilter,
} from './order.js';
import { queryOf } from './route.js';
import { Summary } from './summary.js';
import { useRemembered } from './remembered.js';
import { WallTile } from './tile.js';
import { type Condition, CONDITIONS } from './tile-words.js';
import type { WallStore } from './wall-store.js';

/** Tiles are put in order at most so often, ms: a wall that dances is not looked at. */
const ORDER_MS = 1000;

const filterOf = (query: string): WallFilter => {
  const values = new URLSearchParams(query);
  const chosen = (values.get('show') ?? '').split(',');
  return {
    pit: values.get('pit') ?? '',
    game: values.get('game') ?? '',
    text: values.get('text') ?? '',
    conditions: CONDITIONS.filter((condition) => chosen.includes(condition)),
  };
};

const filterQuery = ({ pit, game, text, conditions }: WallFilter): string =>
  queryOf({ pit, game, text, show: conditions.join(',') });

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((key, i) => key === b[i]);

interface Shown {
  readonly keys: readonly string[];
  readonly counts: ReadonlyMap<Condition, number>;
  readonly pits: readonly string[];
  readonly games: readonly (readonly [id: string, title: string])[];
}

const NOTHING: Shown = { keys: [], counts: new Map(), pits: [], games: [] };

const gamesOf = (store: WallStore): Shown['games'] => {
  const titles = new Map(
    store.tiles().flatMap(({ game }) => (game === null ? [] : [[game.id, game.title] as const])),
  );
  return sortedTexts(titles.keys()).map((id) => [id, titles.get(id) ?? id]);
};

/** What is shown, in which order: anew once a second, and at once with another filter. */
const useShown = (store: WallStore, filter: WallFilter, hold: GridHold): Shown => {
  const [shown, setShown] = useState(NOTHING);
  useEffect(() => {
    let timer: number | undefined;
    let isEmpty = true;
    const update = (): void => {
      window.clearTimeout(timer);
      timer = undefined;
      const tiles = store.tiles();
      isEmpty = tiles.length === 0;
      setShown((last) => {
        const wanted = orderOf(tiles, filter);
        const keys = hold.isHeld() ? heldOrder(last.keys, wanted) : wanted;
        return {
          keys: isSame(last.keys, keys) ? last.keys : keys,
          counts: countsOf(tiles.filter((tile) => passes(tile, filter))),
          pits: sortedTexts(tiles.map(pitOf)),
          games: gamesOf(store),
        };
      });
    };
    const later = (): void => {
      // The first tables are shown at once: an empty wall would say that none is heard.
      if (isEmpty) update();
      else timer ??= window.setTimeout(update, ORDER_MS);
    };
    update();
    const leave = [store.onAny(later), hold.onFree(update)];
    return () => {
      window.clearTimeout(timer);
      for (const each of leave) each();
    };
  }, [store, filter, hold]);
  return shown;
};

interface FilterProps {
  readonly shown: Shown;
  readonly filter: WallFilter;
  readonly set: (filter: WallFilter) => void;
}

const Filters = ({ shown, filter, set }: FilterProps) => (
  <form
    class="filters"
    role="search"
    onSubmit={(event) => {
      event.preventDefault();
    }}
  >
    <label>
      Pit
      <select
        value={filter.pit}
        onChange={({ currentTarget }) => {
          set({ ...filter, pit: currentTarget.value });
        }}
      >
        <option value="">All</option>
        {shown.pits.map((pit) => (
          <option key={pit}>{pit}</option>
        ))}
      </select>
    </label>
    <label>
      Game
      <select
        value={filter.game}
        onChange={({ currentTarget }) => {
          set({ ...filter, game: currentTarget.value });
        }}
      >
        <option value="">All</option>
        {shown.games.map(([id, title]) => (
          <option key={id} value={id}>
            {title}
          </option>
        ))}
      </select>
    </label>
    <label>
      Text
      <input
        type="search"
        placeholder="table, dealer, code"
        value={filter.text}
        onInput={({ currentTarget }) => {
          set({ ...filter, text: currentTarget.value });
        }}
      />
    </label>
  </form>
);

interface GridProps {
  readonly keys: readonly string[];
  readonly hold: GridHold;
}

const Grid = ({ keys, hold }: GridProps) => {
  const [chosen, setChosen] = useState('');
  const grid = useRef<HTMLUListElement>(null);
  useEffect(() => (grid.current === null ? undefined : hold.watch(grid.current)), [hold]);
  const current = keys.includes(chosen) ? chosen : keys[0];
  return (
    <ul
      class="tiles"
      aria-label="Tables"
      ref={grid}
      onFocusIn={({ target }) => {
        if (target instanceof HTMLElement && target.dataset['key'] !== undefined) {
          setChosen(target.dataset['key']);
        }
      }}
      onKeyDown={(event) => {
        if (stepInGrid(event.currentTarget, event.key)) event.preventDefault();
      }}
    >
      {keys.map((key) => (
        <li key={key}>
          <WallTile tileKey={key} isCurrent={key === current} />
        </li>
      ))}
    </ul>
  );
};

const emptyText = (isFiltered: boolean, isWaiting: boolean): string => {
  if (isWaiting) return 'Connecting…';
  return isFiltered
    ? 'No table passes this filter.'
    : 'No table was heard yet. Each shows here as soon as it speaks to the broker.';
};

interface WallPageProps {
  readonly query: string;
  readonly setQuery: (query: string) => void;
}

/** Every table, what needs eyes first. */
export const WallPage = ({ query, setQuery }: WallPageProps) => {
  const { store } = useFloor();
  const filter = useMemo(() => filterOf(query), [query]);
  const hold = useMemo(() => new GridHold(), []);
  const shown = useShown(store, filter, hold);
  const [size, setSize] = useRemembered('size', ['usual', 'small', 'large']);
  const isFiltered = filterQuery(filter) !== '';
  const set = (next: WallFilter): void => {
    setQuery(filterQuery(next));
  };
  return (
    <main id="main" class={`wall size-${size}`} tabIndex={-1}>
      <h1 class="unheard">Wall</h1>
      <div class="wall-bar">
        <Summary
          counts={shown.counts}
          chosen={filter.conditions}
          choose={(conditions) => {
            set({ ...filter, conditions });
          }}
        />
        <Filters shown={shown} filter={filter} set={set} />
        <label class="size">
          Tiles
          <select
            value={size}
            onChange={({ currentTarget }) => {
              const { value } = currentTarget;
              setSize(value === 'small' || value === 'large' ? value : 'usual');
            }}
          >
            <option value="small">Small</option>
            <option value="usual">Usual</option>
            <option value="large">Large</option>
          </select>
        </label>
        {isFiltered && (
          <button
            type="button"
            class="plain"
            onClick={() => {
              set(NO_FILTER);
            }}
          >
            Show all
          </button>
        )}
      </div>
      {shown.keys.length === 0 && (
        <p class="empty">{emptyText(isFiltered, store.state.link === 'waiting')}</p>
      )}
      <Grid keys={shown.keys} hold={hold} />
    </main>
  );
};
