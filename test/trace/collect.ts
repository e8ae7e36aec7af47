import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** A paragraph of a Pennsylvania chapter down to its letter. */
const CLAUSE = /\b\d{3}[a-z]\.\d{1,2}(?:\([0-9a-z]{1,3}\))+/g;
const CALLS = new Set(['it', 'test', 'describe']);

/** `627a.9(b)(c)` names two letters; `663a.5(c)(2)` a number under one. */
const separate = (clause: string): readonly string[] => {
  const [section = '', ...groups] = clause.split('(');
  const letters = groups.map((group) => `(${group}`);
  return letters.length > 1 && letters.every((group) => /^\([a-z]\)$/.test(group))
    ? letters.map((group) => `${section}${group}`)
    : [clause];
};

export const clausesIn = (text: string): readonly string[] => [
  ...new Set(Array.from(text.matchAll(CLAUSE), ([clause]) => separate(clause)).flat()),
];

/** One file of tests and what it names. */
export interface TestFile {
  readonly path: string;
  /** `value`: what a pack says · `rule`: what the core does · `scenario`: the whole box. */
  readonly kind: 'value' | 'rule' | 'scenario';
  readonly clauses: readonly string[];
  /** The whole text, to look for finding codes in. */
  readonly text: string;
}

const filesUnder = (root: string, folder: string): readonly string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesUnder(root, path) : [path];
  });

const callee = (node: ts.Expression): string | null => {
  if (ts.isIdentifier(node)) return node.text;
  if (ts.isPropertyAccessExpression(node)) return callee(node.expression);
  if (ts.isCallExpression(node)) return callee(node.expression);
  if (ts.isTaggedTemplateExpression(node)) return callee(node.tag);
  return null;
};

/** Titles of a test file: the text given to `it`, `test`, `describe`, with or without `each`. */
export const titlesOf = (text: string): readonly string[] => {
  const titles: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && CALLS.has(callee(node.expression) ?? '')) {
      const [title] = node.arguments;
      if (title !== undefined && ts.isStringLiteralLike(title)) titles.push(title.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('test.ts', text, ts.ScriptTarget.ES2023, true));
  return titles;
};

const kindOf = (path: string): TestFile['kind'] =>
  path.startsWith('test/unit/procedures/') ? 'value' : 'rule';

/** Every unit, property, integration and scenario test under `root`. */
export const collectTests = (root: string): readonly TestFile[] =>
  filesUnder(root, 'test').flatMap((path): readonly TestFile[] => {
    if (path.endsWith('.test.ts')) {
      const text = readFileSync(join(root, path), 'utf8');
      return [{ path, kind: kindOf(path), clauses: clausesIn(titlesOf(text).join('\n')), text }];
    }
    if (path.startsWith('test/scenarios/') && path.endsWith('.yaml')) {
      const text = readFileSync(join(root, path), 'utf8');
      return [{ path, kind: 'scenario', clauses: clausesIn(text), text }];
    }
    return [];
  });

/** The core's sources by path. */
export const collectCore = (root: string): ReadonlyMap<string, string> =>
  new Map(
    filesUnder(root, 'controller/core')
      .filter((path) => path.endsWith('.ts'))
      .map((path) => [path, readFileSync(join(root, path), 'utf8')]),
  );
