// The native modules of the package for one architecture: npm's prebuilt files where there are
// some, else compiled here from what npm brought, cross where the machine is another one.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** Debian's names of the architectures that packages are made for, and Node's. */
export const ARCHITECTURES = { amd64: 'x64', arm64: 'arm64' };
const CROSS = { amd64: 'x86_64-linux-gnu-', arm64: 'aarch64-linux-gnu-' };
/** Packages that npm brings as source, and the one file of each that is used. */
const COMPILED = {
  'better-sqlite3': 'better_sqlite3.node',
  epoll: 'epoll.node',
  'i2c-bus': 'i2c.node',
};
/** The package whose headers they are compiled against. */
const HEADERS = 'nan';
const ADDON = 'firmware-bridge/bus/native';
const ADDON_FILE = 'cutcard_native.node';
const SERIAL = '@serialport/bindings-cpp';

export const run = (program, args, options = {}) => {
  const done = spawnSync(program, args, { encoding: 'utf8', ...options });
  if (done.status === 0) return done.stdout ?? '';
  const why = done.error?.message ?? `${done.stdout}${done.stderr}`.slice(-3000);
  throw new Error(`${program} ${args.join(' ')} failed: ${why}`);
};

const nodeGyp = () => {
  const found = [
    process.env.npm_config_node_gyp,
    join(
      dirname(process.execPath),
      '../lib/node_modules/npm/node_modules/node-gyp/bin/node-gyp.js',
    ),
    '/usr/lib/node_modules/npm/node_modules/node-gyp/bin/node-gyp.js',
    '/usr/share/nodejs/node-gyp/bin/node-gyp.js',
  ].find((file) => file !== undefined && existsSync(file));
  if (found === undefined) throw new Error('node-gyp was not found beside npm');
  return found;
};

const cacheFolder = () =>
  join(process.env.CUTCARD_CACHE ?? join(homedir(), '.cache', 'cutcard'), 'package');

/** What a compiled file depends on: compiler, Node's interface, versions, sources of ours. */
const keyOf = (root, arch, compiler) => {
  const hash = createHash('sha256');
  hash.update(`${arch} ${process.versions.modules} ${run(compiler, ['--version'])}`);
  for (const name of [...Object.keys(COMPILED), HEADERS]) {
    hash.update(readFileSync(join(root, 'node_modules', name, 'package.json')));
  }
  hash.update(readFileSync(join(root, ADDON, 'cutcard_native.c')));
  hash.update(readFileSync(join(root, ADDON, 'binding.gyp')));
  return hash.digest('hex').slice(0, 12);
};

const compile = (root, from, file, to, tools) => {
  if (existsSync(join(to, file))) return;
  const work = `${to}.work`;
  rmSync(work, { recursive: true, force: true });
  cpSync(from, work, {
    recursive: true,
    dereference: true,
    filter: (path) => !path.slice(from.length).startsWith('/build'),
  });
  // Some ask for headers by the name of a package. A copy, as the way to the original would stand
  // in the compiled file, where an assertion of a header names its place.
  cpSync(join(root, 'node_modules', HEADERS), join(work, 'node_modules', HEADERS), {
    recursive: true,
    dereference: true,
  });
  const prefix = dirname(dirname(process.execPath));
  const headers = existsSync(join(prefix, 'include/node/node_api.h'))
    ? [`--nodedir=${prefix}`]
    : [];
  const args = ['rebuild', '--release', `--arch=${tools.node}`, '-j', '2', ...headers];
  // A path of this machine inside the file would make it another one elsewhere.
  const flags = `-ffile-prefix-map=${work}=. -fdebug-prefix-map=${work}=.`;
  run(process.execPath, [nodeGyp(), ...args], {
    cwd: work,
    env: {
      ...process.env,
      CC: `${tools.cross}gcc`,
      CXX: `${tools.cross}g++`,
      AR: `${tools.cross}ar`,
      LINK: `${tools.cross}g++`,
      CFLAGS: flags,
      CXXFLAGS: flags,
    },
  });
  run(`${tools.cross}strip`, ['--strip-unneeded', join(work, 'build/Release', file)]);
  cpSync(join(work, 'build/Release', file), join(to, file));
  rmSync(work, { recursive: true, force: true });
};

/** Folder with the compiled files, made once and kept. @throws where a compiler is missing */
const compiledFolder = (root, arch) => {
  const tools = { node: ARCHITECTURES[arch], cross: CROSS[arch] };
  const compiler = `${tools.cross}gcc`;
  if (spawnSync(compiler, ['--version']).error !== undefined) {
    const name = compiler.replaceAll('_', '-').slice(0, -'gcc'.length);
    throw new Error(
      `there is no ${compiler}: apt-get install gcc-${name.slice(0, -1)} g++-${name.slice(0, -1)}`,
    );
  }
  const folder = join(cacheFolder(), `native-${arch}-${keyOf(root, arch, compiler)}`);
  if (existsSync(folder)) return folder;
  const fresh = `${folder}.new`;
  // What an interrupted build had done already is kept: one of them takes minutes.
  mkdirSync(fresh, { recursive: true });
  for (const [name, file] of Object.entries(COMPILED)) {
    console.log(`package: compiling ${name} for ${arch}`);
    compile(root, join(root, 'node_modules', name), file, fresh, tools);
  }
  compile(root, join(root, ADDON), ADDON_FILE, fresh, tools);
  renameSync(fresh, folder);
  return folder;
};

/** Puts every native module where the bundle looks for it. */
export const placeNative = (root, arch, stage) => {
  const folder = compiledFolder(root, arch);
  const place = (from, to) => {
    mkdirSync(dirname(join(stage, to)), { recursive: true });
    cpSync(from, join(stage, to));
    chmodSync(join(stage, to), 0o644);
  };
  for (const [name, file] of Object.entries(COMPILED)) {
    place(join(folder, file), `node_modules/${name}/build/Release/${file}`);
    place(join(root, 'node_modules', name, 'package.json'), `node_modules/${name}/package.json`);
  }
  place(join(folder, ADDON_FILE), `${ADDON}/build/Release/${ADDON_FILE}`);
  const prebuilt = `node_modules/${SERIAL}/prebuilds/linux-${ARCHITECTURES[arch]}`;
  const word = arch === 'arm64' ? 'armv8.glibc' : 'glibc';
  const file = `${prebuilt}/@serialport+bindings-cpp.${word}.node`;
  place(join(root, file), file);
  place(join(root, `node_modules/${SERIAL}/package.json`), `node_modules/${SERIAL}/package.json`);
};
