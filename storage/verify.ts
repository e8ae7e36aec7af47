import { availableParallelism } from 'node:os';
import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { NO_HASH } from './canonical.js';
import { BlockCheck, type Reached as Sound } from './block.js';
import { ROW_COLUMNS, type StoredRow } from './chain.js';
import { decodeStep } from './decode.js';
import { type Damage, damagedPages, diagnose } from './diagnose.js';
import { faultOf, JournalFault } from './fault.js';
import { demandFile } from './file-check.js';
import { isInUse } from './lock.js';
import { hasLog, isMarked, LOST_LOG } from './open-mark.js';
import { JournalReader } from './reader.js';
import { PARALLEL_ROWS, threadFile } from './thread-file.js';
import { damagedLog } from './wal-check.js';

const MAX_THREADS = 4;
const ROWS_AT_A_TIME = 1000;
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
  demandFile(path);
  const log = isInUse(path) ? null : damagedLog(path);
  if (log !== null) return unreadableLog(path, log);
  const isWithLog = hasLog(path);
  const reader = JournalReader.open(path);
  try {
    const [firstSeq, lastSeq] = [reader.firstSeq(), reader.lastSeq()];
    const head = { seq: lastSeq, hash: reader.hashAt(lastSeq) ?? NO_HASH };
    // Looked for once more: a table may have begun to write between the two looks.
    if (!isWithLog && isMarked(reader.db) && !hasLog(path)) {
      const damage: Damage = { kind: 'lost log', seq: lastSeq + 1, what: LOST_LOG };
      return { firstSeq, head, damage };
    }
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
    const damage = found.find((one) => one !== null) ?? null;
    // Old rows left while we looked: not damage. Looked at again from the new beginning.
    if (damage !== null && reader.firstSeq() > firstSeq) return await verifyChain(path, options);
    return { firstSeq, head, damage };
  } catch (cause) {
    const fault = faultOf(path, 'reading', cause);
    if (fault.code !== 'corrupt') throw fault;
    const what = damagedPages(reader) ?? fault.what;
    return { firstSeq: 1, head: { seq: 0, hash: '' }, damage: { kind: 'torn page', seq: 1, what } };
  } finally {
    reader.close();
  }
};

/** Rows in the log cannot be read: named after the last that can. */
const unreadableLog = (path: string, what: string): ChainVerdict => {
  let head = { seq: 0, hash: NO_HASH };
  try {
    const reader = JournalReader.open(path);
    const seq = reader.lastSeq();
    head = { seq, hash: reader.hashAt(seq) ?? NO_HASH };
    reader.close();
  } catch (cause) {
    // All of the journal lay in the log.
    if (!(cause instanceof JournalFault)) throw cause;
  }
  return { firstSeq: 1, head, damage: { kind: 'torn page', seq: head.seq + 1, what } };
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

/** Checks one stretch, a thousand rows at a time; null when all is well. */
export const checkStretch = (
  reader: JournalReader,
  stretch: Stretch,
  progress?: (rows: number) => void,
): Damage | null => {
  const { fromSeq, toSeq, deep } = stretch;
  const select = reader.db.prepare<[number, number, number], PlainRow>(PLAIN_ROWS).raw();
  const block = new BlockCheck(reader.db, reader.hasher, deep);
  let end: Reached = { prev: stretch.prev, seq: fromSeq - 1, atNs: 0, damage: null };
  let atATime = ROWS_AT_A_TIME;
  while (end.seq < toSeq) {
    try {
      const upTo = Math.min(toSeq, end.seq + atATime);
      const sound = atATime === 1 ? null : block.after(end, upTo);
      if (sound !== null) end = { ...sound, damage: null };
      else {
        const rows = select.all(end.seq + 1, toSeq, atATime);
        if (rows.length === 0) return gap(reader, end.seq + 1, toSeq);
        end = checkRows(reader, end, rows, deep);
        if (end.damage !== null) return end.damage;
      }
      if ((end.seq - fromSeq + 1) % PROGRESS_ROWS === 0) progress?.(end.seq - fromSeq + 1);
    } catch (cause) {
      const fault = faultOf(reader.path, `reading the row after ${end.seq}`, cause);
      if (fault.code !== 'corrupt') throw fault;
      // Again one by one, to find which of the thousand cannot be read.
      if (atATime === 1) {
        return { kind: 'torn page', seq: end.seq + 1, what: damagedPages(reader) ?? fault.what };
      }
      atATime = 1;
    }
  }
  return null;
};

/** `seq`, `at_ns`, `wall_ms`, and hash and body in one piece: half the cost of a named row. */
type PlainRow = readonly [number, number, number, Buffer];
const PLAIN_ROWS =
  'SELECT seq, at_ns, wall_ms, CAST(hash || body AS BLOB) FROM step ' +
  'WHERE seq >= ? AND seq <= ? ORDER BY seq LIMIT ?';
const HASH_BYTES = 32;

/** How far a check has come, and what is wrong with the row behind. */
interface Reached extends Sound {
  readonly damage: Damage | null;
}

const checkRows = (
  reader: JournalReader,
  from: Reached,
  rows: readonly PlainRow[],
  deep: boolean,
): Reached => {
  let { prev, seq, atNs } = from;
  for (const row of rows) {
    const stored = hashIn(row);
    const damage = damageOf(reader, row, { prev, seq, atNs }, stored, deep);
    if (damage !== null || stored === null) return { prev, seq, atNs, damage };
    prev = stored;
    seq = row[0];
    atNs = row[1];
  }
  return { prev, seq, atNs, damage: null };
};

const damageOf = (
  reader: JournalReader,
  row: PlainRow,
  { prev, seq: before, atNs: beforeNs }: Sound,
  stored: string | null,
  deep: boolean,
): Damage | null => {
  const [seq, atNs, wallMs] = row;
  if (seq !== before + 1) return gap(reader, before + 1, seq - 1);
  if (stored === null) return { kind: 'changed byte', seq, what: 'a column has the wrong type' };
  if (computed(reader, prev, row) !== stored) return diagnoseAt(reader, seq, prev);
  if (atNs < beforeNs) {
    return { kind: 'not a step', seq, what: 'its time is before the row before it' };
  }
  if (!deep) return null;
  const body = reader.rows(seq - 1, 1)[0]?.body ?? '';
  const decoded = decodeStep(body);
  if (!decoded.ok) return { kind: 'not a step', seq, what: decoded.why };
  // A text packed with its own digits does not depend on the columns: they could say another time.
  const said = decoded.step.observation;
  if (said.seq === seq && said.atNs === atNs && said.wallMs === wallMs) return null;
  return { kind: 'changed byte', seq, what: 'its columns say another row or time than its text' };
};

const diagnoseAt = (reader: JournalReader, seq: number, prev: string): Damage => {
  const sql = `SELECT ${ROW_COLUMNS} FROM step WHERE seq = ?`;
  const row = reader.db.prepare<[number], StoredRow>(sql).get(seq);
  return row === undefined ? gap(reader, seq, seq) : diagnose(reader, row, prev);
};

/** Rows that are not there: taken out, or on a page that cannot be read any more. */
const gap = (reader: JournalReader, from: number, to: number): Damage => {
  const pages = damagedPages(reader);
  if (pages !== null) return { kind: 'torn page', seq: from, what: pages };
  const what = from === to ? 'it is not there' : `rows ${from} to ${to} are not there`;
  return { kind: 'missing row', seq: from, what };
};

/** The stored hash; null where a column has the wrong type. */
const hashIn = ([, atNs, wallMs, bytes]: PlainRow): string | null => {
  const parts: readonly unknown[] = [atNs, wallMs, bytes];
  const isWhole =
    typeof parts[0] === 'number' && typeof parts[1] === 'number' && Buffer.isBuffer(parts[2]);
  return isWhole && bytes.length >= HASH_BYTES ? bytes.toString('hex', 0, HASH_BYTES) : null;
};

const computed = (
  reader: JournalReader,
  prev: string,
  [seq, atNs, wallMs, bytes]: PlainRow,
): string => {
  try {
    return reader.hasher.hashPacked(prev, { seq, atNs, wallMs }, bytes, HASH_BYTES);
  } catch (cause) {
    if (cause instanceof RangeError) return '';
    throw cause;
  }
};

/** Checks a stretch in a thread of its own. @throws JournalFault */
const inThread = (stretch: Stretch): Promise<Damage | null> => {
  const file = threadFile('verify-thread');
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
