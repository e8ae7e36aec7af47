import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

/** One test that did not run, and why. */
export interface Skipped {
  readonly title: string;
  readonly reason: string;
}

/** One test that failed, and the first lines of why. */
export interface Failure {
  readonly title: string;
  readonly why: string;
}

export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: readonly Skipped[];
  readonly failures: readonly Failure[];
  /** Tests that passed only when tried again: to be mended, not to be forgotten. */
  readonly unsteady: readonly string[];
}

/** `N passed, N failed`, with `, N skipped` only where something was skipped. */
export const closingLine = (tally: Pick<Tally, 'passed' | 'failed' | 'skipped'>): string => {
  const skipped = tally.skipped.length === 0 ? '' : `, ${tally.skipped.length} skipped`;
  return `${tally.passed} passed, ${tally.failed} failed${skipped}`;
};

/** What was skipped, grouped by reason, so that nobody takes a hole for a pass. */
export const skippedReport = (skipped: readonly Skipped[]): string => {
  const byReason = new Map<string, string[]>();
  for (const { title, reason } of skipped) {
    byReason.set(reason, [...(byReason.get(reason) ?? []), title]);
  }
  const lines = [...byReason].flatMap(([reason, titles]) => [
    `  because ${reason}:`,
    ...titles.map((title) => `    - ${title}`),
  ]);
  return [`NOT RUN: ${skipped.length} tests were skipped`, ...lines].join('\n');
};

/** What failed and what was unsteady, said once more at the end, where it is looked for. */
export const troubleReport = ({ failures, unsteady }: Tally): string => {
  const failed = failures.flatMap(({ title, why }) => [`FAILED: ${title}`, `    ${why}`]);
  const again = unsteady.map((title) => `UNSTEADY, passed when tried again: ${title}`);
  return [...failed, ...again].join('\n');
};

/** Characters of a failure's message that the end of a run repeats. */
const WHY_CHARACTERS = 300;

const whyOf = (errors: readonly { readonly message: string }[]): string => {
  const text = errors.map(({ message }) => message).join('; ');
  return text.replaceAll(/\s+/g, ' ').slice(0, WHY_CHARACTERS);
};

const tallyOf = (modules: readonly TestModule[]): Tally => {
  let passed = 0;
  const skipped: Skipped[] = [];
  const failures: Failure[] = [];
  const unsteady: string[] = [];
  for (const module of modules) {
    const tests = [...module.children.allTests()];
    // A file that does not load has no tests; a broken hook may fail a suite and none of its tests.
    if (!module.ok() && !tests.some((test) => test.result().state === 'failed')) {
      failures.push({ title: module.relativeModuleId, why: whyOf(module.errors()) });
    }
    for (const test of tests) {
      const result = test.result();
      const title = `${module.relativeModuleId} > ${test.fullName}`;
      if (result.state === 'passed') {
        passed += 1;
        if ((test.diagnostic()?.retryCount ?? 0) > 0) unsteady.push(title);
      } else if (result.state === 'failed') failures.push({ title, why: whyOf(result.errors) });
      else skipped.push({ title: test.fullName, reason: reasonOf(test) });
    }
  }
  return { passed, failed: failures.length, skipped, failures, unsteady };
};

const reasonOf = (test: TestCase): string => {
  const result = test.result();
  const note = result.state === 'skipped' ? result.note : undefined;
  return note ?? 'no reason was given';
};

/** Where the counts of the last run lie for `.ci/run`, from the project's root. */
const COUNTS_FILE = 'reports/tests.json';

/** Ends a run with what was skipped and why, and with one plain line of counts. */
export default class ClosingReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const counted = tallyOf(modules);
    const outside = unhandled.map((error) => ({
      title: 'an error outside every test',
      why: error instanceof Error ? error.message : JSON.stringify(error),
    }));
    const failures = [...counted.failures, ...outside];
    const tally = { ...counted, failed: failures.length, failures };
    mkdirSync(dirname(COUNTS_FILE), { recursive: true });
    writeFileSync(COUNTS_FILE, `${JSON.stringify(tally, null, 2)}\n`);
    if (tally.skipped.length > 0) process.stdout.write(`\n${skippedReport(tally.skipped)}\n`);
    const trouble = troubleReport(tally);
    if (trouble !== '') process.stdout.write(`\n${trouble}\n`);
    process.stdout.write(`\n${closingLine(tally)}\n`);
  }
}
