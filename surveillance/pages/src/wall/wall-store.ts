import {
  type ServiceState,
  type Tile,
  type Wall,
  type WallBeat,
  isTile,
  isWall,
  isWallBeat,
} from '../../../floor/api.js';

/** Changes of tiles are shown together, at most so often, ms: faster than this nobody reads. */
const FLUSH_MS = 150;

/** `waiting`: nothing was heard yet · `live` · `lost`: what is shown may be wrong. */
export type WallLink = 'waiting' | 'live' | 'lost';

/** What concerns the page as a whole. */
export interface WallState {
  readonly link: WallLink;
  readonly service: ServiceState | null;
  /** When something was last heard, this browser's `performance.now()`. */
  readonly heardLocalMs: number;
  /** The service's clock at `heardLocalMs`. */
  readonly atMs: number;
  /** Counts on with every change in the tiles. */
  readonly version: number;
}

const EMPTY: WallState = {
  link: 'waiting',
  service: null,
  heardLocalMs: 0,
  atMs: 0,
  version: 0,
};

/** The service's clock now; it stands still while the line is lost. */
export const serviceNow = ({ link, atMs, heardLocalMs }: WallState, localMs: number): number =>
  link === 'live' ? atMs + Math.max(0, localMs - heardLocalMs) : atMs;

type Listener = () => void;

/**
 * The tiles of all tables. A tile is told of its own changes only, so that 200 tables with a card
 * a second redraw 200 small parts and never the wall.
 */
export class WallStore {
  readonly #tiles = new Map<string, Tile>();
  readonly #ofTile = new Map<string, Set<Listener>>();
  readonly #ofAll = new Set<Listener>();
  #pending = new Map<string, Tile>();
  #timer: number | undefined;
  #state: WallState = EMPTY;
  #lastId = '';

  get state(): WallState {
    return this.#state;
  }

  /** Id of the last event, to go on from; empty before the first. */
  get lastId(): string {
    return this.#lastId;
  }

  tile(key: string): Tile | undefined {
    return this.#tiles.get(key);
  }

  tiles(): readonly Tile[] {
    return [...this.#tiles.values()];
  }

  /** Calls back after each change of one table. */
  onTile(key: string, listener: Listener): () => void {
    const listeners = this.#ofTile.get(key) ?? new Set();
    this.#ofTile.set(key, listeners);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#ofTile.delete(key);
    };
  }

  /** Calls back after each group of changes, and when the line is lost or comes back. */
  onAny(listener: Listener): () => void {
    this.#ofAll.add(listener);
    return () => this.#ofAll.delete(listener);
  }

  takeWall(data: unknown, id: string, localMs: number): boolean {
    if (!isWall(data)) return false;
    this.#pending.clear();
    const heard = new Set(data.tables.map(({ key }) => key));
    const gone = [...this.#tiles.keys()].filter((key) => !heard.has(key));
    for (const key of gone) this.#tiles.delete(key);
    for (const tile of data.tables) this.#tiles.set(tile.key, tile);
    this.#heard(data, id, localMs);
    for (const listeners of this.#ofTile.values()) for (const listener of listeners) listener();
    this.#changed(true);
    return true;
  }

  takeTile(data: unknown, id: string, localMs: number): boolean {
    if (!isTile(data)) return false;
    if (id !== '') this.#lastId = id;
    this.#pending.set(data.key, data);
    const { link, service } = this.#state;
    // A line that came back without a gap goes on with tiles: it is live again.
    if (link !== 'live' && service !== null) {
      this.#state = { ...this.#state, link: 'live', heardLocalMs: localMs };
    }
    if (this.#timer === undefined) {
      this.#timer = window.setTimeout(() => {
        this.#timer = undefined;
        this.#flush();
      }, FLUSH_MS);
    }
    return true;
  }

  takeBeat(data: unknown, localMs: number): boolean {
    if (!isWallBeat(data)) return false;
    const before = this.#state;
    this.#heard(data, '', localMs);
    const isSame =
      before.link === 'live' && JSON.stringify(before.service) === JSON.stringify(data.service);
    if (!isSame) this.#changed(false);
    return true;
  }

  lose(): void {
    if (this.#state.link !== 'live') return;
    this.#state = { ...this.#state, link: 'lost' };
    this.#changed(false);
  }

  #heard({ atMs, service }: Wall | WallBeat, id: string, localMs: number): void {
    if (id !== '') this.#lastId = id;
    this.#state = { ...this.#state, link: 'live', service, atMs, heardLocalMs: localMs };
  }

  #flush(): void {
    const changed = this.#pending;
    this.#pending = new Map();
    for (const [key, tile] of changed) this.#tiles.set(key, tile);
    for (const key of changed.keys()) {
      for (const listener of this.#ofTile.get(key) ?? []) listener();
    }
    this.#changed(true);
  }

  #changed(isInTiles: boolean): void {
    if (isInTiles) this.#state = { ...this.#state, version: this.#state.version + 1 };
    for (const listener of this.#ofAll) listener();
  }
}
