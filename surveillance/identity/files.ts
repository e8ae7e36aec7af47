import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';

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
    if (statSync(path).size > MAX_BYTES) throw new Error(`larger than ${MAX_BYTES} bytes`);
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'unknown cause';
    throw new IdentityError(`${path}: ${what} cannot be read: ${why}`, cause);
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
