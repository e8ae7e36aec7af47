import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, test, type TestContext } from 'vitest';

/** Null when what a test needs is there; else the reason, said at the end of the run. */
export type Missing = string | null;

/** A program on the PATH, as `deploy/setup.sh` installs it. */
export const needsProgram = (name: string): Missing => {
  const found = spawnSync('sh', ['-c', 'command -v "$1"', 'sh', name]).status === 0;
  return found ? null : `\`${name}\` is not installed (npm run setup installs it)`;
};

/** A file or folder that only some machines have. */
export const needsFile = (path: string, why: string): Missing =>
  existsSync(path) ? null : `${path} is not there: ${why}`;

/** Inside a `describe`: each of its tests is skipped with the reason where something is missing. */
export const skipWhere = (missing: Missing): void => {
  beforeEach((context) => {
    if (missing !== null) context.skip(missing);
  });
};

export interface Around {
  start(): Promise<unknown>;
  stop(): Promise<unknown>;
}

/** Inside a `describe`: what its tests work with stands from before the first to after the last. */
export const aroundAll = (missing: Missing, around: Around, limitMs: number): void => {
  skipWhere(missing);
  beforeAll(async () => {
    if (missing === null) await around.start();
  }, limitMs);
  afterAll(async () => {
    if (missing === null) await around.stop();
  }, limitMs);
};

/** A test that is skipped with its reason where something it needs is missing. */
export const testWith = (
  missing: Missing,
  name: string,
  run: (context: TestContext) => Promise<void> | void,
  timeoutMs?: number,
): void => {
  test(
    name,
    async (context) => {
      if (missing !== null) context.skip(missing);
      await run(context);
    },
    timeoutMs,
  );
};
