import { configProblemText } from '../config/read.js';
import { changesBetween, withLive } from '../config/reload.js';
import type { SiteConfig } from '../config/schema.js';
import { checkConfigFile } from './config-check.js';
import { type LoadedConfig, readConfigFile } from './config-file.js';
import type { Log } from './log-port.js';

export interface ReloadParts {
  readonly loaded: LoadedConfig;
  readonly log: Log;
  /** Takes over the fields of `LIVE_FIELDS`. */
  readonly apply: (config: SiteConfig) => void;
}

/**
 * The configuration is read again on SIGHUP. One that cannot be used changes nothing: the table
 * goes on with what it has. Fields that need a restart are named and wait for it.
 */
export class Reloader {
  readonly #parts: ReloadParts;
  #now: SiteConfig;
  #busy = false;
  #again = false;
  readonly #onSignal = (): void => void this.reload();

  constructor(parts: ReloadParts) {
    this.#parts = parts;
    this.#now = parts.loaded.config;
  }

  start(): void {
    process.on('SIGHUP', this.#onSignal);
  }

  stop(): void {
    process.off('SIGHUP', this.#onSignal);
  }

  /** Safe to call while one is under way: the newest file is what counts in the end. */
  async reload(): Promise<void> {
    this.#again = true;
    if (this.#busy) return;
    this.#busy = true;
    try {
      while (this.#again) {
        this.#again = false;
        await this.#once();
      }
    } finally {
      this.#busy = false;
    }
  }

  async #once(): Promise<void> {
    const { loaded, log, apply } = this.#parts;
    const { file } = loaded;
    const problems = await checkConfigFile(file);
    const read = readConfigFile(file);
    if (!read.ok || problems.length > 0) {
      const all = read.ok ? problems : read.problems;
      for (const problem of all) log.error({}, configProblemText(problem));
      log.error({ file }, 'the configuration cannot be used; the table goes on with what it has');
      return;
    }
    const { config } = read.loaded;
    const { live, restart } = changesBetween(this.#now, config);
    apply(config);
    if (live.length > 0) log.info({ fields: live }, 'taken over from the configuration');
    if (restart.length > 0) log.warn({ fields: restart }, 'changed, but waits for a restart');
    if (live.length + restart.length === 0) log.info({ file }, 'nothing has changed');
    // What waits for a restart goes on being named until it came.
    this.#now = withLive(this.#now, config);
  }
}
