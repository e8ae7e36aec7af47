#!/usr/bin/env node
// Compiles the TypeScript projects, bundles the pages and then the program itself.
// `--if-tools`: run by npm's `prepare`; an install without the development tools keeps what is
// built.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const tool = (path) => `${root}node_modules/${path}`;
const tsc = tool('typescript/bin/tsc');
const vite = tool('vite/bin/vite.js');

if (process.argv.includes('--if-tools') && !(existsSync(tsc) && existsSync(vite))) {
  console.log('build: development tools are not installed, nothing compiled');
  process.exit(0);
}
// What is shipped. The tests are compiled by `npm run typecheck` and `npm run bench`.
const steps = [[tsc, '-b', 'controller/runtime', 'surveillance/pages']];
if (existsSync(`${root}surveillance/pages/vite.config.js`)) {
  steps.push([
    vite,
    'build',
    '--config',
    'surveillance/pages/vite.config.js',
    '--logLevel',
    'warn',
  ]);
}
// What `npx cutcard`, `npm start` and the Debian package run.
steps.push([`${root}deploy/bundle.mjs`]);
for (const args of steps) {
  const run = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (run.status !== 0) process.exit(run.status ?? 1);
}
// Only speeds up starts: says why where it cannot, and the build is good all the same.
spawnSync(process.execPath, [`${root}deploy/compiled-code.mjs`], { cwd: root, stdio: 'inherit' });
// The compiler writes no execute bits, and this file may be run as it lies.
const cli = `${root}dist/controller/runtime/cli.js`;
if (existsSync(cli)) chmodSync(cli, 0o755);
