import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ownName, typed } from '../../../controller/runtime/own-name.js';

const folder = mkdtempSync(join(tmpdir(), 'cutcard-name-'));
afterAll(() => rmSync(folder, { recursive: true }));

const program = (...parts: readonly string[]): string => {
  const dir = join(folder, ...parts);
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'cutcard'), '#!/bin/sh\n');
  chmodSync(join(dir, 'cutcard'), 0o755);
  return dir;
};

test('the program is named as the shell finds it, and not as npm shows it to its own', () => {
  const ofNpm = program('checkout', 'node_modules', '.bin');
  const installed = program('bin');
  const empty = join(folder, 'empty');
  mkdirSync(join(empty, 'cutcard'), { recursive: true });
  expect(ownName(`${installed}:${empty}`)).toBe('cutcard');
  expect(ownName(`${ofNpm}:${empty}:/nowhere`)).toBe('npx cutcard');
  expect(ownName('')).toBe('npx cutcard');
});

test('a command in a text is written so that it can be typed; the rest stays', () => {
  const name = 'npx cutcard';
  expect(typed('run `cutcard doctor`', name)).toBe('run `npx cutcard doctor`');
  expect(typed('see (cutcard user add)', name)).toBe('see (npx cutcard user add)');
  expect(typed('Usage: cutcard demo [options]', name)).toBe('Usage: npx cutcard demo [options]');
  expect(typed('cutcard journal verify F\ncutcard run', name)).toBe(
    'npx cutcard journal verify F\nnpx cutcard run',
  );
  const kept = [
    'npx cutcard demo',
    'cutcard: the journal is locked',
    'keep the cutcard out; the cutcard running low',
    '/etc/cutcard/cutcard.yaml, cutcard-upgrade, cutcard runs',
  ];
  for (const text of kept) expect(typed(text, name)).toBe(text);
  expect(typed('`cutcard doctor`', 'cutcard')).toBe('`cutcard doctor`');
});
