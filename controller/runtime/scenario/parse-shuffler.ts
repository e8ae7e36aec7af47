import { isScalar, type Node } from 'yaml';
import type { Lamp } from '../../core/observation.js';
import type { Act, ShufflerMessage } from './schema.js';
import type { Fields, Source } from './source.js';

const LAMPS: readonly Lamp[] = ['green', 'red', 'blink', 'off'];
const MODES = ['shuffle', 'sort', 'count'] as const;
const MAX_COUNT = 10_000;

/** Which keys each message takes beside its own. */
const MESSAGES = {
  start: ['batch'],
  done: ['count', 'batch', 'mode', 'lamp'],
  lamp: ['batch'],
  jam: [],
  door: [],
  inventory: ['count', 'batch'],
  unload: ['count', 'batch'],
} as const;
type MessageName = keyof typeof MESSAGES;
const NAMES: readonly MessageName[] = [
  'start',
  'done',
  'jam',
  'door',
  'inventory',
  'unload',
  'lamp',
];
const OTHERS = ['batch', 'count', 'mode'] as const;
const KEYS = [...NAMES, ...OTHERS];

const nameOf = (fields: Fields): MessageName => {
  const named = NAMES.filter((name) => fields.get(name) !== undefined);
  // `lamp` is a message of its own only where nothing else is said.
  const name = named.length > 1 ? named.filter((one) => one !== 'lamp') : named;
  const [only, ...more] = name;
  if (only === undefined || more.length > 0) {
    throw fields.source.problem(fields.node, `\`shuffler\` says one of ${NAMES.join(', ')}`);
  }
  const others: readonly string[] = MESSAGES[only];
  for (const key of fields.keys()) {
    if (key !== only && !others.includes(key)) {
      throw fields.problem(key, `\`${key}\` does not go with \`${only}\``);
    }
  }
  return only;
};

const batchOf = (fields: Fields): { batch?: string } => {
  const batch = fields.read('batch', (at, what) => fields.source.word(at, what).toLowerCase());
  return batch === undefined ? {} : { batch };
};

const isTrueOrNothing = (node: Node): boolean =>
  isScalar(node) && (node.value === true || node.value === null);

/**
 * What stands behind a message's own name, and its count: `done: 416`, or the batch there and the
 * number under `count`, as the contract lists the two.
 */
const batchAndCount = (fields: Fields, name: MessageName): { batch?: string; count?: number } => {
  const { source } = fields;
  const node = fields.need(name);
  const isWord = isScalar(node) && typeof node.value === 'string';
  const isNumber = !isWord && !isTrueOrNothing(node);
  const counted = fields.get('count');
  if (isNumber && counted !== undefined) {
    throw fields.problem('count', `\`${name}\` gives the number already; write it once`);
  }
  if (isWord && fields.get('batch') !== undefined) {
    throw fields.problem('batch', `\`${name}\` names the batch already; write it once`);
  }
  const at = isNumber ? node : counted;
  const what = isNumber ? `\`shuffler: ${name}\`` : '`shuffler: count`';
  return {
    ...(isWord ? { batch: source.word(node, what).toLowerCase() } : batchOf(fields)),
    ...(at === undefined ? {} : { count: source.whole(at, what, 0, MAX_COUNT) }),
  };
};

const doneOf = (fields: Fields): ShufflerMessage => {
  const { source } = fields;
  const mode = fields.read('mode', (at, what) => source.oneOf(at, what, MODES));
  const lamp = fields.read('lamp', (at, what) => source.oneOf(at, what, LAMPS));
  return {
    kind: 'shuffler.done',
    ...batchAndCount(fields, 'done'),
    ...(mode === undefined ? {} : { mode }),
    ...(lamp === undefined ? {} : { lamp }),
  };
};

const countedOf = (
  fields: Fields,
  name: 'inventory' | 'unload',
): Extract<ShufflerMessage, { count: number }> => {
  const { batch, count } = batchAndCount(fields, name);
  if (batch === undefined || count === undefined) {
    const example = `{${name}: 16, batch: red}`;
    throw fields.problem(name, `\`${name}\` takes a number and the batch: ${example}`);
  }
  return name === 'inventory'
    ? { kind: 'shuffler.inventory', batch, count }
    : { kind: 'shuffler.unload', batch, count };
};

const messageOf = (fields: Fields, name: MessageName): ShufflerMessage => {
  const { source } = fields;
  switch (name) {
    case 'start': {
      const node = fields.need('start');
      if (isTrueOrNothing(node)) return { kind: 'shuffler.start', ...batchOf(fields) };
      const batch = source.word(node, '`shuffler: start`').toLowerCase();
      return { kind: 'shuffler.start', batch };
    }
    case 'done':
      return doneOf(fields);
    case 'lamp': {
      const lamp = source.oneOf(fields.need('lamp'), '`shuffler: lamp`', LAMPS);
      return { kind: 'shuffler.lamp', lamp, ...batchOf(fields) };
    }
    case 'jam':
      if (!isTrueOrNothing(fields.need('jam'))) {
        throw fields.problem('jam', '`jam` takes true');
      }
      return { kind: 'shuffler.jam' };
    case 'door': {
      const door = source.oneOf(fields.need('door'), '`shuffler: door`', [
        'open',
        'closed',
      ] as const);
      return { kind: 'shuffler.door', open: door === 'open' };
    }
    case 'inventory':
    case 'unload':
      return countedOf(fields, name);
  }
};

/** `shuffler: {start: red}`, `{done: 416, batch, mode, lamp}`, ... Throws `ScenarioProblem`. */
export const parseShuffler = (source: Source, node: Node): Act => {
  const fields = source.map(node, '`shuffler`', KEYS);
  return { do: 'shuffler', message: messageOf(fields, nameOf(fields)) };
};
