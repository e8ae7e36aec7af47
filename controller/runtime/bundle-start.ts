import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';
import { COLLECTOR_FLAGS } from './engine-flags.js';

/**
 * What each entry of the bundle begins with: loads the parts of the program with the code that the
 * engine compiled them to when the bundle was made or installed. Compiled code that does not belong
 * to this engine, its flags or these sources is passed over, and the part is compiled as ever.
 *
 * ```
 * cli.js            this file          cli-main.js      the program
 * cli.cache/X.bin   SHA-256 (32 bytes) of X.js, then its code
 * ```
 */

/** Set while the bundle is made or installed: compiled code is written beside the sources. */
const isWriting = process.env['CUTCARD_CODE'] === 'write';
const HASH_BYTES = 32;
/** On the first line of each part, so that lines in a stack are those of the file. */
const HEAD = '(function (exports, require, module, __filename, __dirname) {';

interface Part {
  exports: unknown;
}

const start = import.meta.filename;
const folder = dirname(start);
const cache = start.replace(/\.js$/, '.cache');
const parts = new Map<string, Part>();
const written: { readonly name: string; readonly source: Buffer; readonly script: Script }[] = [];
const fromNode = createRequire(start);

const hashOf = (source: Buffer): Buffer => createHash('sha256').update(source).digest();

/** Under which engine the code was kept, written beside it when all of it was there. */
const STAMP = join(folder, 'cli.cache/engine');

/**
 * The engine takes code of its own version on another processor too, and then computes wrong: seen
 * where a folder made on x64 was run on arm64.
 */
const isOfThisMachine = (): boolean => {
  try {
    return readFileSync(STAMP, 'utf8').startsWith(`${process.version} ${process.arch} `);
  } catch {
    return false;
  }
};
const mayUse = isWriting || isOfThisMachine();

/** The compiled code of a part; undefined where there is none that belongs to this source. */
const codeOf = (name: string, source: Buffer): Buffer | undefined => {
  if (!mayUse) return undefined;
  let file: Buffer;
  try {
    file = readFileSync(join(cache, `${basename(name, '.js')}.bin`));
  } catch {
    return undefined;
  }
  return hashOf(source).equals(file.subarray(0, HASH_BYTES))
    ? file.subarray(HASH_BYTES)
    : undefined;
};

const requireFrom =
  (part: string) =>
  (wanted: string): unknown =>
    wanted.startsWith('.') ? load(join(dirname(part), wanted)) : fromNode(wanted);

/** A part of the bundle, run once. */
const load = (file: string): unknown => {
  const known = parts.get(file);
  if (known !== undefined) return known.exports;
  const part: Part = { exports: {} };
  parts.set(file, part);
  const source = readFileSync(file);
  const name = file.slice(folder.length + 1).replaceAll('/', '-');
  const code = codeOf(name, source);
  const script = new Script(`${HEAD}${source.toString('latin1')}\n})`, {
    filename: file,
    columnOffset: -HEAD.length,
    ...(code === undefined || isWriting ? {} : { cachedData: code }),
  });
  // Code that is there is kept: several runs each add what they used.
  if (isWriting && code === undefined) written.push({ name, source, script });
  const run: unknown = script.runInThisContext();
  if (typeof run !== 'function') throw new Error(`${file} is no part of this program`);
  Reflect.apply(run, part.exports, [part.exports, requireFrom(file), part, file, dirname(file)]);
  return part.exports;
};

const writeCode = (): void => {
  mkdirSync(cache, { recursive: true });
  for (const { name, source, script } of written) {
    const code = script.createCachedData();
    const file = join(cache, `${basename(name, '.js')}.bin`);
    writeFileSync(`${file}.new`, Buffer.concat([hashOf(source), code]));
    renameSync(`${file}.new`, file);
  }
};

// The engine takes code only under the flags it was compiled under. How much room young objects
// have is settled by now, and has nothing to do with code.
for (const flag of ['min', 'max']) setFlagsFromString(`--${flag}-semi-space-size=0`);
for (const flag of COLLECTOR_FLAGS) setFlagsFromString(flag);
if (isWriting) process.once('exit', writeCode);
const program = load(start.replace(/\.js$/, '-main.js'));
if (typeof program === 'object' && program !== null && 'main' in program) {
  if (typeof program.main === 'function') Reflect.apply(program.main, undefined, []);
}
