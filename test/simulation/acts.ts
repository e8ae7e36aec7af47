import type { Rules } from '../../controller/core/decide.js';
import type { Role } from '../../controller/core/cards.js';
import type { PressAct } from '../../controller/core/press.js';
import { expectedCount } from '../../controller/core/procedure.js';
import type { TableState } from '../../controller/core/state.js';
import { nextMove } from '../../controller/runtime/scenario/dealer.js';
import type { CardOut, HandAct } from '../../controller/runtime/scenario/schema.js';
import type { Random } from '../../firmware-bridge/virtual/random.js';

const press = (act: PressAct, role: Role = 'dealer', badge?: string): HandAct => ({
  do: 'press',
  press: { kind: 'press', role, ...(badge === undefined ? {} : { badge }), ...act },
});

const cards = (n: number, card: CardOut = {}): HandAct => ({
  do: 'cards',
  cards: Array.from({ length: n }, () => card),
});

const oneOf = <T>(random: Random, list: readonly T[]): T => {
  const picked = list[random.whole(0, list.length - 1)];
  if (picked === undefined) throw new Error('nothing to pick from');
  return picked;
};

/** What a practised table does next, a round at a time. */
const correct = (random: Random, state: TableState, rules: Rules): readonly HandAct[] => {
  const { phase, round, burn } = state;
  if (phase === 'round') return playRound(random, state, rules);
  const move = nextMove(state, rules, { firstCard: oneOf(random, ['A', '3', '7', 'K']) });
  if (move !== null) return [move.act];
  if (phase === 'ready' && burn.dealerOwed === 0) {
    const hands = rules.table.dealing === 'hand' ? { hands: random.whole(1, 6) } : {};
    return [press({ key: 'no-more-bets', ...hands })];
  }
  return round.no > 0 ? [press({ key: 'round-end' })] : [];
};

const playRound = (random: Random, { round }: TableState, rules: Rules): readonly HandAct[] => {
  if (rules.table.dealing === 'hand') return [press({ key: 'round-end' })];
  const { max, min } = rules.procedure.round.cards;
  const wanted = Math.min(max ?? 14, Math.max(min ?? 4, random.whole(4, 12)));
  const called = rules.procedure.round.countsCalled;
  if (called !== null && round.cards >= called.after && !round.countsCalled) {
    return [press({ key: 'counts-called' })];
  }
  if (round.cards >= wanted) return [press({ key: 'round-end' })];
  return [cards(1)];
};

/** What the floor does about whatever stands open. */
const remedy = (state: TableState): readonly HandAct[] => {
  const finding = state.findings[0];
  if (finding === undefined) return [];
  switch (finding.code) {
    case 'gap.unwatched':
      return [press({ key: 'accept-gap', cards: 0 }, 'floor', 'F-1')];
    case 'stub.wrong':
      return [press({ key: 'misdeal', yes: true, full: true }, 'floor', 'F-1')];
    case 'count.wrong':
    case 'batch.migrated':
    case 'count.disagree': {
      const batch = finding.batch ?? state.prep.batch;
      return [
        press({ key: 'deck-removed', batch }, 'floor', 'F-1'),
        press({ key: 'deck-in', batch, id: `N-${state.seq}` }, 'floor', 'F-1'),
      ];
    }
    default:
      return finding.severity === 'warn'
        ? [press({ key: 'acknowledge', finding: finding.code })]
        : [press({ key: 'clear', finding: finding.code }, 'floor', 'F-1')];
  }
};

const ANY_PRESS: readonly PressAct[] = [
  { key: 'washed' },
  { key: 'shuffled' },
  { key: 'cut', by: 1 },
  { key: 'cut', by: 'dealer', depth: 4 },
  { key: 'cut-declined', seat: 2 },
  { key: 'marker-placed' },
  { key: 'loaded' },
  { key: 'first-card', rank: '0' },
  { key: 'first-card', rank: '9' },
  { key: 'burn-done' },
  { key: 'no-more-bets', hands: 3 },
  { key: 'counts-called' },
  { key: 'last-hand-called' },
  { key: 'round-end' },
  { key: 'stub-count', n: 30 },
  { key: 'dealer-in', dealer: 'D-7' },
  { key: 'spill' },
  { key: 'spread' },
  { key: 'inspected' },
  { key: 'collected' },
  { key: 'recut' },
  { key: 'reshuffle' },
  { key: 'void-round' },
  { key: 'misdeal', yes: true, full: false },
  { key: 'accept-gap', cards: 2 },
  { key: 'close-table' },
  { key: 'open-table' },
];

/** Whatever a person may do wrong, with any key and any role. */
const mistake = (random: Random): readonly HandAct[] => [
  press(oneOf(random, ANY_PRESS), oneOf(random, ['dealer', 'dealer', 'floor', 'tech'])),
];

/** Cards where none should be, and what goes wrong in the mouth. */
const mouth = (random: Random, { shoe, prep }: TableState, rules: Rules): readonly HandAct[] => {
  if (rules.table.dealing === 'hand') return [];
  const other = rules.table.batches.find((batch) => batch !== (shoe.batch ?? prep.batch));
  return oneOf<readonly HandAct[]>(random, [
    [cards(1)],
    [cards(3)],
    [{ do: 'cover', n: 1 }],
    [{ do: 'back', n: 1 }],
    [{ do: 'double', n: 1 }],
    [{ do: 'block', ms: 2600 }],
    other === undefined ? [] : [cards(1, { back: other })],
  ]);
};

/** The machine says something nobody asked it for. */
const machine = (random: Random, { prep }: TableState, rules: Rules): readonly HandAct[] => {
  if (rules.table.shuffler === 'none') return [];
  const { batch } = prep;
  const right = expectedCount(rules.procedure, rules.table);
  const done = (count: number, mode: 'shuffle' | 'sort' = 'shuffle'): HandAct => ({
    do: 'shuffler',
    message: { kind: 'shuffler.done', batch, count, mode, lamp: count === right ? 'green' : 'red' },
  });
  return [
    oneOf<HandAct>(random, [
      { do: 'shuffler', message: { kind: 'shuffler.start', batch } },
      done(right),
      done(right - 1),
      done(right + 1),
      done(right, 'sort'),
      { do: 'shuffler', message: { kind: 'shuffler.jam' } },
      { do: 'shuffler', message: { kind: 'shuffler.door', open: true } },
    ]),
  ];
};

/** Power, cables, network and clocks. */
const surroundings = (random: Random, rules: Rules): readonly HandAct[] => {
  const device = oneOf(
    random,
    rules.table.shuffler === 'none' ? ['keypad'] : ['shuffler', 'keypad'],
  );
  return oneOf<readonly HandAct[]>(random, [
    [{ do: 'power', offMs: 2000, clean: false }],
    [{ do: 'power', offMs: 500, clean: true }],
    [{ do: 'network', set: 'down' }],
    [{ do: 'network', set: 'up' }],
    [{ do: 'clock', stepMs: random.whole(-3_600_000, 3_600_000), trusted: null }],
    [
      { do: 'link', state: 'down', device },
      { do: 'link', state: 'up', device },
    ],
    [
      { do: 'lid', open: true },
      { do: 'lid', open: false },
    ],
  ]);
};

/**
 * What happens next at a simulated table: mostly the right thing, so that shoes get played, now
 * and then a mistake, a fault or a remedy. Everything comes from the seed and the state.
 */
export const nextActs = (random: Random, state: TableState, rules: Rules): readonly HandAct[] => {
  const dice = random.between(0, 100);
  if (dice < 3) return mouth(random, state, rules);
  if (dice < 5) return mistake(random);
  if (dice < 6) return machine(random, state, rules);
  if (dice < 7) return surroundings(random, rules);
  const stuck = state.findings.some(({ severity }) => severity === 'stop');
  if (stuck || (dice < 12 && state.findings.length > 0)) {
    return dice < 60 ? remedy(state) : correct(random, state, rules);
  }
  return correct(random, state, rules);
};
