import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseScenario } from '../../controller/runtime/scenario/parse.js';
import { packageRoot } from '../../firmware-bridge/files.js';
import { difference } from './canonical.js';
import { Session } from './host/session.js';
import { type Told, tellStory } from './host/story.js';
import { Unavailable } from './host/parts.js';
import { type Tier, type TierName, tierOf, TIERS } from './host/tiers.js';
import type { ArmFigure } from './words.js';

/**
 * `npm run test:arm`: the real line, serial, disk and network code in emulated guests. All tiers,
 * or `-- --tier 1`; `--only PATTERN` runs the checks whose names match; `--verbose` shows the
 * guests' consoles. `--ci`: a tier whose emulator or kernel cannot be had here is skipped and
 * named, and one that failed is run once more and named as unsteady. Exit code 0: all passed; 1:
 * something failed, or (without `--ci`) a tier could not run.
 */
const PACKAGE = packageRoot();
const SCENARIO = 'test/scenarios/incident-burn-omitted.yaml';
const REPORTS = join(PACKAGE, 'reports');

const { values } = parseArgs({
  options: {
    tier: { type: 'string', multiple: true },
    only: { type: 'string', default: '' },
    ci: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
});

let passed = 0;
let failed = 0;
let skipped = 0;
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const fail = (name: string, why: string): void => {
  failed += 1;
  say(`  FAILED ${name}\n${why.replaceAll(/^/gm, '    ')}`);
};

const story = async (): Promise<Told> => {
  const file = join(PACKAGE, SCENARIO);
  const read = parseScenario(SCENARIO, readFileSync(file, 'utf8'));
  if (!read.ok) throw new Error(`${SCENARIO} cannot be read`);
  return tellStory(read.scenario, join(PACKAGE, 'test/arm/rig.yaml'));
};

const figureLine = (tier: Tier, { what, backend, count, ...us }: ArmFigure): string =>
  `  ${tier.name}: ${what}, ${backend}: p50 ${us.p50Us} us, p95 ${us.p95Us} us, ` +
  `max ${us.maxUs} us (${count} edges, clock of an emulated guest)`;

const figures: { readonly tier: string; readonly kernel: string; readonly figure: ArmFigure }[] =
  [];

const runTier = async (tier: Tier, told: Told): Promise<void> => {
  const startedMs = performance.now();
  say(`${tier.name}, kernel ${tier.kernel}`);
  const session = new Session(tier, told.story, values.verbose);
  const ended = await session.run((heard) => {
    switch (heard.say) {
      case 'passed':
        passed += 1;
        say(`  ok ${heard.name} (${(heard.ms / 1000).toFixed(1)} s)`);
        return;
      case 'failed':
        fail(heard.name, heard.why);
        return;
      case 'note':
        say(`  note: ${heard.text}`);
        return;
      case 'figure':
        figures.push({ tier: tier.name, kernel: tier.kernel, figure: heard.figure });
        say(figureLine(tier, heard.figure));
        return;
      case 'journal': {
        const parted = difference(told.rows, heard.rows);
        const name = `${heard.backend}: the journal is that of virtual lines, times apart`;
        if (parted !== null) fail(name, parted);
        else {
          passed += 1;
          say(`  ok ${name} (${heard.rows.length} rows)`);
        }
      }
    }
  });
  if (ended !== null) fail(tier.name, `${ended}\n${session.console()}`);
  rmSync(tier.scratch, { recursive: true, force: true });
  say(`  ${((performance.now() - startedMs) / 1000).toFixed(0)} s`);
};

/** @throws Unavailable where the emulator is not here and may not be installed. */
const installFor = (name: TierName): void => {
  try {
    execFileSync('bash', [join(PACKAGE, 'test/arm/setup.sh'), name], { stdio: 'inherit' });
  } catch (cause) {
    throw new Unavailable('its emulator or tools could not be installed; see above', { cause });
  }
};

const main = async (): Promise<void> => {
  const tiers = values.tier ?? TIERS;
  const told = await story();
  for (const name of tiers) {
    try {
      const known = TIERS.find((one) => one === name);
      if (known === undefined) throw new Error(`there is no tier ${name}`);
      installFor(known);
      const before = { passed, failed };
      await runTier(tierOf(known, values.only), told);
      if (failed === before.failed || !values.ci) continue;
      say(`UNSTEADY tier ${name}: run once more, only that counts`);
      ({ passed, failed } = before);
      await runTier(tierOf(known, values.only), told);
    } catch (thrown) {
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      if (values.ci && thrown instanceof Unavailable) {
        skipped += 1;
        say(`SKIPPED tier ${name}: ${why}`);
      } else fail(`tier ${name}`, why);
    }
  }
  if (figures.length > 0) {
    mkdirSync(REPORTS, { recursive: true });
    const report = { at: new Date().toISOString(), figures };
    writeFileSync(join(REPORTS, 'arm.json'), `${JSON.stringify(report, null, 2)}\n`);
  }
  const missed = skipped === 0 ? '' : `, ${skipped} ${skipped === 1 ? 'tier' : 'tiers'} skipped`;
  say(`${passed} passed, ${failed} failed${missed}`);
  process.exitCode = failed === 0 && passed + skipped > 0 ? 0 : 1;
};

// An emulator must not outlive us: ending in order kills it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
await main();
