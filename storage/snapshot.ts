import type { Snapshot } from '../controller/core/ports.js';
import { freshRound, initialState, type TableState } from '../controller/core/state.js';
import { DEFAULT_POLICY, type Table } from '../controller/core/procedure.js';
import { canonicalJson, hashText } from './canonical.js';
import type { SavedState } from './store.js';

type Fields = Readonly<Record<string, unknown>>;
const isMap = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const ANY_TABLE: Table = {
  decks: 1,
  crew: 1,
  seats: 1,
  dealing: 'shoe',
  shuffler: 'none',
  reader: 'none',
  batches: [],
  enforcement: 'advise',
  policy: DEFAULT_POLICY,
};

/** Maps whose keys are names from the table, not fields. */
const NAMED = new Set(['batches', 'devices', 'timers']);

const sameKeys = (a: Fields, b: Fields): boolean => {
  const keys = Object.keys(b);
  return Object.keys(a).length === keys.length && keys.every((key) => Object.hasOwn(a, key));
};

/**
 * Whether the map has the fields of a state of this program: one saved by another version has
 * others, and then the rows are folded instead.
 */
const isState = (value: unknown): value is TableState => {
  const model: Fields = { ...initialState(ANY_TABLE), round: freshRound };
  if (!isMap(value) || !sameKeys(value, model)) return false;
  return Object.entries(model).every(([key, part]) => {
    const found = value[key];
    if (Array.isArray(part)) return Array.isArray(found);
    if (!isMap(part)) return typeof found === typeof part;
    return isMap(found) && (NAMED.has(key) || sameKeys(found, part));
  });
};

/** What proves that a saved state was written whole, and for this very row. */
const digestOf = (hash: string, state: string): string => hashText(hash + state);

export const savedOf = ({ seq, hash, state }: Snapshot): SavedState => {
  const text = canonicalJson(state);
  return { seq, hash, state: text, digest: digestOf(hash, text) };
};

export type Judged =
  | { readonly ok: true; readonly snapshot: Snapshot }
  | { readonly ok: false; readonly why: string };

/** Takes a saved state only if it is whole, fits the row and has this program's fields. */
export const judgeSaved = (saved: SavedState, rowHash: string | null): Judged => {
  const no = (why: string): Judged => ({
    ok: false,
    why: `the state saved after row ${saved.seq} is not used: ${why}; its rows are folded instead`,
  });
  if (rowHash === null) return no('there is no such row');
  if (rowHash !== saved.hash) return no('the row has another hash');
  if (digestOf(saved.hash, saved.state) !== saved.digest) return no('it is damaged');
  const state: unknown = JSON.parse(saved.state);
  if (!isState(state)) return no('another version of the program saved it');
  if (state.seq !== saved.seq) return no(`it is the state after row ${state.seq}`);
  return { ok: true, snapshot: { seq: saved.seq, hash: saved.hash, state } };
};
