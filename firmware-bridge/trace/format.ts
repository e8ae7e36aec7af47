import { z } from 'zod';
import { boardSchema, calibrationSchema } from '../boards/schema.js';
import { profileSchema } from '../framing/profile.js';

/** Longest line of a trace, bytes: a header with its board and profiles. */
export const TRACE_LINE_MAX = 256 * 1024;

/** First line of a trace: enough to build the same devices without any other file. */
export const headerSchema = z.strictObject({
  trace: z.literal(1),
  procedure: z.string().min(1).max(64),
  table: z.record(z.string(), z.unknown()),
  wallStartMs: z.number(),
  board: boardSchema,
  profiles: z.record(z.string(), z.unknown()),
  calibrations: z.record(z.string(), calibrationSchema),
});
export type TraceHeader = z.infer<typeof headerSchema>;

const t = z.number().min(0);
const name = z.string().max(64);
const hex = z.string().regex(/^([0-9a-f]{2})*$/);
const level = z.union([z.literal(0), z.literal(1)]);

/**
 * One event; `t` in ns after the start. `e` edge of a line (`l` level, `s` sequence) · `g` level
 * read · `f` line fault · `i` end of an I2C transfer (`a` address, `r` register or -1 for a write,
 * `n` bytes asked, `d` bytes in hex or `x` error) · `o` stream opened · `b` its bytes · `c` closed.
 */
export const eventSchema = z.union([
  z.strictObject({ t, e: name, l: level, s: z.int().min(0) }),
  z.strictObject({ t, i: name, a: z.int(), r: z.int(), n: z.int(), d: hex }),
  z.strictObject({ t, i: name, a: z.int(), r: z.int(), n: z.int(), x: z.string() }),
  z.strictObject({ t, b: name, d: hex }),
  z.strictObject({ t, g: name, l: level }),
  z.strictObject({ t, o: name }),
  z.strictObject({ t, c: name, x: z.string() }),
  z.strictObject({ t, f: name, x: z.string() }),
]);
export type TraceEvent = z.infer<typeof eventSchema>;

export const profileOf = (value: unknown) => profileSchema.safeParse(value);
