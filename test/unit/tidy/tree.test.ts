import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { ROOT, textOf, trackedFiles } from '../../support/tree.js';

const files = trackedFiles();
const isText = (path: string): boolean => !/\.(png|ico|woff2|db|bin|gz|trace)$/.test(path);

/** Lines of the tree that match, as `path:line`. */
const linesWith = (pattern: RegExp, paths: readonly string[]): string[] =>
  paths.filter(isText).flatMap((path) =>
    textOf(path)
      .split('\n')
      .flatMap((line, i) => (pattern.test(line) ? [`${path}:${i + 1}`] : [])),
  );

test('nothing is left for later in the text', () => {
  const marks = new RegExp(
    `\\b(${['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X', 'HA' + 'CK'].join('|')})\\b`,
  );
  expect(linesWith(marks, files)).toEqual([]);
});

test('no path of one machine and no registry host is in the tree', () => {
  const machine = ['/wo' + 'rk/', '/ro' + 'ot/', '/ho' + 'me/[a-z]', '/Us' + 'ers/'].join('|');
  const hosts = [
    'registry\\.[a-z-]+\\.(org|com|net|dev)',
    '\\.npm' + 'js\\.',
    'npm' + 'mirror',
  ].join('|');
  expect(linesWith(new RegExp(`(^|[\\s'"\`(=:])(${machine})|${hosts}`), files)).toEqual([]);
});

test('the lock file names no download address', () => {
  expect(linesWith(/"resolved":/, ['package-lock.json'])).toEqual([]);
});

const Manifest = z.object({
  dependencies: z.record(z.string(), z.string()),
  devDependencies: z.record(z.string(), z.string()),
  overrides: z.record(z.string(), z.string()),
});

test('every dependency is pinned to one version', () => {
  const manifest = Manifest.parse(JSON.parse(textOf('package.json')));
  const all = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.overrides };
  const loose = Object.entries(all).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version));
  expect(loose).toEqual([]);
  expect(Object.keys(all).length).toBeGreaterThan(20);
});

test("a procedure pack's file is named by its id", () => {
  const packs = files.filter((path) => /^controller\/procedures\/packs\/.+\.ya?ml$/.test(path));
  const wrong = packs.filter((path) => {
    const { id } = z.object({ id: z.string() }).parse(parse(textOf(path)));
    return path !== `controller/procedures/packs/${id}.yaml`;
  });
  expect(wrong).toEqual([]);
});

test('decisions are numbered without a gap and dated', () => {
  const pages = files.filter((path) => path.startsWith('docs/decisions/'));
  const numbers = pages.map((path) => posix.basename(path).slice(0, 4));
  expect(numbers).toEqual(pages.map((_, i) => String(i + 1).padStart(4, '0')));
  expect(pages.filter((path) => !/^Date: \d{4}-\d{2}-\d{2}$/m.test(textOf(path)))).toEqual([]);
});

test('links between documents lead somewhere', () => {
  const broken = files
    .filter((path) => path.endsWith('.md'))
    .flatMap((path) =>
      [...textOf(path).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)]
        .map((match) => posix.join(posix.dirname(path), match[1] ?? ''))
        .filter((target) => !existsSync(ROOT + target))
        .map((target) => `${path} -> ${target}`),
    );
  expect(broken).toEqual([]);
});
