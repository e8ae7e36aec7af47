import { isMap, isScalar, isSeq, type Node } from 'yaml';
import { ROLES } from '../../core/cards.js';
import { FINDING_CODES, SEVERITIES } from '../../core/finding.js';
import { PRESS_KEYS } from '../../core/press-parse.js';
import { PHASES } from '../../core/state.js';
import {
  type Check,
  type DutyWanted,
  type FindingWanted,
  LIMITS,
  type Place,
  type ViewField,
  type Wording,
} from './schema.js';
import type { Fields, Source } from './source.js';

const NUMBERS: readonly ViewField[] = [
  'out',
  'loaded',
  'left',
  'behind',
  'due',
  'shoe',
  'round',
  'cardsThisRound',
  'cardsAfterWarning',
  'roundsSinceCount',
];
const WORDS: readonly ViewField[] = ['batch', 'dealer', 'countRequired'];
const FLAGS: readonly ViewField[] = ['gap', 'coverSeen', 'lastHand', 'dealerBurnDue'];
const MAX_NUMBER = 1_000_000;

/** What may stand beside `finding`; `clause` also beside `duty` and `refused`. */
const FINDING_KEYS = [
  'clause',
  'severity',
  'open',
  'by',
  'level',
  'device',
  'repeats',
  'authority',
  'acknowledged',
  'observed',
  'expected',
  'remedy',
] as const;
const KEYS = [
  'phase',
  ...NUMBERS,
  ...WORDS,
  ...FLAGS,
  'gate',
  'tower',
  'display',
  'announced',
  'finding',
  ...FINDING_KEYS,
  'no-finding',
  'findings',
  'raised',
  'duty',
  'evidence',
  'status',
  'refused',
  'quarantined',
] as const;

/** `/…/` (with `i` after it where case does not matter) is a pattern, anything else plain text. */
const wordingAt = (source: Source, node: Node, what: string): Wording => {
  const said = source.word(node, what);
  const match = /^\/(.+)\/(i?)$/s.exec(said);
  if (match?.[1] === undefined) return { kind: 'text', text: said };
  if (match[1].length > LIMITS.patternChars) {
    throw source.problem(node, `${what}: a pattern has at most ${LIMITS.patternChars} characters`);
  }
  try {
    return { kind: 'pattern', pattern: new RegExp(match[1], `s${match[2] ?? ''}`), said };
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw source.problem(node, `${what}: \`${said}\` is not a pattern: ${cause}`);
  }
};

const codeAt = (source: Source, node: Node, what: string): (typeof FINDING_CODES)[number] =>
  source.oneOf(node, what, FINDING_CODES);

const codesAt = (source: Source, node: Node, what: string): (typeof FINDING_CODES)[number][] =>
  isSeq(node)
    ? source.items(node, what).map((item) => codeAt(source, item, what))
    : [codeAt(source, node, what)];

const nullOr = <T>(node: Node, read: () => T): T | null =>
  isScalar(node) && (node.value === null || node.value === 'none' || node.value === 'unknown')
    ? null
    : read();

const numberOrNull = (source: Source, node: Node, what: string): number | null =>
  nullOr(node, () => source.whole(node, what, 0, MAX_NUMBER));

/** A check before its place in the file is put on. */
type Bare = Check extends infer C ? (C extends Check ? Omit<C, keyof Place> : never) : never;

const towerAt = (source: Source, node: Node): Bare => {
  const colours = ['green', 'amber', 'red'] as const;
  const lights = ['steady', 'blink'] as const;
  if (isMap(node)) {
    const fields = source.map(node, '`tower`', ['colour', 'light']);
    const colour = source.oneOf(fields.need('colour'), '`tower: colour`', colours);
    const light = fields.read('light', (at, what) => source.oneOf(at, what, lights));
    return { is: 'tower', colour, ...(light === undefined ? {} : { light }) };
  }
  const [first = '', second] = source.word(node, '`tower`').split(/\s+/);
  const colour = colours.find((one) => one === first);
  const light = lights.find((one) => one === second);
  if (colour === undefined || (second !== undefined && light === undefined)) {
    throw source.problem(
      node,
      '`tower` takes green, amber or red, with steady or blink behind it where that matters',
    );
  }
  return { is: 'tower', colour, ...(light === undefined ? {} : { light }) };
};

const findingOf = (fields: Fields): FindingWanted => {
  const { source } = fields;
  const word = (at: Node, what: string): string => source.word(at, what);
  const wording = (at: Node, what: string): Wording => wordingAt(source, at, what);
  const whole = (at: Node, what: string): number => source.whole(at, what, 0, MAX_NUMBER);
  const flag = (at: Node, what: string): boolean => source.flag(at, what);
  const given: Record<string, unknown> = {
    open: fields.read('open', flag),
    clause: fields.read('clause', word),
    severity: fields.read('severity', (at, what) => source.oneOf(at, what, SEVERITIES)),
    by: fields.read('by', whole),
    level: fields.read('level', whole),
    batch: fields.read('batch', word),
    device: fields.read('device', word),
    repeats: fields.read('repeats', whole),
    authority: fields.read('authority', (at, what) => source.oneOf(at, what, ROLES)),
    acknowledged: fields.read('acknowledged', flag),
    observed: fields.read('observed', wording),
    expected: fields.read('expected', wording),
    remedy: fields.read('remedy', wording),
  };
  const kept = Object.entries(given).filter(([, value]) => value !== undefined);
  return {
    code: codeAt(source, fields.need('finding'), '`finding`'),
    ...Object.fromEntries(kept),
  };
};

const dutyOf = (fields: Fields): DutyWanted => {
  const { source } = fields;
  const evidence = fields.read('evidence', (at, what) =>
    source.oneOf(at, what, ['sensed', 'attested', 'unseen'] as const),
  );
  const status = fields.read('status', (at, what) =>
    source.oneOf(at, what, ['due', 'met', 'not-met', 'waived'] as const),
  );
  const clause = fields.get('finding')
    ? undefined
    : fields.read('clause', (at, what) => source.word(at, what));
  return {
    duty: source.word(fields.need('duty'), '`duty`'),
    ...(evidence === undefined ? {} : { evidence }),
    ...(status === undefined ? {} : { status }),
    ...(clause === undefined ? {} : { clause }),
  };
};

const raisedAt = (source: Source, node: Node): Bare => {
  const fields = source.map(node, '`raised`', FINDING_CODES);
  const counts = FINDING_CODES.flatMap((code) => {
    const n = fields.read(code, (at, what) => source.whole(at, what, 0, MAX_NUMBER));
    return n === undefined ? [] : ([[code, n]] as const);
  });
  return { is: 'raised', counts };
};

/** Keys that only say more about another key must stand beside it. */
const checkCompany = (fields: Fields): void => {
  const has = (key: string): boolean => fields.get(key) !== undefined;
  for (const key of FINDING_KEYS) {
    const also = key === 'clause' && (has('duty') || has('refused'));
    if (has(key) && !has('finding') && !also) {
      throw fields.problem(key, `\`${key}\` needs \`finding: CODE\` beside it`);
    }
  }
  for (const key of ['evidence', 'status'] as const) {
    if (has(key) && !has('duty')) {
      throw fields.problem(key, `\`${key}\` needs \`duty: NAME\` beside it`);
    }
  }
};

const fieldChecks = (fields: Fields, key: ViewField): Bare => {
  const { source } = fields;
  const node = fields.need(key);
  const what = `\`expect: ${key}\``;
  if (NUMBERS.includes(key)) {
    return { is: 'field', field: key, value: numberOrNull(source, node, what) };
  }
  if (FLAGS.includes(key)) return { is: 'field', field: key, value: source.flag(node, what) };
  return { is: 'field', field: key, value: nullOr(node, () => source.word(node, what)) };
};

const refusedOf = (fields: Fields): Bare => {
  const { source } = fields;
  const key = source.oneOf(fields.need('refused'), '`refused`', PRESS_KEYS);
  const clause = fields.get('finding')
    ? undefined
    : fields.read('clause', (at, what) => source.word(at, what));
  return { is: 'refused', key, ...(clause === undefined ? {} : { clause }) };
};

/** The check a key stands for; null for keys that belong to another one. */
const checkOf = (fields: Fields, key: string): Bare | null => {
  const { source } = fields;
  const node = fields.need(key);
  const what = `\`expect: ${key}\``;
  switch (key) {
    case 'phase':
      return { is: 'phase', phase: source.oneOf(node, what, PHASES) };
    case 'gate':
      return { is: 'gate', gate: source.oneOf(node, what, ['open', 'locked'] as const) };
    case 'tower':
      return towerAt(source, node);
    case 'display':
      return { is: 'display', wording: wordingAt(source, node, what) };
    case 'announced':
      return { is: 'announced', wording: wordingAt(source, node, what) };
    case 'finding':
      return { is: 'finding', wanted: findingOf(fields) };
    case 'no-finding':
      return { is: 'no-finding', codes: codesAt(source, node, what) };
    case 'findings':
      return {
        is: 'findings',
        codes: source.items(node, what).map((item) => codeAt(source, item, what)),
      };
    case 'raised':
      return raisedAt(source, node);
    case 'duty':
      return { is: 'duty', wanted: dutyOf(fields) };
    case 'refused':
      return refusedOf(fields);
    case 'quarantined':
      return {
        is: 'quarantined',
        batches: source.items(node, what).map((item) => source.word(item, what)),
      };
    default:
      return null;
  }
};

/** The checks of one `expect` entry, in the order they are written. Throws `ScenarioProblem`. */
export const parseExpect = (source: Source, node: Node): readonly Check[] => {
  const fields = source.map(node, '`expect`', KEYS);
  if (fields.keys().length === 0) {
    throw source.problem(node, `\`expect\` is empty; it takes ${KEYS.join(', ')}`);
  }
  checkCompany(fields);
  const checks: Check[] = [];
  for (const key of fields.keys()) {
    const field = [...NUMBERS, ...WORDS, ...FLAGS].find((known) => known === key);
    // Beside a finding, `batch` says which batch the finding is about.
    const ofFinding = key === 'batch' && fields.get('finding') !== undefined;
    const bare =
      field === undefined ? checkOf(fields, key) : ofFinding ? null : fieldChecks(fields, field);
    if (bare !== null) checks.push({ ...bare, ...fields.place(key) });
  }
  return checks;
};
