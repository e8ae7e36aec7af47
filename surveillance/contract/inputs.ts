import { z } from 'zod';
import { RANKS, ROLES, SUITS } from '../../controller/core/cards.js';
import type { PressKey } from '../../controller/core/press.js';

/** What reached the rules, as it leaves the box. Types: controller/core/observation.ts. */

const MAX_TEXT = 512;
export const shortText = z.string().max(MAX_TEXT);
export const count = z.int().min(0);
const rank = z.enum(RANKS);
export const role = z.enum(ROLES);
const batch = shortText;
const lamp = z.enum(['green', 'red', 'blink', 'off']);

const stamp = {
  seq: z.int().min(1).describe("Place in the table's journal; never starts again at a boot"),
  atNs: z.number().min(0).describe('Watched time in ns: monotonic over restarts'),
  wallMs: z.number().describe('Wall time, ms since the epoch: for people and video'),
  wallTrusted: z.boolean().describe('False while the clock is not known to be right'),
};

const bare = <K extends string>(kind: K): z.ZodObject<typeof stamp & { kind: z.ZodLiteral<K> }> =>
  z.object({ ...stamp, kind: z.literal(kind) });

const sensed = [
  z.object({
    ...stamp,
    kind: z.literal('card.out'),
    back: batch.exactOptional(),
    rank: rank.exactOptional(),
    suit: z.enum(SUITS).exactOptional(),
    lengthMm: z.number().nullable().describe('null where it stopped or turned on its way'),
    speedMmS: z.number().nullable(),
  }),
  bare('card.back'),
  z.object({ ...stamp, kind: z.literal('card.double'), lengthMm: z.number() }),
  bare('cover.out'),
  bare('mouth.blocked'),
  bare('mouth.clear'),
  bare('shoe.loaded'),
  bare('shoe.empty'),
  bare('lid.open'),
  bare('lid.closed'),
  z.object({ ...stamp, kind: z.literal('rack.count'), n: count }),
  z.object({ ...stamp, kind: z.literal('shuffler.start'), batch: batch.exactOptional() }),
  z.object({
    ...stamp,
    kind: z.literal('shuffler.done'),
    batch: batch.exactOptional(),
    count: count.exactOptional(),
    mode: z.enum(['shuffle', 'sort', 'count']).exactOptional(),
    lamp: lamp.exactOptional(),
  }),
  z.object({ ...stamp, kind: z.literal('shuffler.lamp'), lamp, batch: batch.exactOptional() }),
  bare('shuffler.jam'),
  z.object({ ...stamp, kind: z.literal('shuffler.door'), open: z.boolean() }),
  z.object({ ...stamp, kind: z.literal('shuffler.inventory'), batch, count }),
  z.object({ ...stamp, kind: z.literal('shuffler.unload'), batch, count }),
] as const;

const device = shortText;
const condition = [
  z.object({
    ...stamp,
    kind: z.literal('link.up'),
    device,
    identity: shortText.exactOptional(),
  }),
  z.object({ ...stamp, kind: z.literal('link.down'), device, reason: shortText.exactOptional() }),
  z.object({ ...stamp, kind: z.literal('device.stale'), device }),
  z.object({
    ...stamp,
    kind: z.literal('power.boot'),
    unclean: z.boolean(),
    boot: count,
    version: shortText.exactOptional(),
    procedure: shortText.exactOptional(),
    table: shortText.exactOptional(),
  }),
  bare('power.off'),
  z.object({ ...stamp, kind: z.literal('clock.step'), stepMs: z.number() }),
  z.object({ ...stamp, kind: z.literal('clock.trust'), trusted: z.boolean() }),
  z.object({ ...stamp, kind: z.literal('journal.fault'), reason: shortText }),
  z.object({
    ...stamp,
    kind: z.literal('command'),
    command: z.enum(['ack', 'resend', 'mark', 'clear', 'unknown']),
    taken: z.boolean(),
    key: shortText.exactOptional(),
    role: role.exactOptional(),
    nonce: shortText.exactOptional(),
    note: shortText.exactOptional(),
    uncounted: count.exactOptional(),
  }),
  z.object({ ...stamp, kind: z.literal('timer'), timer: shortText }),
] as const;

const press = { ...stamp, kind: z.literal('press'), role, badge: shortText.exactOptional() };
const pressed = <K extends PressKey>(
  key: K,
): z.ZodObject<typeof press & { key: z.ZodLiteral<K> }> =>
  z.object({ ...press, key: z.literal(key) });
const seat = z.int().min(0);

const presses = [
  pressed('open-table'),
  pressed('cards-inspected'),
  pressed('washed'),
  pressed('shuffled'),
  pressed('preshuffled').extend({ package: shortText }),
  pressed('cut-offered').extend({ seat }),
  pressed('cut-declined').extend({ seat }),
  pressed('cut').extend({
    by: z.union([seat, z.literal('dealer')]),
    depth: count.exactOptional(),
  }),
  pressed('marker-placed'),
  pressed('loaded').extend({ batch: batch.exactOptional() }),
  pressed('first-card').extend({ rank: z.union([rank, z.literal('0')]) }),
  pressed('burn-done'),
  pressed('no-more-bets').extend({ hands: count.exactOptional() }),
  pressed('counts-called'),
  pressed('last-hand-called'),
  pressed('round-end').extend({ result: shortText.exactOptional() }),
  pressed('stub-count').extend({ n: count }),
  pressed('dealer-in').extend({ dealer: shortText.exactOptional() }),
  pressed('spill'),
  pressed('replace').extend({
    out: shortText,
    in: shortText,
    second: shortText.exactOptional(),
  }),
  pressed('spread'),
  pressed('inspected'),
  pressed('collected'),
  pressed('close-table'),
  pressed('acknowledge').extend({ finding: shortText }),
  pressed('recut'),
  pressed('reshuffle'),
  pressed('void-round'),
  pressed('misdeal').extend({ yes: z.boolean(), full: z.boolean() }),
  pressed('deck-removed').extend({ batch }),
  pressed('deck-in').extend({ batch, id: shortText }),
  pressed('clear').extend({ finding: shortText }),
  pressed('accept-gap').extend({ cards: count }),
  pressed('hand-count').extend({ batch, n: count, second: shortText }),
  pressed('approve-reshuffler').extend({ device: shortText }),
] as const;

export const observationSchema = z
  .discriminatedUnion('kind', [...sensed, ...condition, z.discriminatedUnion('key', [...presses])])
  .describe('What happened: sensed by hardware, pressed by a person, or a condition of the box');
