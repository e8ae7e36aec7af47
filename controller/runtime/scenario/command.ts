import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { placeTrouble, readGiven } from '../../config/given-file.js';
import { EXIT, type ExitCode, Refusal } from '../exit.js';
import { parseScenario } from './parse.js';
import { differenceText, failureText, headline } from './report.js';
import { cannotAct, type Depth } from './rig.js';
import { type Outcome, runScenario } from './run.js';
import { LIMITS, type Scenario } from './schema.js';
import { ScenarioProblem } from './source.js';
import { rulesOf } from './table.js';

export interface RunFilesOptions {
  readonly through: Depth | 'both';
  readonly json: boolean;
  readonly noise: number;
  readonly seed: number;
  readonly record?: string;
}

/** What one file came to. `unusable`: it was not played, or asks for what its table cannot do. */
type Told =
  | { readonly is: 'played'; readonly file: string; readonly outcomes: readonly Outcome[] }
  | { readonly is: 'unusable'; readonly file: string; readonly problems: readonly string[] }
  | { readonly is: 'broken'; readonly file: string; readonly error: string };

const MAX_FILES = 10_000;

/** Folders stand for the scenario files in them. @throws Refusal */
const filesOf = (paths: readonly string[]): readonly string[] => {
  const files = paths.flatMap((path) => {
    try {
      if (!statSync(path).isDirectory()) return [path];
    } catch {
      return [path];
    }
    const inside = readdirSync(path)
      .filter((name) => /\.ya?ml$/i.test(name))
      .sort()
      .map((name) => join(path, name));
    if (inside.length === 0) throw new Refusal(EXIT.usage, `${path}: no .yaml file in this folder`);
    return inside;
  });
  if (files.length > MAX_FILES) {
    throw new Refusal(EXIT.usage, `more than ${MAX_FILES} files; run them in several goes`);
  }
  return files;
};

type Read =
  | { readonly ok: true; readonly scenario: Scenario }
  | { readonly ok: false; readonly problems: readonly string[] };

const readScenario = (file: string): Read => {
  let text: string;
  try {
    text = readGiven(file, LIMITS.fileBytes);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    return { ok: false, problems: [`${file}: ${why}; check the path and its permissions`] };
  }
  const result = parseScenario(file, text);
  if (!result.ok) return { ok: false, problems: result.problems.map((one) => one.message) };
  return result;
};

const playFile = async (file: string, options: RunFilesOptions): Promise<Told> => {
  const read = readScenario(file);
  if (!read.ok) return { is: 'unusable', file, problems: read.problems };
  const depths: readonly Depth[] =
    options.through === 'both' ? ['observations', 'signals'] : [options.through];
  const outcomes: Outcome[] = [];
  try {
    for (const through of depths) {
      const { noise, seed, record } = options;
      const more = record === undefined ? {} : { record };
      outcomes.push(await runScenario(read.scenario, { through, noise, seed, ...more }));
    }
    return { is: 'played', file, outcomes };
  } catch (error) {
    if (error instanceof ScenarioProblem) {
      return { is: 'unusable', file, problems: [error.message] };
    }
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { is: 'broken', file, error: text };
  }
};

/** Played at two depths that do not agree. */
const differ = ([first, second]: readonly Outcome[]): boolean =>
  first !== undefined && second !== undefined && first.end !== second.end;

const holds = (told: Told): boolean =>
  told.is === 'played' && told.outcomes.every(({ ok }) => ok) && !differ(told.outcomes);

const exitOf = (all: readonly Told[]): ExitCode => {
  if (all.some(({ is }) => is === 'broken')) return EXIT.internal;
  if (all.some(({ is }) => is === 'unusable')) return EXIT.usage;
  return all.every(holds) ? EXIT.ok : EXIT.found;
};

const textOf = (told: Told): string => {
  switch (told.is) {
    case 'unusable':
      return [`unusable  ${told.file}`, ...told.problems.map((one) => `  ${one}`)].join('\n');
    case 'broken':
      return `broken    ${told.file}: internal error, please report it\n${told.error}`;
    case 'played': {
      const lines = told.outcomes.flatMap((outcome) => [
        headline(outcome),
        ...failureText(outcome),
      ]);
      if (differ(told.outcomes)) lines.push(...differenceText(told.file, told.outcomes));
      return lines.join('\n');
    }
  }
};

/** A recording never writes over one that is there. */
const recordTrouble = (file: string): string | null => {
  const why = existsSync(file) ? 'it is there already; name a new file' : placeTrouble(file);
  return why === null ? null : `${file}: ${why}`;
};

/** Plays every file, one after the other; a failure does not stop the rest. */
export const runFiles = async (
  paths: readonly string[],
  options: RunFilesOptions,
): Promise<ExitCode> => {
  const files = filesOf(paths);
  if (options.record !== undefined && (files.length > 1 || options.through === 'observations')) {
    throw new Refusal(EXIT.usage, '`--record` takes one scenario, played through signals');
  }
  const trouble = options.record === undefined ? null : recordTrouble(options.record);
  if (trouble !== null) throw new Refusal(EXIT.usage, `--record ${trouble}`);
  const all: Told[] = [];
  for (const [i, file] of files.entries()) {
    progress(options.json, `${i + 1}/${files.length}  ${file}`);
    const told = await playFile(file, options);
    progress(options.json, '');
    all.push(told);
    if (!options.json) process.stdout.write(`${textOf(told)}\n`);
  }
  const code = exitOf(all);
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ ok: code === EXIT.ok, files: all }, null, 2)}\n`);
  } else if (files.length > 1) {
    process.stdout.write(`${all.filter(holds).length} of ${files.length} hold\n`);
  }
  return code;
};

/** One line that is wiped again, on a terminal only. */
const progress = (isSilent: boolean, text: string): void => {
  if (!isSilent && process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
};

const problemsOf = (file: string): readonly string[] => {
  const read = readScenario(file);
  if (!read.ok) return read.problems;
  try {
    const { table } = rulesOf(read.scenario);
    return read.scenario.timeline.flatMap((entry) => {
      const why = cannotAct(entry.act, table);
      return why === null ? [] : [new ScenarioProblem(file, entry, why.message).message];
    });
  } catch (error) {
    if (error instanceof ScenarioProblem) return [error.message];
    throw error;
  }
};

/** Reads every file, its procedure included, and says what is wrong. */
export const checkFiles = async (paths: readonly string[], json: boolean): Promise<ExitCode> => {
  await Promise.resolve();
  const all = filesOf(paths).map((file) => ({ file, problems: problemsOf(file) }));
  const ok = all.every(({ problems }) => problems.length === 0);
  if (json) {
    process.stdout.write(`${JSON.stringify({ ok, files: all }, null, 2)}\n`);
  } else {
    for (const { file, problems } of all) {
      const lines = problems.map((one) => `  ${one}`);
      process.stdout.write(
        [`${ok || lines.length === 0 ? 'ok      ' : 'unusable'}  ${file}`, ...lines].join('\n'),
      );
      process.stdout.write('\n');
    }
  }
  return ok ? EXIT.ok : EXIT.usage;
};
