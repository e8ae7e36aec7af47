import { z } from 'zod';

/** The bench's beams, as offsets of its chip. */
export const BEAM_A = 17;
export const BEAM_B = 27;

/** What a child is told: to play at a pace, events/s (0: only what is asked), or to report. */
export const orderSchema = z.discriminatedUnion('do', [
  z.object({ do: z.literal('play'), perS: z.number() }),
  z.object({ do: z.literal('report') }),
]);
export type Order = z.output<typeof orderSchema>;

/** What a child says. `times`: of each thing it did, ns on the monotonic clock, oldest first. */
export const wordSchema = z.discriminatedUnion('say', [
  z.object({ say: z.literal('ready') }),
  z.object({ say: z.literal('report'), times: z.array(z.number()) }),
]);
export type Word = z.output<typeof wordSchema>;

export const nowNs = (): number => Number(process.hrtime.bigint());
