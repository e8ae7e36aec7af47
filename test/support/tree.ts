import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** The project's folder, with a slash behind it. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Files under version control that are there, as paths from the root. */
export const trackedFiles = (): readonly string[] => {
  const run = spawnSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' });
  if (run.status !== 0) {
    throw new Error(`git ls-files failed in ${ROOT}: ${run.stderr || 'git is not installed'}`);
  }
  return run.stdout
    .split('\0')
    .filter((path) => path !== '' && existsSync(ROOT + path))
    .sort();
};

export const textOf = (path: string): string => readFileSync(ROOT + path, 'utf8');

export const isSource = (path: string): boolean => /\.tsx?$/.test(path) && !path.endsWith('.d.ts');

const trees = new Map<string, ts.SourceFile>();

/** A file's syntax, parsed once a run. */
export const syntaxOf = (path: string): ts.SourceFile => {
  const known = trees.get(path);
  if (known !== undefined) return known;
  const tree = ts.createSourceFile(path, textOf(path), ts.ScriptTarget.ES2023, true);
  trees.set(path, tree);
  return tree;
};

/** Every node of a file, parents first. */
export const nodesOf = (root: ts.Node): readonly ts.Node[] => {
  const nodes: ts.Node[] = [root];
  const add = (child: ts.Node): void => {
    nodes.push(child);
  };
  // The list grows while it is read: a node's children come behind all that is there.
  for (let i = 0; i < nodes.length; i += 1) {
    const node = nodes[i];
    if (node !== undefined) ts.forEachChild(node, add);
  }
  return nodes;
};

/** `path:line` as an editor opens it. */
export const placeOf = (path: string, node: ts.Node): string => {
  const { line } = syntaxOf(path).getLineAndCharacterOfPosition(node.getStart());
  return `${path}:${line + 1}`;
};

export interface Import {
  readonly from: string;
  readonly specifier: string;
  /** The file meant, from the root; null for a package. */
  readonly file: string | null;
  readonly place: string;
}

const specifierOf = (node: ts.Node): ts.Expression | undefined => {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  const isDynamic =
    ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
  return isDynamic ? node.arguments[0] : undefined;
};

/** Static and dynamic imports and re-exports of a file. */
export const importsOf = (path: string): readonly Import[] => {
  const found: Import[] = [];
  for (const node of nodesOf(syntaxOf(path))) {
    const specifier = specifierOf(node);
    if (specifier === undefined || !ts.isStringLiteralLike(specifier)) continue;
    const name = specifier.text;
    const file = name.startsWith('.') ? posix.join(posix.dirname(path), name) : null;
    found.push({ from: path, specifier: name, file, place: placeOf(path, node) });
  }
  return found;
};
