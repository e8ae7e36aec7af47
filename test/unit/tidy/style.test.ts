import ts from 'typescript';
import { expect, test, vi } from 'vitest';
import { isSource, nodesOf, placeOf, syntaxOf, textOf, trackedFiles } from '../../support/tree.js';

/** The whole tree is read and parsed. */
vi.setConfig({ testTimeout: 120_000 });

const MAX_FILE_LINES = 400;
const MAX_FUNCTION_LINES = 70;
const MAX_COLUMNS = 100;

const files = trackedFiles();
const sources = files.filter(isSource);
const shipped = sources.filter((path) => !path.startsWith('test/') && path !== 'vitest.config.ts');
const written = files.filter((path) => /\.(tsx?|m?js|css|sh)$/.test(path) || path === '.ci/run');

/** Where a check is broken, in every source given. */
const places = (paths: readonly string[], isWrong: (node: ts.Node) => boolean): string[] =>
  paths.flatMap((path) =>
    nodesOf(syntaxOf(path))
      .filter(isWrong)
      .map((node) => placeOf(path, node)),
  );

test(`no source is longer than ${MAX_FILE_LINES} lines`, () => {
  const long = written.filter((path) => textOf(path).trimEnd().split('\n').length > MAX_FILE_LINES);
  expect(long).toEqual([]);
});

test(`no line of a source is longer than ${MAX_COLUMNS} columns`, () => {
  const long = written.flatMap((path) =>
    textOf(path)
      .split('\n')
      .flatMap((line, i) => (line.length > MAX_COLUMNS ? [`${path}:${i + 1}`] : [])),
  );
  expect(long).toEqual([]);
});

test(`no function is longer than ${MAX_FUNCTION_LINES} lines`, () => {
  const isLong = (node: ts.Node): boolean => {
    if (!ts.isFunctionLike(node)) return false;
    const file = node.getSourceFile();
    const first = file.getLineAndCharacterOfPosition(node.getStart(file)).line;
    return file.getLineAndCharacterOfPosition(node.end).line - first >= MAX_FUNCTION_LINES;
  };
  expect(places(shipped, isLong)).toEqual([]);
});

test('nothing is typed `any`', () => {
  expect(places(sources, (node) => node.kind === ts.SyntaxKind.AnyKeyword)).toEqual([]);
});

/**
 * Helpers that may assert a type, once each: the compiler cannot follow a spread over a union, the
 * keys of an object, or what JSON.stringify leaves out. Anywhere else a guard is wanted.
 */
const ASSERTING = [
  'controller/config/read.ts',
  'controller/core/draft.ts',
  'controller/core/press-parse.ts',
];

test('types are narrowed, not asserted', () => {
  const isAsserted = (node: ts.Node): boolean => {
    if (ts.isNonNullExpression(node)) return true;
    if (!ts.isAsExpression(node)) return false;
    // `as const` narrows nothing away, and a list read as strings is only widened.
    return !/^(const|readonly string\[\])$/.test(node.type.getText());
  };
  const files = places(shipped, isAsserted).map((place) => place.replace(/:\d+$/, ''));
  expect(files.toSorted()).toEqual(ASSERTING);
});

test('there is no enum and no namespace', () => {
  const isWrong = (node: ts.Node): boolean =>
    ts.isEnumDeclaration(node) || ts.isModuleDeclaration(node);
  expect(places(sources, isWrong)).toEqual([]);
});

test('exports are named', () => {
  expect(places(shipped, ts.isExportAssignment)).toEqual([]);
});

test('no file only passes others on', () => {
  const passesOn = (statement: ts.Statement): boolean =>
    ts.isExportDeclaration(statement) && statement.moduleSpecifier !== undefined;
  const barrels = shipped.filter((path) => {
    const { statements } = syntaxOf(path);
    return statements.length > 0 && statements.every(passesOn);
  });
  expect(barrels).toEqual([]);
});

test('no comment silences the compiler or lint without saying why', () => {
  const silence = /@ts-(ignore|nocheck)|@ts-expect-error(?! [-:] \S)|eslint-disable(?!.* -- \S)/;
  const wrong = files
    .filter((path) => /\.(tsx?|m?js)$/.test(path) && !path.startsWith('test/unit/tidy/'))
    .flatMap((path) =>
      textOf(path)
        .split('\n')
        .flatMap((line, i) => (silence.test(line) ? [`${path}:${i + 1}`] : [])),
    );
  expect(wrong).toEqual([]);
});

test('no test is switched off, and one that may be skipped says why', () => {
  const tests = sources.filter((path) => path.endsWith('.test.ts'));
  const isOff = (node: ts.Node): boolean => {
    if (!ts.isPropertyAccessExpression(node) || !ts.isIdentifier(node.expression)) return false;
    if (!/^(describe|test|it|suite)$/.test(node.expression.text)) return false;
    return /^(skip|only|todo|fails|skipIf|runIf)$/.test(node.name.text);
  };
  // `testWith(missing, name, run)` and `context.skip(reason)` skip with a reason.
  expect(places(tests, isOff)).toEqual([]);
});
