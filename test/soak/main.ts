#!/usr/bin/env node
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { COLLECTOR_FLAGS } from '../../controller/runtime/engine-flags.js';
import { PAUSE_LIMIT_MS } from './gc.js';
import { soak, type SoakReport } from './soak.js';

const USAGE = 'npm run soak -- [--days 7] [--tables 1] [--seed S] [--json]';
const DAYS_MAX = 400;
const TABLES_MAX = 64;

const pad = (text: string | number, width: number): string => String(text).padStart(width);

const pauses = (gc: SoakReport['gc']): readonly string[] => {
  const over = Object.entries(gc.over).map(([kind, n]) => `${n} of kind ${kind}`);
  const { control, unservedMs } = gc;
  return [
    `garbage collection: ${gc.pauses} pauses, median ${gc.medianMs.toFixed(2)} ms, p99 ` +
      `${gc.p99Ms.toFixed(1)}, longest ${gc.longestMs.toFixed(1)}, over ${PAUSE_LIMIT_MS} ms: ` +
      (over.length === 0 ? 'none' : over.join(', ')),
    `control: ${control.stretches} stretches of plain work as long as the median pause, longest ` +
      `${control.longestMs.toFixed(1)} ms, over ${PAUSE_LIMIT_MS} ms: ${control.over || 'none'}`,
    ...(unservedMs === null
      ? []
      : [`this thread stood ready without a processor for ${(unservedMs / 1000).toFixed(1)} s`]),
  ];
};

const tableText = (report: SoakReport): string => {
  const head =
    `${'quantity'.padEnd(14)}${pad('first', 10)}${pad('middle', 10)}${pad('last', 10)}` +
    `${pad('most', 10)}${pad('growth', 10)}${pad('may grow', 10)}`;
  const rows = report.fits.map(
    (f) =>
      `${f.name.padEnd(14)}${pad(f.first.toFixed(2), 10)}${pad(f.middle.toFixed(2), 10)}` +
      pad(f.last.toFixed(2), 10) +
      `${pad(f.most.toFixed(2), 10)}${pad(f.growth.toFixed(2), 10)}${pad(f.mayGrow, 10)}` +
      (f.grows ? '  GROWS' : ''),
  );
  return [
    head,
    ...rows,
    '',
    `${report.days} days on ${report.tables} table(s): ${report.steps} steps, ` +
      `${report.restarts} restarts, ${report.outages} outages in ${report.seconds.toFixed(0)} s`,
    ...pauses(report.gc),
    ...report.warnings.map((warning) => `warning: ${warning}`),
    '',
  ].join('\n');
};

const { values } = parseArgs({
  options: {
    days: { type: 'string', default: '7' },
    tables: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
  },
});
const days = Number(values.days);
const tables = Number(values.tables);
const seed = Number(values.seed);
const fine =
  days > 0 &&
  days <= DAYS_MAX &&
  Number.isInteger(tables) &&
  tables >= 1 &&
  tables <= TABLES_MAX &&
  Number.isInteger(seed);
if (!fine) {
  process.stderr.write(
    `--days up to ${DAYS_MAX}, --tables up to ${TABLES_MAX}, --seed a whole number.\n${USAGE}\n`,
  );
  process.exit(2);
}

/** A file system in memory where there is one: it is the program that is tried, not the disk. */
const scratch = (): string => {
  try {
    accessSync('/dev/shm', constants.W_OK);
    return '/dev/shm';
  } catch {
    return tmpdir();
  }
};

// As every start of the program has it.
for (const flag of COLLECTOR_FLAGS) setFlagsFromString(flag);
const folder = mkdtempSync(join(scratch(), 'cutcard-soak-'));
try {
  const report = await soak({
    days,
    tables,
    seed,
    folder,
    progress: (done, of) => {
      if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${of} `);
    },
  });
  process.stdout.write(values.json ? `${JSON.stringify(report, null, 2)}\n` : tableText(report));
  process.exitCode = report.grows.length === 0 && report.warnings.length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
