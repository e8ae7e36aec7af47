import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { encodeStep, NO_HASH } from '../../storage/canonical.js';
import { openJournal, type SqliteJournal } from '../../storage/journal.js';
import { restore } from '../../storage/restore.js';
import { verifyChain } from '../../storage/verify.js';
import { initialState } from '../../controller/core/state.js';
import { benchRules, shoeSteps, take } from './shoe-steps.js';

/** One line of the table: what, the subject, its peer in the same run, and their ratio. */
export interface Figure {
  readonly what: string;
  readonly subject: string;
  readonly peer: string;
  readonly ratio: string;
  readonly goal: string;
}

const ROUNDS = 5;
const SINGLES = 400;
const GROUPS = 60;
const GROUP = 100;
const IDLE_MS = 10_000;

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const rate = (n: number): string => `${Math.round(n).toLocaleString('en')}/s`;

const inFolder = async <T>(work: (folder: string) => Promise<T>): Promise<T> => {
  const folder = mkdtempSync(join(tmpdir(), 'cutcard-bench-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

interface RawWriter {
  readonly write: (bodies: readonly string[]) => void;
  readonly end: () => void;
}

/** What better-sqlite3 does with the same texts: WAL, FULL, one table, no chain, no worker. */
const rawWriter = (path: string): RawWriter => {
  const db = new Database(path);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec('CREATE TABLE row (seq INTEGER PRIMARY KEY, hash TEXT, body TEXT)');
  const insert = db.prepare<[number, string, string]>('INSERT INTO row VALUES (?, ?, ?)');
  let seq = 0;
  const write = db.transaction((bodies: readonly string[]) => {
    for (const body of bodies) insert.run((seq += 1), NO_HASH, body);
  });
  return {
    write: (bodies) => {
      write.immediate(bodies);
    },
    end: () => {
      db.close();
    },
  };
};

const perSecond = async (n: number, work: () => Promise<void> | void): Promise<number> => {
  const startMs = performance.now();
  await work();
  return (n * 1000) / (performance.now() - startMs);
};

/** Durable steps per second, alone and in groups, against the raw library in the same rounds. */
const durable = (): Promise<readonly Figure[]> =>
  inFolder(async (folder) => {
    const journal = await openJournal(join(folder, 'ours.db'), { writer: 'worker' });
    const raw = rawWriter(join(folder, 'raw.db'));
    const steps = shoeSteps();
    const [ours1, raw1, ours100, raw100]: number[][] = [[], [], [], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      const singles = take(steps, SINGLES);
      const bodies = singles.map(encodeStep);
      raw1?.push(await perSecond(SINGLES, () => bodies.forEach((body) => raw.write([body]))));
      ours1?.push(
        await perSecond(SINGLES, async () => {
          for (const single of singles) await journal.append([single]);
        }),
      );
      const groups = Array.from({ length: GROUPS }, () => take(steps, GROUP));
      const texts = groups.map((group) => group.map(encodeStep));
      raw100?.push(await perSecond(GROUPS * GROUP, () => texts.forEach((text) => raw.write(text))));
      ours100?.push(
        await perSecond(GROUPS * GROUP, async () => {
          for (const group of groups) await journal.append(group);
        }),
      );
    }
    await journal.close();
    raw.end();
    return [
      compare('durable steps, one at a time', ours1 ?? [], raw1 ?? [], '>= 0.85 of raw'),
      compare('durable steps, groups of 100', ours100 ?? [], raw100 ?? [], '>= 0.7 of raw'),
    ];
  });

const compare = (
  what: string,
  ours: readonly number[],
  peer: readonly number[],
  goal: string,
): Figure => ({
  what,
  subject: rate(median(ours)),
  peer: `${rate(median(peer))} better-sqlite3 alone`,
  ratio: median(ours.map((n, i) => n / (peer[i] ?? Number.NaN))).toFixed(2),
  goal,
});

/** Bytes this process has handed to the disk so far; null where /proc does not say. */
const written = (): number | null => {
  try {
    return Number(/^write_bytes: (\d+)/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
  } catch {
    return null;
  }
};

const bytes = (): Promise<readonly Figure[]> =>
  inFolder(async (folder) => {
    const path = join(folder, 'ours.db');
    const journal = await openJournal(path, { writer: 'worker' });
    const steps = shoeSteps();
    await fill(journal, steps, 3000);
    const figures: Figure[] = [];
    for (const group of [1, 10, 100]) {
      const before = written();
      for (let i = 0; i < 1000; i += group) await journal.append(take(steps, group));
      const after = written();
      if (before === null || after === null) continue;
      figures.push({
        what: `bytes written per step, groups of ${group}`,
        subject: `${Math.round((after - before) / 1000)} B`,
        peer: '-',
        ratio: '-',
        goal: group === 1 ? '<= 4 kB at 3 cards/s' : '-',
      });
    }
    const idleFrom = written();
    await sleep(IDLE_MS);
    const idleTo = written();
    await fill(journal, steps, 40_000);
    await journal.close();
    figures.push({
      what: `bytes written while idle for ${IDLE_MS / 1000} s`,
      subject: idleFrom === null || idleTo === null ? 'unknown' : `${idleTo - idleFrom} B`,
      peer: '-',
      ratio: '-',
      goal: '0',
    });
    figures.push({
      what: 'bytes at rest per step, 44,000 rows',
      subject: `${Math.round(statSync(path).size / 46_000)} B`,
      peer: '-',
      ratio: '-',
      goal: '<= 250 B median',
    });
    return figures;
  });

const fill = async (
  journal: SqliteJournal,
  steps: ReturnType<typeof shoeSteps>,
  rows: number,
): Promise<void> => {
  for (let done = 0; done < rows; done += 250) await journal.append(take(steps, 250));
};

/** Open, check the tail, restore: what a start costs as the journal grows; and a full check. */
const sizes = (rows: readonly number[]): Promise<readonly Figure[]> =>
  inFolder(async (folder) => {
    const path = join(folder, 'ours.db');
    const steps = shoeSteps();
    const figures: Figure[] = [];
    let have = 0;
    for (const wanted of rows) {
      const journal = await openJournal(path, { writer: 'worker' });
      await fill(journal, steps, wanted - have);
      const { state } = await restore(journal, initialState(benchRules.table));
      journal.saveSnapshot({ ...journal.head(), state });
      await journal.close();
      have = wanted;
      const openMs = median(await repeat(3, () => openOnce(path)));
      const verifyMs = median(await repeat(wanted > 500_000 ? 1 : 3, () => verifyOnce(path)));
      const count = wanted.toLocaleString('en');
      figures.push(
        {
          what: `open and restore, ${count} rows`,
          subject: `${openMs.toFixed(0)} ms`,
          peer: '-',
          ratio: '-',
          goal: 'flat',
        },
        {
          what: `verify the chain, ${count} rows`,
          subject: `${(verifyMs / 1000).toFixed(2)} s`,
          peer: rate((wanted * 1000) / verifyMs),
          ratio: '-',
          goal: '3,000,000 in <= 10 s',
        },
      );
    }
    return figures;
  });

const repeat = async (times: number, once: () => Promise<number>): Promise<readonly number[]> => {
  const values: number[] = [];
  for (let i = 0; i < times; i += 1) values.push(await once());
  return values;
};

const openOnce = async (path: string): Promise<number> => {
  const startMs = performance.now();
  const journal = await openJournal(path, { writer: 'worker' });
  await restore(journal, initialState(benchRules.table));
  const tookMs = performance.now() - startMs;
  await journal.close();
  return tookMs;
};

const verifyOnce = async (path: string): Promise<number> => {
  const startMs = performance.now();
  const { damage } = await verifyChain(path);
  if (damage !== null) throw new Error(`the bench's own journal is damaged: ${damage.what}`);
  return performance.now() - startMs;
};

/** Main-thread delay at 1,000 commits a second against an idle loop, p99 of each. */
const delay = (): Promise<readonly Figure[]> =>
  inFolder(async (folder) => {
    const journal = await openJournal(join(folder, 'ours.db'), { writer: 'worker' });
    const steps = shoeSteps();
    await fill(journal, steps, 2000);
    const idle = await p99(() => sleep(4000));
    const busy = await p99(async () => {
      const pending: Promise<void>[] = [];
      for (let i = 0; i < 4000; i += 1) {
        pending.push(journal.append(take(steps, 1)));
        if (i % 5 === 4) await sleep(5);
      }
      await Promise.all(pending);
    });
    await journal.close();
    return [
      {
        what: 'main-thread delay at 1,000 commits/s, p99',
        subject: `${busy.toFixed(2)} ms`,
        peer: `${idle.toFixed(2)} ms idle`,
        ratio: (busy / idle).toFixed(2),
        goal: '<= 1.5 x idle',
      },
    ];
  });

const p99 = async (work: () => Promise<unknown>): Promise<number> => {
  const histogram = monitorEventLoopDelay({ resolution: 1 });
  histogram.enable();
  await work();
  histogram.disable();
  return histogram.percentile(99) / 1e6;
};

/** The journal's rows of the goals' table. `large`: also 10^7 rows, which take minutes to write. */
export const storageFigures = async (large: boolean): Promise<readonly Figure[]> => [
  ...(await durable()),
  ...(await bytes()),
  ...(await delay()),
  ...(await sizes(large ? [1000, 100_000, 3_000_000, 10_000_000] : [1000, 100_000])),
];
