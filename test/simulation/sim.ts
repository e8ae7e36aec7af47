#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { runSeed, type SeedRun } from './box.js';
import { runDiskSeed } from './disk-run.js';

/**
 * `npm run sim -- --seeds N [--from S]`: plays seeds until done; 1 when any fails. `--fast`: the
 * rules alone, without signals. `--disk`: on a disk that is slow, fails, is full or cannot be
 * written, and comes back.
 */
const USAGE = 'npm run sim -- [--seeds 100] [--from 1] [--fast] [--disk] [--verbose]';
const MAX_SEEDS = 10_000_000;

const options = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    fast: { type: 'boolean', default: false },
    disk: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
}).values;
if (options.help) {
  console.log(
    `${USAGE}\n--fast plays the rules alone, --disk on a disk that is slow, fails, fills and ` +
      'cannot be written.',
  );
  process.exit(0);
}
const seeds = Number(options.seeds);
const from = Number(options.from);
if (!Number.isInteger(seeds) || seeds < 1 || seeds > MAX_SEEDS || !Number.isInteger(from)) {
  console.error(`--seeds and --from take whole numbers. Usage: ${USAGE}`);
  process.exit(2);
}

const play = (seed: number): Promise<SeedRun> => {
  if (options.disk) return runDiskSeed(seed, options.fast ? 'observations' : 'signals');
  return runSeed(seed, options.fast ? ['observations'] : undefined);
};

let failed = 0;
let rows = 0;
for (let seed = from; seed < from + seeds; seed += 1) {
  const run = await play(seed);
  rows += run.rows;
  if (run.faults.length === 0) {
    if (options.verbose) console.log(`${seed} ok: ${run.procedure}, ${run.rows} rows`);
    continue;
  }
  failed += 1;
  console.log(`seed ${seed} FAILED (${run.procedure}, row ${run.rows}):`);
  for (const fault of run.faults.slice(0, 5)) console.log(`  ${fault}`);
  if (options.verbose) for (const act of run.acts.slice(-25)) console.log(`    ${act}`);
}
console.log(`${seeds - failed} of ${seeds} seeds hold, ${rows} rows`);
process.exitCode = failed === 0 ? 0 : 1;
