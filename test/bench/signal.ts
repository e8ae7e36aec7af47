import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { count, median } from './median.js';
import type { Figure } from './storage.js';

const ROUNDS = 3;
const CHILD = fileURLToPath(new URL('signal-child.js', import.meta.url));
/** So much young space that nothing is collected during one measurement, MB. */
const YOUNG_MB = 512;

const measured = z.object({
  edgesPerS: z.number(),
  bytesPerEdge: z.number(),
  seen: z.number(),
  cards: z.number(),
});
type Measured = z.output<typeof measured>;

const run = promisify(execFile);

const measure = async (way: 'bare' | 'pair' | 'mouth'): Promise<Measured> => {
  const young = [`--min-semi-space-size=${YOUNG_MB}`, `--max-semi-space-size=${YOUNG_MB}`];
  const { stdout } = await run(process.execPath, ['--expose-gc', ...young, CHILD, way]);
  return measured.parse(JSON.parse(stdout));
};

/** Beam edges through filter and transit, and through the whole mouth, beside a bare callback. */
export const signalFigures = async (): Promise<readonly Figure[]> => {
  const all: Record<'bare' | 'pair' | 'mouth', Measured[]> = { bare: [], pair: [], mouth: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const way of ['bare', 'pair', 'mouth'] as const) all[way].push(await measure(way));
  }
  const rate = (way: 'bare' | 'pair' | 'mouth'): number =>
    median(all[way].map(({ edgesPerS }) => edgesPerS));
  const figure = (what: string, way: 'pair' | 'mouth'): Figure => {
    const bytes = median(all[way].map(({ bytesPerEdge }) => bytesPerEdge));
    const missed = all[way].some(({ seen, cards }) => seen !== cards);
    if (missed) throw new Error(`${what}: not every card was seen`);
    return {
      what,
      subject: `${count(rate(way))} edges/s, ${bytes.toFixed(1)} bytes/edge`,
      peer: `${count(rate('bare'))} edges/s bare callback`,
      ratio: (rate(way) / rate('bare')).toFixed(3),
      goal: 'no garbage per edge',
    };
  };
  return [
    figure('edges: filter, pair, transit', 'pair'),
    figure('edges: lines to observation, simulated clock', 'mouth'),
  ];
};
