import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { z } from 'zod';
import { CLI } from '../support/cutcard.js';
import { needsFile, testWith } from '../support/needs.js';

// What a person may give where a file is asked for, and every command that asks for one: each ends
// soon, says in a line or two what is wrong, and shows nothing of the program's inside.

const SCENARIO = fileURLToPath(new URL('../scenarios/631a-burn-never-begun.yaml', import.meta.url));
const CHILD = fileURLToPath(new URL('./bad-input-child.mjs', import.meta.url));
const built = needsFile(CLI, 'run `npm run build` first');

/** What may pass between a command's start and its end, ms. */
const END_MS = 20_000;
const TEST_MS = 240_000;
const LINES_MAX = 3;
const SPARSE_BYTES = 3 * 1024 ** 3;

const INPUTS = [
  ...(['missing', 'folder', 'pipe', 'zero', 'empty', 'binary', 'sparse', 'loop'] as const),
  ...(['deep', 'wide'] as const),
] as const;
type Input = (typeof INPUTS)[number];

let folder = '';
let files: Readonly<Record<Input, string>> | undefined;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cutcard-bad-input-'));
  const at = (name: string): string => join(folder, name);
  const own = { mode: 0o600 };
  mkdirSync(at('folder.yaml'));
  execFileSync('mkfifo', ['-m', '600', at('pipe.yaml')]);
  writeFileSync(at('empty.yaml'), '', own);
  writeFileSync(at('sparse.yaml'), '', own);
  truncateSync(at('sparse.yaml'), SPARSE_BYTES);
  const bytes = Array.from({ length: 4096 }, (_, i) => (i * 7) & 0xff);
  writeFileSync(at('binary.yaml'), Buffer.from(bytes), own);
  writeFileSync(at('deep.yaml'), '['.repeat(900_000), own);
  writeFileSync(
    at('wide.yaml'),
    Array.from({ length: 80_000 }, (_, i) => `k${i}: 1\n`).join(''),
    own,
  );
  symlinkSync(at('other.yaml'), at('loop.yaml'));
  symlinkSync(at('loop.yaml'), at('other.yaml'));
  files = {
    missing: at('missing.yaml'),
    folder: at('folder.yaml'),
    pipe: at('pipe.yaml'),
    zero: '/dev/zero',
    empty: at('empty.yaml'),
    binary: at('binary.yaml'),
    sparse: at('sparse.yaml'),
    loop: at('loop.yaml'),
    deep: at('deep.yaml'),
    wide: at('wide.yaml'),
  };
});

afterAll(() => rmSync(folder, { recursive: true }));

const READS: readonly string[] = [
  'config check FILE',
  'run --config FILE',
  'run --trace FILE',
  'doctor --config FILE',
  'doctor --board FILE',
  'board show FILE',
  'calibrate --board FILE --out DIR/out.yaml',
  'panel --listen 127.0.0.1:0 --profile FILE',
  'procedures explain FILE',
  'procedures diff FILE pa/631a-baccarat',
  'scenario run FILE',
  'scenario check FILE',
  'floor --config FILE',
  'demo --procedure FILE',
  'provision install FILE --dir DIR --ca FILE',
  'provision authority sign FILE a/b --dir DIR --out DIR/x.crt',
  'provision authority revoke FILE --dir DIR',
  'provision broker FILE --out DIR',
  'user list --file FILE',
  'user remove anybody --file FILE',
  'user password anybody --file FILE',
  'command mark now --broker mqtt://127.0.0.1:9 --table a/b/c --sign-name a --sign-key FILE',
  'contract check --broker mqtts://127.0.0.1:9 --ca FILE',
  'contract check --broker mqtt://127.0.0.1:9 --username a --password-file FILE',
  'load --broker mqtt://127.0.0.1:9 --keys FILE',
];

/**
 * Inputs that one of these takes rightly: an empty list of keys is one, an empty file a password,
 * and a pack that says nothing is a wrong pack (exit code 1).
 */
const TAKEN: Readonly<Record<string, readonly Input[]>> = {
  load: ['empty'],
  'procedures explain': ['empty'],
  'procedures diff': ['empty'],
  'contract check': ['empty'],
};

/** FILE stands where something is to be written: no folder, or nothing a folder can be made in. */
const WRITES: readonly string[] = [
  'calibrate --out FILE/x',
  'scenario run SCENARIO --record FILE/x',
  'demo --no-wall --port 0 --speed max --shoes 1 --record FILE/x',
  'demo --no-wall --port 0 --data FILE',
  'contract schema FILE',
  'provision request a/b/c --dir FILE',
  'provision signing-key --dir FILE',
  'provision authority init ca --dir FILE',
  'user add anybody --no-password --role viewer --file FILE/x',
  'board show pi4 --svg FILE/x',
  'command new-key FILE/x',
];
const NO_FOLDERS: readonly Input[] = ['pipe', 'zero', 'empty', 'loop'];

const answerSchema = z.object({ code: z.number(), out: z.string(), err: z.string() });
type Answer = z.output<typeof answerSchema>;

/** One process that runs command lines; stopped, and begun anew, where one does not end. */
class Runner {
  #child: ChildProcessByStdio<Writable, Readable, null> | null = null;
  #isNew = true;
  #heard: (line: string | null) => void = () => undefined;

  async run(args: readonly string[]): Promise<Answer | null> {
    const child = (this.#child ??= this.#begin());
    const line = await new Promise<string | null>((resolve) => {
      const timer = setTimeout(() => resolve(null), END_MS + (this.#isNew ? END_MS : 0));
      this.#heard = (said) => {
        clearTimeout(timer);
        resolve(said);
      };
      child.stdin.write(`${JSON.stringify(args)}\n`);
    });
    this.#isNew = false;
    if (line === null) this.stop();
    return line === null ? null : answerSchema.parse(JSON.parse(line));
  }

  stop(): void {
    this.#child?.kill('SIGKILL');
    this.#child = null;
  }

  #begin(): ChildProcessByStdio<Writable, Readable, null> {
    this.#isNew = true;
    const child = spawn(process.execPath, [CHILD], {
      stdio: ['pipe', 'pipe', 'ignore'],
      cwd: folder,
    });
    createInterface({ input: child.stdout }).on('line', (line) => this.#heard(line));
    child.on('close', () => {
      if (this.#child === child) this.#heard(null);
    });
    return child;
  }
}

const runner = new Runner();
afterAll(() => runner.stop());

const nameOf = (line: string): string => line.split(' ').slice(0, 2).join(' ');

const argsOf = (line: string, file: string): readonly string[] =>
  line
    .replaceAll('FILE', file)
    .replaceAll('DIR', mkdtempSync(join(folder, 'dir-')))
    .replaceAll('SCENARIO', SCENARIO)
    .split(' ');

/** What is wrong with how a command took an input; null where nothing is. */
const faultOf = (answer: Answer | null): string | null => {
  if (answer === null) return `it did not end within ${END_MS / 1000} s`;
  const { code, out, err } = answer;
  if (code !== 2 && code !== 78) return `it ended with ${code}: ${err}${out}`;
  // What is wrong with a scenario is the answer of `scenario`.
  const said = (err === '' ? out : err).trimEnd();
  const lines = said.split('\n');
  if (said === '' || lines.length > LINES_MAX) return `it said ${lines.length} lines: ${said}`;
  return /^\s+at |internal error/m.test(said) ? `it showed its inside: ${said}` : null;
};

const faultsOf = async (line: string, inputs: readonly Input[]): Promise<readonly string[]> => {
  const faults: string[] = [];
  for (const input of inputs) {
    const file = files?.[input] ?? '';
    const fault = faultOf(await runner.run(argsOf(line, file)));
    if (fault !== null) faults.push(`${input}: ${fault}`);
  }
  return faults;
};

describe('what cannot be read ends with a word and no trace of the inside', () => {
  for (const line of READS) {
    const taken = TAKEN[nameOf(line)] ?? TAKEN[line.split(' ')[0] ?? ''] ?? [];
    const inputs = INPUTS.filter((input) => !taken.includes(input));
    testWith(built, line, async () => expect(await faultsOf(line, inputs)).toEqual([]), TEST_MS);
  }
});

describe('where nothing can be written it is said before the work', () => {
  for (const line of WRITES) {
    testWith(
      built,
      line,
      async () => expect(await faultsOf(line, NO_FOLDERS)).toEqual([]),
      TEST_MS,
    );
  }
  testWith(
    built,
    'a demo in /proc, where a folder can never be made',
    async () => {
      const answer = await runner.run(['demo', '--no-wall', '--data', '/proc/x']);
      expect(faultOf(answer)).toBeNull();
      expect(answer?.err).toContain('no folder can be made there');
    },
    TEST_MS,
  );
});
