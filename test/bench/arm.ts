import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Figure } from './storage.js';

/** Written by `npm run test:arm`. */
const FILE = 'reports/arm.json';

const reportSchema = z.object({
  at: z.string(),
  figures: z.array(
    z.object({
      tier: z.string(),
      kernel: z.string(),
      figure: z.object({
        what: z.string(),
        backend: z.string(),
        count: z.number(),
        p50Us: z.number(),
        p95Us: z.number(),
        maxUs: z.number(),
      }),
    }),
  ),
});

const us = (value: number): string => `${value.toFixed(value < 100 ? 1 : 0)} us`;

/**
 * Edge to callback and edge to gate output of each backend, as the emulated rig last measured
 * them. The clock is an emulated guest's: these compare backends and say nothing of a board.
 */
export const armFigures = (): readonly Figure[] => {
  const none = { peer: '-', ratio: '-', goal: 'beside the lines in memory' };
  if (!existsSync(FILE)) {
    const what = 'edges in an emulated guest';
    return [{ what, subject: 'not measured here: `npm run test:arm` does', ...none }];
  }
  const { at, figures } = reportSchema.parse(JSON.parse(readFileSync(FILE, 'utf8')));
  return figures
    .filter(({ figure }) => figure.backend !== 'virtual')
    .map(({ tier, kernel, figure }) => {
      const beside = figures.find(
        (one) =>
          one.tier === tier && one.figure.what === figure.what && one.figure.backend === 'virtual',
      )?.figure;
      return {
        what: `${figure.what}, ${figure.backend}, ${tier}, kernel ${kernel}, ${at.slice(0, 10)}`,
        subject: `p50 ${us(figure.p50Us)}, p95 ${us(figure.p95Us)}, max ${us(figure.maxUs)}`,
        peer: beside === undefined ? '-' : `p50 ${us(beside.p50Us)} in memory`,
        ratio: beside === undefined ? '-' : (figure.p50Us / beside.p50Us).toFixed(1),
        goal: none.goal,
      };
    });
};
