import { existsSync, readdirSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readGiven } from '../controller/config/given-file.js';
import { parseProfile } from './framing/parse-profile.js';
import type { Profile } from './framing/profile.js';
import type { FileFault } from './framing/yaml-faults.js';

/** Faults told at once; who mends those finds the others. */
const FAULTS_SHOWN = 20;

const faultLines = (faults: readonly FileFault[]): readonly string[] => {
  const lines = faults
    .slice(0, FAULTS_SHOWN)
    .map(({ file, line, message }) => `${file}${line > 0 ? `:${line}` : ''}: ${message}`);
  const more = faults.length - FAULTS_SHOWN;
  return more > 0 ? [...lines, `and ${more} more`] : lines;
};

/** A file of ours (board, profile, calibration) that cannot be used. */
export class FileError extends Error {
  override readonly name = 'FileError';
  readonly faults: readonly FileFault[];

  constructor(faults: readonly FileFault[]) {
    super(faultLines(faults).join('\n'));
    this.faults = faults;
  }
}

/** The installed package: the nearest folder above this file that holds firmware-bridge/boards. */
export const packageRoot = (): string => {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    if (existsSync(join(folder, 'firmware-bridge', 'boards', 'virtual.yaml'))) return folder;
    const above = dirname(folder);
    if (above === folder) throw new Error('the package is incomplete: no firmware-bridge/boards');
    folder = above;
  }
};

export const readText = (file: string): string => {
  try {
    const text = readGiven(file);
    if (text.trim() === '') throw new Error('it is empty');
    return text;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new FileError([{ file, line: 0, message: `cannot be read: ${why}` }]);
  }
};

/** A profile of ours. @throws FileError naming those there are */
const ownProfile = (name: string): string => {
  const folder = join(packageRoot(), 'firmware-bridge', 'profiles');
  const file = join(folder, `${name}.yaml`);
  if (existsSync(file)) return file;
  const known = readdirSync(folder).map((one) => one.replace(/\.yaml$/, ''));
  const message =
    `there is no such profile in this program; it has ${known.sort().join(', ')}; ` +
    'a file of yours is named by a path such as ./mine.yaml';
  throw new FileError([{ file: name, line: 0, message }]);
};

/** A profile by its name (one of ours) or by a path, relative to the file that names it. */
export const loadProfile = (name: string, besides: string): Profile => {
  const file = /^[a-z0-9-]+$/.test(name)
    ? ownProfile(name)
    : isAbsolute(name)
      ? name
      : resolve(dirname(besides), name);
  const result = parseProfile(readText(file), file);
  if (!result.ok) throw new FileError(result.faults);
  return result.profile;
};
