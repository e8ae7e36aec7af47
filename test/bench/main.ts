import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { armFigures } from './arm.js';
import { clusterFigures } from './cluster.js';
import { coreFigures } from './core.js';
import { drainFigures } from './drain.js';
import { edgeFigures } from './edge.js';
import { floorFigures } from './floor.js';
import { type PathAsked, pathFigures } from './path.js';
import { signalFigures } from './signal.js';
import { startFigures } from './start.js';
import { type Figure, storageFigures } from './storage.js';

/**
 * `npm run bench`: each figure beside its peer or limit, interleaved in the same run, as medians
 * and ratios. `npm run bench -- core start` takes these groups only; `--large` also 10^7 rows;
 * `--quick` one round of the groups that take minutes. `path` also takes
 * `--subjects=bare,node-red,node-red-tuned,cutcard` and `--rates=50,500,burst`.
 */
interface Asked extends PathAsked {
  readonly large: boolean;
}
const GROUPS: Readonly<Record<string, (asked: Asked) => Promise<readonly Figure[]>>> = {
  arm: () => Promise.resolve(armFigures()),
  cluster: ({ quick }) => clusterFigures(quick),
  core: () => Promise.resolve(coreFigures()),
  drain: ({ quick }) => drainFigures(quick),
  edge: ({ quick }) => edgeFigures(quick),
  floor: ({ quick }) => floorFigures(quick),
  path: (asked) => pathFigures(asked),
  signal: () => signalFigures(),
  start: () => startFigures(),
  storage: ({ large }) => storageFigures(large),
};

const OUT = 'reports';

const table = (figures: readonly Figure[]): string => {
  const columns = ['what', 'subject', 'peer', 'ratio', 'goal'] as const;
  const rows = [
    { what: 'what', subject: 'here', peer: 'beside it', ratio: 'ratio', goal: 'goal' },
    ...figures,
  ];
  const width = (column: (typeof columns)[number]): number =>
    Math.max(...rows.map((row) => row[column].length));
  return rows
    .map((row) =>
      columns
        .map((column) => row[column].padEnd(width(column)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};

const args = process.argv.slice(2);
const valueOf = (name: 'subjects' | 'rates'): { [name]?: string } => {
  const given = args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
  return given === undefined ? {} : { [name]: given };
};
const options = {
  ...{ large: args.includes('--large'), quick: args.includes('--quick') },
  ...{ ...valueOf('subjects'), ...valueOf('rates') },
};
const asked = args.filter((arg) => !arg.startsWith('--'));
const unknown = asked.filter((name) => !Object.hasOwn(GROUPS, name));
if (unknown.length > 0) {
  process.stderr.write(
    `bench: no group ${unknown.join(', ')}; ${Object.keys(GROUPS).join(', ')}\n`,
  );
  process.exit(2);
}
const groups: Record<string, readonly Figure[]> = {};
for (const [name, measure] of Object.entries(GROUPS)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  if (process.stderr.isTTY) process.stderr.write(`${name} ...\n`);
  groups[name] = await measure(options);
}
const [cpu] = cpus();
const report = {
  at: new Date().toISOString(),
  node: process.version,
  cpu: `${cpus().length} x ${cpu?.model ?? 'unknown'}`,
  load: loadavg(),
  groups,
};
mkdirSync(OUT, { recursive: true });
const file = `${OUT}/bench-${report.at.replaceAll(/[:.]/g, '-')}.json`;
writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
process.stdout.write(`${table(Object.values(groups).flat())}\n\n${file}\n`);
