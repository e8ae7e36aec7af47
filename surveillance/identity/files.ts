import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder, readGiven } from '../../controller/config/given-file.js';

/** The user can put it right: the message names the file and what to do. */
export class IdentityError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'IdentityError';
  }
}

const MAX_BYTES = 65_536;

/** @throws IdentityError naming the file. */
export const readText = (path: string, what: string): string => {
  try {
    return readGiven(path, MAX_BYTES);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'unknown cause';
    throw new IdentityError(`${path}: ${what} cannot be read: ${why}`, cause);
  }
};

/** The folder of an identity, nobody else's to look into. @throws IdentityError naming it. */
export const makeOwnFolder = (path: string): void => {
  try {
    makeFolder(path, 0o700);
  } catch (cause) {
    throw new IdentityError(cause instanceof Error ? cause.message : String(cause), cause);
  }
};

const syncFolder = (path: string): void => {
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
};

/** Replaces a file whole or not at all, through a power cut too. */
export const writeDurably = (path: string, text: string, mode: number): void => {
  const temporary = `${path}.part`;
  const file = openSync(temporary, 'w', mode);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
  syncFolder(path);
};

/** Puts a finished file in the place of another, durably. */
export const moveDurably = (from: string, to: string): void => {
  renameSync(from, to);
  syncFolder(to);
};
