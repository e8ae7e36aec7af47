import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ROLES, type Role } from '../../controller/core/cards.js';
import { Buckets } from '../access/buckets.js';
import type { Access } from '../access/plugin.js';
import type { PressAnswer } from './press-answer.js';

/** Presses of one person at once, and how long one more takes to come back, ms. */
const PRESS_RULE = { burst: 12, refillMs: 400 } as const;
/** Presses of all people that wait to be durable. */
const WAITING_MAX = 32;

/** What a page says was pressed. */
export interface PressAsk {
  readonly key: string;
  readonly role: Role;
  readonly badge: string | null;
  /** A word, a number or a map by name, as the key asks for. */
  readonly value: unknown;
}

/** Where presses go; whoever runs the table provides it. Resolves once the row is durable. */
export type PressPort = (ask: PressAsk) => Promise<PressAnswer>;

const word = z.string().max(64);
const value = z.union([
  word,
  z.number(),
  z
    .record(word, z.union([word, z.number(), z.boolean()]))
    .refine((map) => Object.keys(map).length <= 6, 'too many values'),
]);
const asked = z.strictObject({
  key: z.string().min(1).max(32),
  role: z.enum(ROLES),
  value: value.optional(),
  /** Only where nobody logs in: else a person's badge stands on the list. */
  badge: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/)
    .optional(),
});

const CODES: Readonly<Record<PressAnswer['is'], number>> = {
  taken: 200,
  refused: 409,
  unfit: 400,
  lost: 503,
};

const NO_STORE = { 'cache-control': 'no-store' } as const;

/**
 * `POST /api/press {key, role, value?, badge?}`: pressed by whoever is logged in, in a role they
 * may press as. The value stands in no trail but the journal: it may be a card's rank.
 */
export const addPress = (app: FastifyInstance, access: Access, press: PressPort): void => {
  const buckets = new Buckets(PRESS_RULE, () => performance.now());
  let waiting = 0;
  app.post('/api/press', { preHandler: access.requireRole('viewer') }, async (request, reply) => {
    void reply.headers(NO_STORE);
    const who = access.whoOf(request);
    const given = asked.safeParse(request.body);
    if (who === null || !given.success) {
      return reply.code(400).send({ error: 'A press takes a key, a role and what the key asks.' });
    }
    const { key, role, badge } = given.data;
    if (!who.press.includes(role)) {
      const detail = `${role}: ${key}`;
      await access.record(request, { action: 'press', outcome: 'refused', detail });
      const error = `${who.name} may not press as ${role}.`;
      return reply.code(403).send({ error });
    }
    const waitMs = buckets.take(who.way === 'open' ? request.ip : who.name);
    if (waitMs > 0 || waiting >= WAITING_MAX) {
      void reply.header('retry-after', Math.max(1, Math.ceil(waitMs / 1000)));
      return reply.code(429).send({ error: 'Too many presses at once. Nothing was pressed.' });
    }
    await access.record(request, { action: 'press', outcome: 'done', detail: `${role}: ${key}` });
    waiting += 1;
    try {
      const own = who.way === 'open' ? (badge ?? null) : who.badge;
      const answer = await press({ key, role, badge: own, value: given.data.value });
      return await reply.code(CODES[answer.is]).send(answer);
    } finally {
      waiting -= 1;
    }
  });
};
