import type { Problem } from './problem.js';
import { lintCards } from './lint-cards.js';
import { lintMarks } from './lint-marks.js';
import { lintOptions } from './lint-options.js';
import { lintPlay } from './lint-play.js';
import type { Pack } from './schema.js';
import { type MapNode, type Path, pathText, placeOf } from './tree.js';

export interface Fraction {
  readonly of: number;
  readonly verified: number;
}

/** Says that a field contradicts another: cause in one sentence, cure in one. */
export type Complain = (path: Path, cause: string, cure: string) => void;

/** Contradictions of a pack whose every single value is well formed. */
export const lint = (
  pack: Pack,
  tree: MapNode,
  chosen: ReadonlyMap<string, string | number>,
): readonly Problem[] => {
  const problems: Problem[] = [];
  const complain: Complain = (path, cause, cure) => {
    problems.push({ ...placeOf(tree, path), field: pathText(path) || 'pack', cause, cure });
  };
  lintCards(pack, complain);
  lintPlay(pack, complain);
  lintMarks(tree, complain);
  lintOptions(tree, chosen, complain);
  return problems;
};
