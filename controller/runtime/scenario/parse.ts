import { isScalar, type Node } from 'yaml';
import { DEFAULT_POLICY, type Dealing, type Policy } from '../../core/procedure.js';
import { parseEntry } from './parse-entry.js';
import {
  type Act,
  type Entry,
  LIMITS,
  type ProcedureRef,
  type Scenario,
  type TableGiven,
} from './schema.js';
import { type Fields, ScenarioProblem, Source } from './source.js';

const KEYS = ['scenario', 'title', 'about', 'procedure', 'table', 'timeline'] as const;
const TABLE_KEYS = [
  'decks',
  'crew',
  'seats',
  'dealing',
  'shuffler',
  'reader',
  'batches',
  'enforcement',
  'policy',
] as const;
const DEALINGS: readonly Dealing[] = ['shoe', 'hand', 'auto-shoe'];
const MAX_BATCHES = 4;
const MAX_DECKS = 20;
const MAX_CREW = 12;
const MAX_SEATS = 20;
const MAX_POLICY_NUMBER = 10_000_000;

export type ScenarioResult =
  | { readonly ok: true; readonly scenario: Scenario }
  | { readonly ok: false; readonly problems: readonly ScenarioProblem[] };

/**
 * Reads one scenario file's text. Pure. Everything wrong with it is collected, each with file,
 * line, column, cause and cure; a file with a problem is not used at all.
 */
export const parseScenario = (file: string, text: string): ScenarioResult => {
  const problems: ScenarioProblem[] = [];
  const collect = <T>(work: () => T): T | undefined => {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof ScenarioProblem)) throw error;
      if (problems.length < LIMITS.problems) problems.push(error);
      return undefined;
    }
  };
  const source = new Source(file, text);
  const fields = collect(() => source.map(source.root(), 'a scenario file', KEYS));
  if (fields === undefined) return { ok: false, problems };
  collect(() => checkVersion(fields));
  const title = collect(() => source.word(fields.need('title', 'what is tried'), '`title`'));
  const procedure = collect(() => procedureOf(fields));
  const table = collect(() => tableOf(fields));
  const timeline = collect(() => timelineOf(fields, collect));
  if (problems.length > 0 || title === undefined || procedure === undefined) {
    return { ok: false, problems };
  }
  if (table === undefined || timeline === undefined) return { ok: false, problems };
  return { ok: true, scenario: { file, title, procedure, table, timeline } };
};

const checkVersion = (fields: Fields): void => {
  const node = fields.need('scenario', '1');
  const version = fields.source.scalar(node, '`scenario`');
  if (version !== 1) {
    throw fields.source.problem(
      node,
      `\`scenario: ${String(version)}\` is not a version this program knows; write \`scenario: 1\``,
    );
  }
};

const procedureOf = (fields: Fields): ProcedureRef => {
  const node = fields.need('procedure', 'pa/627a-minibaccarat');
  const word = fields.source.word(node, '`procedure`');
  const place = fields.source.place(node);
  const isFile = /^\.{0,2}\//.test(word) || /\.(ya?ml|json)$/i.test(word);
  return isFile ? { kind: 'file', path: word, ...place } : { kind: 'id', id: word, ...place };
};

const batchesOf = (source: Source, node: Node, what: string): readonly string[] => {
  const batches = source.items(node, what).map((item) => source.word(item, what).toLowerCase());
  if (batches.length === 0 || batches.length > MAX_BATCHES) {
    throw source.problem(node, `${what} takes 1 to ${MAX_BATCHES} back colours`);
  }
  if (new Set(batches).size !== batches.length) {
    throw source.problem(node, `${what}: two batches cannot have the same back colour`);
  }
  return batches;
};

const tableOf = (fields: Fields): TableGiven => {
  const { source } = fields;
  const node = fields.get('table');
  if (node === undefined) return { ...source.place(fields.node), policy: {} };
  const table = source.map(node, '`table`', TABLE_KEYS);
  const whole =
    (min: number, max: number) =>
    (at: Node, what: string): number =>
      source.whole(at, what, min, max);
  const decks = table.read('decks', whole(1, MAX_DECKS));
  const crew = table.read('crew', whole(1, MAX_CREW));
  const seats = table.read('seats', whole(1, MAX_SEATS));
  const dealing = table.read('dealing', (at, what) => source.oneOf(at, what, DEALINGS));
  const shuffler = table.read('shuffler', (at, what) =>
    source.oneOf(at, what, ['none', 'counting', 'not-counting'] as const),
  );
  const reader = table.read('reader', (at, what) =>
    source.oneOf(at, what, ['none', 'rank'] as const),
  );
  const batches = table.read('batches', (at, what) => batchesOf(source, at, what));
  const enforcement = table.read('enforcement', (at, what) =>
    source.oneOf(at, what, ['lock', 'advise'] as const),
  );
  return {
    ...source.place(node),
    ...(decks === undefined ? {} : { decks }),
    ...(crew === undefined ? {} : { crew }),
    ...(seats === undefined ? {} : { seats }),
    ...(dealing === undefined ? {} : { dealing }),
    ...(shuffler === undefined ? {} : { shuffler }),
    ...(reader === undefined ? {} : { reader }),
    ...(batches === undefined ? {} : { batches }),
    ...(enforcement === undefined ? {} : { enforcement }),
    policy: table.read('policy', (at) => policyOf(source, at)) ?? {},
  };
};

const CHOICES: Readonly<Record<string, readonly string[]>> = {
  handShuffle: ['allow', 'stop'],
  tamperLid: ['stop', 'warn'],
  sensorFault: ['stop', 'warn'],
  shufflerLost: ['stop', 'warn'],
  clockUntrusted: ['stop', 'warn', 'info'],
};

/** House policies: numbers (null switches one off where the policy allows it) and choices. */
const policyOf = (source: Source, node: Node): Partial<Policy> => {
  const known = Object.keys(DEFAULT_POLICY);
  const given = source.map(node, '`table: policy`', known);
  const policy: Record<string, number | string | null> = {};
  for (const key of given.keys()) {
    const at = given.need(key);
    const what = `\`policy: ${key}\``;
    const choices = CHOICES[key];
    if (choices !== undefined) policy[key] = source.oneOf(at, what, choices);
    else if (isScalar(at) && at.value === null && !isAlways(key)) policy[key] = null;
    else policy[key] = source.whole(at, what, 0, MAX_POLICY_NUMBER);
  }
  return policy;
};

const isAlways = (key: string): boolean =>
  ['escalateFloorS', 'escalateSurveillanceS', 'blockedMs'].includes(key);

const timelineOf = (
  fields: Fields,
  collect: <T>(work: () => T) => T | undefined,
): readonly Entry[] => {
  const node = fields.need('timeline', '[open: {}, round: 5]');
  const items = fields.source.items(node, '`timeline`');
  if (items.length > LIMITS.entries) {
    throw fields.source.problem(node, `\`timeline\` holds more than ${LIMITS.entries} entries`);
  }
  const entries: Entry[] = [];
  let cards = 0;
  for (const item of items) {
    const entry = collect(() => parseEntry(fields.source, item));
    if (entry === undefined) continue;
    entries.push(entry);
    cards += cardsOf(entry.act);
    if (cards > LIMITS.cardsPerFile) {
      throw fields.source.problem(
        item,
        `the file deals more than ${LIMITS.cardsPerFile} cards; split it into several scenarios`,
      );
    }
  }
  if (items.length === 0) {
    throw fields.source.problem(node, '`timeline` is empty; nothing would be tried');
  }
  return entries;
};

const cardsOf = (act: Act): number => {
  if (act.do === 'cards') return act.cards.length;
  return act.do === 'round' ? (act.cards?.length ?? 0) * act.times : 0;
};
