import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtInIds, loadPack } from '../../controller/runtime/procedure-files.js';
import { collectCore, collectTests } from './collect.js';
import { clausesPage } from './markdown.js';
import { type Trace, traceOf } from './trace.js';

const PAGE = 'docs/CLAUSES.md';

/** Sections, packs, core and tests of the working copy at `root`. */
export const traceWorkingCopy = (root: string): Trace =>
  traceOf({
    packs: builtInIds().map((id) => loadPack(id)),
    core: collectCore(root),
    tests: collectTests(root),
  });

/** `--check` writes nothing and fails when the committed page is not what would be written. */
export const main = (root: string, args: readonly string[]): number => {
  if (!existsSync(join(root, 'test/scenarios'))) {
    console.error(`trace: ${root} is not the project's folder; run \`npm run trace\``);
    return 2;
  }
  const trace = traceWorkingCopy(root);
  const page = clausesPage(trace);
  const file = join(root, PAGE);
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const isStale = before !== page;
  if (!args.includes('--check')) writeFileSync(file, page);
  const tested = trace.clauses.filter((row) => row.tests.length > 0).length;
  console.log(
    `trace: ${trace.clauses.length} clauses, ${tested} named by tests; ` +
      `${trace.codes.length} findings; ${trace.gaps.length} gaps`,
  );
  for (const gap of trace.gaps) console.error(`gap: ${gap}`);
  if (args.includes('--check') && isStale) {
    console.error(`trace: ${PAGE} is out of date; run \`npm run trace\` and commit it`);
    return 1;
  }
  if (isStale) console.log(`trace: ${PAGE} written`);
  return trace.gaps.length === 0 ? 0 : 1;
};
