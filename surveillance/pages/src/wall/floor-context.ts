import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import type { WhoView } from '../../../access/who-view.js';
import type { Tile } from '../../../floor/api.js';
import { everySecond } from './ticker.js';
import { serviceNow, type WallState, type WallStore } from './wall-store.js';

/** What every part of the page may use. */
export interface Floor {
  readonly store: WallStore;
  readonly me: WhoView;
}

export const FloorContext = createContext<Floor | null>(null);

/** @throws outside of the page's frame. */
export const useFloor = (): Floor => {
  const floor = useContext(FloorContext);
  if (floor === null) throw new Error('there is no floor around this part of the page');
  return floor;
};

/** The state of the whole wall; the part is drawn anew with every group of changes. */
export const useWallState = (store: WallStore): WallState => {
  const [state, setState] = useState(store.state);
  useEffect(() => {
    const update = (): void => {
      setState(store.state);
    };
    update();
    return store.onAny(update);
  }, [store]);
  return state;
};

/** One table, drawn anew with its own changes only. */
export const useTile = (store: WallStore, key: string): Tile | undefined => {
  const [tile, setTile] = useState(() => store.tile(key));
  useEffect(() => {
    const update = (): void => {
      setTile(store.tile(key));
    };
    update();
    return store.onTile(key, update);
  }, [store, key]);
  return tile?.key === key ? tile : store.tile(key);
};

/** The service's clock, ms since the epoch, once a second; it stands still on a lost line. */
export const useServiceNow = (): number => {
  const { store } = useFloor();
  const [nowMs, setNowMs] = useState(() => serviceNow(store.state, performance.now()));
  useEffect(
    () =>
      everySecond(() => {
        setNowMs(serviceNow(store.state, performance.now()));
      }),
    [store],
  );
  return nowMs;
};
