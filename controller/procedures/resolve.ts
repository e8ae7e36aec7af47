import { PackError, type Problem } from './problem.js';
import {
  type MapNode,
  type Mark,
  type Path,
  placeOf,
  pathText,
  readTree,
  type TreeNode,
} from './tree.js';

/** Longest chain of `extends`. */
const MAX_PARENTS = 5;

/** Finds the text of another pack by its id; null where there is none. */
export type ResolvePack = (id: string, from: string) => PackFile | null;
export interface PackFile {
  readonly file: string;
  readonly text: string;
}
/** What the house picked, by option: a choice's name or a number. */
export type Choices = Readonly<Record<string, string | number>>;

const problemAt = (root: TreeNode, path: Path, cause: string, cure: string): Problem => ({
  ...placeOf(root, path),
  field: pathText(path) || 'pack',
  cause,
  cure,
});

/** Gives every node of a branch what it does not say itself. */
const stamped = (node: TreeNode, mark: Mark): TreeNode => {
  const own = { ...mark, ...node.mark };
  if (node.kind === 'list') {
    return { ...node, mark: own, items: node.items.map((item) => stamped(item, mark)) };
  }
  if (node.kind === 'map') {
    const entries = [...node.entries].map(
      ([key, item]) => [key, stamped(item, { ...mark, ...node.mark })] as const,
    );
    return { ...node, mark: own, entries: new Map(entries) };
  }
  return { ...node, mark: own };
};

const kindOf = (node: MapNode): unknown => {
  const kind = node.entries.get('kind');
  return kind?.kind === 'scalar' ? kind.value : undefined;
};

/**
 * Lays `child` over `parent`: maps are merged, anything else is replaced. A value the child sets
 * without saying how it knows it is not verified, whatever the parent's block says. A map whose
 * `kind` changes is replaced as a whole.
 */
const overlay = (parent: TreeNode, child: TreeNode, unsaid: Mark): TreeNode => {
  if (parent.kind !== 'map' || child.kind !== 'map') return stamped(child, unsaid);
  const [was, is] = [kindOf(parent), kindOf(child)];
  if (is !== undefined && was !== undefined && is !== was) return stamped(child, unsaid);
  const below: Mark = { ...unsaid, ...child.mark };
  const entries = new Map(parent.entries);
  for (const [key, node] of child.entries) {
    const before = parent.entries.get(key);
    entries.set(key, before === undefined ? stamped(node, below) : overlay(before, node, below));
  }
  return { ...child, mark: { ...parent.mark, ...child.mark }, entries };
};

const asMap = (node: TreeNode, otherwise: MapNode): MapNode =>
  node.kind === 'map' ? node : otherwise;

/** Keys that describe one pack file and are not handed down. */
const OWN_KEYS = ['extends', 'renumber', 'pack', 'id', 'title', 'version'];

const textOf = (node: TreeNode | undefined): string | null =>
  node?.kind === 'scalar' && typeof node.value === 'string' ? node.value : null;

/** Rewrites `627a.9(e)` to `629a.9(e)`: text nobody read in the new chapter, so not verified. */
const renumbered = (node: TreeNode, table: ReadonlyMap<string, string>): TreeNode => {
  const { clause } = node.mark;
  const from = [...table.keys()].find((chapter) => clause?.startsWith(`${chapter}.`));
  const to = from === undefined ? undefined : table.get(from);
  const mark =
    clause === undefined || from === undefined || to === undefined
      ? node.mark
      : {
          ...node.mark,
          clause: `${to}${clause.slice(from.length)}`,
          verified: false,
          note: `taken over from ${clause}`,
        };
  if (node.kind === 'map') {
    const entries = [...node.entries].map(([key, item]) => [key, renumbered(item, table)] as const);
    return { ...node, mark, entries: new Map(entries) };
  }
  if (node.kind === 'list') {
    return { ...node, mark, items: node.items.map((item) => renumbered(item, table)) };
  }
  return { ...node, mark };
};

const renumberTable = (tree: MapNode): ReadonlyMap<string, string> => {
  const node = tree.entries.get('renumber');
  const table = new Map<string, string>();
  if (node?.kind !== 'map') return table;
  for (const [from, to] of node.entries) table.set(from, textOf(to) ?? '');
  return table;
};

/** The pack with its parents' values under its own. @throws PackError */
const inherit = (tree: MapNode, resolve: ResolvePack, seen: readonly string[]): MapNode => {
  const parentId = textOf(tree.entries.get('extends'));
  if (parentId === null) return tree;
  const fail = (cause: string, cure: string): never => {
    throw new PackError([problemAt(tree, ['extends'], cause, cure)]);
  };
  if (seen.includes(parentId)) {
    return fail(
      `The packs extend each other in a circle: ${[...seen, parentId].join(' → ')}.`,
      'Take one `extends` out.',
    );
  }
  if (seen.length > MAX_PARENTS) {
    return fail(`More than ${MAX_PARENTS} packs extend one another.`, 'Extend a nearer parent.');
  }
  const found = resolve(parentId, tree.file);
  if (found === null) {
    return fail(
      `There is no pack \`${parentId}\`.`,
      'See `cutcard procedures list` for the names.',
    );
  }
  const parent = inherit(readTree(found.text, found.file), resolve, [...seen, parentId]);
  const handed = new Map([...parent.entries].filter(([key]) => !OWN_KEYS.includes(key)));
  const base = renumbered({ ...parent, entries: handed }, renumberTable(tree));
  const name = textOf(tree.entries.get('id')) ?? tree.file;
  return asMap(overlay(base, tree, { verified: false, note: `set by ${name}` }), tree);
};

const chosenOf = (tree: MapNode, asked: Choices): Map<string, string | number> => {
  const chosen = new Map<string, string | number>();
  const node = tree.entries.get('choose');
  if (node?.kind === 'map') {
    for (const [key, item] of node.entries) {
      if (item.kind !== 'scalar') continue;
      if (typeof item.value === 'string' || typeof item.value === 'number') {
        chosen.set(key, item.value);
      }
    }
  }
  for (const [key, value] of Object.entries(asked)) chosen.set(key, value);
  return chosen;
};

const branch = (from: MapNode, path: readonly string[], leaf: TreeNode): TreeNode => {
  const [first, ...rest] = path;
  if (first === undefined) return leaf;
  const entries = new Map([[first, branch(from, rest, leaf)]]);
  return { kind: 'map', entries, file: leaf.file, line: leaf.line, mark: {} };
};

/** The values one choice sets, or a problem with the choice. */
const settingOf = (
  option: MapNode,
  name: string,
  picked: string | number,
): { node: TreeNode; mark: Mark } | string => {
  const sets = textOf(option.entries.get('sets'));
  if (sets !== null) {
    const [min, max] = [option.entries.get('min'), option.entries.get('max')];
    const low = min?.kind === 'scalar' ? Number(min.value) : 0;
    const high = max?.kind === 'scalar' ? Number(max.value) : 0;
    if (typeof picked !== 'number' || picked < low || picked > high) {
      return `\`${name}\` takes a number from ${low} to ${high}, not ${String(picked)}.`;
    }
    const leaf: TreeNode = { ...option, kind: 'scalar', value: picked, mark: {} };
    return { node: branch(option, sets.split('.'), leaf), mark: option.mark };
  }
  const choices = option.entries.get('choices');
  const names = choices?.kind === 'map' ? [...choices.entries.keys()] : [];
  const choice = choices?.kind === 'map' ? choices.entries.get(String(picked)) : undefined;
  if (choice?.kind !== 'map') {
    return `\`${name}\` is one of ${names.join(', ')}, not ${String(picked)}.`;
  }
  const set = choice.entries.get('set');
  const nothing: MapNode = { ...choice, kind: 'map', entries: new Map(), mark: {} };
  return { node: set?.kind === 'map' ? set : nothing, mark: { ...option.mark, ...choice.mark } };
};

export interface Resolved {
  readonly tree: MapNode;
  readonly chosen: ReadonlyMap<string, string | number>;
}

/**
 * The whole pack: parents merged in, clauses renumbered, the house's choices applied.
 * @throws PackError naming the line of a missing parent, a circle or a choice that does not exist.
 */
export const resolvePack = (own: MapNode, resolve: ResolvePack, asked: Choices): Resolved => {
  const id = textOf(own.entries.get('id')) ?? own.file;
  let tree = inherit(own, resolve, [id]);
  const chosen = chosenOf(tree, asked);
  const problems: Problem[] = [];
  const options = tree.entries.get('options');
  for (const [name, picked] of chosen) {
    const option = options?.kind === 'map' ? options.entries.get(name) : undefined;
    const known = options?.kind === 'map' ? [...options.entries.keys()].join(', ') : 'none';
    const setting =
      option?.kind === 'map'
        ? settingOf(option, name, picked)
        : `This pack has no option \`${name}\`; it has: ${known}.`;
    if (typeof setting === 'string') {
      const cure = 'Correct the choice; `cutcard procedures explain` lists them.';
      problems.push(problemAt(tree, ['choose', name], setting, cure));
      continue;
    }
    const mark = { verified: false, note: `option ${name}: ${String(picked)}`, ...setting.mark };
    tree = asMap(overlay(tree, setting.node, mark), tree);
  }
  if (problems.length > 0) throw new PackError(problems);
  return { tree, chosen };
};
