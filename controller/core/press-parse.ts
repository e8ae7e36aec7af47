import { isRank, type Rank, type Role } from './cards.js';
import type { Cutter, Press, PressAct, PressKey } from './press.js';

/** What a keypad, a panel or a scenario file says of a press, before it is checked. */
export interface RawPress {
  readonly key: string;
  readonly role?: Role;
  readonly badge?: string;
  readonly seat?: number;
  /** A number, words (`seat 13 depth 12`, `red`, `blue B-204`) or a map of the act's fields. */
  readonly value?: unknown;
}

export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly why: string };

/** Lowest role each key takes. Source: docs/CONTRACT.md, "Inputs: attested". */
export const PRESS_ROLE: Readonly<Record<PressKey, Role>> = {
  'open-table': 'dealer',
  'cards-inspected': 'dealer',
  washed: 'dealer',
  shuffled: 'dealer',
  preshuffled: 'dealer',
  'cut-offered': 'dealer',
  'cut-declined': 'dealer',
  cut: 'dealer',
  'marker-placed': 'dealer',
  loaded: 'dealer',
  'first-card': 'dealer',
  'burn-done': 'dealer',
  'no-more-bets': 'dealer',
  'counts-called': 'dealer',
  'last-hand-called': 'dealer',
  'round-end': 'dealer',
  'stub-count': 'dealer',
  'dealer-in': 'dealer',
  spill: 'dealer',
  replace: 'dealer',
  spread: 'dealer',
  inspected: 'dealer',
  collected: 'dealer',
  'close-table': 'dealer',
  acknowledge: 'dealer',
  recut: 'floor',
  reshuffle: 'floor',
  'void-round': 'floor',
  misdeal: 'floor',
  'deck-removed': 'floor',
  'deck-in': 'floor',
  clear: 'floor',
  'accept-gap': 'floor',
  'hand-count': 'floor',
  'approve-reshuffler': 'floor',
};

export const PRESS_KEYS = Object.keys(PRESS_ROLE) as readonly PressKey[];
const isPressKey = (key: string): key is PressKey => Object.hasOwn(PRESS_ROLE, key);

const MAX_TEXT = 64;
const MAX_NUMBER = 10_000;

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {};

const no = (why: string): { ok: false; why: string } => ({ ok: false, why });
const yes = (value: PressAct): Parsed<PressAct> => ({ ok: true, value });

/** A whole number from 0 to 10,000, or null. */
const whole = (value: unknown): number | null => {
  const n = typeof value === 'string' && /^\d{1,5}$/.test(value.trim()) ? Number(value) : value;
  return typeof n === 'number' && Number.isInteger(n) && n >= 0 && n <= MAX_NUMBER ? n : null;
};

const text = (value: unknown): string | null => {
  const word = typeof value === 'number' ? String(value) : value;
  return typeof word === 'string' && word.trim() !== '' && word.length <= MAX_TEXT
    ? word.trim()
    : null;
};

/** `7`, `T`, `10`, `K`, `1` (an ace on a keypad), `0` (refused later, with the reason). */
export const rankOf = (value: unknown): Rank | '0' | null => {
  const word = text(value)?.toUpperCase();
  if (word === undefined) return null;
  if (word === '10') return 'T';
  if (word === '1') return 'A';
  if (word === '0') return '0';
  return isRank(word) ? word : null;
};

/** `seat 13`, `13`, `dealer`, with an optional `depth 12` behind it. */
const cutOf = (value: unknown, seat: number | undefined): Parsed<PressAct> => {
  const given = fieldsOf(value);
  const words = text(value) ?? text(given['by']) ?? (seat === undefined ? null : `seat ${seat}`);
  const match = /^(?:seat\s+)?(\d{1,2}|dealer)(?:\s+depth\s+(\d{1,3}))?$/i.exec(words ?? '');
  if (match?.[1] === undefined) {
    return no('`cut` takes who cut: `seat 3` or `dealer`, with `depth 12` where it is known');
  }
  const by: Cutter = match[1].toLowerCase() === 'dealer' ? 'dealer' : Number(match[1]);
  const told = given['depth'] ?? match[2];
  const depth = whole(told);
  if (depth === null && told !== undefined) {
    return no('`cut`: `depth` takes the number of cards above the cut');
  }
  return yes(depth === null ? { key: 'cut', by } : { key: 'cut', by, depth });
};

const seatOf = (
  key: 'cut-offered' | 'cut-declined',
  value: unknown,
  seat: number | undefined,
): Parsed<PressAct> => {
  const words = text(fieldsOf(value)['seat'] ?? value);
  const n = seat ?? whole(words?.replace(/^seat\s+/i, ''));
  return n === null ? no(`\`${key}\` takes the seat's number`) : yes({ key, seat: n });
};

const replaceOf = (value: unknown): Parsed<PressAct> => {
  const given = fieldsOf(value);
  const [out, into] = [text(given['out']), text(given['in'])];
  if (out === null || into === null) {
    return no("`replace` takes `out` and `in`, the two cards' faces: {out: Qd, in: Qd}");
  }
  const second = text(given['second']);
  return yes({ key: 'replace', out, in: into, ...(second === null ? {} : { second }) });
};

const deckInOf = (value: unknown): Parsed<PressAct> => {
  const given = fieldsOf(value);
  const [first, ...rest] = (text(value) ?? '').split(/\s+/);
  const batch = text(given['batch'] ?? first);
  const id = text(given['id'] ?? rest.join(' '));
  return batch === null || id === null
    ? no("`deck-in` takes the batch and the new deck's number: `blue B-204`")
    : yes({ key: 'deck-in', batch: batch.toLowerCase(), id });
};

const HAND_COUNT_WORDS = 3;
const HAND_COUNT_TAKES =
  "`hand-count` takes batch, number and the second person's badge: `red 416 F-12`";

const handCountOf = (value: unknown): Parsed<PressAct> => {
  const given = fieldsOf(value);
  const words = (text(value) ?? '').split(/\s+/);
  if (words.length > HAND_COUNT_WORDS) return no(HAND_COUNT_TAKES);
  const batch = text(given['batch'] ?? words[0]);
  const n = whole(given['n'] ?? words[1]);
  const second = text(given['second'] ?? words[2]);
  return batch === null || n === null || second === null
    ? no(HAND_COUNT_TAKES)
    : yes({ key: 'hand-count', batch: batch.toLowerCase(), n, second });
};

const flag = (value: unknown): boolean | null => (typeof value === 'boolean' ? value : null);

const misdealOf = (value: unknown): Parsed<PressAct> => {
  const given = fieldsOf(value);
  const [was, full] = [flag(given['yes']), flag(given['full'])];
  return was === null || full === null
    ? no('`misdeal` takes {yes: true|false, full: true|false}')
    : yes({ key: 'misdeal', yes: was, full });
};

/** What the one value of a key is called in a map. Source: docs/CONTRACT.md, "Inputs". */
const NAMED: Partial<Readonly<Record<PressKey, readonly string[]>>> = {
  preshuffled: ['package'],
  loaded: ['batch'],
  'first-card': ['rank'],
  'no-more-bets': ['hands', 'n'],
  'round-end': ['result'],
  'stub-count': ['n'],
  'dealer-in': ['badge', 'dealer'],
  acknowledge: ['finding'],
  clear: ['finding'],
  'deck-removed': ['batch'],
  'accept-gap': ['cards'],
  'approve-reshuffler': ['device'],
};

/** The names of those that take several. */
const SEVERAL: Partial<Readonly<Record<PressKey, readonly string[]>>> = {
  'cut-offered': ['seat'],
  'cut-declined': ['seat'],
  cut: ['by', 'depth'],
  replace: ['out', 'in', 'second'],
  misdeal: ['yes', 'full'],
  'deck-in': ['batch', 'id'],
  'hand-count': ['batch', 'n', 'second'],
};

/** Why a map has a field that nobody would look at: a slip of the pen, not a value. */
const strange = (key: PressKey, value: unknown): string | null => {
  const names = NAMED[key] ?? SEVERAL[key] ?? [];
  const field = Object.keys(fieldsOf(value)).find((name) => !names.includes(name));
  if (field === undefined) return null;
  const takes = names.length === 0 ? 'no value' : names.map((name) => `\`${name}\``).join(', ');
  return `\`${key}\` has no field \`${field}\`; it takes ${takes}`;
};

/** The one value of a key, as it stands or from a map by its name. */
const only = (key: PressKey, value: unknown): unknown => {
  const given = fieldsOf(value);
  const name = NAMED[key]?.find((one) => Object.hasOwn(given, one));
  return name === undefined ? value : given[name];
};

const withValue = (key: PressKey, raw: RawPress): Parsed<PressAct> => {
  const { value, seat } = raw;
  const single = only(key, value);
  const word = text(single);
  const n = whole(single);
  switch (key) {
    case 'preshuffled':
      return word === null
        ? no("`preshuffled` takes the package's number")
        : yes({ key, package: word });
    case 'cut-offered':
    case 'cut-declined':
      return seatOf(key, value, seat);
    case 'cut':
      return cutOf(value, seat);
    case 'first-card': {
      const rank = rankOf(single);
      return rank === null ? no('`first-card` takes a rank: A, 2-10, J, Q, K') : yes({ key, rank });
    }
    case 'stub-count':
      return n === null ? no('`stub-count` takes the number of cards') : yes({ key, n });
    case 'accept-gap':
      return n === null
        ? no('`accept-gap` takes how many cards left the shoe unseen')
        : yes({ key, cards: n });
    case 'acknowledge':
    case 'clear':
      return word === null
        ? no(`\`${key}\` takes the finding's code or number`)
        : yes({ key, finding: word });
    case 'deck-removed':
      return word === null
        ? no('`deck-removed` takes the batch: `red`')
        : yes({ key, batch: word.toLowerCase() });
    case 'approve-reshuffler':
      return word === null
        ? no("`approve-reshuffler` takes the device's name")
        : yes({ key, device: word });
    case 'replace':
      return replaceOf(value);
    case 'deck-in':
      return deckInOf(value);
    case 'hand-count':
      return handCountOf(value);
    case 'misdeal':
      return misdealOf(value);
    default:
      return optionalValue(key, value, word, n);
  }
};

type Optional = Exclude<
  PressKey,
  | 'preshuffled'
  | 'cut-offered'
  | 'cut-declined'
  | 'cut'
  | 'first-card'
  | 'stub-count'
  | 'accept-gap'
  | 'acknowledge'
  | 'clear'
  | 'deck-removed'
  | 'approve-reshuffler'
  | 'replace'
  | 'deck-in'
  | 'hand-count'
  | 'misdeal'
>;

/** Keys that stand alone, or whose value may be left out. */
const optionalValue = (
  key: Optional,
  value: unknown,
  word: string | null,
  n: number | null,
): Parsed<PressAct> => {
  if (value === undefined || value === null) return yes({ key });
  switch (key) {
    case 'loaded':
      return word === null ? no('`loaded` takes a batch') : yes({ key, batch: word.toLowerCase() });
    case 'no-more-bets':
      return n === null ? no('`no-more-bets` takes the number of hands') : yes({ key, hands: n });
    case 'round-end':
      return word === null ? no('`round-end` takes a result') : yes({ key, result: word });
    case 'dealer-in':
      return word === null ? no('`dealer-in` takes a badge') : yes({ key, dealer: word });
    default:
      return no(`\`${key}\` takes no value`);
  }
};

/** Checks a raw press and gives it its shape; says in plain words what is wrong with it. */
export const parsePress = (raw: RawPress): Parsed<Press> => {
  if (!isPressKey(raw.key)) {
    return no(`there is no key \`${raw.key}\`; the keys are ${PRESS_KEYS.join(', ')}`);
  }
  const slip = strange(raw.key, raw.value);
  if (slip !== null) return no(slip);
  const act = withValue(raw.key, raw);
  if (!act.ok) return act;
  const badge = raw.badge === undefined ? {} : { badge: raw.badge };
  return {
    ok: true,
    value: { kind: 'press', role: raw.role ?? 'dealer', ...badge, ...act.value },
  };
};
