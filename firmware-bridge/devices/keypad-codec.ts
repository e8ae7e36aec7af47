import type { Rank, Role } from '../../controller/core/cards.js';
import type { Press, PressAct, PressKey } from '../../controller/core/press.js';
import { parsePress, type RawPress } from '../../controller/core/press-parse.js';

/** The sixteen keys: ten digits, three for editing, three for what is pressed every round. */
export const KEYPAD_KEYS = [
  '0',
  '1',
  '2',
  '3',
  '4',
  '5',
  '6',
  '7',
  '8',
  '9',
  'FN',
  'ENTER',
  'CLEAR',
  'BETS',
  'END',
  'CARD',
] as const;
export type KeypadKey = (typeof KEYPAD_KEYS)[number];

/**
 * FN codes. `FN cc ENTER`, with values behind further FNs: `FN 23 FN 13 FN 12 ENTER` is "cut by
 * seat 13, depth 12". What needs words (a batch, a badge, a finding) goes over the panel.
 */
export const FN_CODES: ReadonlyMap<string, PressKey> = new Map<string, PressKey>([
  ['11', 'open-table'],
  ['12', 'cards-inspected'],
  ['13', 'washed'],
  ['14', 'shuffled'],
  ['21', 'cut-offered'],
  ['22', 'cut-declined'],
  ['23', 'cut'],
  ['24', 'marker-placed'],
  ['25', 'loaded'],
  ['31', 'first-card'],
  ['32', 'burn-done'],
  ['41', 'no-more-bets'],
  ['42', 'counts-called'],
  ['43', 'last-hand-called'],
  ['44', 'round-end'],
  ['45', 'stub-count'],
  ['51', 'spill'],
  ['52', 'spread'],
  ['53', 'inspected'],
  ['54', 'collected'],
  ['55', 'dealer-in'],
  ['59', 'close-table'],
  ['61', 'recut'],
  ['62', 'reshuffle'],
  ['63', 'void-round'],
  ['64', 'misdeal'],
  ['65', 'accept-gap'],
]);

/** Keys held of one unfinished sequence. */
export const SEQUENCE_MAX = 24;
/** An unfinished sequence is forgotten after so long, ns. */
export const SEQUENCE_IDLE_NS = 15_000_000_000;

const RANK_NUMBERS: ReadonlyMap<string, Rank> = new Map<string, Rank>([
  ['1', 'A'],
  ['10', 'T'],
  ['11', 'J'],
  ['12', 'Q'],
  ['13', 'K'],
]);

/** A number keyed for a rank: 1 ace, 2-10, 11 J, 12 Q, 13 K; 0 stays 0, the rules refuse it. */
const rankFrom = (digits: string): string => RANK_NUMBERS.get(digits) ?? digits;
const rankTo = (rank: string): string => {
  for (const [digits, known] of RANK_NUMBERS) if (known === rank) return digits;
  return rank;
};

/** Meaning of `key` with its keyed numbers, still to be checked by `parsePress`. */
const rawFor = (key: PressKey, numbers: readonly string[]): RawPress | null => {
  const [first, second] = numbers;
  const most = key === 'cut' || key === 'misdeal' ? 2 : 1;
  if (numbers.length > most) return null;
  switch (key) {
    case 'cut': {
      if (first === undefined) return null;
      const by = first === '0' ? 'dealer' : `seat ${first}`;
      return { key, value: second === undefined ? by : `${by} depth ${second}` };
    }
    case 'misdeal':
      if (first === undefined || second === undefined) return null;
      return { key, value: { yes: first === '1', full: second === '1' } };
    case 'first-card':
      return first === undefined ? null : { key, value: rankFrom(first) };
    default:
      return first === undefined ? { key } : { key, value: first };
  }
};

/** Collects keys into presses. */
export class KeypadDecoder {
  readonly #keys: KeypadKey[] = [];
  #lastNs = 0;
  /** Sequences that meant nothing: shown by the doctor. */
  refused = 0;

  /** The press a key completes; null while there is none. */
  key(key: KeypadKey, role: Role, badge: string | null, atNs: number): Press | null {
    if (atNs - this.#lastNs > SEQUENCE_IDLE_NS) this.#keys.length = 0;
    this.#lastNs = atNs;
    switch (key) {
      case 'CLEAR':
        this.#keys.length = 0;
        return null;
      case 'BETS':
        return this.#done({ key: 'no-more-bets' }, role, badge);
      case 'END':
        return this.#done({ key: 'round-end' }, role, badge);
      case 'ENTER':
        return this.#done(meaningOf(this.#keys), role, badge);
      default:
        if (this.#keys.length < SEQUENCE_MAX) this.#keys.push(key);
        return null;
    }
  }

  #done(raw: RawPress | null, role: Role, badge: string | null): Press | null {
    this.#keys.length = 0;
    if (raw === null) {
      this.refused += 1;
      return null;
    }
    const parsed = parsePress({ ...raw, role, ...(badge === null ? {} : { badge }) });
    if (!parsed.ok) this.refused += 1;
    return parsed.ok ? parsed.value : null;
  }
}

const meaningOf = (keys: readonly KeypadKey[]): RawPress | null => {
  const words = keys
    .join(' ')
    .split(/FN|CARD/)
    .map((w) => w.replaceAll(' ', ''));
  const [before, ...numbers] = words;
  if (before !== '' || numbers.includes('')) return null;
  if (keys[0] === 'CARD') return rawFor('first-card', numbers);
  if (keys.includes('CARD')) return null;
  const [code, ...values] = numbers;
  const key = code === undefined ? undefined : FN_CODES.get(code);
  return key === undefined ? null : rawFor(key, values);
};

const KEY_OF_PRESS: ReadonlyMap<PressKey, string> = new Map(
  [...FN_CODES].map(([code, key]) => [key, code]),
);

/** The values a press needs, as numbers to key; null where it needs words. */
const numbersOf = (act: PressAct): readonly (number | string)[] | null => {
  switch (act.key) {
    case 'cut': {
      const by = act.by === 'dealer' ? 0 : act.by;
      if (act.by === 0) return null;
      return act.depth === undefined ? [by] : [by, act.depth];
    }
    case 'cut-offered':
    case 'cut-declined':
      return [act.seat];
    case 'first-card':
      return [rankTo(act.rank)];
    case 'no-more-bets':
      return act.hands === undefined ? [] : [act.hands];
    case 'stub-count':
      return [act.n];
    case 'accept-gap':
      return [act.cards];
    case 'misdeal':
      return [act.yes ? 1 : 0, act.full ? 1 : 0];
    case 'loaded':
      return act.batch === undefined ? [] : null;
    case 'round-end':
      return act.result === undefined ? [] : null;
    case 'dealer-in':
      return act.dealer === undefined ? [] : null;
    default:
      return KEY_OF_PRESS.has(act.key) ? [] : null;
  }
};

/** Keys that make this press on the keypad; null where it cannot be keyed there. */
export const keysFor = (press: Press): readonly KeypadKey[] | null => {
  if (press.badge !== undefined || press.role === 'surveillance') return null;
  const numbers = numbersOf(press);
  const code = KEY_OF_PRESS.get(press.key);
  if (numbers === null || code === undefined) return null;
  if (press.key === 'no-more-bets' && numbers.length === 0) return ['BETS'];
  if (press.key === 'round-end') return ['END'];
  const lead: KeypadKey[] = press.key === 'first-card' ? [] : ['FN', ...digitsOf(code)];
  const mark: KeypadKey = press.key === 'first-card' ? 'CARD' : 'FN';
  return [...lead, ...numbers.flatMap((n) => [mark, ...digitsOf(String(n))]), 'ENTER'];
};

const isKey = (text: string): text is KeypadKey =>
  (KEYPAD_KEYS as readonly string[]).includes(text);
const digitsOf = (digits: string): KeypadKey[] => Array.from(digits).filter(isKey);
