import type { Rank } from '../../core/cards.js';
import type { Rules } from '../../core/decide.js';
import type { PressAct } from '../../core/press.js';
import { expectedCount } from '../../core/procedure.js';
import type { TableState } from '../../core/state.js';
import { expectedStub } from '../../core/stub.js';
import type { HandAct } from './schema.js';

/** One correct action and how long a practised person or machine takes over it, ms. */
export interface Move {
  readonly act: HandAct;
  readonly tookMs: number;
}

export interface DealerHabits {
  /** The card that comes out first of a stack whose burn depends on it. */
  readonly firstCard: Rank;
}

const PRESS_MS = 1_000;
const OPEN_MS = 5_000;
const WASH_MS = 12_000;
const HAND_SHUFFLE_MS = 20_000;
/** From start to done; below the dwell limits of a site by a wide margin. */
const MACHINE_SHUFFLE_MS = 45_000;
const CUT_MS = 4_000;
const LOAD_MS = 3_000;
const CARD_MS = 900;
const COUNT_STUB_MS = 15_000;

const press = (act: PressAct, tookMs = PRESS_MS, badge?: string): Move => ({
  act: {
    do: 'press',
    press: { kind: 'press', role: 'dealer', ...(badge === undefined ? {} : { badge }), ...act },
  },
  tookMs,
});

const card = (rank?: Rank): Move => ({
  act: { do: 'cards', cards: [rank === undefined ? {} : { rank, suit: 's' }] },
  tookMs: CARD_MS,
});

/** Whether the machine shuffles at this table: there is one, it is connected, the rule takes it. */
export const usesMachine = (state: TableState, { procedure, table }: Rules): boolean =>
  table.shuffler !== 'none' &&
  procedure.shuffle.sources.includes('machine') &&
  state.devices['shuffler']?.up !== false &&
  state.prep.shuffledBy.length === 0 &&
  !state.prep.washed;

const shufflesNeededOf = ({ procedure, table }: Rules): number =>
  procedure.shuffle.eachDealer ? table.crew : 1;

/** The batch to be shuffled next: never one that nobody may deal from. */
const shuffle = (state: TableState, rules: Rules): Move | null => {
  const { prep } = state;
  const { procedure, table } = rules;
  if (state.batches[prep.batch]?.quarantined === true) return null;
  if (usesMachine(state, rules)) {
    const { batch } = prep;
    if (!prep.machineRunning) {
      return {
        act: { do: 'shuffler', message: { kind: 'shuffler.start', batch } },
        tookMs: OPEN_MS,
      };
    }
    const counted = table.shuffler === 'counting';
    return {
      act: {
        do: 'shuffler',
        message: {
          kind: 'shuffler.done',
          batch,
          mode: 'shuffle',
          ...(counted ? { count: expectedCount(procedure, table) } : {}),
          lamp: 'green',
        },
      },
      tookMs: MACHINE_SHUFFLE_MS,
    };
  }
  const { sources } = procedure.shuffle;
  const byMachineOnly =
    table.dealing === 'hand' && procedure.handDealing?.needsMachineShuffle === true;
  if (byMachineOnly) return null;
  if (sources.includes('hand')) {
    if (procedure.shuffle.wash && !prep.washed) return press({ key: 'washed' }, WASH_MS);
    const by = `D-${prep.shuffledBy.length + 1}`;
    if (prep.shuffledBy.length >= shufflesNeededOf(rules)) return null;
    return press({ key: 'shuffled' }, HAND_SHUFFLE_MS, by);
  }
  return sources.includes('preshuffled')
    ? press({ key: 'preshuffled', package: `P-${state.shoe.no + 1}` })
    : null;
};

/** Whoever's turn it is; where nobody is known to be first, the highest seat that may. */
const cut = (state: TableState, { procedure, table }: Rules): Move => {
  const { cutTurn, recutAfter } = state.prep;
  if (procedure.cut?.cutter === 'dealer') return press({ key: 'cut', by: 'dealer' }, CUT_MS);
  const highest = recutAfter === table.seats ? table.seats - 1 : table.seats;
  return press({ key: 'cut', by: cutTurn === 'any' ? highest : cutTurn }, CUT_MS);
};

const burn = (state: TableState, { table }: Rules, { firstCard }: DealerHabits): Move | null => {
  const { done, required, rank } = state.burn;
  // From the hand nothing is sensed: the key is all there is.
  if (table.dealing === 'hand' && required !== null) return press({ key: 'burn-done' });
  if (required !== null) return done < required ? card() : null;
  if (done === 0) return card(firstCard);
  return rank === null ? press({ key: 'first-card', rank: firstCard }) : null;
};

const ready = (state: TableState, { procedure, table }: Rules): Move | null => {
  if (state.burn.dealerOwed > 0) {
    return table.dealing === 'hand' ? press({ key: 'burn-done' }) : card();
  }
  const { cover } = state;
  const announced = procedure.cover?.first.announce === true || procedure.cover?.mid.announce;
  if (cover.lastHandDue && !cover.lastHandCalled && announced === true) {
    return press({ key: 'last-hand-called' });
  }
  return null;
};

const stub = ({ round }: TableState, { procedure, table }: Rules): Move | null => {
  const rule = procedure.stub;
  // Where every place is dealt to, the stub does not hang on how many play.
  if (rule === null || (round.hands === null && rule.perHand > 0)) return null;
  const n = expectedStub(rule, expectedCount(procedure, table), round.hands ?? 0);
  return press({ key: 'stub-count', n }, COUNT_STUB_MS);
};

/** The machine finished without the number it owes: it shuffles and counts again. */
const countAgain = (state: TableState): Move => ({
  act: { do: 'shuffler', message: { kind: 'shuffler.start', batch: state.prep.batch } },
  tookMs: OPEN_MS,
});

/**
 * The next correct thing to do on the way to a round, from where the table stands: null in a phase
 * where the dealer has nothing to do, or where only the floor can go on. Pure.
 */
export const nextMove = (state: TableState, rules: Rules, habits: DealerHabits): Move | null => {
  switch (state.phase) {
    case 'closed':
      return press({ key: 'open-table' }, OPEN_MS);
    case 'opening':
      return press({ key: 'cards-inspected' }, OPEN_MS);
    case 'shuffle-due':
    case 'shuffling':
      return shuffle(state, rules);
    case 'count-due':
      return countAgain(state);
    case 'cut-due':
      return cut(state, rules);
    case 'marker-due':
      return press({ key: 'marker-placed' }, CUT_MS);
    case 'load-due':
      return press({ key: 'loaded' }, LOAD_MS);
    case 'burn':
      return burn(state, rules, habits);
    case 'ready':
      return ready(state, rules);
    case 'stub-due':
      return stub(state, rules);
    case 'reshuffle-due':
      return press({ key: 'collected' }, OPEN_MS);
    case 'idle-spread':
      return press({ key: 'inspected' }, OPEN_MS);
    case 'cut-made':
    case 'round':
    case 'dispute':
    case 'fault':
      return null;
  }
};

/** Why a dealer alone cannot go on from here, for a message. */
export const whyStuck = (state: TableState): string => {
  const stop = state.findings.find(({ severity }) => severity === 'stop');
  if (stop !== undefined) return `${stop.code} is open: ${stop.remedy}`;
  const { batch } = state.prep;
  if (state.batches[batch]?.quarantined === true) return `the ${batch} batch is quarantined`;
  return `a dealer has nothing to do in ${state.phase}`;
};
