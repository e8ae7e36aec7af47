import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { packageRoot } from '../../firmware-bridge/files.js';
import { APPLIANCE, type Check, FAILURES, INSTALL, REMOVAL, UPDATES } from './checks.js';
import { DEVBOARD } from './dev-board.js';
import { type Arch, DISK, Guest } from './guest.js';

/**
 * `npm run test:appliance`: a bare Debian with systemd in an emulated machine, from the package to
 * an armed table by the documented commands alone; then hangs, power cuts, upgrades and removal.
 * `-- --arch arm64` for the other processor, `--packages FOLDER` for packages already built,
 * `--fresh` to make the guest anew, `--disk FILE` to go on from a copy of a kept disk on which the
 * table is installed and armed, `--only WORDS` for the checks whose name holds them. Exit code 0:
 * all passed; 1: something failed or could not run.
 */
const PACKAGE = packageRoot();
const HERE = join(PACKAGE, 'test/appliance');
const NEXT = '9.0.0';
const BROKEN = '9.0.1';

const { values } = parseArgs({
  options: {
    arch: { type: 'string', default: 'amd64' },
    packages: { type: 'string' },
    fresh: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    disk: { type: 'string' },
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

const must = (program: string, args: readonly string[]): void => {
  const { status, error } = spawnSync(program, args, { stdio: 'inherit' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed ${error?.message ?? ''}`);
};

const cache = process.env['CUTCARD_CACHE'] ?? join(homedir(), '.cache', 'cutcard');

/** The bare machine: made once for each change of its recipe. */
const baseOf = (): string => {
  const recipe = ['base.sh', 'guest-agent.sh', 'guest-agent.service', 'emulated.conf'];
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

/** A package like another one under another version, and changed as asked. */
const derive = (
  from: string,
  to: string,
  version: string,
  change: (stage: string) => void,
): void => {
  const stage = `${to}.work`;
  rmSync(stage, { recursive: true, force: true });
  execFileSync('dpkg-deb', ['-R', from, stage]);
  const edit = (file: string, pattern: RegExp, text: string): void => {
    const path = join(stage, file);
    writeFileSync(path, readFileSync(path, 'utf8').replace(pattern, text));
  };
  edit('DEBIAN/control', /^Version: .*$/m, `Version: ${version}`);
  edit('usr/lib/cutcard/package.json', /"version": "[^"]*"/, `"version": "${version}"`);
  change(stage);
  execFileSync('dpkg-deb', ['--root-owner-group', '-Zgzip', '--build', stage, to]);
  rmSync(stage, { recursive: true, force: true });
};

/** The packages that the guest gets: this version, a later one, and a later one that is broken. */
const parcelOf = (folder: string): string => {
  const parcel = join(folder, 'parcel');
  for (const name of ['current', 'next', 'broken']) {
    mkdirSync(join(parcel, name), { recursive: true });
  }
  const built = values.packages ?? join(folder, 'built');
  if (values.packages === undefined) {
    must('node', [join(PACKAGE, 'deploy/package.mjs'), '--arch', arch, '--out', built]);
  }
  const one = (name: string, of: string): string => {
    const pattern = new RegExp(`^${name}_.*_${of}\\.deb$`);
    const found = readdirSync(built).filter((file) => pattern.test(file));
    if (found.length !== 1) throw new Error(`${built} holds ${found.length} packages ${name}`);
    return join(built, found[0] ?? '');
  };
  const current = join(parcel, 'current/cutcard.deb');
  cpSync(one('cutcard', arch), current);
  cpSync(one('cutcard-appliance', 'all'), join(parcel, 'current/cutcard-appliance.deb'));
  derive(current, join(parcel, 'next/cutcard.deb'), NEXT, () => undefined);
  derive(current, join(parcel, 'broken/cutcard.deb'), BROKEN, (stage) => {
    const program = join(stage, 'usr/lib/cutcard/dist/bundle/commands/run.js');
    writeFileSync(program, 'process.exit(70);\n');
  });
  return parcel;
};

const tally = { passed: 0, failed: 0 };
const figures = new Map<string, string>();

const runChecks = async (guest: Guest, checks: readonly Check[]): Promise<void> => {
  for (const check of checks) {
    if (!check.name.includes(values.only)) continue;
    const fromMs = performance.now();
    try {
      await check.run({ guest, figures });
      tally.passed += 1;
      say(`  ok ${check.name} (${Math.round((performance.now() - fromMs) / 1000)} s)`);
    } catch (error) {
      tally.failed += 1;
      const why = error instanceof Error ? error.message : String(error);
      say(`  FAILED ${check.name}\n${why.replaceAll(/^/gm, '    ')}`);
      const { output } = await guest.run('journalctl -u cutcard -n 20 --no-pager').catch(() => ({
        output: 'the machine does not answer',
      }));
      say(output.replaceAll(/^/gm, '    | '));
    }
  }
};

const folder = join(cache, 'appliance', `run-${arch}-${process.pid}`);
try {
  must('bash', [join(HERE, 'setup.sh'), arch]);
  const base = baseOf();
  const guest = new Guest({ arch, base, folder, parcel: parcelOf(folder) });
  say(`${arch}, ${readFileSync(join(base, 'about.txt'), 'utf8').trim().replaceAll(/\s+/g, ' ')}`);
  try {
    if (values.disk !== undefined) cpSync(values.disk, join(folder, DISK));
    figures.set('power on to a shell, emulated', `${Math.round((await guest.on()) / 1000)} s`);
    if (values.disk === undefined) await runChecks(guest, INSTALL);
    // Without a table that is armed the rest would only fail for the same reason.
    if (tally.failed === 0) {
      await runChecks(guest, [...FAILURES, ...UPDATES, ...APPLIANCE, ...DEVBOARD, ...REMOVAL]);
    }
  } finally {
    await guest.powerCut();
  }
} catch (error) {
  tally.failed += 1;
  say(`FAILED: ${error instanceof Error ? error.message : String(error)}`);
}
for (const [what, value] of figures) say(`${what}: ${value}`);
if (tally.failed === 0) rmSync(folder, { recursive: true, force: true });
else say(`the machine's console, disk and packages are kept in ${folder}`);
say(`${tally.passed} passed, ${tally.failed} failed`);
process.exitCode = tally.failed === 0 && tally.passed > 0 ? 0 : 1;
