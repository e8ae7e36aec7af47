import { z } from 'zod';
import { RANKS, SUITS, type Rank, type Suit } from '../../controller/core/cards.js';
import type { Sensed } from '../../controller/core/observation.js';
import type { FieldValue } from './profile.js';

/** A batch is a short lower-case word, whatever case the machine prints it in. */
const batch = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9-]{0,15}$/, 'is a short word: the colour of the backs')
  .transform((s) => s.toLowerCase());
/** More cards than any machine holds: 12 decks of 54. */
export const COUNT_MAX = 648;
const count = z.int().min(0).max(COUNT_MAX);
const lamp = z.enum(['green', 'red', 'blink', 'off']);
const mode = z.enum(['shuffle', 'sort', 'count']);

/** What a declared device may tell the rules, key by key. */
const observed = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('shuffler.start'), batch: batch.exactOptional() }),
  z.strictObject({
    kind: z.literal('shuffler.done'),
    batch: batch.exactOptional(),
    count: count.exactOptional(),
    mode: mode.exactOptional(),
    lamp: lamp.exactOptional(),
  }),
  z.strictObject({ kind: z.literal('shuffler.lamp'), lamp, batch: batch.exactOptional() }),
  z.strictObject({ kind: z.literal('shuffler.jam') }),
  z.strictObject({ kind: z.literal('shuffler.door'), open: z.boolean() }),
  z.strictObject({ kind: z.literal('shuffler.inventory'), batch, count }),
  z.strictObject({ kind: z.literal('shuffler.unload'), batch, count }),
  z.strictObject({ kind: z.literal('rack.count'), n: count }),
]);

const text = z.string().min(1).max(64);
const inner = z.discriminatedUnion('say', [
  z.strictObject({ say: z.literal('alive') }),
  z.strictObject({ say: z.literal('identity'), identity: text }),
  z.strictObject({
    say: z.literal('rank'),
    rank: z.enum(RANKS).exactOptional(),
    suit: z.enum(SUITS).exactOptional(),
  }),
  z.strictObject({ say: z.literal('badge'), badge: text }),
]);

/** One decoded message of a declared device. */
export type Says =
  | { readonly say: 'observation'; readonly happening: Sensed }
  | { readonly say: 'alive' }
  | { readonly say: 'identity'; readonly identity: string }
  /** Without a rank: the reader saw a card and could not read it. */
  | { readonly say: 'rank'; readonly rank?: Rank; readonly suit?: Suit }
  | { readonly say: 'badge'; readonly badge: string }
  /** One JSON object, unchecked: the panel's own schema judges it. */
  | { readonly say: 'json'; readonly value: unknown };

export type Decoded =
  | { readonly ok: true; readonly says: Says }
  | { readonly ok: false; readonly why: string };

/** Gives `observe` and its values their checked shape; says what is wrong with them. */
export const saysOf = (observe: string, values: Readonly<Record<string, FieldValue>>): Decoded => {
  if (observe.includes('.')) {
    const parsed = observed.safeParse({ kind: observe, ...values });
    return parsed.success
      ? { ok: true, says: { say: 'observation', happening: parsed.data } }
      : { ok: false, why: z.prettifyError(parsed.error) };
  }
  const parsed = inner.safeParse({ say: observe, ...values });
  return parsed.success
    ? { ok: true, says: parsed.data }
    : { ok: false, why: z.prettifyError(parsed.error) };
};

/** Keys an observation takes, and those it cannot do without: for the linter. */
export const OBSERVE_KEYS: Readonly<
  Record<string, { readonly need: readonly string[]; readonly may: readonly string[] }>
> = {
  'shuffler.start': { need: [], may: ['batch'] },
  'shuffler.done': { need: [], may: ['batch', 'count', 'mode', 'lamp'] },
  'shuffler.lamp': { need: ['lamp'], may: ['batch'] },
  'shuffler.jam': { need: [], may: [] },
  'shuffler.door': { need: ['open'], may: [] },
  'shuffler.inventory': { need: ['batch', 'count'], may: [] },
  'shuffler.unload': { need: ['batch', 'count'], may: [] },
  'rack.count': { need: ['n'], may: [] },
  alive: { need: [], may: [] },
  identity: { need: ['identity'], may: [] },
  rank: { need: [], may: ['rank', 'suit'] },
  badge: { need: ['badge'], may: [] },
};
