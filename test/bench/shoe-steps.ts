import { type Rules, step } from '../../controller/core/decide.js';
import type { Happening } from '../../controller/core/observation.js';
import type { TableStep } from '../../controller/core/ports.js';
import { DEFAULT_POLICY } from '../../controller/core/procedure.js';
import { initialState, type TableState } from '../../controller/core/state.js';
import { loadProcedure } from '../../controller/runtime/procedure-files.js';
import { nextMove } from '../../controller/runtime/scenario/dealer.js';

const CARD_GAP_NS = 700e6;
const CARDS_A_ROUND = 5;
/** Below this many cards left the shoe is collected: its marker has come out. */
const MARKER_CARDS = 20;

export const benchRules: Rules = {
  procedure: loadProcedure('pa/627a-minibaccarat'),
  table: {
    decks: 8,
    crew: 1,
    seats: 7,
    dealing: 'shoe',
    shuffler: 'counting',
    reader: 'none',
    batches: ['red'],
    enforcement: 'lock',
    policy: DEFAULT_POLICY,
  },
};

/** What happens next at a table that makes no mistakes. */
export const nextHappenings = (state: TableState, rules: Rules): readonly Happening[] => {
  if (state.phase === 'round') return inRound(state);
  const left = state.shoe.loaded - state.shoe.out;
  if (state.phase === 'ready' && left <= MARKER_CARDS && state.shoe.coversOut === 0) {
    return [{ kind: 'cover.out' }];
  }
  const move = nextMove(state, rules, { firstCard: '7' });
  if (move === null) return [{ kind: 'press', key: 'no-more-bets', role: 'dealer' }];
  const { act } = move;
  if (act.do === 'press') return [act.press];
  if (act.do === 'shuffler') return [act.message];
  return [{ kind: 'card.out', back: 'red', lengthMm: 63.5, speedMmS: 600 }];
};

const inRound = ({ round }: TableState): readonly Happening[] => {
  if (round.cards === 4 && !round.countsCalled) {
    return [{ kind: 'press', key: 'counts-called', role: 'dealer' }];
  }
  if (round.cards >= CARDS_A_ROUND) return [{ kind: 'press', key: 'round-end', role: 'dealer' }];
  return [{ kind: 'card.out', back: 'red', lengthMm: 63.5, speedMmS: 600 }];
};

/**
 * Steps of whole, correct shoes, endless and without waiting: what a journal is fed with. `first`
 * comes before them, such as a start that names its documents.
 */
export function* shoeSteps(
  rules: Rules = benchRules,
  first: readonly Happening[] = [],
): Generator<TableStep, never> {
  let state = initialState(rules.table);
  let happenings = first;
  for (;;) {
    for (const happening of happenings) {
      const atNs = state.atNs + CARD_GAP_NS;
      const observation = {
        seq: state.seq + 1,
        atNs,
        wallMs: 1_767_621_600_000 + Math.floor(atNs / 1e6),
        wallTrusted: true,
        ...happening,
      };
      const { decisions, state: next } = step(state, observation, rules);
      state = next;
      yield { observation, decisions };
    }
    happenings = nextHappenings(state, rules);
  }
}

/** The next `n` steps. */
export const take = (steps: Generator<TableStep, never>, n: number): readonly TableStep[] =>
  Array.from({ length: n }, () => steps.next().value);
