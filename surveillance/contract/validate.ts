import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import {
  ackSchema,
  alertSchema,
  checkpointSchema,
  cmdSchema,
  documentsSchema,
  eventSchema,
  healthSchema,
  markSchema,
  replySchema,
  stateSchema,
  statusSchema,
} from './messages.js';
import type { TopicKind } from './topics.js';

/** One schema a topic. */
export const MESSAGE_SCHEMAS: Readonly<Record<TopicKind, z.ZodType>> = {
  status: statusSchema,
  state: stateSchema,
  event: eventSchema,
  alert: alertSchema,
  mark: markSchema,
  checkpoint: checkpointSchema,
  documents: documentsSchema,
  health: healthSchema,
  ack: ackSchema,
  cmd: cmdSchema,
  'cmd/reply': replySchema,
};

const MAX_ISSUES = 5;

const issuesOf = (error: z.ZodError): string =>
  error.issues
    .slice(0, MAX_ISSUES)
    .map((issue) => `${issue.path.map(String).join('.') || 'message'}: ${issue.message}`)
    .join('; ');

/**
 * What is wrong with a message, in plain words with the field's name; null when it keeps the
 * contract. Unknown fields are passed over, as a consumer must.
 */
export const messageFault = (kind: TopicKind, message: unknown): string | null => {
  const parsed = MESSAGE_SCHEMAS[kind].safeParse(message);
  return parsed.success ? null : issuesOf(parsed.error);
};

/**
 * The same, for our own output: a field the contract does not name is a fault too, so that nothing
 * leaves the box undescribed.
 */
export const ownMessageFault = (kind: TopicKind, payload: string): string | null => {
  const message: unknown = JSON.parse(payload);
  const parsed = MESSAGE_SCHEMAS[kind].safeParse(message);
  if (!parsed.success) return issuesOf(parsed.error);
  return isDeepStrictEqual(parsed.data, message)
    ? null
    : `the message carries a field the contract does not describe: ${payload.slice(0, 400)}`;
};
