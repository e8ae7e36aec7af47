import {
  closeSync,
  fchownSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import {
  fileWords,
  makeFolder,
  placeToReplace,
  readGiven,
} from '../../controller/config/given-file.js';

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

/** @throws IdentityError where something lies there that no file may take the place of. */
const placeOf = (path: string): string => {
  try {
    return placeToReplace(path);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new IdentityError(`${path}: it cannot be written: ${why}`, cause);
  }
};

/** Whose a file was, it stays: a service is to read what root wrote for it. */
const keepOwner = (file: number, before: Stats | undefined): void => {
  if (before === undefined) return;
  try {
    fchownSync(file, before.uid, before.gid);
  } catch {
    // Only root may give a file away; what anybody else writes is their own.
  }
};

/** A whole new file on the disk. What a cut left there is no longer wanted, nor its mode. */
const writeNew = (path: string, text: string, mode: number, before: Stats | undefined): void => {
  rmSync(path, { force: true });
  const file = openSync(path, 'wx', mode);
  try {
    keepOwner(file, before);
    // Not `writeSync`: on a disk that runs full it writes a part and says so by a number only.
    writeFileSync(file, text);
    fsyncSync(file);
  } catch (cause) {
    rmSync(path, { force: true });
    throw cause;
  } finally {
    closeSync(file);
  }
};

/**
 * Replaces a file whole or not at all, through a power cut too; it keeps its owner. Behind a
 * symbolic link the file it leads to is replaced.
 * @throws IdentityError naming the file: a pipe, a device or a folder lies there, the disk is full
 */
export const writeDurably = (path: string, text: string, mode: number): void => {
  const place = placeOf(path);
  const temporary = `${place}.part`;
  placeOf(temporary);
  try {
    writeNew(temporary, text, mode, statSync(place, { throwIfNoEntry: false }));
    renameSync(temporary, place);
    syncFolder(place);
  } catch (cause) {
    throw new IdentityError(`${path}: it cannot be written: ${fileWords(cause)}`, cause);
  }
};

/** Puts a finished file in the place of another, durably. @throws as `writeDurably` */
export const moveDurably = (from: string, to: string): void => {
  placeOf(to);
  renameSync(from, to);
  syncFolder(to);
};
