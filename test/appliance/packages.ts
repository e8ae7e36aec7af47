import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../firmware-bridge/files.js';
import type { Arch } from './bare.js';

/** Versions later than any real one: a good one, and one that does not run. */
export const NEXT = '9.0.0';
export const BROKEN = '9.0.1';

const ROOT = packageRoot();

export const must = (
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): void => {
  const options = { stdio: 'inherit', env: { ...process.env, ...env } } as const;
  const { status, error } = spawnSync(program, args, options);
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed ${error?.message ?? ''}`);
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

/** The one package of this name in a folder. @throws where there are none or several */
const one = (folder: string, name: string, of: string): string => {
  const pattern = new RegExp(`^${name}_.*_${of}\\.deb$`);
  const found = readdirSync(folder).filter((file) => pattern.test(file));
  if (found.length !== 1) throw new Error(`${folder} holds ${found.length} packages ${name}`);
  return found[0] ?? '';
};

interface PackageFile {
  readonly file: string;
  readonly bytes: number;
  /** SHA-256, hex. */
  readonly hash: string;
}

export interface Parcel {
  readonly folder: string;
  /** The version that is tried. */
  readonly version: string;
  readonly files: readonly PackageFile[];
}

/** The packages that the guest gets: this version, a later one, and a later one that is broken. */
export const parcelOf = (folder: string, built: string, arch: Arch): Parcel => {
  for (const name of ['current', 'next', 'broken']) {
    mkdirSync(join(folder, name), { recursive: true });
  }
  const names = [one(built, 'cutcard', arch), one(built, 'cutcard-appliance', 'all')];
  for (const name of names) cpSync(join(built, name), join(folder, 'current', name));
  const current = join(folder, 'current', names[0] ?? '');
  derive(current, join(folder, `next/cutcard_${NEXT}_${arch}.deb`), NEXT, () => undefined);
  derive(current, join(folder, `broken/cutcard_${BROKEN}_${arch}.deb`), BROKEN, (stage) => {
    // All else of the program still works, as after a change that breaks the table alone.
    const program = join(stage, 'usr/lib/cutcard/dist/bundle/cli.js');
    const whole = readFileSync(program, 'utf8');
    const ends = "if (process.argv[2] === 'run') process.exit(70);\n";
    writeFileSync(program, whole.replace(/^(#!.*\n)?/, `$1${ends}`));
  });
  const version = execFileSync('dpkg-deb', ['-f', current, 'Version'], { encoding: 'utf8' });
  const files = names.map((file) => {
    const bytes = readFileSync(join(built, file));
    return { file, bytes: bytes.length, hash: createHash('sha256').update(bytes).digest('hex') };
  });
  return { folder, version: version.trim(), files };
};

/** The sources of the last commit, and the libraries that npm brought. */
const copyTo = (folder: string): string => {
  mkdirSync(folder, { recursive: true });
  const pack = `git -C "$1" archive HEAD | tar -x -C "$2" && cp -a "$1/node_modules" "$2/"`;
  must('bash', ['-o', 'pipefail', '-c', pack, 'bash', ROOT, folder]);
  return join(folder, 'deploy/package.mjs');
};

/** Commit time: what goes into packages and image where nobody says another. */
export const epoch = (): string =>
  process.env['SOURCE_DATE_EPOCH'] ??
  execFileSync('git', ['-C', ROOT, 'log', '-1', '--format=%ct'], { encoding: 'utf8' }).trim();

interface Builder {
  /** Builds the packages of the last commit. @returns their folder */
  readonly build: () => string;
  /**
   * Builds them a second time under another path, with nothing kept from the first build, another
   * umask, time zone and language. @throws where a byte differs
   */
  readonly again: () => void;
}

/**
 * Builds from copies of the last commit: what is edited meanwhile is in none of them.
 * @param work a folder for copies and packages
 */
export const builder = (arch: Arch, work: string): Builder => {
  const env = { SOURCE_DATE_EPOCH: epoch() };
  const [first, second] = [join(work, 'built'), join(work, 'again')];
  const source = join(work, 'one');
  return {
    build: () => {
      must('node', [copyTo(source), '--arch', arch, '--out', first], env);
      return first;
    },
    again: () => {
      mkdirSync(join(work, 'two'), { recursive: true });
      const copy = join(work, 'two', 'under-a-longer-path');
      must('cp', ['-a', source, copy]);
      rmSync(join(copy, 'dist'), { recursive: true, force: true });
      const args = [join(copy, 'deploy/package.mjs'), '--arch', arch, '--out', second];
      must('sh', ['-c', 'umask 077; exec node "$@"', 'sh', ...args], {
        ...env,
        CUTCARD_CACHE: join(work, 'cache'),
        TZ: 'Pacific/Auckland',
        LC_ALL: 'C',
      });
      for (const file of [one(first, 'cutcard', arch), one(first, 'cutcard-appliance', 'all')]) {
        if (!readFileSync(join(first, file)).equals(readFileSync(join(second, file)))) {
          throw new Error(`${file}: built again elsewhere it has other bytes; see ${second}`);
        }
      }
    },
  };
};
