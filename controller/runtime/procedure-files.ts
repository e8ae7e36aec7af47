import { createHash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, extname, join, resolve as resolvePath } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readGiven } from '../config/given-file.js';
import type { Procedure } from '../core/procedure.js';
import { type CompiledPack, compilePack } from '../procedures/compile.js';
import { PackError } from '../procedures/problem.js';
import type { Choices, PackFile } from '../procedures/resolve.js';

const ID = /^[a-z0-9-]+\/[a-z0-9-]+$/;
/** An id, or half of one: nobody who means a file writes it so. */
const BARE = /^[a-z0-9-]+(\/[a-z0-9-]+)?$/i;
const PACKS = join('controller', 'procedures', 'packs');
const EXTENSIONS = ['.yaml', '.yml'];
/** Largest pack file read, bytes. */
const MAX_BYTES = 1_000_000;

export interface LoadOptions {
  /** Folder or file a relative path is taken from; default: the working directory. */
  readonly from?: string;
  readonly choose?: Choices;
}

/** A pack that is not there or cannot be read, in plain words with the cure. */
export class ProcedureMissing extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ProcedureMissing';
  }
}

/** Where this package lies: the nearest folder above with a package.json and the packs. */
const packageRoot = (): string => {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    if (existsSync(join(folder, 'package.json')) && existsSync(join(folder, PACKS))) return folder;
    const above = dirname(folder);
    if (above === folder) {
      throw new ProcedureMissing(
        `The folder ${PACKS} is missing from this installation. Install the package again.`,
      );
    }
    folder = above;
  }
};

const packsFolder = (): string => join(packageRoot(), PACKS);

export const sha256Hex = (text: string): string =>
  createHash('sha256').update(text, 'utf8').digest('hex');

const readPack = (file: string): PackFile => {
  try {
    return { file, text: readGiven(file, MAX_BYTES) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ProcedureMissing(`${file}: ${why}. Check the path and its permissions.`, {
      cause: error,
    });
  }
};

/**
 * A built-in pack by its id, or one of the site's: `place/name.yaml` above or beside the file that
 * asks, or `name.yaml` beside it.
 */
const findPack = (id: string, fromFile: string): PackFile | null => {
  const here = dirname(resolvePath(fromFile));
  const name = id.slice(id.indexOf('/') + 1);
  const places = [
    join(packsFolder(), id),
    join(dirname(here), id),
    join(here, id),
    join(here, name),
  ];
  for (const place of places) {
    for (const extension of EXTENSIONS) {
      const file = `${place}${extension}`;
      if (existsSync(file)) return readPack(file);
    }
  }
  return null;
};

const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();

const locate = (idOrPath: string, from: string | undefined): PackFile => {
  const base = from === undefined ? process.cwd() : resolvePath(from);
  const folder = isFolder(base) ? base : dirname(base);
  if (ID.test(idOrPath)) {
    const found = findPack(idOrPath, join(folder, 'pack.yaml'));
    if (found !== null) return found;
  }
  const path = resolvePath(folder, idOrPath);
  if (BARE.test(idOrPath) && !existsSync(path)) {
    throw new ProcedureMissing(
      `There is no procedure \`${idOrPath}\`. Built in are: ${builtInIds().join(', ')}.`,
    );
  }
  return readPack(path);
};

/**
 * A built-in pack by its id (`pa/631a-baccarat`) or any pack by its path, compiled.
 * @throws ProcedureMissing where there is no such file, PackError where it contradicts itself.
 */
export const loadPack = (idOrPath: string, options: LoadOptions = {}): CompiledPack => {
  const { file, text } = locate(idOrPath, options.from);
  return compilePack(text, {
    file,
    resolve: findPack,
    sha256: sha256Hex,
    ...(options.choose === undefined ? {} : { choose: options.choose }),
  });
};

/** The rules alone. @throws as `loadPack`. */
export const loadProcedure = (idOrPath: string, options: LoadOptions = {}): Procedure =>
  loadPack(idOrPath, options).procedure;

/** Ids of the built-in packs, in order. */
export const builtInIds = (): readonly string[] => {
  const root = packsFolder();
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap((entry) =>
      readdirSync(join(root, entry.name))
        .filter((name) => EXTENSIONS.includes(extname(name)))
        .map((name) => `${entry.name}/${name.slice(0, -extname(name).length)}`),
    )
    .sort();
};

/** True for errors that say what is wrong with a pack or its path: show the message, no stack. */
export const isPackTrouble = (error: unknown): error is PackError | ProcedureMissing =>
  error instanceof PackError || error instanceof ProcedureMissing;
