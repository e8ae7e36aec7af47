import { expect, test } from 'vitest';
import { importsOf, isSource, trackedFiles } from '../../support/tree.js';

const LAYERS = [
  'controller/core',
  'controller/procedures',
  'controller/config',
  'controller/runtime',
  'firmware-bridge',
  'storage',
  'surveillance/pages',
  'surveillance',
  'test',
] as const;
type Layer = (typeof LAYERS)[number];

const ground = ['controller/core', 'controller/procedures', 'controller/config'] as const;

/** Whom a layer may import beside itself; docs/ARCHITECTURE.md draws it. */
const MAY_IMPORT: Readonly<Record<Layer, readonly Layer[]>> = {
  'controller/core': [],
  'controller/procedures': ['controller/core'],
  'controller/config': ['controller/core', 'controller/procedures'],
  'firmware-bridge': ground,
  storage: ground,
  surveillance: ground,
  // What runs in a browser; the server's side reaches it as types and plain words only.
  'surveillance/pages': ['controller/core', 'surveillance'],
  'controller/runtime': [...ground, 'firmware-bridge', 'storage', 'surveillance'],
  test: LAYERS,
};

/** No Node, no browser: these compile against the language alone. */
const PURE = [
  'controller/core/',
  'controller/procedures/',
  'firmware-bridge/signal/',
  'firmware-bridge/framing/',
];

const layerOf = (path: string): Layer | null =>
  LAYERS.find((layer) => path.startsWith(`${layer}/`)) ?? null;

const sources = trackedFiles().filter(isSource);
const imports = sources.flatMap(importsOf);

test('the tree has sources to police', () => {
  expect(sources.length).toBeGreaterThan(15);
  expect(imports.length).toBeGreaterThan(15);
});

test('a layer imports only the layers below it', () => {
  const wrong = imports.filter(({ from, file }) => {
    const [here, there] = [layerOf(from), file === null ? null : layerOf(file)];
    return here !== null && there !== null && here !== there && !MAY_IMPORT[here].includes(there);
  });
  expect(wrong.map(({ place, specifier }) => `${place} imports ${specifier}`)).toEqual([]);
});

test('pure folders use nothing of Node', () => {
  const wrong = imports.filter(
    ({ from, specifier }) =>
      PURE.some((folder) => from.startsWith(folder)) && specifier.startsWith('node:'),
  );
  expect(wrong.map(({ place, specifier }) => `${place} imports ${specifier}`)).toEqual([]);
});

test('the core uses no package', () => {
  const wrong = imports.filter(
    ({ from, file }) => from.startsWith('controller/core/') && file === null,
  );
  expect(wrong.map(({ place, specifier }) => `${place} imports ${specifier}`)).toEqual([]);
});

test('Node modules are named with their prefix and files with their extension', () => {
  const wrong = imports.filter(({ specifier, file }) =>
    file === null
      ? /^(fs|path|os|net|crypto|events|stream|child_process|url|util)(\/|$)/.test(specifier)
      : !/\.(js|css|json|mjs)$/.test(specifier),
  );
  expect(wrong.map(({ place, specifier }) => `${place} imports ${specifier}`)).toEqual([]);
});

test('nobody imports what was built', () => {
  const wrong = imports.filter(({ file }) => file?.startsWith('dist/') ?? false);
  expect(wrong.map(({ place, specifier }) => `${place} imports ${specifier}`)).toEqual([]);
});
