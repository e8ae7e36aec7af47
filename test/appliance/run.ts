import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, homedir, loadavg } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { packageRoot } from '../../firmware-bridge/files.js';
import { type Arch, bareMachine, DISK } from './bare.js';
import { APPLIANCE, type Check, FAILURES, INSTALL, REMOVAL, UPDATES } from './checks.js';
import { DEVBOARD } from './dev-board.js';
import { Guest } from './guest.js';
import { builder, must, type Parcel, parcelOf } from './packages.js';

/**
 * `npm run test:appliance`: a bare Debian with systemd in an emulated machine, from the package to
 * an armed table by the documented commands alone; then hangs, power cuts, upgrades and removal,
 * and at last, bare again, the page of the development board.
 *
 * `-- --arch arm64` the other processor · `--packages FOLDER` packages already built (else those of
 * the last commit are built, twice, and must be the same) · `--fresh` makes the guest anew ·
 * `--disk FILE` goes on from a copy of a kept disk on which the table is installed and armed ·
 * `--only WORDS` the checks whose name holds them · `--from WORDS` the first such one and all after
 * it · `--keep` keeps machine and packages.
 * What was found: reports/appliance.json (arm64: appliance-arm64.json).
 * Exit code 0: all passed; 1: something failed or could not run.
 */
const PACKAGE = packageRoot();
const HERE = join(PACKAGE, 'test/appliance');
const REPORT = { amd64: 'appliance.json', arm64: 'appliance-arm64.json' };

const { values } = parseArgs({
  options: {
    arch: { type: 'string', default: 'amd64' },
    packages: { type: 'string' },
    fresh: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    disk: { type: 'string' },
    from: { type: 'string', default: '' },
    keep: { type: 'boolean', default: false },
  },
});
const arch: Arch | null = values.arch === 'amd64' || values.arch === 'arm64' ? values.arch : null;
if (arch === null) {
  process.stderr.write(`appliance: no architecture ${values.arch}; amd64 or arm64\n`);
  process.exit(2);
}

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const secondsSince = (fromMs: number): number => Math.round((performance.now() - fromMs) / 1000);

const cache = process.env['CUTCARD_CACHE'] ?? join(homedir(), '.cache', 'cutcard');

/** The bare machine: made once for each change of its recipe. */
const baseOf = (): string => {
  const recipe = [
    ...['base.sh', 'guest-agent.sh', 'guest-agent.service', 'guest-apt.conf', 'emulated.conf'],
  ];
  const hash = createHash('sha256');
  for (const file of recipe) hash.update(readFileSync(join(HERE, file)));
  const folder = join(cache, 'appliance', `${arch}-${hash.digest('hex').slice(0, 12)}`);
  if (values.fresh) rmSync(folder, { recursive: true, force: true });
  if (!existsSync(join(folder, 'root.img'))) {
    say(`making a bare Debian for ${arch}: some minutes, kept for the next time`);
    mkdirSync(dirname(folder), { recursive: true });
    must('bash', [join(HERE, 'base.sh'), arch, folder]);
  }
  return folder;
};

interface Outcome {
  readonly name: string;
  readonly passed: boolean;
  readonly seconds: number;
  readonly why?: string;
}
const outcomes: Outcome[] = [];
const figures = new Map<string, string>();
const failed = (): number => outcomes.filter((one) => !one.passed).length;

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

const settle = (name: string, fromMs: number, why?: string): void => {
  const seconds = secondsSince(fromMs);
  if (why === undefined) {
    outcomes.push({ name, passed: true, seconds });
    say(`  ok ${name} (${seconds} s)`);
    return;
  }
  outcomes.push({ name, passed: false, seconds, why });
  say(`  FAILED ${name} (${seconds} s)\n${why.replaceAll(/^/gm, '    ')}`);
};

let begun = values.from === '';
const runChecks = async (guest: Guest, parcel: Parcel, checks: readonly Check[]): Promise<void> => {
  for (const check of checks) {
    begun ||= check.name.includes(values.from);
    if (!begun || !check.name.includes(values.only)) continue;
    const fromMs = performance.now();
    try {
      await check.run({ guest, figures, arch, version: parcel.version });
      settle(check.name, fromMs);
    } catch (error) {
      settle(check.name, fromMs, reasonOf(error));
      const { output } = await guest.run('journalctl -u cutcard -n 20 --no-pager').catch(() => ({
        output: 'the machine does not answer',
      }));
      say(output.replaceAll(/^/gm, '    | '));
    }
  }
};

/** The packages to try; built here they are built once more and must be the same. */
const packagesOf = (folder: string): Parcel => {
  const { build, again } = builder(arch, folder);
  const built = values.packages ?? build();
  if (values.packages === undefined && values.only === '') {
    const fromMs = performance.now();
    const name = 'built again elsewhere, with nothing kept, the packages have the same bytes';
    try {
      again();
      settle(name, fromMs);
    } catch (error) {
      settle(name, fromMs, reasonOf(error));
    }
  }
  return parcelOf(join(folder, 'parcel'), built, arch);
};

const report = (about: string, parcel: Parcel): void => {
  const commit = spawnSync('git', ['-C', PACKAGE, 'log', '-1', '--format=%h'], {
    encoding: 'utf8',
  }).stdout.trim();
  const host = { processors: cpus().length, load: loadavg().map((n) => Math.round(n)) };
  const said = {
    ...{ at: new Date().toISOString(), arch, commit, guest: about, host, packages: parcel.files },
    ...{ checks: outcomes, figures: Object.fromEntries(figures) },
    ...{ passed: outcomes.length - failed(), failed: failed() },
  };
  mkdirSync(join(PACKAGE, 'reports'), { recursive: true });
  const file = join(PACKAGE, 'reports', REPORT[arch]);
  writeFileSync(file, `${JSON.stringify(said, null, 2)}\n`);
};

const folder = join(cache, 'appliance', `run-${arch}-${process.pid}`);
const main = async (): Promise<void> => {
  must('bash', [join(HERE, 'setup.sh'), arch]);
  const base = baseOf();
  const parcel = packagesOf(folder);
  const guest = new Guest({
    ...{ machine: bareMachine(arch, base, folder), folder },
    parcel: parcel.folder,
  });
  // The emulator must not outlive us, nor lose what a kept disk is kept for.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void guest.powerCut().finally(() => process.exit(1)));
  }
  const about = readFileSync(join(base, 'about.txt'), 'utf8').trim().replaceAll(/\s+/g, ' ');
  say(`${arch}, ${about}`);
  try {
    if (values.disk !== undefined) cpSync(values.disk, join(folder, DISK));
    figures.set('power on to a shell, emulated', `${Math.round((await guest.on()) / 1000)} s`);
    if (values.disk === undefined) await runChecks(guest, parcel, INSTALL);
    // Without a table that is armed the rest would only fail for the same reason.
    if (failed() === 0 || values.disk !== undefined) {
      const rest = [...FAILURES, ...UPDATES, ...APPLIANCE, ...REMOVAL, ...DEVBOARD];
      await runChecks(guest, parcel, rest);
    }
  } finally {
    await guest.powerCut();
  }
  report(about, parcel);
};

try {
  await main();
} catch (error) {
  settle('the run itself', performance.now(), reasonOf(error));
}
for (const [what, value] of figures) say(`${what}: ${value}`);
if (failed() === 0 && !values.keep) rmSync(folder, { recursive: true, force: true });
else say(`the machine's console, disk and packages are kept in ${folder}`);
say(`${outcomes.length - failed()} passed, ${failed()} failed`);
process.exitCode = failed() === 0 && outcomes.length > 0 ? 0 : 1;
