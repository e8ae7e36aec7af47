import { defineConfig } from 'vitest/config';

/** A test that waits longer than this is stuck: nothing in the tests needs a minute. */
const TEST_MS = 30_000;
const HOOK_MS = 60_000;

const OUTSIDE = ['test/{integration,e2e}/**/*.test.ts'];
const INSIDE = ['test/!(integration|e2e)/**/*.test.ts'];

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'inside', include: INSIDE } },
      // Other programs, real disks and a browser: tried once more, and said to be unsteady then.
      { extends: true, test: { name: 'outside', include: OUTSIDE, retry: 1 } },
    ],
    exclude: ['**/node_modules/**', 'dist/**', 'coverage/**', '.stryker-tmp/**'],
    testTimeout: TEST_MS,
    hookTimeout: HOOK_MS,
    maxWorkers: 2,
    reporters: [['default', { summary: false }], './test/support/closing-reporter.ts'],
    coverage: {
      provider: 'v8',
      include: [
        'controller/**/*.ts',
        'firmware-bridge/**/*.ts',
        'storage/**/*.ts',
        'surveillance/**/*.ts',
      ],
      reportsDirectory: 'coverage',
    },
  },
});
