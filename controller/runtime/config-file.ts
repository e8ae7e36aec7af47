import { dirname, resolve } from 'node:path';
import { type ConfigProblem, configProblemText, readConfig } from '../config/read.js';
import type { SiteConfig } from '../config/schema.js';
import { readGiven } from '../config/given-file.js';
import { EXIT, Refusal } from './exit.js';

export interface LoadedConfig {
  readonly config: SiteConfig;
  readonly file: string;
  readonly text: string;
  /** A path of the configuration, counted from the folder of its file. */
  readonly resolve: (path: string) => string;
}

export type ConfigFileRead =
  | { readonly ok: true; readonly loaded: LoadedConfig }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

/** Exit code 78 with one line a problem. */
export const refuseConfig = (problems: readonly ConfigProblem[]): Refusal =>
  new Refusal(EXIT.config, problems.map(configProblemText).join('\n         '));

const CURE =
  'check the path and its permissions; controller/config/example.yaml shows a whole configuration';

/** Reads and checks the file alone, not what it names. */
export const readConfigFile = (file: string): ConfigFileRead => {
  let text: string;
  try {
    text = readGiven(file);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const problem = { file, line: 1, field: 'file', cause: `it cannot be read: ${why}` };
    return { ok: false, problems: [{ ...problem, cure: CURE }] };
  }
  const read = readConfig(text, file);
  if (!read.ok) return read;
  const folder = dirname(resolve(file));
  const loaded = {
    config: read.config,
    file,
    text,
    resolve: (path: string) => resolve(folder, path),
  };
  return { ok: true, loaded };
};
