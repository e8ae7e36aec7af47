import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Rules } from '../core/decide.js';
import { fitProblems, tableOf } from '../config/fit.js';
import { type ConfigProblem, lineOfField } from '../config/read.js';
import { type LoadedConfig, readConfigFile, refuseConfig } from './config-file.js';
import { isPackTrouble, loadProcedure } from './procedure-files.js';

/** The rules a configuration asks for. @throws Refusal with exit code 78. */
export const rulesOf = (loaded: LoadedConfig): Rules => {
  const problems: ConfigProblem[] = [];
  const rules = findRules(loaded, problems);
  if (rules === null || problems.length > 0) throw refuseConfig(problems);
  return rules;
};

const findRules = (loaded: LoadedConfig, problems: ConfigProblem[]): Rules | null => {
  const { config, file, text } = loaded;
  const table = tableOf(config);
  const at = (field: readonly string[]): Pick<ConfigProblem, 'file' | 'line' | 'field'> => ({
    file,
    line: lineOfField(text, field),
    field: field.join('.'),
  });
  try {
    const procedure = loadProcedure(config.procedure, { from: file, choose: config.choices });
    for (const { key, cause, cure } of fitProblems(procedure, table)) {
      problems.push({ ...at(['table', key]), cause, cure });
    }
    return { procedure, table };
  } catch (error) {
    if (!isPackTrouble(error)) throw error;
    const cure = 'see `cutcard procedures list`, or `cutcard procedures check FILE`';
    problems.push({ ...at(['procedure']), cause: error.message, cure });
    return null;
  }
};

/** A name of this program's, or a file counted from the configuration's folder. */
export const nameOrFile = (text: string, resolve: LoadedConfig['resolve']): string =>
  /[./]/.test(text) ? resolve(text) : text;

const CURES: Readonly<Record<string, string>> = {
  journal: 'make the folder, writable for the service',
  deviceKeyFile:
    'make it (`cutcard provision signing-key --dir FOLDER`), or name one that is there',
};

/** Files a configuration names that are not there. Contents are not read: they are secrets. */
const missingFiles = ({ config, file, text, resolve }: LoadedConfig): ConfigProblem[] => {
  const named: readonly (readonly [readonly string[], string | undefined])[] = [
    [['calibration'], config.calibration],
    [['deviceKeyFile'], config.deviceKeyFile],
    [['commandKeysFile'], config.commandKeysFile],
    [['broker', 'caFile'], config.broker?.caFile],
    [['broker', 'certFile'], config.broker?.certFile],
    [['broker', 'keyFile'], config.broker?.keyFile],
    [['broker', 'passwordFile'], config.broker?.passwordFile],
    [['page', 'usersFile'], config.page?.usersFile],
    [['page', 'tls', 'certFile'], config.page?.tls?.certFile],
    [['page', 'tls', 'keyFile'], config.page?.tls?.keyFile],
    [['journal'], dirname(resolve(config.journal))],
  ];
  const problems: ConfigProblem[] = [];
  for (const [field, path] of named) {
    if (path === undefined || existsSync(resolve(path))) continue;
    const [name = ''] = field;
    problems.push({
      file,
      line: lineOfField(text, field),
      field: field.join('.'),
      cause: `there is no ${name === 'journal' ? 'folder' : 'file'} ${resolve(path)}`,
      cure: CURES[name] ?? 'name a file that is there',
    });
  }
  return problems;
};

/** A board file, a shuffler profile or a calibration that cannot be used. */
const boardProblems = async ({
  config,
  file,
  text,
  resolve,
}: LoadedConfig): Promise<ConfigProblem[]> => {
  const { chooseOnBoard, loadBoard } = await import('../../firmware-bridge/boards/load.js');
  const { FileError } = await import('../../firmware-bridge/files.js');
  const { board, shufflerProfile, calibration } = config;
  try {
    chooseOnBoard(loadBoard(nameOrFile(board, resolve)), {
      ...(shufflerProfile === undefined
        ? {}
        : { shufflerProfile: nameOrFile(shufflerProfile, resolve) }),
      ...(calibration === undefined ? {} : { calibration: resolve(calibration) }),
    });
    return [];
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const line = lineOfField(text, ['board']);
    const cure = 'name a board of this program, or a board file ending in .yaml';
    return [{ file, line, field: 'board', cause: error.message, cure }];
  }
};

/** Everything wrong with a configuration and with what it names. Empty when it can be used. */
export const checkConfigFile = async (file: string): Promise<readonly ConfigProblem[]> => {
  const read = readConfigFile(file);
  if (!read.ok) return read.problems;
  const problems = missingFiles(read.loaded);
  findRules(read.loaded, problems);
  if (problems.every(({ field }) => field !== 'calibration')) {
    problems.push(...(await boardProblems(read.loaded)));
  }
  return problems.toSorted((a, b) => a.line - b.line);
};

/** @throws Refusal with exit code 78 naming everything that is wrong. */
export const loadConfig = (file: string): LoadedConfig => {
  const read = readConfigFile(file);
  if (!read.ok) throw refuseConfig(read.problems);
  const missing = missingFiles(read.loaded);
  if (missing.length > 0) throw refuseConfig(missing);
  return read.loaded;
};
