import { type MapNode, markAt, type Path, pathText, plain, type TreeNode } from './tree.js';

/** One value of a pack and what stands behind it. */
export interface PackValue {
  readonly field: string;
  readonly value: unknown;
  readonly clause: string | null;
  readonly verified: boolean;
  /** Name of the source in the pack's `sources`. */
  readonly source: string | null;
  readonly note: string | null;
  readonly file: string;
  readonly line: number;
}

/** Blocks that hold rules, in the order a game runs. */
export const RULE_BLOCKS = [
  'deck',
  'dealing',
  'autoShoe',
  'shuffle',
  'count',
  'cut',
  'marker',
  'burn',
  'dealerBurn',
  'deadGameBurn',
  'cover',
  'round',
  'stub',
  'handDealing',
  'idle',
  'exemption',
  'unseen',
] as const;

/** Maps and lists that say one thing, not many. */
const WHOLE = new Set(['burn.values']);

const isWhole = (node: TreeNode, path: Path): boolean =>
  node.kind === 'scalar' ||
  WHOLE.has(pathText(path)) ||
  (node.kind === 'list' && path[0] !== 'unseen') ||
  (path[0] === 'unseen' && path.length === 2);

const collect = (root: MapNode, node: TreeNode, path: Path, found: PackValue[]): void => {
  if (isWhole(node, path)) {
    const mark = markAt(root, path);
    found.push({
      field: pathText(path),
      value: plain(node),
      clause: mark.clause ?? null,
      verified: mark.verified ?? false,
      source: mark.source ?? null,
      note: mark.note ?? null,
      file: node.file,
      line: node.line,
    });
    return;
  }
  if (node.kind === 'map') {
    for (const [key, item] of node.entries) collect(root, item, [...path, key], found);
  } else if (node.kind === 'list') {
    for (const [at, item] of node.items.entries()) collect(root, item, [...path, at], found);
  }
};

/** Every value the pack states, rule by rule. */
export const packValues = (root: MapNode): readonly PackValue[] => {
  const found: PackValue[] = [];
  for (const block of RULE_BLOCKS) {
    const node = root.entries.get(block);
    if (node !== undefined) collect(root, node, [block], found);
  }
  return found;
};

export const verifiedShare = (values: readonly PackValue[]): { of: number; verified: number } => ({
  of: values.length,
  verified: values.filter((value) => value.verified).length,
});
