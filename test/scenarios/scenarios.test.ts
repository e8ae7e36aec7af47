import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parseScenario } from '../../controller/runtime/scenario/parse.js';
import { failureText } from '../../controller/runtime/scenario/report.js';
import type { Depth } from '../../controller/runtime/scenario/rig.js';
import { runScenario } from '../../controller/runtime/scenario/run.js';

const HERE = fileURLToPath(new URL('.', import.meta.url));
/** Cases kept beside the repository, where there are any. */
const SHARED = join(HERE, '..', '..', '..', 'shared', 'cases');

/** Paths from here, so that a procedure's relative path and a message read the same anywhere. */
const filesIn = (folder: string): readonly string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith('.yaml'))
        .map((name) => join(folder, name))
    : [];

const own = filesIn(HERE);
const files = [...own, ...filesIn(SHARED)];

/** The end of the run, for the comparison of both depths; fails with the report for people. */
const play = async (file: string, through: Depth): Promise<string> => {
  const parsed = parseScenario(file, readFileSync(file, 'utf8'));
  if (!parsed.ok) throw new Error(parsed.problems.map((one) => one.message).join('\n'));
  const outcome = await runScenario(parsed.scenario, { through });
  expect(outcome.ok, `\n${failureText(outcome).join('\n')}`).toBe(true);
  return outcome.end;
};

describe('scenarios at both depths', () => {
  it('finds our own', () => {
    expect(own.length).toBeGreaterThan(40);
  });

  for (const file of files) {
    it(relative(HERE, file), { timeout: 60_000 }, async () => {
      const rules = await play(file, 'observations');
      const signals = await play(file, 'signals');
      expect(signals).toBe(rules);
    });
  }
});
