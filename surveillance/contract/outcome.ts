import { z } from 'zod';
import { ROLES } from '../../controller/core/cards.js';
import { FINDING_CODES, SEVERITIES } from '../../controller/core/finding.js';
import { PHASES } from '../../controller/core/state.js';
import { count, role, shortText } from './inputs.js';

/** What was decided, as it leaves the box. Types: controller/core/decision.ts, finding.ts. */

export const actorSchema = z
  .object({ role: z.enum([...ROLES, 'system']), badge: shortText.exactOptional() })
  .describe('Who did it: a role, with a badge where one was read, or the system itself');

export const findingSchema = z
  .object({
    id: shortText.describe('`<seq of the raising row>.<n>`: unique on this table for ever'),
    code: z.enum(FINDING_CODES),
    clause: shortText.describe('Paragraph as printed (`631a.5(f)`) or `policy:<name>`'),
    severity: z
      .enum(SEVERITIES)
      .describe('stop: no card may leave; hold: a step is missing; warn; info: told, never open'),
    lifespan: z.enum(['step', 'round', 'shoe', 'batch', 'condition', 'person']),
    expected: shortText,
    observed: shortText,
    remedy: shortText,
    authority: role.describe('Lowest role that may clear it'),
    by: z.number().exactOptional().describe('How many cards, rounds or people it is out by'),
    batch: shortText.exactOptional(),
    device: shortText.exactOptional(),
    raisedSeq: z.int().min(1),
    raisedNs: z.number(),
    raisedWallMs: z.number(),
    acknowledged: actorSchema.exactOptional(),
    cardsAfterWarning: count.exactOptional(),
    timeToStopNs: z.number().exactOptional(),
    level: count.exactOptional(),
    repeats: count.exactOptional(),
  })
  .describe('A departure from a clause');

export const dutySchema = z.object({
  duty: shortText,
  clause: shortText,
  status: z.enum(['due', 'met', 'not-met', 'waived']),
  evidence: z
    .enum(['sensed', 'attested', 'unseen'])
    .describe('sensed: hardware saw it; attested: a person pressed it; unseen: nobody can tell'),
  detail: shortText.exactOptional(),
  seq: count,
  atNs: z.number(),
});

const tower = z.object({
  to: z.literal('tower'),
  colour: z.enum(['green', 'amber', 'red']),
  light: z.enum(['steady', 'blink']),
});
const display = z.object({
  to: z.literal('display'),
  line1: shortText,
  line2: shortText,
  clause: shortText,
  step: shortText,
});
export const towerSchema = tower.nullable();
export const displaySchema = display.nullable();

const directive = z.discriminatedUnion('to', [
  z.object({ to: z.literal('gate'), locked: z.boolean() }),
  tower,
  z.object({
    to: z.literal('sound'),
    pattern: z.enum(['stop', 'hold', 'notice', 'escalate']),
  }),
  display,
  z.object({ to: z.literal('announce'), text: shortText }),
  z.object({ to: z.literal('video'), mark: shortText }),
]);

export const phaseSchema = z.enum(PHASES);

export const decisionSchema = z
  .discriminatedUnion('do', [
    z
      .object({
        do: z.literal('noted'),
        part: shortText,
        set: z.record(z.string(), z.unknown()),
      })
      .describe("New values in the table's own state; a consumer may pass over it"),
    z.object({ do: z.literal('moved'), phase: phaseSchema }),
    z.object({ do: z.literal('duty'), duty: dutySchema }),
    z.object({ do: z.literal('duties'), duties: z.array(dutySchema) }),
    z.object({ do: z.literal('raised'), finding: findingSchema }),
    z.object({ do: z.literal('changed'), finding: findingSchema }),
    z.object({ do: z.literal('acknowledged'), id: shortText, by: actorSchema }),
    z.object({
      do: z.literal('cleared'),
      id: shortText,
      code: shortText,
      by: actorSchema,
      how: shortText,
    }),
    z.object({
      do: z.literal('refused'),
      key: shortText,
      clause: shortText,
      reason: shortText,
      needs: role.exactOptional(),
    }),
    z.object({ do: z.literal('timer'), timer: shortText, dueNs: z.number().nullable() }),
    z.object({ do: z.literal('direct'), directive }),
  ])
  .describe('What followed from the observation');
