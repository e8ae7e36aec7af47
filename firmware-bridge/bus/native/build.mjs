#!/usr/bin/env node
// Builds the addon (GPIO character device, systemd notify) with node-gyp. Run by npm's `prepare`.
// Where there is no compiler the product still runs on the virtual board: then this says so and
// ends well. `--arch=arm64` with CC set cross-compiles; everything else goes through to node-gyp.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const built = join(folder, 'build', 'Release', 'cutcard_native.node');
const sources = ['cutcard_native.c', 'binding.gyp'].map((file) => join(folder, file));
const args = process.argv.slice(2);

const has = (command) => spawnSync(command, ['--version'], { stdio: 'ignore' }).error === undefined;

// node-gyp as npm brings it: its path is told to scripts, else it lies beside npm.
const nodeGyp = [
  process.env.npm_config_node_gyp,
  join(dirname(process.execPath), '../lib/node_modules/npm/node_modules/node-gyp/bin/node-gyp.js'),
  '/usr/lib/node_modules/npm/node_modules/node-gyp/bin/node-gyp.js',
  '/usr/share/nodejs/node-gyp/bin/node-gyp.js',
].find((path) => path !== undefined && existsSync(path));

const skip = (why) => {
  console.log(
    `native: ${why}; the addon was not built. Real GPIO lines and systemd's watchdog need it: ` +
      'install gcc, make and python3, then run `node firmware-bridge/bus/native/build.mjs`',
  );
  process.exit(0);
};

const isFresh =
  existsSync(built) && sources.every((file) => statSync(file).mtimeMs <= statSync(built).mtimeMs);
if (isFresh && args.length === 0) process.exit(0);
if (process.platform !== 'linux') skip(`this is ${process.platform}, not Linux`);
if (!has(process.env.CC ?? 'cc') || !has('make')) skip('there is no C compiler or no make');
if (nodeGyp === undefined) skip('node-gyp was not found beside npm');

// Headers beside the running Node save a download; npm's own setting comes first.
const prefix = dirname(dirname(process.execPath));
const headers = existsSync(join(prefix, 'include/node/node_api.h')) ? [`--nodedir=${prefix}`] : [];
const run = spawnSync(
  process.execPath,
  [nodeGyp, 'rebuild', '--release', '--loglevel=warn', ...headers, ...args],
  { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' },
);
if (run.status !== 0) {
  console.error(`${run.stdout}\n${run.stderr}`);
  console.error('native: the addon did not compile; the lines above say why');
  process.exit(1);
}
console.log(`native: built ${built}`);
