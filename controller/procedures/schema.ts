import { z } from 'zod';
import { RANKS, ROLES } from '../core/cards.js';

/** Largest stack thought of: 12 decks of 54. */
export const MAX_STACK = 648;

const cards = z.int().min(0).max(MAX_STACK);
const minutes = z.int().min(1).max(1440);
const hours = z.number().min(0.5).max(8760);
const text = z.string().min(1).max(400);
const word = z.string().regex(/^[A-Za-z][A-Za-z0-9-]{0,40}$/);

export const dealing = z.enum(['shoe', 'hand', 'auto-shoe']);
export const shuffleSource = z.enum(['hand', 'machine', 'preshuffled']);
const destination = z.enum(['bucket', 'rack']);
export const packId = z.string().regex(/^[a-z0-9-]+\/[a-z0-9-]+$/);
export const version = z.string().regex(/^\d{1,4}\.\d{1,4}\.\d{1,4}$/);

/** A number of cards, or of whole decks: `{decks: 1}`. */
const depth = z.union([cards, z.strictObject({ decks: z.int().min(1).max(12) })]);

const deck = z.strictObject({
  composition: z.enum(['standard', 'one-joker', 'two-jokers', 'no-tens']),
  decks: z.strictObject({ min: z.int().min(1).max(12), max: z.int().min(1).max(12) }),
  batches: z
    .strictObject({ count: z.int().min(1).max(2), alternate: z.boolean() })
    .default({ count: 1, alternate: false }),
  maxAge: z
    .strictObject({ hours: hours, handHours: hours.nullable().default(null) })
    .nullable()
    .default(null),
});

const shuffle = z.strictObject({
  when: z.enum(['shoe-end', 'each-round']),
  sources: z.array(shuffleSource).min(1).max(3),
  wash: z.boolean(),
  eachDealer: z.boolean().default(false),
});

const cut = z.strictObject({
  cutter: z.enum(['players', 'dealer']),
  /** Whom the players' first offer goes to in a new game; `any` where no text names anybody. */
  firstOffer: z.enum(['highest-seat', 'any']).default('any'),
  requiredAfter: z.array(shuffleSource).max(3),
  minFromTop: depth,
  minFromBottom: depth.nullable(),
  coverToBottom: z.boolean(),
  recut: z
    .strictObject({
      authority: z.enum(ROLES),
      until: z.enum(['load', 'deal']),
      by: z.enum(['next-entitled', 'dealer']),
    })
    .nullable(),
});

const share = z.number().gt(0).lt(1);
const marker = z.strictObject({
  minBehind: cards.nullable(),
  /** Part of the stack that lies behind it: about a quarter is min and max 0.25. */
  share: z
    .strictObject({ min: share.nullable().default(null), max: share.nullable().default(null) })
    .nullable()
    .default(null),
  bottomCover: z.boolean(),
});

const burn = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('first-card-value'),
    values: z.partialRecord(z.enum(RANKS), z.int().min(0).max(20)).default({}),
    to: destination,
  }),
  z.strictObject({
    kind: z.literal('fixed'),
    cards: z.int().min(1).max(60),
    secret: z.boolean(),
    to: destination,
  }),
  z.strictObject({ kind: z.literal('deck-count'), secret: z.boolean(), to: destination }),
]);

const smallBurn = z.strictObject({ cards: z.int().min(1).max(20), secret: z.boolean() });

const consequence = z.strictObject({
  roundsAfter: z.int().min(0).max(10),
  announce: z.boolean(),
  shuffleNow: z.boolean().default(false),
});

const round = z.strictObject({
  noMoreBets: z.boolean(),
  cards: z.strictObject({ min: cards.nullable(), max: cards.nullable() }),
  faceUp: z.boolean(),
  countsCalled: z.strictObject({ after: cards }).nullable().default(null),
  tableau: z
    .strictObject({ kind: z.literal('baccarat'), order: z.literal('player-first') })
    .nullable()
    .default(null),
});

const stub = z.strictObject({
  everyRounds: z.int().min(1).max(1000),
  dealing: z.array(dealing).min(1).max(3),
  perHand: cards,
  dealerHand: z.boolean(),
  /** Hands dealt in every round whether or not anybody wagers. */
  fixedHands: z.int().min(1).max(20).nullable().default(null),
  community: cards,
  burns: cards,
  exemptIfCounting: z.boolean(),
  onGood: z.literal('to-rack'),
  onWrong: z.literal('misdeal-tree'),
});

const lift = z.enum(['cut', 'count', 'idle', 'stub']);

const unseenItem = z.strictObject({ duty: word, text });

const needs = z.record(word, word).default({});
const choice = z.strictObject({ says: text, set: z.record(word, z.unknown()).default({}) });
const option = z.union([
  z.strictObject({ asks: text, default: word, choices: z.record(word, choice) }),
  z.strictObject({
    asks: text,
    /** Field the number goes to, such as `burn.cards`; the pack's own value is the default. */
    sets: z.string().regex(/^[A-Za-z]+(\.[A-Za-z]+)+$/),
    min: z.number(),
    max: z.number(),
    /** The number means something only where these choices were made. */
    needs,
  }),
]);

/** A pack after `extends` and the house's choices were applied: values only, marks taken out. */
export const packSchema = z.strictObject({
  pack: z.literal(1),
  id: packId,
  title: text,
  jurisdiction: text,
  version,
  /** Who let this pack be used, under what number; a house's own record. */
  approval: z
    .strictObject({
      id: text,
      by: text,
      date: z.string().regex(/^\d{4}-\d{2}-\d{2}$/),
    })
    .nullable()
    .default(null),
  extends: packId.optional(),
  renumber: z.record(z.string().max(40), z.string().max(40)).optional(),
  choose: z.record(word, z.union([word, z.number()])).optional(),
  sources: z.record(word, text),
  maxSeats: z.int().min(1).max(20),
  deck,
  dealing: z.array(dealing).min(1).max(3),
  autoShoe: z
    .strictObject({ stack: z.int().min(1).max(20) })
    .nullable()
    .default(null),
  shuffle,
  count: z.strictObject({ onWrong: z.enum(['remove-deck', 'recount']) }),
  cut: cut.nullable(),
  marker: marker.nullable(),
  burn: burn.nullable(),
  dealerBurn: smallBurn.nullable(),
  deadGameBurn: smallBurn.nullable().default(null),
  cover: z.strictObject({ first: consequence, mid: consequence }).nullable(),
  round,
  stub: stub.nullable().default(null),
  handDealing: z.strictObject({ needsMachineShuffle: z.boolean() }).nullable().default(null),
  idle: z
    .strictObject({ minutes, inspectors: z.int().min(1).max(2).default(1) })
    .nullable()
    .default(null),
  exemption: z
    .strictObject({ lifts: z.array(lift).min(1).max(4) })
    .nullable()
    .default(null),
  unseen: z.array(unseenItem).max(40).default([]),
  options: z.record(word, option).default({}),
});

export type Pack = z.infer<typeof packSchema>;
