import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { PackError, type Problem } from './problem.js';

/** Longest pack taken, in characters; the built-in ones are under 10,000. */
export const MAX_PACK_CHARACTERS = 200_000;
const MAX_DEPTH = 12;
/** Longest paragraph, in characters: it has to fit on the dealer's display. */
const MAX_CLAUSE = 40;

/** Where a value came from, how far it may be trusted. Absent parts come from the block around. */
export interface Mark {
  readonly clause?: string;
  readonly verified?: boolean;
  readonly source?: string;
  readonly note?: string;
}

interface Placed {
  readonly file: string;
  readonly line: number;
  readonly mark: Mark;
}
export type Scalar = string | number | boolean | null;
export interface MapNode extends Placed {
  readonly kind: 'map';
  readonly entries: ReadonlyMap<string, TreeNode>;
}
export interface ListNode extends Placed {
  readonly kind: 'list';
  readonly items: readonly TreeNode[];
}
export interface ScalarNode extends Placed {
  readonly kind: 'scalar';
  readonly value: Scalar;
}
/** A pack as written, each value with its line and its mark. */
export type TreeNode = MapNode | ListNode | ScalarNode;

const MARK_KEYS = ['clause', 'verified', 'source', 'note'] as const;
const CLAUSE = /^(?:policy:[a-z][a-z0-9-]*|[0-9A-Za-z][0-9A-Za-z.:/ -]*(?:\([0-9A-Za-z]+\))*)$/;

interface Reading {
  readonly file: string;
  readonly lines: LineCounter;
  readonly problems: Problem[];
}

const lineOf = (reading: Reading, node: unknown): number => {
  const range = typeof node === 'object' && node !== null && 'range' in node ? node.range : null;
  const start: unknown = Array.isArray(range) ? range[0] : null;
  return typeof start === 'number' ? reading.lines.linePos(start).line : 1;
};

const complain = (
  reading: Reading,
  node: unknown,
  field: string,
  cause: string,
  cure: string,
): void => {
  const place = { file: reading.file, line: lineOf(reading, node) };
  reading.problems.push({ ...place, field: field === '' ? 'pack' : field, cause, cure });
};

const scalarNode = (reading: Reading, node: unknown, value: unknown, path: string): ScalarNode => {
  const place = { file: reading.file, line: lineOf(reading, node), mark: {} };
  if (value === 'none') return { kind: 'scalar', value: null, ...place };
  if (
    typeof value === 'string' ||
    (typeof value === 'number' && Number.isFinite(value)) ||
    typeof value === 'boolean' ||
    value === null
  ) {
    return { kind: 'scalar', value, ...place };
  }
  complain(
    reading,
    node,
    path,
    'This kind of value has no meaning in a pack.',
    'Write text, a number, true, false or none.',
  );
  return { kind: 'scalar', value: null, ...place };
};

/** `clause`, `verified`, `source`, `note` of one block, each checked for its own kind. */
const markOf = (reading: Reading, entries: ReadonlyMap<string, TreeNode>, path: string): Mark => {
  const mark: { clause?: string; verified?: boolean; source?: string; note?: string } = {};
  const bad = (node: TreeNode, key: string, cause: string, cure: string): void => {
    const field = path === '' ? key : `${path}.${key}`;
    reading.problems.push({ file: node.file, line: node.line, field, cause, cure });
  };
  for (const key of MARK_KEYS) {
    const node = entries.get(key);
    if (node === undefined) continue;
    const value = node.kind === 'scalar' ? node.value : undefined;
    if (key === 'verified') {
      if (typeof value === 'boolean') mark.verified = value;
      else bad(node, key, 'It says whether the text was read in full.', 'Write true or false.');
    } else if (typeof value !== 'string' || value.trim() === '') {
      bad(node, key, 'It must be text.', `Write ${key}: "..." in quotation marks.`);
    } else if (key === 'clause' && (value.length > MAX_CLAUSE || !CLAUSE.test(value))) {
      bad(
        node,
        key,
        `"${value}" is not a paragraph.`,
        'Write it as printed, such as "631a.5(f)", or policy:name.',
      );
    } else {
      mark[key] = value;
    }
  }
  return mark;
};

const mapNode = (
  reading: Reading,
  node: unknown,
  pairs: readonly { key: unknown; value: unknown }[],
  path: string,
  depth: number,
): TreeNode => {
  const entries = new Map<string, TreeNode>();
  for (const pair of pairs) {
    const key = isScalar(pair.key) ? String(pair.key.value) : null;
    if (key === null) {
      complain(reading, pair.key, path, 'A key must be one word.', 'Write `key: value`.');
      continue;
    }
    entries.set(key, build(reading, pair.value, path === '' ? key : `${path}.${key}`, depth + 1));
  }
  // `sources` names texts; a source may well be called `note`.
  const mark = path === 'sources' ? {} : markOf(reading, entries, path);
  if (path !== 'sources') for (const key of MARK_KEYS) entries.delete(key);
  const only = entries.size === 1 ? entries.get('value') : undefined;
  if (only !== undefined) return { ...only, mark: { ...only.mark, ...mark } };
  return { kind: 'map', entries, file: reading.file, line: lineOf(reading, node), mark };
};

const build = (reading: Reading, node: unknown, path: string, depth: number): TreeNode => {
  if (depth > MAX_DEPTH) {
    complain(reading, node, path, `More than ${MAX_DEPTH} levels deep.`, 'A pack needs far fewer.');
    return scalarNode(reading, node, null, path);
  }
  if (isAlias(node)) {
    complain(reading, node, path, 'References (*name) are not taken.', 'Write the value out.');
    return scalarNode(reading, node, null, path);
  }
  if (isMap(node)) return mapNode(reading, node, node.items, path, depth);
  if (isSeq(node)) {
    const items = node.items.map((item, at) => build(reading, item, `${path}[${at}]`, depth + 1));
    return { kind: 'list', items, file: reading.file, line: lineOf(reading, node), mark: {} };
  }
  return scalarNode(reading, node, isScalar(node) ? node.value : null, path);
};

/**
 * Reads a pack's YAML into a tree with lines and marks.
 * @throws PackError naming the line, for text that is no YAML mapping or carries a bad mark.
 */
export const readTree = (text: string, file: string): MapNode => {
  const lines = new LineCounter();
  const reading: Reading = { file, lines, problems: [] };
  if (text.length > MAX_PACK_CHARACTERS) {
    const cause = `The pack is longer than ${MAX_PACK_CHARACTERS} characters.`;
    complain(reading, null, '', cause, 'Check that this is a pack file.');
    throw new PackError(reading.problems);
  }
  const document = parseDocument(text, {
    lineCounter: lines,
    uniqueKeys: true,
    prettyErrors: false,
  });
  for (const error of document.errors) {
    const line = lines.linePos(error.pos[0]).line;
    const cause = `Not readable as YAML: ${error.message.replace(/\.?$/, '.')}`;
    const cure = 'Check the indentation, the colons and the quotation marks of that line.';
    reading.problems.push({ file, line, field: 'pack', cause, cure });
  }
  if (reading.problems.length > 0) throw new PackError(reading.problems);
  const tree = build(reading, document.contents, '', 0);
  if (tree.kind !== 'map') {
    complain(reading, null, '', 'A pack is a list of `key: value` lines.', 'Begin with `pack: 1`.');
  }
  if (tree.kind !== 'map' || reading.problems.length > 0) throw new PackError(reading.problems);
  return tree;
};

/** The bare values, marks and lines left out. */
export const plain = (node: TreeNode): unknown => {
  switch (node.kind) {
    case 'scalar':
      return node.value;
    case 'list':
      return node.items.map(plain);
    case 'map':
      return Object.fromEntries([...node.entries].map(([key, item]) => [key, plain(item)]));
  }
};

export type Path = readonly (string | number)[];

export const pathText = (path: Path): string =>
  path.reduce<string>(
    (text, part) =>
      typeof part === 'number' ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`,
    '',
  );

const childOf = (node: TreeNode, part: string | number): TreeNode | undefined => {
  if (node.kind === 'map') return node.entries.get(String(part));
  if (node.kind === 'list' && typeof part === 'number') return node.items[part];
  return undefined;
};

/** The nodes from the root down the path, as far as it exists. Never empty. */
export const walk = (root: TreeNode, path: Path): readonly TreeNode[] => {
  const found: TreeNode[] = [root];
  let here = root;
  for (const part of path) {
    const next = childOf(here, part);
    if (next === undefined) break;
    found.push(next);
    here = next;
  }
  return found;
};

/** File and line of a field, or of the nearest block around it that exists. */
export const placeOf = (root: TreeNode, path: Path): { file: string; line: number } => {
  const node = walk(root, path).at(-1) ?? root;
  return { file: node.file, line: node.line };
};

/** The mark that holds at a path: each part from the nearest block that gives it. */
export const markAt = (root: TreeNode, path: Path): Mark =>
  walk(root, path).reduce<Mark>((mark, node) => ({ ...mark, ...node.mark }), {});
