import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { packageRoot } from '../../firmware-bridge/files.js';
import { type Arch, bareMachine, DISK } from './bare.js';
import { APPLIANCE, type Check, FAILURES, INSTALL, REMOVAL, UPDATES } from './checks.js';
import { DEVBOARD } from './dev-board.js';
import { Guest } from './guest.js';
import { indented, Outcomes, reasonOf, say } from './outcomes.js';
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

const outcomes = new Outcomes();
const { figures } = outcomes;

let begun = values.from === '';
const runChecks = async (guest: Guest, parcel: Parcel, checks: readonly Check[]): Promise<void> => {
  for (const check of checks) {
    begun ||= check.name.includes(values.from);
    if (!begun || !check.name.includes(values.only)) continue;
    const { version } = parcel;
    if (await outcomes.check(check.name, () => check.run({ guest, figures, arch, version }))) {
      continue;
    }
    const { output } = await guest.run('journalctl -u cutcard -n 20 --no-pager').catch(() => ({
      output: 'the machine does not answer',
    }));
    say(indented(output, '    | '));
  }
};

/** The packages to try; built here they are built once more and must be the same. */
const packagesOf = async (folder: string): Promise<Parcel> => {
  const { build, again } = builder(arch, folder);
  const built = values.packages ?? build();
  if (values.packages === undefined && values.only === '') {
    const name = 'built again elsewhere, with nothing kept, the packages have the same bytes';
    await outcomes.check(name, again);
  }
  return parcelOf(join(folder, 'parcel'), built, arch);
};

const folder = join(cache, 'appliance', `run-${arch}-${process.pid}`);
const main = async (): Promise<void> => {
  must('bash', [join(HERE, 'setup.sh'), arch]);
  const base = baseOf();
  const parcel = await packagesOf(folder);
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
    if (outcomes.failed === 0 || values.disk !== undefined) {
      const rest = [...FAILURES, ...UPDATES, ...APPLIANCE, ...REMOVAL, ...DEVBOARD];
      await runChecks(guest, parcel, rest);
    }
  } finally {
    await guest.powerCut();
  }
  const said = { arch, guest: about, packages: parcel.files };
  outcomes.report(join(PACKAGE, 'reports', REPORT[arch]), said);
};

try {
  await main();
} catch (error) {
  outcomes.settle('the run itself', performance.now(), reasonOf(error));
}
outcomes.end(folder, values.keep);
