import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { openJournal } from '../../storage/journal.js';
import { verifyChain } from '../../storage/verify.js';
import { type Missing, testWith } from '../support/needs.js';
import { Appender, childStep, firstWrongRow, needsBuild } from './storage-child.js';

const SOURCE = fileURLToPath(new URL('disk-fault.c', import.meta.url));
/** Where no fault comes in its way, the process is killed after so many rows. */
const ROWS = 400;
const MS_A_FAULT = 90_000;

let folder: string;
let library: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'disk-'));
  library = join(folder, 'disk-fault.so');
  spawnSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, SOURCE, '-ldl']);
});
afterAll(() => rmSync(folder, { recursive: true }));

const needsCompiler = (): Missing => {
  if (process.platform !== 'linux') return 'only Linux preloads a library';
  if (spawnSync('cc', ['--version']).status !== 0) return 'there is no C compiler (cc)';
  return needsBuild();
};

/** CALL:N:HOW as disk-fault.c reads it, and the codes the journal may give for it. */
const FAULTS: readonly (readonly [fault: string, codes: RegExp])[] = [
  ['sync:9:EIO', /io/],
  ['sync:40:EIO', /io/],
  ['write:4:EIO', /io/],
  ['write:160:EIO', /io/],
  ['write:300:EIO', /io/],
  ['write:20:ENOSPC', /full/],
  ['write:161:ENOSPC', /full/],
];

describe('a disk that fails once', () => {
  for (const [i, [fault, codes]] of FAULTS.entries()) {
    const writer = i % 2 === 0 ? 'worker' : 'inline';
    testWith(
      needsCompiler(),
      `at ${fault}: refused from then on, nothing acknowledged is lost (${writer})`,
      async () => {
        const path = join(folder, `${fault.replaceAll(':', '-')}.journal`);
        const env = { LD_PRELOAD: library, CUTCARD_FAULT: fault };
        const child = new Appender(path, writer, i + 1, env);
        await child.acknowledged(ROWS);
        await child.kill();
        expect(child.words).toContain(`disk: ${fault.replaceAll(':', ' ')}`);
        const told = /fault (\S+)\nagain (\S+)/.exec(child.words);
        if (told === null) {
          // It failed while the journal was made: that is said, and nothing is left in its place.
          expect(child.words).toMatch(/JournalFault: journal .* failed/);
          expect(existsSync(path)).toBe(false);
        } else {
          expect(told[1]).toMatch(codes);
          expect(told[2]).toBe(told[1]);
        }
        await holds(path, child.lastSeq);
      },
      MS_A_FAULT,
    );
  }

  testWith(
    needsCompiler(),
    'with half a write only: it is written on, and nothing is lost',
    async () => {
      for (const fault of ['write:180:short', 'write:191:short']) {
        const path = join(folder, `${fault.replaceAll(':', '-')}.journal`);
        const env = { LD_PRELOAD: library, CUTCARD_FAULT: fault };
        const child = new Appender(path, 'worker', 3, env);
        await child.acknowledged(ROWS);
        await child.kill();
        expect(child.words).toContain(`disk: ${fault.replaceAll(':', ' ')}`);
        expect(child.words).not.toMatch(/fault/);
        expect(child.lastSeq).toBeGreaterThanOrEqual(ROWS);
        await holds(path, child.lastSeq);
      }
    },
    MS_A_FAULT,
  );
});

/** Everything acknowledged is there, row for row, and the journal goes on. */
const holds = async (path: string, acknowledged: number): Promise<void> => {
  const journal = await openJournal(path, { writer: 'inline' });
  const { seq } = journal.head();
  expect(seq).toBeGreaterThanOrEqual(acknowledged);
  await journal.append([childStep(seq + 1)]);
  await journal.close();
  expect((await verifyChain(path)).damage).toBeNull();
  expect(firstWrongRow(path)).toBeNull();
};
