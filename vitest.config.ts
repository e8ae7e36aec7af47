import { defineConfig } from 'vitest/config';

/** A test that waits longer than this is stuck: nothing in the tests needs a minute. */
const TEST_MS = 30_000;
const HOOK_MS = 60_000;

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
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
