import type { Complain } from './lint.js';
import { type MapNode, markAt, type Path, type TreeNode } from './tree.js';

const visit = (node: TreeNode, path: Path, see: (node: TreeNode, path: Path) => void): void => {
  see(node, path);
  if (node.kind === 'map') {
    for (const [key, item] of node.entries) visit(item, [...path, key], see);
  } else if (node.kind === 'list') {
    for (const [at, item] of node.items.entries()) visit(item, [...path, at], see);
  }
};

/** A value marked as read in full says where; every source named is one the pack lists. */
export const lintMarks = (tree: MapNode, complain: Complain): void => {
  const sources = tree.entries.get('sources');
  const known = sources?.kind === 'map' ? [...sources.entries.keys()] : [];
  if (Object.keys(tree.mark).length > 0) {
    complain(
      [],
      'clause, verified, source and note stand at the top of the pack, where they mean no rule.',
      'Put them into the block they belong to.',
    );
  }
  visit(tree, [], (node, path) => {
    const { source, verified } = node.mark;
    if (source !== undefined && !known.includes(source)) {
      complain(
        path,
        `The source \`${source}\` is not listed.`,
        `Describe it under sources; listed are: ${known.join(', ') || 'none'}.`,
      );
    }
    if (verified === true && markAt(tree, path).source === undefined) {
      complain(
        path,
        'The value is marked verified, and no source says where it was read.',
        'Add source: with a name listed under sources, or set verified: false.',
      );
    }
  });
};
