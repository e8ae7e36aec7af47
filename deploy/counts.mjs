#!/usr/bin/env node
// Prints the closing line of a test run from the counts the run wrote down, alone on a line.
// Ends 1 where a test failed, none ran, or no counts were written.
import { readFileSync } from 'node:fs';

const file = process.argv[2] ?? 'reports/tests.json';
let tally;
try {
  tally = JSON.parse(readFileSync(file, 'utf8'));
} catch (error) {
  console.error(
    `counts: ${file} cannot be read (${error.code ?? 'not JSON'}): the tests did not end`,
  );
  console.log('0 passed, 1 failed');
  process.exit(1);
}
const skipped = tally.skipped.length === 0 ? '' : `, ${tally.skipped.length} skipped`;
console.log(`${tally.passed} passed, ${tally.failed} failed${skipped}`);
process.exitCode = tally.failed === 0 && tally.passed > 0 ? 0 : 1;
