import { closeSync, fsyncSync, lstatSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeDurably } from '../../surveillance/identity/files.js';
import { fileWords } from '../config/given-file.js';
import { nameAnew } from '../config/name-anew.js';
import { EXIT, Refusal } from './exit.js';

const READABLE = 0o666;

/**
 * Writes a new file, whole or not at all, through a kill too: what is there already, be it a pipe
 * or a device, is never written over. @param asked how the file was asked for, such as `--out`
 * @throws Refusal naming it
 */
export const writeNewFile = (asked: string, file: string, text: string, mode = READABLE): void => {
  const part = `${file}.part`;
  try {
    // Before anything is written beside it: that may be no place for files (`/dev/null`).
    if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) closeSync(openSync(file, 'wx'));
    rmSync(part, { force: true });
    const opened = openSync(part, 'wx', mode);
    try {
      writeFileSync(opened, text);
      fsyncSync(opened);
      nameAnew(part, file);
    } finally {
      closeSync(opened);
      rmSync(part, { force: true });
    }
  } catch (cause) {
    const what = `${asked} ${file}: ${fileWords(cause)}; name a new file in a folder there is`;
    throw new Refusal(EXIT.usage, what, cause);
  }
};

/**
 * Writes files of fixed names into a folder, each whole or not at all, in the place of those that
 * are there. @throws IdentityError naming the file, as `writeDurably`
 */
export const writeInto = (
  folder: string,
  files: Readonly<Record<string, string>>,
  modeOf: (name: string) => number = () => 0o644,
): readonly string[] =>
  Object.entries(files).map(([name, text]) => {
    const file = join(folder, name);
    writeDurably(file, text, modeOf(name));
    return file;
  });
