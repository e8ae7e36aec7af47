import { isMap, isScalar, isSeq, type Node } from 'yaml';
import { isRank, isSuit, type Rank, ROLES } from '../../core/cards.js';
import { PHASES } from '../../core/state.js';
import { parsePress, PRESS_KEYS, type RawPress, rankOf } from '../../core/press-parse.js';
import { parseExpect } from './parse-expect.js';
import { parseShuffler } from './parse-shuffler.js';
import { type Act, type CardOut, type Entry, LIMITS } from './schema.js';
import { nearest, type Source } from './source.js';

type ActReader = (source: Source, node: Node) => Act;

const isNothing = (node: Node): boolean => isScalar(node) && node.value === null;

const count = (source: Source, node: Node, what: string): number =>
  source.whole(node, what, 1, LIMITS.cardsPerEntry);

const rankAt = (source: Source, node: Node, what: string): Rank => {
  const rank = rankOf(source.scalar(node, what));
  if (rank !== null && rank !== '0') return rank;
  throw source.problem(node, `${what} takes a rank: A, 2 to 10 (or T), J, Q, K`);
};

/** `7h`, `10c`, `Tc`, `K`, `7`; `"?"` is a card the reader did not read. */
const faceAt = (source: Source, node: Node, what: string): CardOut => {
  if (isMap(node)) throw source.problem(node, `${what}: write a card that was not read as "?"`);
  const word = source.word(node, what);
  if (word === '?') return {};
  const match = /^(10|[1-9ATJQKatjqk])([cdhsCDHS])?$/.exec(word);
  const rank = (match?.[1] ?? '').toUpperCase().replace(/^10$/, 'T').replace(/^1$/, 'A');
  const suit = match?.[2]?.toLowerCase();
  if (!isRank(rank)) {
    throw source.problem(
      node,
      `${what}: \`${word}\` is not a card; write a rank and a suit such as 7h, 10c, Tc, Kd, ` +
        'a rank alone, or "?" for a card that was not read',
    );
  }
  return suit !== undefined && isSuit(suit) ? { rank, suit } : { rank };
};

const backAt = (source: Source, node: Node | undefined, what: string): { back?: string } =>
  node === undefined ? {} : { back: source.word(node, what).toLowerCase() };

const listOf = (source: Source, node: Node, what: string): readonly CardOut[] => {
  const cards = source.items(node, what).map((item) => faceAt(source, item, what));
  if (cards.length > LIMITS.cardsPerEntry) {
    throw source.problem(node, `${what} holds more than ${LIMITS.cardsPerEntry} cards`);
  }
  return cards;
};

const repeated = (n: number, card: CardOut): readonly CardOut[] =>
  Array.from({ length: n }, () => card);

/** A number of unread cards or a list of faces. */
const cardsAt = (source: Source, node: Node, what: string): readonly CardOut[] =>
  isSeq(node) ? listOf(source, node, what) : repeated(count(source, node, what), {});

const readCards: ActReader = (source, node) => {
  if (!isMap(node)) return { do: 'cards', cards: cardsAt(source, node, '`cards`') };
  const fields = source.map(node, '`cards`', ['n', 'back', 'faces']);
  const back = backAt(source, fields.get('back'), '`cards: back`');
  const faces = fields.get('faces');
  if (faces !== undefined) {
    if (fields.get('n') !== undefined) throw fields.problem('n', 'give `n` or `faces`, not both');
    const cards = listOf(source, faces, '`cards: faces`').map((card) => ({ ...card, ...back }));
    return { do: 'cards', cards };
  }
  return { do: 'cards', cards: repeated(count(source, fields.need('n'), '`cards: n`'), back) };
};

const readOpen: ActReader = (source, node) => {
  if (isNothing(node)) return { do: 'open', until: 'ready', firstCard: '5' };
  const fields = source.map(node, '`open`', ['until', 'firstCard']);
  return {
    do: 'open',
    until: fields.read('until', (at, what) => source.oneOf(at, what, PHASES)) ?? 'ready',
    firstCard: fields.read('firstCard', (at, what) => rankAt(source, at, what)) ?? '5',
  };
};

/** Plain values out of YAML, for the value of a press; depth one is all any key takes. */
const plain = (source: Source, node: Node): unknown => {
  if (!isMap(node)) return source.scalar(node, '`press: value`');
  const keys = node.items.map((pair) => (isScalar(pair.key) ? String(pair.key.value) : ''));
  const fields = source.map(node, '`press: value`', keys);
  return Object.fromEntries(
    fields.keys().map((key) => [key, source.scalar(fields.need(key), `\`value: ${key}\``)]),
  );
};

const rawPress = (source: Source, node: Node): RawPress => {
  if (!isMap(node)) {
    const words = source.word(node, '`press`').split(/\s+/);
    const value = words.slice(1).join(' ');
    return { key: words[0] ?? '', ...(value === '' ? {} : { value }) };
  }
  const fields = source.map(node, '`press`', ['key', 'value', 'role', 'badge', 'seat']);
  const role = fields.read('role', (at, what) => source.oneOf(at, what, ROLES));
  const badge = fields.read('badge', (at, what) => source.word(at, what));
  const seat = fields.read('seat', (at, what) => source.whole(at, what, 1, 20));
  const value = fields.read('value', (at) => plain(source, at));
  return {
    key: source.word(fields.need('key'), '`press: key`'),
    ...(role === undefined ? {} : { role }),
    ...(badge === undefined ? {} : { badge }),
    ...(seat === undefined ? {} : { seat }),
    ...(value === undefined ? {} : { value }),
  };
};

const readPress: ActReader = (source, node) => {
  const raw = rawPress(source, node);
  const press = parsePress(raw);
  if (press.ok) return { do: 'press', press: press.value };
  const near = nearest(raw.key, PRESS_KEYS);
  const known = PRESS_KEYS.some((key) => key === raw.key);
  const meant = known || near === null ? '' : `; did you mean \`${near}\`?`;
  throw source.problem(node, `\`press\`: ${press.why}${meant}`);
};

const readRound: ActReader = (source, node) => {
  const plainRound = { do: 'round', hands: null, times: 1 } as const;
  if (!isMap(node)) return { ...plainRound, cards: cardsAt(source, node, '`round`') };
  const fields = source.map(node, '`round`', ['cards', 'hands', 'times', 'back']);
  const back = backAt(source, fields.get('back'), '`round: back`');
  const cards = fields.read('cards', (at, what) =>
    cardsAt(source, at, what).map((card) => ({ ...card, ...back })),
  );
  const hands = fields.read('hands', (at, what) => source.whole(at, what, 0, 20));
  if (cards === undefined && hands === undefined) {
    throw source.problem(node, '`round` needs `cards` (sensed) or `hands` (dealt by hand)');
  }
  return {
    do: 'round',
    cards: cards ?? null,
    hands: hands ?? null,
    times: fields.read('times', (at, what) => source.whole(at, what, 1, LIMITS.times)) ?? 1,
  };
};

const readSerial: ActReader = (source, node) => {
  const bytes = source.scalar(node, '`serial`');
  if (typeof bytes !== 'string' || bytes === '' || bytes.length > LIMITS.serialBytes) {
    throw source.problem(
      node,
      `\`serial\` takes 1 to ${LIMITS.serialBytes} bytes as a quoted text: "\\x02CNT 416\\x03"`,
    );
  }
  for (const character of bytes) {
    if ((character.codePointAt(0) ?? 0) > 255) {
      throw source.problem(
        node,
        `\`serial\`: \`${character}\` is not one byte; write bytes above 127 as \\x80 to \\xFF`,
      );
    }
  }
  return { do: 'serial', bytes };
};

/** What people call the sensors at the mouth of the shoe, and the way to the broker. */
const DEVICE_ALIASES: Readonly<Record<string, string>> = {
  beams: 'mouth',
  sensor: 'mouth',
};
const NETWORK_NAMES: readonly string[] = ['network', 'broker', 'mqtt'];

const readLink: ActReader = (source, node) => {
  const fields = source.map(node, '`link`', ['up', 'down', 'identity']);
  const states = (['up', 'down'] as const).filter((state) => fields.get(state));
  const state = states[0];
  if (state === undefined || states.length > 1) {
    throw source.problem(node, '`link` takes one of {down: DEVICE}, {up: DEVICE}');
  }
  const identity = fields.read('identity', (at, what) => source.word(at, what));
  if (identity !== undefined && state !== 'up') {
    throw fields.problem('identity', '`identity` is what a device says when it comes up');
  }
  const named = source.word(fields.need(state), `\`link: ${state}\``);
  // The link to surveillance is no device of the table's: pulling it is a cut of the network.
  if (NETWORK_NAMES.includes(named)) return { do: 'network', set: state };
  const device = DEVICE_ALIASES[named] ?? named;
  return { do: 'link', state, device, ...(identity === undefined ? {} : { identity }) };
};

const readPower: ActReader = (source, node) => {
  const fields = source.map(node, '`power`', ['off', 'clean']);
  return {
    do: 'power',
    offMs: source.duration(fields.need('off'), '`power: off`'),
    clean: fields.read('clean', (at, what) => source.flag(at, what)) ?? false,
  };
};

const readNetwork: ActReader = (source, node) => {
  if (!isMap(node)) {
    return { do: 'network', set: source.oneOf(node, '`network`', ['down', 'up'] as const) };
  }
  const fields = source.map(node, '`network`', ['off']);
  return { do: 'network-off', offMs: source.duration(fields.need('off'), '`network: off`') };
};

/** `2h`, `-5m`: how far the wall clock jumps. */
const stepAt = (source: Source, node: Node, what: string): number => {
  const value = source.scalar(node, what);
  if (typeof value !== 'string' || !value.startsWith('-')) return source.duration(node, what);
  const match = /^-(\d+(?:\.\d+)?)\s*(ms|s|m|min|h|d)$/.exec(value.trim());
  const unit = { ms: 1, s: 1e3, m: 6e4, min: 6e4, h: 36e5, d: 864e5 };
  const key = match?.[2];
  if (match?.[1] === undefined || key === undefined) return source.duration(node, what);
  const size = Object.entries(unit).find(([name]) => name === key)?.[1] ?? 0;
  return -Number(match[1]) * size;
};

const readClock: ActReader = (source, node) => {
  const fields = source.map(node, '`clock`', ['step', 'trusted']);
  if (fields.keys().length === 0) {
    throw source.problem(node, '`clock` takes {step: 2h} (or -5m) and/or {trusted: false}');
  }
  return {
    do: 'clock',
    stepMs: fields.read('step', (at, what) => stepAt(source, at, what)) ?? 0,
    trusted: fields.read('trusted', (at, what) => source.flag(at, what)) ?? null,
  };
};

const READERS: Readonly<Record<string, ActReader>> = {
  open: readOpen,
  press: readPress,
  cards: readCards,
  cover: (source, node) => ({ do: 'cover', n: source.whole(node, '`cover`', 1, 10) }),
  back: (source, node) => ({ do: 'back', n: source.whole(node, '`back`', 1, 100) }),
  double: (source, node) => ({ do: 'double', n: source.whole(node, '`double`', 1, 100) }),
  block: (source, node) => ({ do: 'block', ms: source.duration(node, '`block`') }),
  shuffler: parseShuffler,
  serial: readSerial,
  round: readRound,
  wait: (source, node) => ({ do: 'wait', ms: source.duration(node, '`wait`') }),
  after: (source, node) => ({ do: 'after', ms: source.duration(node, '`after`') }),
  link: readLink,
  power: readPower,
  network: readNetwork,
  lid: (source, node) => ({
    do: 'lid',
    open: source.oneOf(node, '`lid`', ['open', 'closed'] as const) === 'open',
  }),
  shoe: (source, node) => ({
    do: 'shoe',
    loaded: source.oneOf(node, '`shoe`', ['loaded', 'empty'] as const) === 'loaded',
  }),
  rack: (source, node) => ({ do: 'rack', n: source.whole(node, '`rack`', 0, 10_000) }),
  clock: readClock,
  expect: (source, node) => ({ do: 'expect', checks: parseExpect(source, node) }),
};

const ENTRY_KEYS = Object.keys(READERS);
const MAX_SAID_CHARS = 100;

/** One item of the timeline: a mapping with exactly one key. Throws `ScenarioProblem`. */
export const parseEntry = (source: Source, node: Node): Entry => {
  const fields = source.map(node, 'a timeline entry', ENTRY_KEYS);
  const [key, ...more] = fields.keys();
  const reader = key === undefined ? undefined : READERS[key];
  if (key === undefined || reader === undefined || more.length > 0) {
    throw source.problem(
      node,
      `a timeline entry has exactly one of ${ENTRY_KEYS.join(', ')}; give each its own \`- \``,
    );
  }
  const act = reader(source, fields.need(key));
  const range = node.range;
  const written = range == null ? key : source.text.slice(range[0], range[1]);
  const flat = written
    .replace(/\s+#.*$/gm, '')
    .replace(/\s+/g, ' ')
    .trim();
  const said = flat.length > MAX_SAID_CHARS ? `${flat.slice(0, MAX_SAID_CHARS - 1)}…` : flat;
  return { act, said, ...source.place(node) };
};
