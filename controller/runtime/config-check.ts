import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { DeviceKey, DeviceKeyError } from '../../storage/checkpoint.js';
import type { Rules } from '../core/decide.js';
import { fitProblems, tableOf } from '../config/fit.js';
import { type ConfigProblem, lineOfField } from '../config/read.js';
import { trustedBy } from './broker-target.js';
import { type LoadedConfig, readConfigFile, refuseConfig } from './config-file.js';
import { configuredText } from './configured.js';
import { Refusal } from './exit.js';
import { silentLog } from './log-port.js';
import { pagePlanOf } from './open-page.js';
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
    problems.push({ ...at(['procedure']), cause: error.message.replace(/\.$/, ''), cure });
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

/** What a file is taken for, as a start would: `null` where it can be used. */
type Look = () => Promise<null | Pick<ConfigProblem, 'cause' | 'cure'>>;

const wordsOf = (error: unknown): Pick<ConfigProblem, 'cause' | 'cure'> => {
  if (error instanceof DeviceKeyError) return { cause: error.what, cure: error.cure };
  if (!(error instanceof Refusal)) throw error;
  return { cause: error.message, cure: 'mend the file, or name another' };
};

const looking =
  (look: () => unknown): Look =>
  async () => {
    try {
      await look();
      return null;
    } catch (error) {
      return wordsOf(error);
    }
  };

/** Files that are there and that a start would refuse. What is in a secret is told nowhere. */
const unusableFiles = async (
  loaded: LoadedConfig,
  missing: ReadonlySet<string>,
): Promise<ConfigProblem[]> => {
  const { config, file, text, resolve } = loaded;
  const { deviceKeyFile, commandKeysFile, broker, page } = config;
  const readable = (field: string, path: string | undefined): readonly [string, Look][] =>
    path === undefined ? [] : [[field, looking(() => configuredText(resolve(path), field))]];
  const looks: readonly (readonly [string, Look])[] = [
    ...(deviceKeyFile === undefined
      ? []
      : [['deviceKeyFile', looking(() => DeviceKey.load(resolve(deviceKeyFile)))] as const]),
    ...(commandKeysFile === undefined
      ? []
      : [['commandKeysFile', looking(() => trustedBy(loaded))] as const]),
    ...readable('broker.caFile', broker?.caFile),
    ...readable('broker.certFile', broker?.certFile),
    ...readable('broker.keyFile', broker?.keyFile),
    ...readable('broker.passwordFile', broker?.passwordFile),
    ...readable('page.tls.certFile', page?.tls?.certFile),
    ...readable('page.tls.keyFile', page?.tls?.keyFile),
    ...(page?.usersFile === undefined
      ? []
      : [['page.usersFile', looking(() => pagePlanOf(config, resolve, silentLog))] as const]),
  ];
  const problems: ConfigProblem[] = [];
  for (const [field, look] of looks) {
    const found = missing.has(field) ? null : await look();
    if (found === null) continue;
    problems.push({ file, line: lineOfField(text, field.split('.')), field, ...found });
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
  const problems: ConfigProblem[] = [];
  /** Each by the field that names it: a profile that is wrong is not the board's fault. */
  const tried = <T>(field: string, cure: string, use: () => T): T | null => {
    try {
      return use();
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      const line = lineOfField(text, [field]);
      problems.push({ file, line, field, cause: error.message, cure });
      return null;
    }
  };
  const boardCure = 'name a board of this program, or a board file ending in .yaml';
  const found = tried('board', boardCure, () => loadBoard(nameOrFile(board, resolve)));
  if (found === null) return problems;
  if (shufflerProfile !== undefined) {
    const cure = 'name a profile of this program, or a profile file ending in .yaml';
    const choice = { shufflerProfile: nameOrFile(shufflerProfile, resolve) };
    tried('shufflerProfile', cure, () => chooseOnBoard(found, choice));
  }
  if (calibration !== undefined) {
    const choice = { calibration: resolve(calibration) };
    const cure = 'name a file that `cutcard calibrate` wrote';
    tried('calibration', cure, () => chooseOnBoard(found, choice));
  }
  return problems;
};

/** Everything wrong with a configuration and with what it names. Empty when it can be used. */
export const checkConfigFile = async (file: string): Promise<readonly ConfigProblem[]> => {
  const read = readConfigFile(file);
  if (!read.ok) return read.problems;
  const problems = missingFiles(read.loaded);
  const missing = new Set(problems.map(({ field }) => field));
  problems.push(...(await unusableFiles(read.loaded, missing)));
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
