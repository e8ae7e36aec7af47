import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const seed = z.strictObject({
  /** What once went wrong here. */
  why: z.string().min(10),
  kind: z.string().nullable(),
  table: z.string(),
  noise: z.number(),
  seed: z.number().int(),
  cards: z.number().int().optional(),
  /** Within the goal and not mended: what it still gives. A mend shows here, and takes this out. */
  still: z.enum(['false-alarm']).optional(),
});
export type KeptSeed = z.infer<typeof seed>;

const FOLDER = fileURLToPath(new URL('./kept/', import.meta.url));

/** Every seed that once showed a miss or a false alarm. A seed is never taken out. */
export const keptSeeds = (): readonly KeptSeed[] =>
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .flatMap((name) => z.array(seed).parse(JSON.parse(readFileSync(join(FOLDER, name), 'utf8'))));
