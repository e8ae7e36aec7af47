import { defineConfig } from 'vitest/config';

/** A mutant that makes a test wait longer than this is stuck. */
const TEST_MS = 10_000;

/**
 * The tests that judge a mutant: by clause, and pure: no device, socket, store or browser.
 * Random play is left out: it covers everything, so that every mutant would wait for it.
 */
export default defineConfig({
  test: {
    include: ['test/unit/core/**/*.test.ts', 'test/unit/procedures/**/*.test.ts'],
    testTimeout: TEST_MS,
    hookTimeout: TEST_MS,
    reporters: ['default'],
  },
});
