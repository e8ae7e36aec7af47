import type { Decision } from '../controller/core/decision.js';
import type { Observation, ObservationKind } from '../controller/core/observation.js';
import type { TableStep } from '../controller/core/ports.js';
import { PRESS_KEYS } from '../controller/core/press-parse.js';
import { ROLES } from '../controller/core/cards.js';
import { FINDING_CODES, SEVERITIES } from '../controller/core/finding.js';
import { PHASES, type StateParts } from '../controller/core/state.js';
import { JournalFault } from './fault.js';
import { type Fields, isMap } from './fields.js';

/** A step, or in plain words why the text is none. */
export type Decoded =
  | { readonly ok: true; readonly step: TableStep }
  | { readonly ok: false; readonly why: string };

/** `s` string, `n` number, `b` true or false, `o` map, `a` list; `?` may be missing, `0` null. */
type Shape = Readonly<Record<string, 's' | 'n' | 'b' | 'o' | 'a' | 's?' | 'n?' | 'n0'>>;

const NONE: Shape = {};
const DEVICE: Shape = { device: 's' };

/** What each kind of observation must carry; the compiler asks for every kind. */
const OBSERVATIONS: Readonly<Record<ObservationKind, Shape>> = {
  'card.out': { lengthMm: 'n0', speedMmS: 'n0', back: 's?', rank: 's?', suit: 's?' },
  'card.back': NONE,
  'card.double': { lengthMm: 'n' },
  'cover.out': NONE,
  'mouth.blocked': NONE,
  'mouth.clear': NONE,
  'shoe.loaded': NONE,
  'shoe.empty': NONE,
  'lid.open': NONE,
  'lid.closed': NONE,
  'rack.count': { n: 'n' },
  'shuffler.start': { batch: 's?' },
  'shuffler.done': { batch: 's?', count: 'n?', mode: 's?', lamp: 's?' },
  'shuffler.lamp': { lamp: 's', batch: 's?' },
  'shuffler.jam': NONE,
  'shuffler.door': { open: 'b' },
  'shuffler.inventory': { batch: 's', count: 'n' },
  'shuffler.unload': { batch: 's', count: 'n' },
  'link.up': { device: 's', identity: 's?' },
  'link.down': { device: 's', reason: 's?' },
  'device.stale': DEVICE,
  'power.boot': { unclean: 'b', boot: 'n', version: 's?', procedure: 's?', table: 's?' },
  'power.off': NONE,
  'clock.step': { stepMs: 'n' },
  'clock.trust': { trusted: 'b' },
  'journal.fault': { reason: 's' },
  command: { command: 's', taken: 'b', key: 's?', role: 's?', nonce: 's?', note: 's?' },
  timer: { timer: 's' },
  press: { key: 's', role: 's', badge: 's?' },
};

const DECISIONS: Readonly<Record<Decision['do'], Shape>> = {
  noted: { part: 's', set: 'o' },
  moved: { phase: 's' },
  duty: { duty: 'o' },
  duties: { duties: 'a' },
  raised: { finding: 'o' },
  changed: { finding: 'o' },
  acknowledged: { id: 's', by: 'o' },
  cleared: { id: 's', code: 's', by: 'o', how: 's' },
  refused: { key: 's', clause: 's', reason: 's', needs: 's?' },
  timer: { timer: 's', dueNs: 'n0' },
  direct: { directive: 'o' },
};

const FINDING: Shape = {
  id: 's',
  code: 's',
  clause: 's',
  severity: 's',
  expected: 's',
  observed: 's',
  remedy: 's',
  authority: 's',
  raisedSeq: 'n',
  raisedNs: 'n',
};

const PARTS: Readonly<Record<keyof StateParts, true>> = {
  prep: true,
  shoe: true,
  burn: true,
  cover: true,
  round: true,
  counting: true,
  house: true,
  tally: true,
  outputs: true,
  batches: true,
  devices: true,
};
const DIRECTIVES = new Set(['gate', 'tower', 'sound', 'display', 'announce', 'video']);
const WORDS: Readonly<Record<string, ReadonlySet<string>>> = {
  part: new Set(Object.keys(PARTS)),
  phase: new Set(PHASES),
  severity: new Set(SEVERITIES),
  authority: new Set(ROLES),
  role: new Set(ROLES),
};
const CODES: ReadonlySet<string> = new Set(FINDING_CODES);
const KEYS: ReadonlySet<string> = new Set(PRESS_KEYS);

const fits = (value: unknown, type: string): boolean => {
  switch (type) {
    case 's':
      return typeof value === 'string';
    case 'n':
      return typeof value === 'number';
    case 'b':
      return typeof value === 'boolean';
    case 'o':
      return isMap(value);
    case 'a':
      return Array.isArray(value);
    case 'n0':
      return value === null || typeof value === 'number';
    default:
      return value === undefined || fits(value, type.slice(0, 1));
  }
};

/** Why the map does not have the shape; null when it has. */
const misfit = (map: Fields, shape: Shape): string | null => {
  for (const field in shape) {
    const value = map[field];
    if (!fits(value, shape[field] ?? '')) return `\`${field}\` is missing or of a wrong type`;
    const words = WORDS[field];
    if (words !== undefined && typeof value === 'string' && !words.has(value)) {
      return `\`${field}\` is ${JSON.stringify(value)}, a word this program does not know`;
    }
  }
  return null;
};

const shapeOf = (shapes: Readonly<Record<string, Shape>>, name: unknown): Shape | null =>
  typeof name === 'string' && Object.hasOwn(shapes, name) ? (shapes[name] ?? null) : null;

const whyObservation = (value: Fields): string | null => {
  const { seq, atNs, wallMs, wallTrusted, kind, key } = value;
  if (!Number.isSafeInteger(seq) || typeof seq !== 'number' || seq < 1) return 'no `seq`';
  if (typeof atNs !== 'number' || typeof wallMs !== 'number') return 'a time is missing';
  if (typeof wallTrusted !== 'boolean') return '`wallTrusted` is missing';
  const shape = shapeOf(OBSERVATIONS, kind);
  if (shape === null) return `there is no observation \`${String(kind)}\``;
  if (kind === 'press' && !KEYS.has(String(key))) return `there is no key \`${String(key)}\``;
  return misfit(value, shape);
};

const whyDecision = (value: unknown): string | null => {
  if (!isMap(value)) return 'is no map';
  const shape = shapeOf(DECISIONS, value['do']);
  if (shape === null) return `does \`${String(value['do'])}\`, which this program does not know`;
  const why = misfit(value, shape);
  if (why !== null) return why;
  const { finding, directive, duty } = value;
  if (isMap(finding)) {
    if (!CODES.has(String(finding['code']))) return `has the code \`${String(finding['code'])}\``;
    return misfit(finding, FINDING);
  }
  if (isMap(directive) && !DIRECTIVES.has(String(directive['to']))) return 'directs nothing known';
  return isMap(duty) ? misfit(duty, { duty: 's', clause: 's', status: 's', evidence: 's' }) : null;
};

const isStep = (value: Fields): value is Fields & TableStep => whyNoStep(value) === null;

const whyNoStep = (value: Fields): string | null => {
  const { observation, decisions } = value;
  if (!isMap(observation) || !Array.isArray(decisions)) {
    return 'it holds no observation with its decisions';
  }
  const why = whyObservation(observation);
  if (why !== null) return `observation: ${why}`;
  for (const [i, decision] of decisions.entries()) {
    const wrong = whyDecision(decision);
    if (wrong !== null) return `decision ${i + 1}: ${wrong}`;
  }
  return null;
};

/** Reads the text of a row strictly: every kind, word and field the program folds is checked. */
export const decodeStep = (body: string): Decoded => {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch (cause) {
    return { ok: false, why: `it is no JSON (${cause instanceof Error ? cause.message : ''})` };
  }
  if (!isMap(value)) return { ok: false, why: 'it is no map' };
  if (isStep(value)) return { ok: true, step: value };
  return { ok: false, why: whyNoStep(value) ?? 'it is no step' };
};

const isObservation = (value: Fields): value is Fields & Observation =>
  whyObservation(value) === null;

const DECISIONS_KEY = Buffer.from('{"decisions":');
const OBSERVATION_KEY = Buffer.from(',"observation":');
const CLOSE_MAP = 0x7d;

/** A row's text, taken apart but for what was decided. */
export interface Halved {
  readonly observation: Observation;
  /** Where the list of decisions lies. */
  readonly decisions: { readonly from: number; readonly to: number };
}

/**
 * What was observed, checked, without a look at what was decided; null where the text between
 * `from` and `to` is not as the program writes it. It proves nothing of the list of decisions.
 */
export const halved = (bytes: Buffer, from: number, to: number): Halved | null => {
  const at = bytes.lastIndexOf(OBSERVATION_KEY, to - OBSERVATION_KEY.length);
  const begins = from + DECISIONS_KEY.length;
  if (at < begins || bytes[to - 1] !== CLOSE_MAP) return null;
  if (bytes.compare(DECISIONS_KEY, 0, DECISIONS_KEY.length, from, begins) !== 0) return null;
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8', at + OBSERVATION_KEY.length, to - 1));
    if (!isMap(value) || !isObservation(value)) return null;
    return { observation: value, decisions: { from: begins, to: at } };
  } catch {
    return null;
  }
};

/** The step of row `seq`. @throws JournalFault `corrupt` naming the row, the cause and the cure. */
export const stepOfRow = (seq: number, body: string): TableStep => {
  const decoded = decodeStep(body);
  if (decoded.ok && decoded.step.observation.seq === seq) return decoded.step;
  const why = decoded.ok ? `its text says row ${decoded.step.observation.seq}` : decoded.why;
  throw new JournalFault('corrupt', `journal row ${seq} cannot be read: ${why}`);
};
