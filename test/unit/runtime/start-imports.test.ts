import { existsSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../../..');
/** `import ... from 'x'` and `export ... from 'x'`, but not types: those are gone when compiled. */
const STATIC = /^(?:import|export)\s+(?!type\b)(?:[^'";]*?\sfrom\s+)?'([^']+)';/gm;
/** Large libraries that a table does not need before it is watched. */
const LATER = ['mqtt', 'fastify', '@fastify/static', 'aedes', 'serialport', 'i2c-bus', 'onoff'];

/** `await import('x')`: loaded when it is reached. */
const LAZY = /\bimport\(\s*'(\.[^']+)',?\s*\)/g;

/**
 * What a running table loads after it is watched and its page is there. An update replaces the
 * program's files before it restarts the service, so whoever asks for these says what then: the
 * technician's page that the doctor cannot be asked; the others are asked for by commands only.
 */
const WHILE_RUNNING = [
  'controller/runtime/doctor.ts: firmware-bridge/bus/i2c-dev.js',
  'controller/runtime/technician.ts: controller/runtime/doctor.js',
];
/** Done by the time that the page's address is told. */
const WHILE_STARTING = [
  'controller/runtime/config-check.ts',
  'controller/runtime/main.ts',
  'controller/runtime/open-page.ts',
  'controller/runtime/run.ts',
  'firmware-bridge/open-board.ts',
];

/** Lazy imports of all that can be reached from a file. */
const lazyFrom = (entry: string): readonly string[] => {
  const [seen, found] = [new Set<string>(), new Set<string>()];
  const open = [resolve(ROOT, entry)];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (seen.has(file) || !existsSync(file)) continue;
    seen.add(file);
    const text = readFileSync(file, 'utf8');
    const target = (name: string): string => resolve(dirname(file), name.replace(/\.js$/, '.ts'));
    for (const [, name] of text.matchAll(STATIC)) {
      if (name?.startsWith('.') === true) open.push(target(name));
    }
    for (const [, name = ''] of text.matchAll(LAZY)) {
      open.push(target(name));
      const js = relative(ROOT, target(name)).replace(/\.ts$/, '.js');
      found.add(`${relative(ROOT, file)}: ${js}`);
    }
  }
  return [...found].sort();
};

/** Everything that loads with a file before its own code runs, by who asks for it. */
const loadedWith = (entry: string): ReadonlyMap<string, string> => {
  const found = new Map<string, string>();
  const open = [resolve(ROOT, entry)];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    for (const [, name] of readFileSync(file, 'utf8').matchAll(STATIC)) {
      if (name === undefined || name.startsWith('node:')) continue;
      const isOurs = name.startsWith('.');
      const target = isOurs ? resolve(dirname(file), name.replace(/\.js$/, '.ts')) : name;
      if (found.has(target)) continue;
      found.set(target, relative(ROOT, file));
      if (isOurs && existsSync(target)) open.push(target);
    }
  }
  return found;
};

it('a start loads no network library and no web server before the table is watched', () => {
  const loaded = loadedWith('controller/runtime/run.ts');
  expect(loaded.has(resolve(ROOT, 'controller/runtime/loop.ts'))).toBe(true);
  expect(LATER.filter((name) => loaded.has(name)).map((n) => [n, loaded.get(n)])).toEqual([]);
});

it('the journal’s thread loads neither schemas nor texts', () => {
  const loaded = loadedWith('storage/writer-thread.ts');
  expect(loaded.has('better-sqlite3')).toBe(true);
  expect(['zod', 'yaml'].filter((name) => loaded.has(name))).toEqual([]);
});

it('a running table loads nothing that an update may have taken away, but for the doctor', () => {
  const late = lazyFrom('controller/runtime/run.ts').filter(
    (lazy) => !WHILE_STARTING.some((file) => lazy.startsWith(`${file}:`)),
  );
  expect(late).toEqual(WHILE_RUNNING);
});
