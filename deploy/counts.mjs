#!/usr/bin/env node
// Prints, from the counts a test run wrote down, what failed or was unsteady, and then the closing
// line, alone on a line.
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
for (const { title, why } of tally.failures) console.log(`FAILED: ${title}\n    ${why}`);
for (const title of tally.unsteady) console.log(`UNSTEADY, passed when tried again: ${title}`);
const skipped = tally.skipped.length === 0 ? '' : `, ${tally.skipped.length} skipped`;
console.log(`${tally.passed} passed, ${tally.failed} failed${skipped}`);
process.exitCode = tally.failed === 0 && tally.passed > 0 ? 0 : 1;
