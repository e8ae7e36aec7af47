import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { packageRoot } from '../../firmware-bridge/files.js';
import type { Board } from './machine.js';

const IMAGE = join(packageRoot(), 'deploy/image');

/** Versions that the bundles call themselves; the image's own is a date. */
export const NEXT = 'next';
export const BROKEN = 'broken';

export interface Keys {
  readonly house: string;
  readonly stranger: string;
}

const run = (program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): void => {
  execFileSync(program, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
};

/** A key and its certificate: FILE.key, FILE.pem. */
const signer = (file: string, name: string): string => {
  run('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
    ...['-keyout', `${file}.key`, '-out', `${file}.pem`, '-days', '3650', '-subj', `/CN=${name}`],
  ]);
  return file;
};

export const keysIn = (folder: string): Keys => {
  mkdirSync(folder, { recursive: true });
  return {
    house: signer(join(folder, 'house'), 'house'),
    stranger: signer(join(folder, 'stranger'), 'stranger'),
  };
};

/** What build.sh and bundle.sh sign with. */
export const signing = (key: string): NodeJS.ProcessEnv => ({
  CUTCARD_SIGN_KEY: `${key}.key`,
  CUTCARD_SIGN_CERT: `${key}.pem`,
  CUTCARD_KEYRING: `${key}.pem`,
});

const bundle = (board: Board, images: string, key: string, version: string, out: string) => {
  const env = { ...signing(key), CUTCARD_VERSION: version };
  run('sh', [join(IMAGE, 'bundle.sh'), board, images, out], env);
};

/**
 * Bundles made of the image's own one: `next.raucb`, the same under another version;
 * `broken.raucb`, whose controller ends at once; `stranger.raucb`, signed by somebody else.
 * @param own the bundle that build.sh made @param folder where they are put
 */
export const makeBundles = (board: Board, own: string, keys: Keys, folder: string): void => {
  const work = `${folder}.work`;
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  mkdirSync(folder, { recursive: true });
  // A bundle is a squashfs itself, with the signature behind it.
  run('unsquashfs', ['-quiet', '-no-progress', '-dest', join(work, 'images'), own]);
  const root = join(work, 'root');
  const squashfs = join(work, 'images/root.squashfs');
  run('unsquashfs', ['-quiet', '-no-progress', '-dest', root, squashfs]);
  const pack = (version: string): void => {
    const release = join(root, 'usr/lib/os-release');
    const text = readFileSync(release, 'utf8');
    writeFileSync(release, text.replace(/^IMAGE_VERSION=.*$/m, `IMAGE_VERSION=${version}`));
    rmSync(squashfs);
    const fast = ['-comp', 'zstd', '-Xcompression-level', '1', '-no-progress', '-quiet'];
    run('mksquashfs', [root, squashfs, ...fast]);
    bundle(board, join(work, 'images'), keys.house, version, join(folder, `${version}.raucb`));
  };
  pack(NEXT);
  // All else of the program still works, as after a change that breaks the table alone.
  const program = join(root, 'usr/lib/cutcard/dist/bundle/cli.js');
  const whole = readFileSync(program, 'utf8');
  const ends = "if (process.argv[2] === 'run') process.exit(70);\n";
  writeFileSync(program, whole.replace(/^(#!.*\n)?/, `$1${ends}`));
  pack(BROKEN);
  writeFileSync(join(work, 'images/boot.vfat'), randomBytes(64 * 1024));
  writeFileSync(join(work, 'images/root.squashfs'), randomBytes(64 * 1024));
  bundle(board, join(work, 'images'), keys.stranger, NEXT, join(folder, 'stranger.raucb'));
  rmSync(work, { recursive: true, force: true });
};
