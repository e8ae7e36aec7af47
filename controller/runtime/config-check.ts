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

interface NamedFile {
  readonly field: readonly string[];
  readonly path: string;
  /** Uses it as a start would; left out: somebody else looks into it. */
  readonly use?: () => unknown;
}

/** What a configuration names beside its board; what is in a secret is told nowhere. */
const namedFiles = (loaded: LoadedConfig): readonly NamedFile[] => {
  const { config, resolve } = loaded;
  const { broker, page } = config;
  const named = (
    field: string,
    given: string | undefined,
    use: (path: string) => unknown = (path) => configuredText(path, field),
  ): readonly NamedFile[] => {
    if (given === undefined) return [];
    const path = resolve(given);
    return [{ field: field.split('.'), path, use: () => use(path) }];
  };
  return [
    ...(config.calibration === undefined
      ? []
      : [{ field: ['calibration'], path: resolve(config.calibration) }]),
    ...named('deviceKeyFile', config.deviceKeyFile, (path) => DeviceKey.load(path)),
    ...named('commandKeysFile', config.commandKeysFile, () => trustedBy(loaded)),
    ...named('broker.caFile', broker?.caFile),
    ...named('broker.certFile', broker?.certFile),
    ...named('broker.keyFile', broker?.keyFile),
    ...named('broker.passwordFile', broker?.passwordFile),
    ...named('page.usersFile', page?.usersFile, () => pagePlanOf(config, resolve, silentLog)),
    ...named('page.tls.certFile', page?.tls?.certFile),
    ...named('page.tls.keyFile', page?.tls?.keyFile),
    { field: ['journal'], path: dirname(resolve(config.journal)) },
  ];
};

const whyUnusable = (error: unknown): Pick<ConfigProblem, 'cause' | 'cure'> => {
  if (error instanceof DeviceKeyError) return { cause: error.what, cure: error.cure };
  if (!(error instanceof Refusal)) throw error;
  return { cause: error.message, cure: 'mend the file, or name another' };
};

const placeOf = (
  { file, text }: LoadedConfig,
  { field }: NamedFile,
): Pick<ConfigProblem, 'file' | 'line' | 'field'> => ({
  file,
  line: lineOfField(text, field),
  field: field.join('.'),
});

/** Files that are not there. */
const missingFiles = (loaded: LoadedConfig): ConfigProblem[] =>
  namedFiles(loaded).flatMap((named) => {
    const [name = ''] = named.field;
    if (existsSync(named.path)) return [];
    const cause = `there is no ${name === 'journal' ? 'folder' : 'file'} ${named.path}`;
    return [{ ...placeOf(loaded, named), cause, cure: CURES[name] ?? 'name a file that is there' }];
  });

/** Files that are there and that a start would refuse. */
const unusableFiles = async (loaded: LoadedConfig): Promise<ConfigProblem[]> => {
  const problems: ConfigProblem[] = [];
  for (const named of namedFiles(loaded)) {
    if (named.use === undefined || !existsSync(named.path)) continue;
    try {
      await named.use();
    } catch (error) {
      problems.push({ ...placeOf(loaded, named), ...whyUnusable(error) });
    }
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
  const problems = [...missingFiles(read.loaded), ...(await unusableFiles(read.loaded))];
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
