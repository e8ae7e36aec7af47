import { z } from 'zod';
import { FINDING_CODES, SEVERITIES } from '../../controller/core/finding.js';
import { count, observationSchema, role, shortText } from './inputs.js';
import {
  actorSchema,
  decisionSchema,
  displaySchema,
  dutySchema,
  findingSchema,
  phaseSchema,
  towerSchema,
} from './outcome.js';

/**
 * Every message that leaves or enters the box. These definitions are the contract: the JSON
 * Schemas and the AsyncAPI document beside them are generated from here (docs/CONTRACT.md).
 * A consumer passes over fields it does not know: lists are extended, never renamed.
 */

export const HASH_HEX = /^[0-9a-f]{64}$/;
const hash = z.string().regex(HASH_HEX).describe('SHA-256, hex');
const seq = z.int().min(1);
const headSeq = z.int().min(0);
const wallMs = z.number().describe('Wall time, ms since the epoch');
const wallTrusted = z.boolean();
const cameras = z
  .array(shortText)
  .max(16)
  .exactOptional()
  .describe('Cameras that see this table, as the site names them');
const historical = z
  .literal(true)
  .exactOptional()
  .describe('Sent late: after an outage, or again on request');

const fault = shortText
  .exactOptional()
  .describe('Why no row can be written any more: what is said here is the last durable row');

export const statusSchema = z
  .object({
    status: z.enum(['online', 'offline']),
    reason: z
      .enum(['start', 'stop', 'lost', 'fault'])
      .describe(
        'start: birth; stop: stopped on purpose; lost: the broker speaks for the table; ' +
          'fault: said again, because no row can be written any more',
      ),
    boot: count.describe('How often this table has started'),
    version: shortText.describe('Program version; `unknown` where it was built without one'),
    sinceMs: z.number().describe('Wall time of this connection, ms since the epoch'),
    wallTrusted,
    mqtt: z.enum(['5', '3.1.1']).describe('3.1.1 is the weaker mode: refusals are not seen'),
    seq: headSeq.describe('Newest journal row when this was written; 0 in an empty journal'),
    hash,
    fault,
  })
  .describe('Whether the table can be heard. Retained; the last will on the same topic');

export const stateSchema = z
  .object({
    wallMs,
    wallTrusted,
    boot: count,
    cameras,
    phase: phaseSchema,
    seq: headSeq,
    shoe: count,
    round: count,
    cardsThisRound: count,
    loaded: count,
    out: count,
    left: z.int().nullable(),
    behind: z.int().nullable(),
    due: z.int().nullable(),
    batch: shortText.nullable(),
    dealer: shortText.nullable(),
    coverSeen: z.boolean(),
    lastHand: z.boolean(),
    dealerBurnDue: z.boolean(),
    countRequired: shortText.nullable(),
    quarantined: z.array(shortText),
    gap: z.boolean(),
    roundsSinceCount: count,
    gate: z.enum(['open', 'locked']),
    tower: towerSchema,
    display: displaySchema,
    findings: z.array(findingSchema),
    raised: z.record(z.string(), count),
    duties: z.array(dutySchema),
    cardsAfterWarning: count,
    timeToStopMs: z.number(),
    fault,
  })
  .describe('The table as it stands after row `seq`. Retained, newest wins; unknown is null');

export const eventSchema = z
  .object({
    seq,
    prev: hash,
    hash,
    historical,
    cameras,
    observation: observationSchema,
    decisions: z.array(decisionSchema),
  })
  .describe(
    'One journal row. `hash` covers `prev` and the canonical JSON of {decisions, observation}',
  );

export const alertSchema = z
  .object({
    seq: seq.describe('Row that decided it; with `n` the key to de-duplicate by'),
    n: count.describe('Which decision of that row'),
    atNs: z.number(),
    wallMs,
    wallTrusted,
    historical,
    cameras,
    change: z.enum(['raised', 'changed', 'acknowledged', 'cleared']),
    id: shortText,
    code: z.enum(FINDING_CODES).nullable(),
    clause: shortText.nullable(),
    severity: z.enum(SEVERITIES).nullable(),
    finding: findingSchema
      .nullable()
      .describe('As it stood after the change; null when it was raised before what the box holds'),
    by: actorSchema.exactOptional(),
    how: shortText.exactOptional(),
  })
  .describe("One change in a finding's life");

export const markSchema = z
  .object({
    seq,
    n: count,
    wallMs,
    wallTrusted,
    historical,
    cameras,
    mark: shortText,
    from: z.enum(['rules', 'command']),
    key: shortText.exactOptional().describe('Name of the key that asked for it'),
  })
  .describe('A moment worth finding in the video');

export const checkpointSchema = z
  .object({
    seq,
    hash,
    boot: count,
    procedure: hash.nullable(),
    table: hash.nullable(),
    wallMs,
    wallTrusted,
    key: shortText.describe('SHA-256 of the device key that signed, hex'),
    signature: z.string().max(128).describe('Ed25519, base64'),
  })
  .describe('A signed statement of the newest row: a later rewrite on either side shows');

export const documentsSchema = z
  .object({
    documents: z
      .array(z.object({ kind: z.enum(['procedure', 'table']), hash, text: z.string().max(65_536) }))
      .max(8)
      .describe('Canonical JSON in force, each with its SHA-256 as starts and checkpoints name it'),
    key: z
      .object({ name: hash, publicKey: z.string().max(64).describe('32 bytes, base64') })
      .nullable()
      .describe('Public half of the device key that signs checkpoints; null: none are signed'),
  })
  .describe('What a consumer needs to show and to prove the rows. Retained');

const sensorHealth = z.object({
  up: z.boolean(),
  stale: z.boolean(),
  quality: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .describe('Share of its readings lately that could be used; null: nothing to judge'),
});

export const healthSchema = z
  .object({
    wallMs,
    wallTrusted,
    boot: count,
    seq: headSeq,
    queued: count.describe('Rows the broker has not acknowledged'),
    undelivered: count
      .nullable()
      .describe('Rows the slowest named consumer has not acknowledged; null where none is named'),
    outstanding: count,
    connects: count,
    faults: z.record(z.string(), count).describe('Faults of the link since the start, by kind'),
    uptimeS: z.number(),
    rssBytes: count,
    diskFreeBytes: count.nullable(),
    diskWrittenBytes: count
      .nullable()
      .exactOptional()
      .describe('Written to the device of the journal since the machine was switched on'),
    diskLifeUsedPercent: count
      .nullable()
      .exactOptional()
      .describe('Life used by its own account; null where it gives none (SD cards)'),
    temperatureC: z.number().nullable(),
    devices: z.record(z.string(), sensorHealth),
    fault,
    refusedCommands: count
      .exactOptional()
      .describe('Orders refused since the start, recorded in the journal or only counted'),
    certificate: z
      .object({
        standing: z
          .enum(['valid', 'renew', 'expired', 'not-yet', 'unreadable'])
          .describe('renew: two thirds of its life are over'),
        daysLeft: z.int().nullable(),
        asked: z.boolean().describe('A request for the next one lies on the device'),
      })
      .exactOptional()
      .describe("The table's own certificate; left out where the link has none"),
  })
  .describe('How the box itself is. QoS 0; a missing figure is null');

export const ackSchema = z
  .object({ seq: headSeq, hash })
  .describe("A consumer's contiguous high-water mark, written after its own commit. Retained");

export const cmdSchema = z
  .object({
    signed: z.string().max(4096).describe('The order as JSON text: these bytes are signed'),
    key: z.string().max(64).describe("Name of the key on the table's list"),
    signature: z
      .string()
      .max(128)
      .describe('Ed25519 over `cutcard/v1/cmd` + line feed + `signed`, base64'),
  })
  .describe('A signed order to one table');

const order = {
  table: z.string().max(100).describe('`site/pit/table`: an order for another table is refused'),
  nonce: z
    .string()
    .regex(/^[A-Za-z0-9_-]{16,64}$/, 'takes 16 to 64 letters, digits, `-` or `_`')
    .describe('Never used twice'),
  issuedMs: z.number(),
  expiresMs: z.number().describe('At most 60 s after `issuedMs`'),
};

export const orderSchema = z
  .discriminatedUnion(
    'cmd',
    [
      z.strictObject({ ...order, cmd: z.literal('ack'), finding: z.string().min(1).max(64) }),
      z.strictObject({ ...order, cmd: z.literal('resend'), from: seq, to: seq }),
      z.strictObject({ ...order, cmd: z.literal('mark'), text: z.string().min(1).max(120) }),
      z.strictObject({ ...order, cmd: z.literal('clear'), finding: z.string().min(1).max(64) }),
    ],
    { error: 'takes ack, resend, mark or clear' },
  )
  .describe('What `signed` holds');

export const replySchema = z
  .object({
    nonce: shortText.nullable().describe('Of the order, where it could be read'),
    cmd: z.enum(['ack', 'resend', 'mark', 'clear']).nullable(),
    taken: z.boolean(),
    reason: shortText.exactOptional().describe('Why it was refused'),
    role: role.exactOptional(),
    ruled: z
      .object({
        seq: seq.describe('Row that holds the press and what was decided on it'),
        refused: shortText.exactOptional().describe('Why the rules refused it'),
        clause: shortText.exactOptional().describe('Of that refusal'),
      })
      .exactOptional()
      .describe('What the rules made of a taken `ack` or `clear`; left out: not known here'),
    seq: headSeq.describe('Newest journal row when it was answered'),
    wallMs,
  })
  .describe(
    'The answer to an order. `taken`: passed to the rules; what they made of it is an event, and ' +
      'of `ack` and `clear` told in `ruled`',
  );

export type StatusMessage = z.output<typeof statusSchema>;
export type StateMessage = z.output<typeof stateSchema>;
export type AlertMessage = z.output<typeof alertSchema>;
export type MarkMessage = z.output<typeof markSchema>;
export type CheckpointMessage = z.output<typeof checkpointSchema>;
export type DocumentsMessage = z.output<typeof documentsSchema>;
export type HealthMessage = z.output<typeof healthSchema>;
export type CmdMessage = z.output<typeof cmdSchema>;
export type Order = z.output<typeof orderSchema>;
export type ReplyMessage = z.output<typeof replySchema>;
