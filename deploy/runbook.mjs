#!/usr/bin/env node
// Writes the generated half of docs/RUNBOOK.md anew, from the program's own lists.
import { readFileSync, writeFileSync } from 'node:fs';
import { GENERATED_FROM_HERE, runbookPage } from '../dist/controller/runtime/runbook/runbook.js';

const file = 'docs/RUNBOOK.md';
const page = readFileSync(file, 'utf8');
const at = page.indexOf(GENERATED_FROM_HERE);
if (at < 0) {
  console.error(`runbook: ${file} has no line "${GENERATED_FROM_HERE}"`);
  process.exit(1);
}
writeFileSync(file, `${page.slice(0, at)}${GENERATED_FROM_HERE}\n\n${runbookPage()}`);
console.log(`runbook: ${file} is written`);
