import type { Snapshot } from '../controller/core/ports.js';
import { freshRound, initialState, type TableState } from '../controller/core/state.js';
import { DEFAULT_POLICY, type Table } from '../controller/core/procedure.js';
import { canonicalJson, hashText } from './canonical.js';
import { type DeviceKey, isSigned } from './checkpoint.js';
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

/** Digits of a SHA-256; in `digest` the signature follows, where there is one. */
const DIGEST_DIGITS = 64;
/** Keeps the signature from meaning anything else. */
const signedText = (digest: string): string => `cutcard-state-1 ${digest}`;

/** What proves that a saved state was written whole, and for this very row. */
const digestOf = (hash: string, state: string): string => hashText(hash + state);

/** The state as it is kept: signed where the device has a key, or whoever writes could forge it. */
export const savedOf = ({ seq, hash, state }: Snapshot, key: DeviceKey | null): SavedState => {
  const text = canonicalJson(state);
  const digest = digestOf(hash, text);
  const signature = key?.sign(Buffer.from(signedText(digest))).toString('hex') ?? '';
  return { seq, hash, state: text, digest: digest + signature };
};

/**
 * What is wrong with a saved state, without a look at its fields; null where nothing is.
 * @param rowHash of its row, hex; null where there is none
 * @param keys public keys (32 bytes, base64), one of which must have signed it; null: any or none
 */
export const flawOfSaved = (
  { hash, state, digest }: SavedState,
  rowHash: string | null,
  keys: readonly string[] | null,
): string | null => {
  if (rowHash === null) return 'there is no such row';
  if (rowHash !== hash) return 'the row has another hash';
  const own = digest.slice(0, DIGEST_DIGITS);
  if (digestOf(hash, state) !== own) return 'it is damaged';
  if (keys === null) return null;
  if (digest.length === DIGEST_DIGITS) return 'nobody signed it';
  const signature = Buffer.from(digest.slice(DIGEST_DIGITS), 'hex').toString('base64');
  const isOurs = keys.some((key) => isSigned(signedText(own), signature, key));
  return isOurs ? null : "its signature is not the device's";
};

/** Whether somebody signed it: older programs did not. */
export const isSavedSigned = ({ digest }: SavedState): boolean => digest.length > DIGEST_DIGITS;

export type Judged =
  | { readonly ok: true; readonly snapshot: Snapshot }
  | { readonly ok: false; readonly why: string };

/**
 * Takes a saved state only if it is whole, fits the row, has this program's fields and, where
 * `keys` are given, one of them signed it.
 */
export const judgeSaved = (
  saved: SavedState,
  rowHash: string | null,
  keys: readonly string[] | null = null,
): Judged => {
  const no = (why: string): Judged => ({
    ok: false,
    why: `the state saved after row ${saved.seq} is not used: ${why}; its rows are folded instead`,
  });
  const flaw = flawOfSaved(saved, rowHash, keys);
  if (flaw !== null) return no(flaw);
  const state: unknown = JSON.parse(saved.state);
  if (!isState(state)) return no('another version of the program saved it');
  if (state.seq !== saved.seq) return no(`it is the state after row ${state.seq}`);
  return { ok: true, snapshot: { seq: saved.seq, hash: saved.hash, state } };
};
