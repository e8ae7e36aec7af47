import * as fc from 'fast-check';
import { RANKS, SUITS } from '../../controller/core/cards.js';
import type { Happening } from '../../controller/core/observation.js';
import type { Press, PressAct } from '../../controller/core/press.js';
import { type CoreTable, rulesOf, type Setting, tableOf } from '../unit/core/table.js';

/** The tables random play is tried on: each pack, with and without machine, reader, batches. */
export const TABLES: readonly (readonly [string, Setting])[] = [
  ['pa/631a-baccarat', { shuffler: 'none', crew: 3, seats: 14 }],
  ['pa/631a-baccarat', { shuffler: 'counting', crew: 1, batches: ['red', 'blue'] }],
  ['pa/627a-minibaccarat', { reader: 'rank', batches: ['red', 'blue'] }],
  ['pa/627a-minibaccarat', { shuffler: 'none', decks: 6 }],
  ['pa/651a-casino-war', { decks: 6, reader: 'rank' }],
  ['pa/663a-five-card-hi-lo', { seats: 6, batches: ['red', 'blue'] }],
  ['pa/663a-five-card-hi-lo', { seats: 6, shuffler: 'none' }],
  ['pa/677a-heads-up-hold-em', { seats: 6, dealing: 'hand', shuffler: 'not-counting' }],
  ['pa/677a-heads-up-hold-em', { seats: 6, dealing: 'hand', batches: ['red', 'blue'] }],
  ['pa/633a-blackjack', { decks: 6, batches: ['red', 'blue'] }],
  ['nsw/blackjack', { decks: 6, enforcement: 'advise' }],
];

export const anyTable = fc.constantFrom(...TABLES);
export const tableFor = ([id, set]: (typeof TABLES)[number]): CoreTable => tableOf(id, set);
export const rulesFor = ([id, set]: (typeof TABLES)[number]): ReturnType<typeof rulesOf> =>
  rulesOf(id, set);

const batch = fc.constantFrom('red', 'blue');
const badge = fc.constantFrom('D-1', 'D-2', 'F-1', 'F-2');
const seat = fc.integer({ min: 0, max: 15 });
const rank = fc.constantFrom(...RANKS);
const suit = fc.constantFrom(...SUITS);
const device = fc.constantFrom('mouth', 'shuffler', 'keypad', 'reader');
const card = fc.constantFrom('7h', 'Qd', 'Ac');

const code = fc.constantFrom(
  'shuffle.missing',
  'count.wrong',
  'burn.over',
  'card.back',
  'cover.extra-round',
  'gap.unwatched',
  'round.overdrawn',
  'card.double',
  'batch.migrated',
  '5.1',
);

const plain = fc.constantFrom<PressAct>(
  { key: 'open-table' },
  { key: 'cards-inspected' },
  { key: 'washed' },
  { key: 'shuffled' },
  { key: 'marker-placed' },
  { key: 'burn-done' },
  { key: 'counts-called' },
  { key: 'last-hand-called' },
  { key: 'round-end' },
  { key: 'spill' },
  { key: 'spread' },
  { key: 'inspected' },
  { key: 'collected' },
  { key: 'close-table' },
  { key: 'recut' },
  { key: 'reshuffle' },
  { key: 'void-round' },
  { key: 'no-more-bets' },
  { key: 'loaded' },
  { key: 'dealer-in' },
);

const withValue: fc.Arbitrary<PressAct> = fc.oneof(
  fc.record({ key: fc.constant('preshuffled' as const), package: fc.constant('P-1') }),
  fc.record({ key: fc.constantFrom('cut-offered' as const, 'cut-declined' as const), seat }),
  fc.record({
    key: fc.constant('cut' as const),
    by: fc.oneof(seat, fc.constant('dealer' as const)),
    depth: fc.integer({ min: 0, max: 416 }),
  }),
  fc.record({ key: fc.constant('loaded' as const), batch }),
  fc.record({
    key: fc.constant('first-card' as const),
    rank: fc.oneof(rank, fc.constant('0' as const)),
  }),
  fc.record({ key: fc.constant('no-more-bets' as const), hands: fc.integer({ min: 0, max: 7 }) }),
  fc.record({ key: fc.constant('stub-count' as const), n: fc.integer({ min: 30, max: 45 }) }),
  fc.record({ key: fc.constant('dealer-in' as const), dealer: badge }),
  fc.record({ key: fc.constant('replace' as const), out: card, in: card, second: badge }),
  fc.record({ key: fc.constantFrom('acknowledge' as const, 'clear' as const), finding: code }),
  fc.record({ key: fc.constant('misdeal' as const), yes: fc.boolean(), full: fc.boolean() }),
  fc.record({ key: fc.constant('deck-removed' as const), batch }),
  fc.record({ key: fc.constant('deck-in' as const), batch, id: fc.constant('B-9') }),
  fc.record({ key: fc.constant('accept-gap' as const), cards: fc.integer({ min: 0, max: 5 }) }),
  fc.record({
    key: fc.constant('hand-count' as const),
    batch,
    n: fc.constantFrom(52, 312, 416, 415, 417),
    second: badge,
  }),
  fc.record({ key: fc.constant('approve-reshuffler' as const), device }),
);

const press: fc.Arbitrary<Press> = fc
  .tuple(fc.oneof(plain, withValue), fc.constantFrom('dealer', 'floor', 'floor', 'tech'), badge)
  .map(([act, role, by]) => ({ kind: 'press', role, badge: by, ...act }));

const cardOut: fc.Arbitrary<Happening> = fc.record({
  kind: fc.constant('card.out' as const),
  rank,
  suit,
  back: fc.constantFrom('red', 'red', 'red', 'blue'),
  lengthMm: fc.constant(88),
  speedMmS: fc.constant(500),
});

const count = fc.constantFrom(52, 312, 312, 416, 416, 415, 417);

const shuffler: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({ kind: fc.constant('shuffler.start' as const), batch }),
  fc.record({
    kind: fc.constant('shuffler.done' as const),
    batch,
    count,
    mode: fc.constantFrom('shuffle' as const, 'shuffle' as const, 'sort' as const),
  }),
  fc.constantFrom<Happening>(
    { kind: 'shuffler.done' },
    { kind: 'shuffler.done', lamp: 'red' },
    { kind: 'shuffler.jam' },
    { kind: 'shuffler.door', open: true },
    { kind: 'shuffler.lamp', lamp: 'red' },
    { kind: 'shuffler.lamp', lamp: 'blink' },
  ),
  fc.record({ kind: fc.constant('shuffler.inventory' as const), batch, count }),
);

const box: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({ kind: fc.constantFrom('link.down' as const, 'device.stale' as const), device }),
  fc.record({
    kind: fc.constant('link.up' as const),
    device,
    identity: fc.constantFrom('SN-1', 'SN-2'),
  }),
  fc.constantFrom<Happening>(
    { kind: 'power.boot', unclean: true, boot: 2 },
    { kind: 'power.off' },
    { kind: 'clock.step', stepMs: 4000 },
    { kind: 'clock.trust', trusted: true },
    { kind: 'journal.fault', reason: 'the disk is full' },
    { kind: 'lid.open' },
    { kind: 'lid.closed' },
    { kind: 'mouth.blocked' },
    { kind: 'mouth.clear' },
    { kind: 'shoe.loaded' },
    { kind: 'shoe.empty' },
    { kind: 'rack.count', n: 40 },
    { kind: 'timer', timer: 'idle' },
  ),
);

const shoe = fc.constantFrom<Happening>(
  { kind: 'cover.out' },
  { kind: 'card.back' },
  { kind: 'card.double', lengthMm: 104 },
);

/** Anything that can happen to a table, in no order at all. */
export const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 10, arbitrary: press },
  { weight: 8, arbitrary: cardOut },
  { weight: 2, arbitrary: shoe },
  { weight: 2, arbitrary: shuffler },
  { weight: 1, arbitrary: box },
);

/** The next correct thing, so that random play gets deep into a shoe; now and then anything. */
export const deed = fc.oneof(
  { weight: 3, arbitrary: fc.constant('right' as const) },
  { weight: 2, arbitrary: happening },
);
export type Deed = Happening | 'right';
