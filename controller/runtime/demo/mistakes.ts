import type { FindingCode } from '../../core/finding.js';
import { expectedCount } from '../../core/procedure.js';
import type { Rules } from '../../core/decide.js';
import type { TableState } from '../../core/state.js';
import type { Move } from '../scenario/dealer.js';
import { back, block, card, cover, double, floor, lid, link, press, shuffler } from './moves.js';

/** A mistake that whole acts make, or one that lies in leaving something out. */
export interface Mistake {
  readonly code: FindingCode;
  /** What goes wrong, for the log: `the dealer burns one card too many`. */
  readonly story: string;
  /** Whether this table can make it at all. */
  readonly fits: (rules: Rules) => boolean;
  /** Whether it can be made where the table stands now. */
  readonly can: (state: TableState, rules: Rules) => boolean;
  readonly moves?: (state: TableState, rules: Rules) => readonly Move[];
  /** What the dealer forgets in this round, or where the cover card wrongly lies. */
  readonly leaves?: 'counts-called' | 'stub-count';
  readonly coverBehind?: number;
  /** Takes too long, or ends the shoe: only on request. */
  readonly rare?: true;
}

const always = (): boolean => true;
const SOON_MS = 2000;
const AWAY_MS = 20_000;

const isOpening = ({ phase, shoe, burn }: TableState): boolean =>
  phase === 'ready' && !shoe.played && burn.dealerOwed === 0;
const isBetween = (
  { phase, shoe, cover: { waiting }, burn }: TableState,
  { procedure }: Rules,
): boolean =>
  phase === 'ready' &&
  (shoe.played || procedure.burn === null) &&
  !waiting &&
  burn.dealerOwed === 0;
const inShoe = ({ table }: Rules): boolean => table.dealing !== 'hand';
const hasBurn = ({ procedure, table }: Rules): boolean =>
  procedure.burn !== null && table.dealing !== 'hand';
const byMachine = ({ procedure, table }: Rules): boolean =>
  table.shuffler !== 'none' && procedure.shuffle.sources.includes('machine');
const isRunning = ({ phase, prep }: TableState): boolean =>
  phase === 'shuffling' && prep.machineRunning;
/** The stacks this table makes have to be cut. */
const hasCut = (rules: Rules): boolean =>
  rules.procedure.cut?.requiredFor[byMachine(rules) ? 'machine' : 'hand'] === true;
const playersCut = (rules: Rules): boolean =>
  hasCut(rules) && rules.procedure.cut?.cutter === 'players';
const hasRecut = (rules: Rules): boolean =>
  hasCut(rules) && inShoe(rules) && rules.procedure.cut?.recut != null;
/** Hand dealing where the stub is counted every few rounds. */
const hasStub = ({ procedure, table }: Rules): boolean =>
  procedure.stub?.appliesTo.includes(table.dealing) === true;

const shuffleMistakes: readonly Mistake[] = [
  {
    code: 'shuffle.missing',
    story: 'the old stack goes back into the shoe unshuffled',
    fits: inShoe,
    can: ({ phase, prep }) => phase === 'shuffle-due' && prep.shuffledBy.length === 0,
    moves: () => [press({ key: 'loaded' }, 4000)],
  },
  {
    code: 'shuffle.dealer-missing',
    story: 'the cut is made before every dealer has shuffled',
    fits: ({ procedure, table }) => procedure.shuffle.eachDealer && table.crew > 1,
    can: ({ phase, prep }, { table }) =>
      phase === 'shuffling' && prep.shuffledBy.length > 0 && prep.shuffledBy.length < table.crew,
    moves: () => [press({ key: 'cut', by: 'dealer' }, 3000)],
  },
  {
    code: 'shuffle.mode',
    story: 'the machine was left in sort mode',
    fits: byMachine,
    can: isRunning,
    moves: ({ prep: { batch } }, rules) => [
      shuffler(
        { kind: 'shuffler.done', batch, mode: 'sort', count: countOf(rules), lamp: 'green' },
        AWAY_MS,
      ),
    ],
  },
  {
    code: 'count.wrong',
    story: 'one card stayed behind: the machine counts one short',
    fits: ({ table, ...rest }) => byMachine({ table, ...rest }) && table.shuffler === 'counting',
    can: isRunning,
    moves: ({ prep: { batch } }, rules) => [
      shuffler(
        { kind: 'shuffler.done', batch, mode: 'shuffle', count: countOf(rules) - 1, lamp: 'red' },
        AWAY_MS,
      ),
    ],
  },
  {
    code: 'count.required',
    story: 'cards fall off the table and nobody counts them',
    fits: always,
    can: isBetween,
    moves: () => [press({ key: 'spill' }), press({ key: 'no-more-bets' }, 8000)],
  },
  {
    code: 'hand.manual-shuffle',
    story: 'the deck is shuffled by hand',
    fits: ({ procedure, table }) =>
      table.dealing === 'hand' && procedure.handDealing?.needsMachineShuffle === true,
    can: ({ phase, shoe }) => phase === 'shuffle-due' && shoe.no > 0,
    moves: () => [press({ key: 'shuffled' }, 8000)],
  },
];

const countOf = ({ procedure, table }: Rules): number => expectedCount(procedure, table);

const cutMistakes: readonly Mistake[] = [
  {
    code: 'cut.missing',
    story: 'the cut is forgotten',
    fits: (rules) => hasCut(rules) && inShoe(rules),
    can: ({ phase }) => phase === 'cut-due',
    moves: () => [press({ key: 'loaded' }, 4000)],
  },
  {
    code: 'cut.order',
    story: 'somebody cuts out of turn',
    fits: playersCut,
    can: ({ phase }) => phase === 'cut-due',
    moves: (_state, { table }) => [
      press({ key: 'cut-offered', seat: table.seats }),
      press({ key: 'cut', by: 1 }, 3000),
    ],
  },
  {
    code: 'cut.shallow',
    story: 'the cut is too shallow',
    fits: (rules) => hasCut(rules) && (rules.procedure.cut?.minFromTop ?? 0) > 4,
    can: ({ phase }) => phase === 'cut-due',
    moves: () => [press({ key: 'cut', by: 'dealer', depth: 4 }, 3000)],
  },
  {
    code: 'recut.authority',
    story: 'the dealer orders a recut himself',
    fits: hasRecut,
    can: ({ phase }) => phase === 'marker-due' || phase === 'load-due',
    moves: () => [press({ key: 'recut' })],
  },
  {
    code: 'recut.window',
    story: 'the floor orders a recut after the first card',
    fits: (rules) => hasRecut(rules) && hasBurn(rules),
    can: isOpening,
    moves: () => [floor({ key: 'recut' })],
  },
  {
    code: 'dwell.cut',
    story: 'the cut takes suspiciously long',
    fits: (rules) => hasCut(rules) && rules.table.policy.dwellCutS !== null,
    can: ({ phase }) => phase === 'cut-due',
    moves: (_state, { table }) => [
      press({ key: 'cut', by: 'dealer' }, ((table.policy.dwellCutS ?? 0) + 15) * 1000),
    ],
  },
  {
    code: 'marker.missing',
    story: 'the cover card is forgotten',
    fits: ({ procedure }) => procedure.marker !== null,
    can: ({ phase }) => phase === 'marker-due',
    moves: () => [press({ key: 'loaded' }, 4000)],
  },
  {
    code: 'marker.misplaced',
    story: 'the cover card lies nine from the bottom',
    fits: ({ procedure }) => (procedure.marker?.minBehind ?? 0) > 9,
    can: ({ phase }) => phase === 'load-due',
    coverBehind: 9,
  },
  {
    code: 'marker.in-burn',
    story: 'the cover card comes out during the burn',
    fits: (rules) => rules.procedure.marker !== null && hasBurn(rules),
    can: ({ phase }) => phase === 'burn',
    moves: () => [cover()],
  },
];

const burnMistakes: readonly Mistake[] = [
  {
    code: 'burn.rank-unknown',
    story: 'the burn goes on before anybody keyed the first card',
    fits: ({ procedure, table }) =>
      procedure.burn?.kind === 'first-card-value' && table.reader === 'none',
    can: ({ phase, burn }) => phase === 'burn' && burn.done === 1 && burn.required === null,
    moves: () => [card()],
  },
  {
    code: 'burn.short',
    story: 'the dealer goes on before the burn is complete',
    fits: hasBurn,
    can: ({ phase, burn }) =>
      phase === 'burn' && burn.required !== null && burn.required - burn.done === 1,
    moves: () => [press({ key: 'no-more-bets' }, SOON_MS)],
  },
  {
    code: 'burn.over',
    story: 'the dealer burns one card too many',
    fits: hasBurn,
    can: isOpening,
    moves: () => [card()],
  },
  {
    code: 'card.locked',
    story: 'the dealer goes on drawing against the locked shoe',
    fits: (rules) => hasBurn(rules) && rules.table.enforcement === 'lock',
    can: isOpening,
    moves: () => [card(), card(), card()],
  },
  {
    code: 'burn.dealer-missing',
    story: 'the new dealer deals without burning',
    fits: ({ procedure, table }) => procedure.dealerBurn !== null && table.dealing !== 'hand',
    can: isBetween,
    moves: () => [press({ key: 'dealer-in', dealer: 'D-9' }), press({ key: 'no-more-bets' }, 8000)],
  },
];

const roundMistakes: readonly Mistake[] = [
  {
    code: 'bets.open',
    story: 'a card is drawn with the bets open',
    fits: ({ procedure, table }) => procedure.round.bets !== null && table.dealing !== 'hand',
    can: isBetween,
    moves: () => [card(5000), press({ key: 'no-more-bets' }, SOON_MS)],
  },
  {
    code: 'round.overdrawn',
    story: 'one card more than the game allows',
    fits: ({ procedure, table }) => procedure.round.cards.max !== null && table.dealing !== 'hand',
    can: ({ phase, round }, { procedure }) =>
      phase === 'round' && round.cards === procedure.round.cards.max,
    moves: () => [card()],
  },
  {
    code: 'round.short',
    story: 'the round ends with too few cards',
    fits: ({ procedure, table }) =>
      (procedure.round.cards.min ?? 0) > 1 && table.dealing !== 'hand',
    can: ({ phase, round }, { procedure }) =>
      phase === 'round' && round.cards === (procedure.round.cards.min ?? 0) - 1,
    moves: () => [press({ key: 'round-end' }, 4000)],
  },
  {
    code: 'counts.not-called',
    story: 'the point counts are not called',
    fits: ({ procedure }) => procedure.round.countsCalled !== null,
    can: ({ phase, round }) => phase === 'round' && round.cards === 0,
    leaves: 'counts-called',
  },
  {
    code: 'stub.overdue',
    story: 'nobody counts the stub for five rounds',
    fits: hasStub,
    can: ({ phase, counting }, { procedure }) =>
      phase === 'round' && counting.roundsSince >= (procedure.stub?.everyRounds ?? 0),
    leaves: 'stub-count',
  },
  {
    code: 'stub.wrong',
    story: 'the stub comes to one card less than it should',
    fits: hasStub,
    can: ({ phase, round }) => phase === 'round' && round.hands !== null,
    moves: (state, { procedure, table }) => {
      const { stub } = procedure;
      if (stub === null) return [];
      const dealt = stub.perHand * ((state.round.hands ?? 0) + (stub.dealerHand ? 1 : 0));
      const n = expectedCount(procedure, table) - dealt - stub.community - stub.burns - 1;
      return [press({ key: 'stub-count', n }, AWAY_MS)];
    },
  },
];

const coverMistakes: readonly Mistake[] = [
  {
    code: 'cover.last-hand-not-called',
    story: 'the last hand begins unannounced',
    fits: ({ procedure }) =>
      procedure.cover?.first.announce === true || procedure.cover?.mid.announce === true,
    can: ({ phase, cover: { lastHandDue, lastHandCalled } }) =>
      phase === 'ready' && lastHandDue && !lastHandCalled,
    moves: () => [press({ key: 'no-more-bets' }, 6000)],
  },
  {
    code: 'cover.extra-round',
    story: 'a card is drawn after the last hand',
    fits: ({ procedure, table }) => procedure.cover !== null && table.dealing !== 'hand',
    can: ({ phase, cover: { roundsLeft } }) => phase === 'reshuffle-due' && roundsLeft === 0,
    moves: () => [card(3000)],
  },
  {
    code: 'cover.early-shuffle',
    story: 'the shoe is collected before its last hand',
    fits: ({ procedure, table }) => procedure.cover !== null && table.dealing !== 'hand',
    can: (state, rules) => isBetween(state, rules) && state.round.no > 6,
    moves: () => [press({ key: 'collected' }, 5000)],
    rare: true,
  },
];

const tableMistakes: readonly Mistake[] = [
  {
    code: 'card.back',
    story: 'a card slides back into the shoe',
    fits: inShoe,
    can: ({ phase, round }) => phase === 'round' && round.cards > 1,
    moves: () => [back()],
  },
  {
    code: 'card.double',
    story: 'two cards leave the shoe at once',
    fits: inShoe,
    can: ({ phase, round }, { procedure }) =>
      phase === 'round' && round.cards > 0 && round.cards + 2 <= (procedure.round.cards.max ?? 4),
    moves: () => [double()],
  },
  {
    code: 'card.jam',
    story: 'something lies in the mouth of the shoe',
    fits: inShoe,
    can: isBetween,
    moves: (_state, { table }) => [block(table.policy.blockedMs + 1500)],
  },
  {
    code: 'batch.foreign-back',
    story: 'a card of the other batch comes out',
    fits: ({ procedure, table }) => table.batches.length > 1 && inShoe({ procedure, table }),
    can: ({ phase, round }) => phase === 'round' && round.cards === 1,
    moves: ({ shoe }, { table }) => [
      card(
        1000,
        table.batches.find((batch) => batch !== shoe.batch),
      ),
    ],
  },
  {
    code: 'tamper.lid',
    story: 'the lid of the shoe is opened between rounds',
    fits: inShoe,
    can: isBetween,
    moves: () => [lid(true, SOON_MS), lid(false, 8000)],
  },
  {
    code: 'shuffler.lost',
    story: 'the cable of the shuffler comes loose',
    fits: byMachine,
    can: isBetween,
    moves: () => [link('shuffler', 'down', SOON_MS), link('shuffler', 'up', AWAY_MS)],
  },
  {
    code: 'press.authority',
    story: 'the dealer orders a reshuffle himself',
    fits: always,
    can: isBetween,
    moves: () => [press({ key: 'reshuffle' })],
  },
  {
    code: 'idle.spread-due',
    story: 'nobody plays for a long while',
    fits: ({ procedure, table }) => procedure.idle !== null && table.dealing !== 'hand',
    can: isBetween,
    moves: (_state, { procedure }) => [
      press({ key: 'spread' }, ((procedure.idle?.minutes ?? 30) + 1) * 60_000),
    ],
    rare: true,
  },
];

/** Every mistake the demo knows, by the finding it leads to. */
export const MISTAKES: readonly Mistake[] = [
  ...shuffleMistakes,
  ...cutMistakes,
  ...burnMistakes,
  ...roundMistakes,
  ...coverMistakes,
  ...tableMistakes,
];

export const mistakeOf = (code: string): Mistake | undefined =>
  MISTAKES.find((mistake) => mistake.code === code);
