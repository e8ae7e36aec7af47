import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { plainIssue } from '../../../controller/config/plain-issue.js';

/** Answers are of this moment. */
export const NO_STORE = { 'cache-control': 'no-store' } as const;

/** A question that cannot be answered; the message says what is wrong with it. */
export class AskedWrong extends Error {
  readonly statusCode: number;

  constructor(message: string, statusCode = 400) {
    super(message);
    this.name = 'AskedWrong';
    this.statusCode = statusCode;
  }
}

const LONGEST = 500;
/** First moment of a year that is written with five digits, less the longest day, ms. */
const TIME_END_MS = Date.UTC(10_000, 0) - 3 * 86_400_000;
export const text = z
  .string()
  .min(1)
  .max(LONGEST)
  .refine((value) => !value.includes('\0'), 'a text without a NUL');
export const whole = z
  .string()
  .regex(/^\d{1,15}$/, 'a whole number')
  .transform(Number);
/** A wall time: ms since the epoch, or as ISO 8601. */
export const time = z
  .string()
  .max(40)
  .transform((value) => (/^\d{1,15}$/.test(value) ? Number(value) : Date.parse(value)))
  .refine(
    (ms) => ms >= 0 && ms < TIME_END_MS,
    'a time from 1970 to 9999: ms since the epoch, or as 2026-11-29T20:00Z',
  );
export const yesNo = z
  .enum(['', '0', '1', 'true', 'false'])
  .transform((value) => value !== '0' && value !== 'false');
const level = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/, 'no name of a table');
export const tableParams = z.object({ site: level, pit: level, table: level });

/** @throws AskedWrong naming the field. */
export const asked = <T>(schema: z.ZodType<T>, given: unknown): T => {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const why = parsed.error.issues
    .slice(0, 3)
    .map((issue) => `${issue.path.map(String).join('.') || 'the request'}: ${plainIssue(issue)}`)
    .join('; ');
  throw new AskedWrong(`${why}. See docs/FLOOR.md.`);
};

export const answer = (reply: FastifyReply, body: unknown): void => {
  void reply.headers(NO_STORE).send(body);
};
