import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { checkConfigFile } from '../../../controller/runtime/config-check.js';
import { examine } from '../../../controller/runtime/doctor.js';
import { runTable } from '../../../controller/runtime/run.js';
import { DeviceKey } from '../../../storage/checkpoint.js';

const EXAMPLE = readFileSync('controller/config/example.yaml', 'utf8');

let folder = '';
let file = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'config-check-'));
  file = join(folder, 'table.yaml');
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string, mode = 0o600): void => {
  writeFileSync(join(folder, name), text, { mode });
};

const setUp = (...lines: readonly string[]): void => {
  const journal = `journal: ${join(folder, 'table.journal')}`;
  const without = EXAMPLE.replace(/^(journal|deviceKeyFile):.*$/gm, '');
  writeFileSync(file, [without, journal, ...lines].join('\n'));
};

/** What a start says of the same file; it never gets further. */
const refusal = async (): Promise<string> => {
  const stopped = AbortSignal.abort();
  const error = await runTable({ config: file, broker: null, record: null }, stopped).catch(
    (cause: unknown) => cause,
  );
  return error instanceof Error ? error.message : 'it starts';
};

it('finds nothing wrong with a table whose key can be used', async () => {
  DeviceKey.create(join(folder, 'signing.key'));
  setUp('deviceKeyFile: signing.key');
  expect(await checkConfigFile(file)).toEqual([]);
});

it.each([
  {
    name: 'a key that is none',
    make: () => write('signing.key', 'garbage'),
    cause: 'is no private key',
    cure: 'cutcard provision signing-key --dir',
  },
  {
    name: 'a key that others may read',
    make: () => {
      DeviceKey.create(join(folder, 'signing.key'));
      chmodSync(join(folder, 'signing.key'), 0o644);
    },
    cause: 'can be read by others',
    cure: 'run `chmod 600',
  },
])('refuses what a start refuses, with its line: $name', async ({ make, cause, cure }) => {
  make();
  setUp('deviceKeyFile: signing.key');
  const [problem, ...others] = await checkConfigFile(file);
  expect(others).toEqual([]);
  expect(problem).toMatchObject({ file, field: 'deviceKeyFile' });
  expect(readFileSync(file, 'utf8').split('\n')[(problem?.line ?? 0) - 1]).toContain('signing.key');
  expect(problem?.cause).toContain(cause);
  expect(problem?.cause).not.toContain('chmod');
  expect(problem?.cure).toContain(cure);
  expect(await refusal()).toContain(cause);
  const found = (await examine({ config: file })).find(({ what }) => what === 'signing key');
  expect(found).toMatchObject({ state: 'fail', seen: problem?.cause, cure: problem?.cure });
});

it.each([
  ['commandKeysFile: orders.yaml\nbroker: { url: "mqtt://127.0.0.1:9" }', 'commandKeysFile'],
  ['page: { listen: "127.0.0.1:0", usersFile: orders.yaml }', 'page.usersFile'],
])('refuses a list a start cannot use: %s', async (line, field) => {
  write('orders.yaml', 'nonsense: [');
  setUp(line);
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^page:\n(?: .*\n)*/m, ''));
  const problems = await checkConfigFile(file);
  expect(problems.map((problem) => problem.field)).toEqual([field]);
  expect(await refusal()).not.toBe('it starts');
});

it('names the field of a shuffler’s profile and of a calibration, not the board', async () => {
  write('mine.yaml', 'profile: 2');
  setUp('shufflerProfile: nobodys-machine', 'calibration: mine.yaml');
  const problems = await checkConfigFile(file);
  expect(problems.map(({ field }) => field)).toEqual(['shufflerProfile', 'calibration']);
  expect(problems[0]?.cure).toContain('profile');
  expect(problems[1]?.cure).toContain('cutcard calibrate');
});

it('writes cause and cure of an unknown procedure as one sentence', async () => {
  setUp();
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^procedure:.*/m, 'procedure: pa/1-x'));
  const [problem] = await checkConfigFile(file);
  expect(problem?.field).toBe('procedure');
  expect(problem?.cause).not.toMatch(/\.$/);
});
