import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

/** One test that did not run, and why. */
export interface Skipped {
  readonly title: string;
  readonly reason: string;
}

export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: readonly Skipped[];
}

/** `N passed, N failed`, with `, N skipped` only where something was skipped. */
export const closingLine = (tally: Tally): string => {
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

const tallyOf = (modules: readonly TestModule[]): Tally => {
  let passed = 0;
  let failed = 0;
  const skipped: Skipped[] = [];
  for (const module of modules) {
    const tests = [...module.children.allTests()];
    // A file that does not load has no tests; a broken hook may fail a suite and none of its tests.
    if (!module.ok() && !tests.some((test) => test.result().state === 'failed')) failed += 1;
    for (const test of tests) {
      const { state } = test.result();
      if (state === 'passed') passed += 1;
      else if (state === 'failed') failed += 1;
      else skipped.push({ title: test.fullName, reason: reasonOf(test) });
    }
  }
  return { passed, failed, skipped };
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
    const tally = { ...counted, failed: counted.failed + unhandled.length };
    mkdirSync(dirname(COUNTS_FILE), { recursive: true });
    writeFileSync(COUNTS_FILE, `${JSON.stringify(tally, null, 2)}\n`);
    if (tally.skipped.length > 0) process.stdout.write(`\n${skippedReport(tally.skipped)}\n`);
    process.stdout.write(`\n${closingLine(tally)}\n`);
  }
}
