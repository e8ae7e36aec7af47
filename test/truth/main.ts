#!/usr/bin/env node
import { writeFileSync } from 'node:fs';
import { arch, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { FAULTS, faultNamed } from './faults.js';
import { htmlOf } from './html.js';
import { loadParams, NOMINAL, ParamsError, paramsSchema } from './params.js';
import { reportOf, tableText } from './report.js';
import { addTally, freshTally, type Job, type Tally } from './tally.js';

const USAGE = `npm run truth -- [--each 1000] [--cards 200000] [--noise 1,3] [--seed 1] [--kind K]
  [--params FILE] [--json] [--html FILE] [--schema]
--each: faults injected of each kind; --cards: cards of correct play; at each level of noise`;
const THREADS = 2;
/** Trials and cards of one job: small enough that both threads end together. */
const JOB_TRIALS = 250;
const JOB_CARDS = 20_000;
/** Seeds of one kind, so that two kinds never play the same table. */
const SEED_STRIDE = 1_000_003;
const MAX = 100_000_000;
const EXIT = { ok: 0, found: 1, usage: 2 } as const;

class Usage extends Error {}

const whole = (text: string, name: string): number => {
  const n = Number(text);
  if (!Number.isInteger(n) || n < 0 || n > MAX) {
    throw new Usage(`--${name} takes a whole number up to ${MAX}, not \`${text}\``);
  }
  return n;
};

const levels = (text: string): readonly number[] =>
  text.split(',').map((part) => {
    const n = Number(part);
    if (!(n >= 0 && n <= 10)) throw new Usage(`--noise takes levels up to 10, not \`${part}\``);
    return n;
  });

const cut = (all: Job, size: number): readonly Job[] => {
  const jobs: Job[] = [];
  for (let done = 0; done < all.count; done += size) {
    // Trials that find no place for their fault take a seed of their own: leave room for them.
    jobs.push({ ...all, seed: all.seed + done * 4, count: Math.min(size, all.count - done) });
  }
  return jobs;
};

const jobsOf = (
  kinds: readonly string[],
  noises: readonly number[],
  counts: { readonly each: number; readonly cards: number; readonly seed: number },
): readonly Job[] =>
  noises.flatMap((noise) => [
    ...cut({ kind: null, noise, seed: counts.seed, count: counts.cards }, JOB_CARDS),
    ...kinds.flatMap((kind) => {
      const no = 1 + FAULTS.findIndex((fault) => fault.kind === kind);
      const seed = counts.seed + no * SEED_STRIDE;
      return cut({ kind, noise, seed, count: counts.each }, JOB_TRIALS);
    }),
  ]);

/** Hands the jobs to the threads as they come free, until the signal: then what was done counts. */
const runAll = (
  jobs: readonly Job[],
  params: string | null,
  signal: AbortSignal,
): Promise<readonly Tally[]> => {
  const sums = new Map<string, Tally>();
  let next = 0;
  const give = (worker: Worker): boolean => {
    const job = signal.aborted ? undefined : jobs[next];
    next += 1;
    if (job !== undefined) worker.postMessage(job);
    return job !== undefined;
  };
  const work = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const worker = new Worker(new URL('./worker.js', import.meta.url), { workerData: params });
      const done = (): void => void worker.terminate().then(() => resolve());
      worker.on('error', reject);
      worker.on('message', (tally: Tally) => {
        const key = `${tally.kind ?? ''}/${tally.noise}`;
        const sum = sums.get(key) ?? freshTally(tally.kind, tally.noise);
        addTally(sum, tally);
        sums.set(key, sum);
        if (process.stderr.isTTY) process.stderr.write(`\r${next} of ${jobs.length} jobs `);
        if (!give(worker)) done();
      });
      if (!give(worker)) done();
    });
  return Promise.all(Array.from({ length: THREADS }, work)).then(() => [...sums.values()]);
};

const machineName = (): string => {
  const cores = cpus();
  const model = cores[0]?.model ?? 'unknown';
  return `${model} (${cores.length} cores, ${arch()}), Node ${process.version}`;
};

const main = async (): Promise<number> => {
  const { values } = parseArgs({
    options: {
      each: { type: 'string', default: '1000' },
      cards: { type: 'string', default: '200000' },
      noise: { type: 'string', default: '1,3' },
      seed: { type: 'string', default: '1' },
      kind: { type: 'string', multiple: true },
      params: { type: 'string' },
      json: { type: 'boolean', default: false },
      html: { type: 'string' },
      schema: { type: 'boolean', default: false },
    },
  });
  if (values.schema) {
    process.stdout.write(`${JSON.stringify(paramsSchema(), null, 2)}\n`);
    return EXIT.ok;
  }
  const unknown = values.kind?.find((kind) => faultNamed(kind) === undefined);
  if (unknown !== undefined) {
    const known = FAULTS.map(({ kind }) => kind).join(', ');
    throw new Usage(`there is no fault \`${unknown}\`; there are ${known}`);
  }
  const params = values.params === undefined ? NOMINAL : loadParams(values.params);
  const seed = whole(values.seed, 'seed');
  const counts = { each: whole(values.each, 'each'), cards: whole(values.cards, 'cards'), seed };
  const kinds = values.kind ?? FAULTS.map(({ kind }) => kind);
  const startMs = performance.now();
  const jobs = jobsOf(kinds, levels(values.noise), counts);
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
  const tallies = await runAll(jobs, values.params ?? null, stop.signal);
  const report = reportOf(tallies, {
    at: new Date().toISOString(),
    machine: machineName(),
    source: params.source,
    seed,
    seconds: (performance.now() - startMs) / 1000,
  });
  if (values.html !== undefined) writeFileSync(values.html, htmlOf(report));
  process.stdout.write(values.json ? `${JSON.stringify(report, null, 2)}\n` : tableText(report));
  return report.met ? EXIT.ok : EXIT.found;
};

try {
  process.exitCode = await main();
} catch (cause) {
  const isUsage =
    cause instanceof Usage ||
    cause instanceof ParamsError ||
    (cause instanceof TypeError && 'code' in cause);
  if (!isUsage) throw cause;
  process.stderr.write(`${cause instanceof Error ? cause.message : ''}\n\n${USAGE}\n`);
  process.exitCode = EXIT.usage;
}
