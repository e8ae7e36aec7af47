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
  // The paragraph of a value stays when only the value changes.
  const { clause } = parent.mark;
  const replaced = (): TreeNode =>
    stamped(child, clause === undefined ? unsaid : { clause, ...unsaid });
  if (parent.kind !== 'map' || child.kind !== 'map') return replaced();
  const [was, is] = [kindOf(parent), kindOf(child)];
  if (is !== undefined && was !== undefined && is !== was) return replaced();
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
const OWN_KEYS = ['extends', 'renumber', 'pack', 'id', 'title', 'version', 'approval'];

const textOf = (node: TreeNode | undefined): string | null =>
  node?.kind === 'scalar' && typeof node.value === 'string' ? node.value : null;

/**
 * The paragraph under its new number: `627a: 629a` makes `627a.9(e)` into `629a.9`, a section key
 * `663a.5: X` makes `663a.5(d)` into `X`. Letters are dropped: nobody read the new section, so
 * nobody knows them. Undefined where no key fits; the longest that does wins.
 */
const newClause = (clause: string, table: ReadonlyMap<string, string>): string | undefined => {
  const bare = clause.replace(/\(.*$/, '');
  const fitting = [...table]
    .filter(([from]) => bare === from || bare.startsWith(`${from}.`))
    .sort(([a], [b]) => b.length - a.length);
  const best = fitting[0];
  return best === undefined ? undefined : `${best[1]}${bare.slice(best[0].length)}`;
};

const renumberedMark = (mark: Mark, table: ReadonlyMap<string, string>): Mark => {
  // What was read in the old chapter was not read in the new one.
  const doubted = mark.verified === true ? { ...mark, verified: false } : mark;
  const { clause } = mark;
  const to = clause === undefined ? undefined : newClause(clause, table);
  if (clause === undefined || to === undefined) return doubted;
  return { ...doubted, clause: to, verified: false, note: `taken over from ${clause}` };
};

/** Rewrites the paragraphs of a parent for a chapter that was not read. */
const renumbered = (node: TreeNode, table: ReadonlyMap<string, string>): TreeNode => {
  const mark = table.size === 0 ? node.mark : renumberedMark(node.mark, table);
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

/** Choices by name first: a number may belong to what one of them brings in. */
const inOrder = (chosen: ReadonlyMap<string, string | number>): [string, string | number][] =>
  [...chosen].sort(([, a], [, b]) => Number(typeof a === 'number') - Number(typeof b === 'number'));

/** What an option needs and the house did not choose, as a sentence; null where nothing. */
const unmetNeed = (
  option: MapNode,
  name: string,
  chosen: ReadonlyMap<string, string | number>,
): string | null => {
  const needs = option.entries.get('needs');
  if (needs?.kind !== 'map') return null;
  for (const [other, node] of needs.entries) {
    const wanted = textOf(node);
    if (chosen.get(other) !== wanted) {
      return `\`${name}\` means something only with ${other}: ${wanted ?? ''}.`;
    }
  }
  return null;
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
  for (const [name, picked] of inOrder(chosen)) {
    const option = options?.kind === 'map' ? options.entries.get(name) : undefined;
    const known = options?.kind === 'map' ? [...options.entries.keys()].join(', ') : 'none';
    const unmet = option?.kind === 'map' ? unmetNeed(option, name, chosen) : null;
    const setting =
      option?.kind === 'map'
        ? (unmet ?? settingOf(option, name, picked))
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
