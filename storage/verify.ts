import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { NO_HASH } from './canonical.js';
import { ROW_COLUMNS, type StoredRow } from './chain.js';
import { decodeStep } from './decode.js';
import { type Damage, damagedPages, diagnose } from './diagnose.js';
import { faultOf, JournalFault } from './fault.js';
import { JournalReader } from './reader.js';

/** Rows from which a second thread is worth its start. */
const PARALLEL_ROWS = 200_000;
const MAX_THREADS = 4;
const PROGRESS_ROWS = 20_000;

export interface VerifyOptions {
  /** Also reads every row's text as a step. Takes about twice the time. */
  readonly deep?: boolean;
  /** Rows checked so far, of how many. */
  readonly progress?: (rows: number, of: number) => void;
  /** Threads beside this one; by default as many as there are cores, for a large file. */
  readonly threads?: number;
}

export interface ChainVerdict {
  readonly firstSeq: number;
  readonly head: { readonly seq: number; readonly hash: string };
  /** The first damage; null when the chain is whole. */
  readonly damage: Damage | null;
}

/** A stretch of rows to check, and the hash it follows. */
export interface Stretch {
  readonly path: string;
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly prev: string;
  readonly deep: boolean;
}

/**
 * Checks the chain of the whole file in constant memory; writes nothing.
 * @throws JournalFault when the file cannot be read at all or is no journal.
 */
export const verifyChain = async (
  path: string,
  options: VerifyOptions = {},
): Promise<ChainVerdict> => {
  const reader = JournalReader.open(path);
  try {
    const [firstSeq, lastSeq] = [reader.firstSeq(), reader.lastSeq()];
    const head = { seq: lastSeq, hash: reader.hashAt(lastSeq) ?? NO_HASH };
    if (lastSeq === 0) return { firstSeq, head, damage: null };
    const stretches = cut(reader, firstSeq, lastSeq, options);
    const [own, ...others] = stretches;
    const elsewhere = others.map((stretch) => inThread(stretch));
    const of = lastSeq - firstSeq + 1;
    const share = stretches.length;
    const found = [
      own === undefined
        ? null
        : checkStretch(reader, own, (rows) => options.progress?.(Math.min(of, rows * share), of)),
      ...(await Promise.all(elsewhere)),
    ];
    return { firstSeq, head, damage: found.find((damage) => damage !== null) ?? null };
  } catch (cause) {
    const fault = faultOf(path, 'reading', cause);
    if (fault.code !== 'corrupt') throw fault;
    const what = damagedPages(reader) ?? fault.what;
    return { firstSeq: 1, head: { seq: 0, hash: '' }, damage: { kind: 'torn page', seq: 1, what } };
  } finally {
    reader.close();
  }
};

/** Cuts the rows into stretches of about equal length; each knows the hash it follows. */
const cut = (
  reader: JournalReader,
  firstSeq: number,
  lastSeq: number,
  options: VerifyOptions,
): readonly Stretch[] => {
  const rows = lastSeq - firstSeq + 1;
  const most = options.threads ?? (rows < PARALLEL_ROWS ? 1 : availableParallelism());
  const share = Math.ceil(rows / Math.max(1, Math.min(most, MAX_THREADS, rows)));
  const stretches: Stretch[] = [];
  let from = firstSeq;
  while (from <= lastSeq) {
    const prev = reader.hashBefore(from);
    // Where the row before is not there, the stretch before finds and names that.
    const toSeq = Math.min(lastSeq, from + share - 1);
    if (prev === null && stretches.length > 0) {
      const before = stretches.pop();
      if (before !== undefined) stretches.push({ ...before, toSeq });
    } else {
      stretches.push({
        path: reader.path,
        fromSeq: from,
        toSeq,
        prev: prev ?? NO_HASH,
        deep: options.deep ?? false,
      });
    }
    from = toSeq + 1;
  }
  return stretches;
};

/** Checks one stretch, row by row; null when all is well. */
export const checkStretch = (
  reader: JournalReader,
  { fromSeq, toSeq, prev: before, deep }: Stretch,
  progress?: (rows: number) => void,
): Damage | null => {
  const sql = `SELECT ${ROW_COLUMNS} FROM step WHERE seq >= ? AND seq <= ? ORDER BY seq`;
  const rows = reader.db.prepare<[number, number], StoredRow>(sql);
  let [prev, seq, atNs] = [before, fromSeq - 1, 0];
  try {
    for (const row of rows.iterate(fromSeq, toSeq)) {
      if (row.seq !== seq + 1) return missing(seq + 1, row.seq - 1);
      const stored = hashIn(row);
      if (stored === null) {
        return { kind: 'changed byte', seq: row.seq, what: 'a column holds the wrong type' };
      }
      if (computed(reader, prev, row) !== stored) return diagnose(reader, row, prev);
      if (row.at_ns < atNs) {
        const what = 'its time is before the row before it';
        return { kind: 'not a step', seq: row.seq, what };
      }
      if (deep) {
        const decoded = decodeStep(reader.hasher.bodyOf(row));
        if (!decoded.ok) return { kind: 'not a step', seq: row.seq, what: decoded.why };
      }
      prev = stored;
      seq = row.seq;
      atNs = row.at_ns;
      if ((seq - fromSeq) % PROGRESS_ROWS === 0) progress?.(seq - fromSeq + 1);
    }
  } catch (cause) {
    const fault = faultOf(reader.path, `reading the row after ${seq}`, cause);
    if (fault.code !== 'corrupt') throw fault;
    return { kind: 'torn page', seq: seq + 1, what: damagedPages(reader) ?? fault.what };
  }
  return seq < toSeq ? missing(seq + 1, toSeq) : null;
};

const missing = (from: number, to: number): Damage => ({
  kind: 'missing row',
  seq: from,
  what: from === to ? 'it is not there' : `rows ${from} to ${to} are not there`,
});

const hashIn = (row: StoredRow): string | null => {
  const parts: readonly unknown[] = [row.hash, row.body, row.at_ns, row.wall_ms];
  const [hash, body, ...times] = parts;
  const isWhole =
    Buffer.isBuffer(hash) &&
    Buffer.isBuffer(body) &&
    times.every((time) => typeof time === 'number');
  return isWhole ? row.hash.toString('hex') : null;
};

const computed = (reader: JournalReader, prev: string, row: StoredRow): string => {
  try {
    return reader.hasher.hashOf(prev, row);
  } catch (cause) {
    if (cause instanceof RangeError) return '';
    throw cause;
  }
};

const threadFile = (): string => {
  const here = import.meta.url;
  const relative = here.endsWith('.ts') ? '../dist/storage/verify-thread.js' : './verify-thread.js';
  return fileURLToPath(new URL(relative, here));
};

/** Checks a stretch in a thread of its own. @throws JournalFault */
const inThread = (stretch: Stretch): Promise<Damage | null> => {
  const file = threadFile();
  if (!existsSync(file)) {
    const what = `the checking thread ${file} is not built (npm run build)`;
    return Promise.reject(new JournalFault('stopped', what));
  }
  return new Promise((resolve, reject) => {
    const worker = new Worker(file, { name: 'journal-verify', workerData: stretch });
    worker.once('message', (damage: Damage | null) => resolve(damage));
    worker.once('error', reject);
    worker.once('exit', () => reject(new JournalFault('stopped', 'a checking thread ended early')));
  });
};
