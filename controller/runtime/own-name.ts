import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { COMMANDS } from './command-list.js';

const NAME = 'cutcard';
/** What npm and npx put in front of the PATH of what they start; a person's shell has it not. */
const OF_NPM = /[\\/]node_modules[\\/]\.bin[\\/]?$/;

const isProgram = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
};

/**
 * What a person types to start this program: its name where the shell finds it (installed), and
 * `npx cutcard` in a checkout, however this process was started.
 */
export const ownName = (path: string | undefined = process.env['PATH']): string => {
  const folders = (path ?? '').split(delimiter).filter((folder) => folder !== '');
  const found = folders.some((folder) => !OF_NPM.test(folder) && isProgram(join(folder, NAME)));
  return found ? NAME : `npx ${NAME}`;
};

/** Our commands in a text: at its start, behind a blank, a bracket, a quote or a back-quote. */
const COMMAND = new RegExp(
  `(?<!npx )(?<=^|[\\s(\`'"])${NAME} (?=(?:${Object.keys(COMMANDS).join('|')}|\\[)(?![\\w-]))`,
  'gm',
);

/** The text with each command of ours written so that it can be typed where this runs. */
export const typed = (text: string, name: string = ownName()): string =>
  text.replace(COMMAND, `${name} `);
