import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { encodeStep, NO_HASH } from '../../storage/canonical.js';
import { openJournal, type SqliteJournal } from '../../storage/journal.js';
import type { TableStep } from '../../controller/core/ports.js';
import { count, median } from './median.js';
import { shoeSteps, take } from './shoe-steps.js';
import { sizeFigures } from './storage-sizes.js';

/** One line of the table: what, the subject, its peer in the same run, and their ratio. */
export interface Figure {
  readonly what: string;
  readonly subject: string;
  readonly peer: string;
  readonly ratio: string;
  readonly goal: string;
}

const ROUNDS = 5;
/** Rounds before the first that counts, the same for all: a table runs for months, compiled. */
const WARM_ROUNDS = 6;
const SINGLES = 400;
const GROUPS = 60;
const GROUP = 100;
const IDLE_MS = 10_000;
const SMALL = [1000, 100_000] as const;
const LARGE = [...SMALL, 10_000_000] as const;

const rate = (n: number): string => `${count(n)}/s`;

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

/** Pages of the journal, and those SQLite makes where nobody asks for others. */
const PAGES = [1024, 4096] as const;

/**
 * The peer: better-sqlite3 in the caller's thread, with the same rows: the same texts to the byte
 * and the 64 digits of a hash, WAL and FULL, one commit for each call. It is given the texts
 * finished, and works out no hash: the journal writes each step out, chains and packs it, and hands
 * it to another thread within the time measured.
 */
const rawWriter = (path: string, pageBytes: number): RawWriter => {
  const db = new Database(path);
  db.pragma(`page_size = ${pageBytes}`);
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

/** Rates of one kind of work, round by round. */
interface Rates {
  readonly ours: number[];
  /** By the peer's page size. */
  readonly peers: ReadonlyMap<number, number[]>;
}
const noRates = (): Rates => ({ ours: [], peers: new Map(PAGES.map((page) => [page, []])) });

/** Durable steps per second, alone and in groups, against the raw library in the same rounds. */
const durable = (): Promise<readonly Figure[]> =>
  inFolder(async (folder) => {
    const journal = await openJournal(join(folder, 'ours.db'), { writer: 'worker' });
    const raws = PAGES.map((page) => [page, rawWriter(join(folder, `${page}.db`), page)] as const);
    const steps = shoeSteps();
    let [single, grouped] = [noRates(), noRates()];
    const round = async (rates: Rates, groups: readonly (readonly TableStep[])[]) => {
      const texts = groups.map((group) => group.map(encodeStep));
      const n = texts.reduce((sum, text) => sum + text.length, 0);
      for (const [page, raw] of raws) {
        const rawRate = await perSecond(n, () => texts.forEach((text) => raw.write(text)));
        rates.peers.get(page)?.push(rawRate);
      }
      rates.ours.push(
        await perSecond(n, async () => {
          for (const group of groups) await journal.append(group);
        }),
      );
    };
    for (let i = 0; i < WARM_ROUNDS + ROUNDS; i += 1) {
      if (i === WARM_ROUNDS) [single, grouped] = [noRates(), noRates()];
      await round(
        single,
        Array.from({ length: SINGLES }, () => take(steps, 1)),
      );
      await round(
        grouped,
        Array.from({ length: GROUPS }, () => take(steps, GROUP)),
      );
    }
    await journal.close();
    for (const [, raw] of raws) raw.end();
    return [
      ...compare('durable steps, one at a time', single, '>= 0.85 of raw'),
      ...compare('durable steps, groups of 100', grouped, '>= 0.7 of raw'),
    ];
  });

/** The goal is judged beside the peer with the journal's own pages. */
const compare = (what: string, { ours, peers }: Rates, goal: string): readonly Figure[] =>
  [...peers].map(([page, peer], i) => ({
    what,
    subject: rate(median(ours)),
    peer: `${rate(median(peer))} better-sqlite3 alone, pages of ${page} B`,
    ratio: median(ours.map((n, round) => n / (peer[round] ?? Number.NaN))).toFixed(2),
    goal: i === 0 ? goal : '-',
  }));

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
  ...(await inFolder((folder) => sizeFigures(folder, large ? LARGE : SMALL))),
];
