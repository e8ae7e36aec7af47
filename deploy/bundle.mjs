#!/usr/bin/env node
// Bundles the compiled program with its libraries into dist/bundle: a few files instead of some
// six hundred, which starts faster and is what the Debian package holds. Native modules stay files
// of their own in node_modules. Each entry is a small program that loads its parts with compiled
// code (controller/runtime/bundle-start.ts); so the parts are CommonJS, which the engine can keep.
// `npm run build` runs this; nothing is done when all is up to date.
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const out = join(dist, 'bundle');
/** What the bundle was made of: packages with versions and licences; newer than its sources. */
const LIST = 'packages.json';
/** Little room for young objects, as in the unit and in `npm start`: docs/PERFORMANCE.md. */
const FIRST_LINE = '#!/usr/bin/env -S node --max-semi-space-size=1';
const START = 'controller/runtime/bundle-start.js';
/** What is started by its file: the program and its threads. */
const ENTRIES = {
  cli: 'controller/runtime/cli.js',
  'writer-thread': 'storage/writer-thread.js',
  'verify-thread': 'storage/verify-thread.js',
  'read-thread': 'storage/read-thread.js',
};

const files = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.js'))
    .map((entry) => join(entry.parentPath, entry.name));

const compiled = ['controller', 'firmware-bridge', 'storage', 'surveillance'].flatMap((folder) =>
  files(join(dist, folder)),
);
const sources = [...compiled, join(root, 'package-lock.json'), fileURLToPath(import.meta.url)];

const isFresh = () => {
  const list = join(out, LIST);
  if (!existsSync(list)) return false;
  const madeMs = statSync(list).mtimeMs;
  return sources.every((file) => statSync(file).mtimeMs < madeMs);
};

const packageOf = (id) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id)?.[1] ?? null;

/**
 * Packages find their native file by walking up from their own place; inside a bundle that place
 * is gone. Here each asks Node for the file by its name in node_modules.
 */
const nativeFiles = () => ({
  name: 'native-files',
  enforce: 'pre',
  resolveId(source, importer) {
    if (source !== 'bindings' && source !== 'node-gyp-build') return null;
    return `\0native:${packageOf(importer ?? '')}`;
  },
  load(id) {
    if (!id.startsWith('\0native:')) return null;
    const name = id.slice('\0native:'.length);
    // A package with prebuilt files names them by machine; the others were compiled in place.
    const find =
      name === '@serialport/bindings-cpp'
        ? `() => require('${name}/prebuilds/' + process.platform + '-' + process.arch + ` +
          `'/@serialport+bindings-cpp.' + (process.arch === 'arm64' ? 'armv8.' : '') + ` +
          `'glibc.node')`
        : `(file) => require('${name}/build/Release/' + file)`;
    return `module.exports = ${find};\n`;
  },
  transform(code, id) {
    // It hands its own place to the search that `load` replaces, and a bundle has no such name.
    if (packageOf(id) !== '@serialport/bindings-cpp' || !code.includes('__dirname')) return null;
    return { code: code.replaceAll('__dirname', "'.'"), map: null };
  },
});

/** Node's own modules come at once: a part has no loader of its own for an `import()`. */
const nodeModulesAtOnce = () => ({
  name: 'node-modules-at-once',
  renderChunk: (code) => ({
    code: code.replaceAll(/\bimport\("(node:[^"]+)"\)/g, 'Promise.resolve(require("$1"))'),
    map: null,
  }),
});

/**
 * One character outside of Latin-1 makes Node keep a whole file as 16-bit text: twice the room.
 * A part is no file that a shell starts.
 */
const toPlainText = (folder) => {
  const escaped = (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
  for (const file of files(folder)) {
    const text = readFileSync(file, 'utf8');
    const plain = text.replace(/^#!.*/, '').replaceAll(/[\u0080-\uffff]/g, escaped);
    if (plain !== text) writeFileSync(file, plain);
  }
};

/** Name, version and licence of every package that went into the bundle. */
const packageList = (ids) =>
  [...new Set(ids.map((id) => /^\0?(.*node_modules\/(?:@[^/]+\/)?[^/]+)/.exec(id)?.[1]))]
    .filter((folder) => folder !== undefined && existsSync(join(folder, 'package.json')))
    .map((folder) => {
      const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const { name, version, license } = about;
      return { name, version, license, folder: relative(root, folder) };
    })
    .sort((a, b) => (a.folder < b.folder ? -1 : 1));

/** Bundles what `input` names into CommonJS files of the folder `to`. */
const bundled = (to, input) =>
  build({
    root,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    plugins: [nativeFiles(), nodeModulesAtOnce()],
    ssr: { noExternal: true, target: 'node' },
    build: {
      ssr: true,
      target: 'node20',
      outDir: to,
      emptyOutDir: false,
      // Lines and names stay readable: a crash record names them.
      minify: false,
      rolldownOptions: {
        input,
        output: {
          format: 'cjs',
          comments: false,
          entryFileNames: '[name].js',
          chunkFileNames: '[name]-[hash].js',
        },
      },
    },
  });

const bundle = async () => {
  const fresh = join(dist, `.bundle-${process.pid}`);
  const mains = Object.entries(ENTRIES).map(([name, file]) => [`${name}-main`, join(dist, file)]);
  const made = await bundled(fresh, Object.fromEntries(mains));
  await bundled(fresh, { start: join(dist, START) });
  const ids = made.output.flatMap((chunk) => chunk.moduleIds ?? []);
  toPlainText(fresh);
  const start = readFileSync(join(fresh, 'start.js'), 'utf8');
  for (const name of Object.keys(ENTRIES)) {
    writeFileSync(join(fresh, `${name}.js`), `${FIRST_LINE}\n${start}`);
  }
  rmSync(join(fresh, 'start.js'));
  writeFileSync(join(fresh, 'package.json'), '{ "type": "commonjs" }\n');
  chmodSync(join(fresh, 'cli.js'), 0o755);
  writeFileSync(join(fresh, LIST), `${JSON.stringify(packageList(ids), null, 2)}\n`);
  // In one step, so that a table started meanwhile finds the old bundle or the new one.
  const old = join(dist, `.bundle-old-${process.pid}`);
  if (existsSync(out)) renameSync(out, old);
  renameSync(fresh, out);
  rmSync(old, { recursive: true, force: true });
};

if (!isFresh()) await bundle();
