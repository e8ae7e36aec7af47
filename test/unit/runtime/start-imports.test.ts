import { existsSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../../..');
/** `import ... from 'x'` and `export ... from 'x'`, but not types: those are gone when compiled. */
const STATIC = /^(?:import|export)\s+(?!type\b)(?:[^'";]*?\sfrom\s+)?'([^']+)';/gm;
/** Large libraries that a table does not need before it is watched. */
const LATER = ['mqtt', 'fastify', '@fastify/static', 'aedes', 'serialport', 'i2c-bus', 'onoff'];

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
