import { describe, expect, test } from 'vitest';
import { closingLine, skippedReport, troubleReport } from '../support/closing-reporter.js';

describe('the closing line of a run', () => {
  test('names passed and failed', () => {
    expect(closingLine({ passed: 12, failed: 0, skipped: [] })).toBe('12 passed, 0 failed');
  });

  test('adds skipped only where a test was skipped', () => {
    const skipped = [{ title: 'a page', reason: 'no browser' }];
    expect(closingLine({ passed: 1, failed: 2, skipped })).toBe('1 passed, 2 failed, 1 skipped');
  });

  test('groups what was skipped under its reason', () => {
    const report = skippedReport([
      { title: 'a', reason: 'no browser' },
      { title: 'b', reason: 'no broker' },
      { title: 'c', reason: 'no browser' },
    ]);
    expect(report.split('\n')).toEqual([
      'NOT RUN: 3 tests were skipped',
      '  because no browser:',
      '    - a',
      '    - c',
      '  because no broker:',
      '    - b',
    ]);
  });

  test('repeats what failed, and what passed only when tried again', () => {
    const report = troubleReport({
      passed: 1,
      failed: 1,
      skipped: [],
      failures: [{ title: 'kill.test.ts > same state', why: 'expected 3 to be 4' }],
      unsteady: ['wall.test.ts > resumes'],
    });
    expect(report.split('\n')).toEqual([
      'FAILED: kill.test.ts > same state',
      '    expected 3 to be 4',
      'UNSTEADY, passed when tried again: wall.test.ts > resumes',
    ]);
  });
});
