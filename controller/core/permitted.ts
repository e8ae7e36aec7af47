import { type Rank, RANKS, type Role } from './cards.js';
import { type Rules, step } from './decide.js';
import type { Decision } from './decision.js';
import type { FindingCode } from './finding.js';
import type { Press, PressAct, PressKey } from './press.js';
import { PRESS_KEYS, PRESS_ROLE } from './press-parse.js';
import type { TableState } from './state.js';

/** One value a key asks for. */
export interface PressField {
  readonly name: string;
  readonly kind: 'choice' | 'number' | 'text' | 'yes-no';
  readonly isOptional: boolean;
  /** What would be taken now; empty for a value that is keyed in. */
  readonly choices: readonly string[];
}

/** A key that would be taken now. */
export interface PermittedKey {
  readonly key: PressKey;
  /** Lowest role it is taken from now. */
  readonly needs: Role;
  /** What pressing it now would be found as; empty where it is in order. */
  readonly departs: readonly FindingCode[];
  /** Values it takes: none, one as it stands, several as a map by name. */
  readonly asks: readonly PressField[];
}

/** A press to try: the act, and the choice it stands for. */
interface Try {
  readonly act: PressAct;
  readonly choice?: string;
}

/** Two people that nobody has for a badge. */
const FIRST = '#1';
const SECOND = '#2';

/** What comes of these hangs on the value keyed in: beforehand only a refusal tells. */
const JUDGED_BY_VALUE: readonly PressKey[] = [
  'first-card',
  'stub-count',
  'replace',
  'accept-gap',
  'hand-count',
];

/** Seats that may be asked about the cut: outside its phase none is tried, to save the work. */
const seatsOf = ({ phase }: TableState, { table }: Rules): readonly number[] =>
  phase === 'cut-due' ? Array.from({ length: table.seats }, (_, i) => i + 1) : [];

/** The same for the ranks of a first card. */
const ranksOf = ({ phase }: TableState): readonly Rank[] =>
  phase === 'burn' || phase === 'ready' ? RANKS : [];

const each = <T>(list: readonly T[], act: (one: T) => PressAct): readonly Try[] =>
  list.map((one) => ({ act: act(one), choice: String(one) }));

/** What an exemption may rest on: what was heard of, and a shuffler all the same. */
const devicesOf = ({ devices }: TableState): readonly string[] => [
  ...new Set([...Object.keys(devices), 'shuffler']),
];

/** The presses that say whether a key would be taken, and which of its values. */
const triesOf = (key: PressKey, state: TableState, rules: Rules): readonly Try[] => {
  const { batches } = rules.table;
  switch (key) {
    case 'preshuffled':
      return [{ act: { key, package: FIRST } }];
    case 'cut-offered':
    case 'cut-declined':
      return each(seatsOf(state, rules), (seat) => ({ key, seat }));
    case 'cut':
      return each([...seatsOf(state, rules), 'dealer' as const], (by) => ({ key, by }));
    case 'first-card':
      return each(ranksOf(state), (rank) => ({ key, rank }));
    case 'stub-count':
      return [{ act: { key, n: 0 } }];
    case 'replace':
      return [{ act: { key, out: FIRST, in: FIRST, second: SECOND } }];
    case 'acknowledge': {
      const unseen = state.findings.filter(({ acknowledged }) => acknowledged === undefined);
      return each(
        unseen.map(({ id }) => id),
        (finding) => ({ key, finding }),
      );
    }
    case 'clear':
      return each(
        state.findings.map(({ id }) => id),
        (finding) => ({ key, finding }),
      );
    case 'misdeal':
      return [{ act: { key, yes: true, full: true } }];
    case 'deck-removed':
      return each(batches, (batch) => ({ key, batch }));
    case 'deck-in':
      return each(batches, (batch) => ({ key, batch, id: FIRST }));
    case 'accept-gap':
      return [{ act: { key, cards: 0 } }];
    case 'hand-count':
      return each(batches, (batch) => ({ key, batch, n: 0, second: SECOND }));
    case 'approve-reshuffler':
      return each(devicesOf(state), (device) => ({ key, device }));
    default:
      return [{ act: { key } }];
  }
};

const field = (
  name: string,
  kind: PressField['kind'],
  choices: readonly string[] = [],
): PressField => ({ name, kind, isOptional: false, choices });

const optional = (name: string, kind: PressField['kind']): PressField => ({
  ...field(name, kind),
  isOptional: true,
});

/** What a key asks for, in the names that `parsePress` reads. */
const asksOf = (
  key: PressKey,
  choices: readonly string[],
  { procedure, table }: Rules,
): readonly PressField[] => {
  switch (key) {
    case 'preshuffled':
      return [field('package', 'text')];
    case 'cut-offered':
    case 'cut-declined':
      return [field('seat', 'choice', choices)];
    case 'cut':
      return [field('by', 'choice', choices), optional('depth', 'number')];
    case 'first-card':
      return [field('rank', 'choice', choices)];
    case 'no-more-bets':
      // Where the stub is counted, the number of hands goes into what it should be.
      return procedure.stub?.appliesTo.includes(table.dealing) === true
        ? [optional('hands', 'number')]
        : [];
    case 'stub-count':
      return [field('n', 'number')];
    case 'dealer-in':
      return [optional('dealer', 'text')];
    case 'replace':
      return [field('out', 'text'), field('in', 'text'), field('second', 'text')];
    case 'acknowledge':
    case 'clear':
      return [field('finding', 'choice', choices)];
    case 'misdeal':
      return [field('yes', 'yes-no'), field('full', 'yes-no')];
    case 'deck-removed':
      return [field('batch', 'choice', choices)];
    case 'deck-in':
      return [field('batch', 'choice', choices), field('id', 'text')];
    case 'accept-gap':
      return [field('cards', 'number')];
    case 'hand-count':
      return [field('batch', 'choice', choices), field('n', 'number'), field('second', 'text')];
    case 'approve-reshuffler':
      return [field('device', 'choice', choices)];
    default:
      return [];
  }
};

/** What the rules would say to a press now; nothing is written down or done. */
const wouldFollow = (
  state: TableState,
  rules: Rules,
  role: Role,
  act: PressAct,
): readonly Decision[] => {
  const press: Press = { kind: 'press', role, badge: FIRST, ...act };
  const { atNs, wallMs } = state;
  return step(state, { seq: state.seq + 1, atNs, wallMs, wallTrusted: true, ...press }, rules)
    .decisions;
};

/** What is found, for the first time or again. */
const found = (decisions: readonly Decision[], before: TableState): readonly FindingCode[] =>
  decisions.flatMap((decision) => {
    if (decision.do === 'raised') return [decision.finding.code];
    if (decision.do !== 'changed') return [];
    const { id, code, repeats = 0 } = decision.finding;
    const was = before.findings.find((finding) => finding.id === id)?.repeats ?? 0;
    return repeats > was ? [code] : [];
  });

/**
 * Whether a key would be taken now: each of its values is put to the rules themselves, so that
 * nothing here can say otherwise than they do. What leads to a departure is left out where
 * another value does not.
 */
const permittedTo = (
  role: Role,
  key: PressKey,
  state: TableState,
  rules: Rules,
): PermittedKey | null => {
  const taken: { readonly choice: string | undefined; readonly departs: readonly FindingCode[] }[] =
    [];
  for (const { act, choice } of triesOf(key, state, rules)) {
    const decisions = wouldFollow(state, rules, role, act);
    if (decisions.length === 0 || decisions.some((one) => one.do === 'refused')) continue;
    const departs = JUDGED_BY_VALUE.includes(key) ? [] : found(decisions, state);
    taken.push({ choice, departs });
  }
  const inOrder = taken.filter(({ departs }) => departs.length === 0);
  const best = inOrder.length > 0 ? inOrder : taken;
  const [first] = best;
  if (first === undefined) return null;
  const listed = best.flatMap(({ choice }) => (choice === undefined ? [] : [choice]));
  // The rank that stands already changes nothing: leaving it out would tell which it is.
  const choices = key === 'first-card' ? RANKS : listed;
  return {
    key,
    needs: role,
    departs: first.departs,
    asks: asksOf(key, choices, rules),
  };
};

/** To the lowest role it is taken from: some things a dealer keyed only the floor corrects. */
const permitted = (key: PressKey, state: TableState, rules: Rules): PermittedKey | null =>
  permittedTo(PRESS_ROLE[key], key, state, rules) ?? permittedTo('floor', key, state, rules);

/** The keys that would be taken now, in the order of the table's list of keys. */
export const permittedKeys = (state: TableState, rules: Rules): readonly PermittedKey[] =>
  PRESS_KEYS.flatMap((key) => permitted(key, state, rules) ?? []);
