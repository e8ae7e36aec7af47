// Runs command lines one after the other in one process, as `cutcard` would each, and prints what
// every one came to: a start each would take most of the time. Whoever reads this stops it where a
// line does not come.
// Usage: node bad-input-child.mjs, one JSON array of arguments a line on its standard input
import { createInterface } from 'node:readline';
import { writeSync } from 'node:fs';

const cli = new URL('../../dist/controller/runtime/cli.js', import.meta.url);
const { runCli } = await import(cli.href);

let out = '';
let err = '';
process.stdout.write = (text) => {
  out += text;
  return true;
};
process.stderr.write = (text) => {
  err += text;
  return true;
};

for await (const line of createInterface({ input: process.stdin })) {
  out = '';
  err = '';
  const code = await runCli(JSON.parse(line));
  writeSync(1, `${JSON.stringify({ code, out, err })}\n`);
}
process.exit(0);
