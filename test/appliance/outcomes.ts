import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { dirname } from 'node:path';
import { packageRoot } from '../../firmware-bridge/files.js';

interface Outcome {
  readonly name: string;
  readonly passed: boolean;
  readonly seconds: number;
  readonly why?: string;
}

export const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
export const indented = (text: string, mark = '    '): string => text.replaceAll(/^/gm, mark);
export const secondsSince = (fromMs: number): number =>
  Math.round((performance.now() - fromMs) / 1000);
export const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** What a run in an emulated machine found, told as it comes and kept in a report. */
export class Outcomes {
  /** What was measured by the way, with its unit. */
  readonly figures = new Map<string, string>();
  readonly #checks: Outcome[] = [];

  get failed(): number {
    return this.#checks.filter((one) => !one.passed).length;
  }

  get passed(): number {
    return this.#checks.length - this.failed;
  }

  /** @param fromMs when the check began @param why what failed; left out: it passed */
  settle(name: string, fromMs: number, why?: string): void {
    const seconds = secondsSince(fromMs);
    if (why === undefined) {
      this.#checks.push({ name, passed: true, seconds });
      say(`  ok ${name} (${seconds} s)`);
      return;
    }
    this.#checks.push({ name, passed: false, seconds, why });
    say(`  FAILED ${name} (${seconds} s)\n${indented(why)}`);
  }

  /** @returns whether it passed */
  async check(name: string, run: () => Promise<void> | void): Promise<boolean> {
    const fromMs = performance.now();
    try {
      await run();
      this.settle(name, fromMs);
      return true;
    } catch (error) {
      this.settle(name, fromMs, reasonOf(error));
      return false;
    }
  }

  /** @param about what was tried, beside commit, host, checks and figures */
  report(file: string, about: Readonly<Record<string, unknown>>): void {
    const commit = spawnSync('git', ['-C', packageRoot(), 'log', '-1', '--format=%h'], {
      encoding: 'utf8',
    }).stdout.trim();
    const host = { processors: cpus().length, load: loadavg().map((n) => Math.round(n)) };
    const said = {
      ...{ at: new Date().toISOString(), commit, host, ...about },
      ...{ checks: this.#checks, figures: Object.fromEntries(this.figures) },
      ...{ passed: this.passed, failed: this.failed },
    };
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${JSON.stringify(said, null, 2)}\n`);
  }

  /**
   * Figures, totals and exit code; what was worked on is kept where something failed.
   * @param folder of the run @param keep although all passed
   */
  end(folder: string, keep: boolean): void {
    for (const [what, value] of this.figures) say(`${what}: ${value}`);
    if (this.failed === 0 && !keep) rmSync(folder, { recursive: true, force: true });
    else say(`console, disk and packages are kept in ${folder}`);
    say(`${this.passed} passed, ${this.failed} failed`);
    process.exitCode = this.failed === 0 && this.passed > 0 ? 0 : 1;
  }
}
