import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import Database from 'better-sqlite3';
import type { JournalRow } from '../controller/core/ports.js';
import { NO_HASH } from './canonical.js';
import { ChainHasher, firstRow, ROW_COLUMNS, type StoredRow } from './chain.js';
import { faultOf, missingJournal } from './fault.js';
import { demandFile, emptied, isEmptied } from './file-check.js';
import { checkFormat, readWords } from './schema.js';
import type { SavedState, SignedCheckpoint } from './store.js';

const WAIT_MS = 2000;

export interface StoredDocument {
  readonly hash: string;
  readonly kind: string;
  readonly text: string;
}

/** Where the chain of a pruned journal begins, and who had taken the rows before. */
export interface Pruning {
  /** First row kept. */
  readonly seq: number;
  /** Hash of the row before it, hex. */
  readonly prev: string;
  readonly consumer: string;
  readonly wallMs: number;
}

/** Rows and what proves them, wherever they lie: a journal's file, or a historian's store. */
export type EvidenceSource = Pick<
  JournalReader,
  | 'path'
  | 'rows'
  | 'firstSeq'
  | 'lastSeq'
  | 'seqsBetween'
  | 'checkpoints'
  | 'checkpointsBackFrom'
  | 'keys'
  | 'documents'
>;

/** A connection that only reads: never waits for the writer, never changes a byte. */
export class JournalReader {
  readonly path: string;
  readonly db: Database.Database;
  readonly hasher: ChainHasher;
  readonly words: readonly string[];
  readonly #rows: Database.Statement<[number, number], StoredRow>;
  readonly #hash: Database.Statement<[number], Buffer>;

  readonly #copy: string | null;

  private constructor(path: string, db: Database.Database, copy: string | null) {
    this.path = path;
    this.#copy = copy;
    this.db = db;
    this.words = readWords(db);
    this.hasher = new ChainHasher(this.words);
    this.#rows = db.prepare(`SELECT ${ROW_COLUMNS} FROM step WHERE seq >= ? ORDER BY seq LIMIT ?`);
    this.#hash = db.prepare<[number], Buffer>('SELECT hash FROM step WHERE seq = ?').pluck();
  }

  /** @throws JournalFault naming the file when it is missing, damaged or no journal. */
  static open(path: string): JournalReader {
    if (!existsSync(path)) throw missingJournal(path);
    demandFile(path);
    if (isEmptied(path)) throw emptied(path);
    try {
      return JournalReader.#openAt(path, path, null);
    } catch (cause) {
      const fault = faultOf(path, 'opening for reading', cause);
      if (fault.code !== 'read-only') throw fault;
    }
    // Reading a write-ahead log needs a side file: on a read-only disk a copy is read instead.
    const folder = mkdtempSync(join(tmpdir(), 'cutcard-journal-'));
    try {
      const copy = join(folder, basename(path));
      for (const end of ['', '-wal']) {
        if (existsSync(path + end)) copyFileSync(path + end, copy + end);
      }
      return JournalReader.#openAt(path, copy, folder);
    } catch (cause) {
      rmSync(folder, { recursive: true });
      throw faultOf(path, 'opening a copy for reading', cause);
    }
  }

  static #openAt(path: string, file: string, copy: string | null): JournalReader {
    const db = new Database(file, { readonly: true, fileMustExist: true, timeout: WAIT_MS });
    try {
      checkFormat(db, path);
      db.pragma('cache_size = -2048');
      return new JournalReader(path, db, copy);
    } catch (cause) {
      db.close();
      throw cause;
    }
  }

  /** Hash of a row, hex; null where it is not there. */
  hashAt(seq: number): string | null {
    return this.#hash.get(seq)?.toString('hex') ?? null;
  }

  /** Watched time of a row, ns; null where it is not there. */
  atNsOf(seq: number): number | null {
    const sql = 'SELECT at_ns FROM step WHERE seq = ?';
    return this.db.prepare<[number], number>(sql).pluck().get(seq) ?? null;
  }

  /** Hash of the row before `seq`, even where that row was pruned; null where nobody knows it. */
  hashBefore(seq: number): string | null {
    if (seq <= 1) return NO_HASH;
    const sql = 'SELECT prev FROM pruned WHERE seq = ?';
    const pruned = this.db.prepare<[number], Buffer>(sql).pluck().get(seq);
    return this.hashAt(seq - 1) ?? pruned?.toString('hex') ?? null;
  }

  /** Rows with `seq > afterSeq`, oldest first. @throws JournalFault */
  rows(afterSeq: number, limit: number): readonly JournalRow[] {
    try {
      let prev = this.hashBefore(afterSeq + 1);
      const rows: JournalRow[] = [];
      for (const stored of this.#rows.all(afterSeq + 1, limit)) {
        const hash = stored.hash.toString('hex');
        rows.push({
          seq: stored.seq,
          prev: prev ?? this.hashBefore(stored.seq) ?? '',
          hash,
          body: this.hasher.bodyOf(stored),
        });
        prev = hash;
      }
      return rows;
    } catch (cause) {
      throw faultOf(this.path, `reading rows after ${afterSeq}`, cause);
    }
  }

  /** First row still there, by the journal's own account. */
  firstSeq(): number {
    return firstRow(this.db);
  }

  /** Seq of the last row; 0 in an empty journal. */
  lastSeq(): number {
    const sql = 'SELECT coalesce(max(seq), 0) FROM step';
    return this.db.prepare<[], number>(sql).pluck().get() ?? 0;
  }

  /** Seq of the oldest row still in the file; 0 in an empty journal. */
  oldestSeq(): number {
    const sql = 'SELECT coalesce(min(seq), 0) FROM step';
    return this.db.prepare<[], number>(sql).pluck().get() ?? 0;
  }

  /** Last row before a watched time, ns, found by halving; 0 where there is none. */
  lastSeqBefore(atNs: number): number {
    const time = this.db.prepare<[number], number>('SELECT at_ns FROM step WHERE seq = ?').pluck();
    let [low, high] = [this.oldestSeq() - 1, this.lastSeq()];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((time.get(middle) ?? 0) < atNs) low = middle;
      else high = middle - 1;
    }
    return Math.max(0, low);
  }

  /** First and last row with a wall time in a span, ms; null where there is none. */
  seqsBetween(
    fromMs: number,
    toMs: number,
  ): { readonly fromSeq: number; readonly toSeq: number } | null {
    const sql =
      'SELECT min(seq) AS fromSeq, max(seq) AS toSeq FROM step WHERE wall_ms BETWEEN ? AND ?';
    const found = this.db
      .prepare<[number, number], { fromSeq: number | null; toSeq: number | null }>(sql)
      .get(fromMs, toMs);
    const [fromSeq, toSeq] = [found?.fromSeq ?? null, found?.toSeq ?? null];
    return fromSeq === null || toSeq === null ? null : { fromSeq, toSeq };
  }

  savedStates(): readonly SavedState[] {
    return this.db
      .prepare<[], { seq: number; hash: Buffer; state: string; digest: Buffer }>(
        'SELECT seq, hash, state, digest FROM snapshot ORDER BY seq DESC',
      )
      .all()
      .map(({ seq, hash, state, digest }) => ({
        seq,
        hash: hash.toString('hex'),
        state,
        digest: digest.toString('hex'),
      }));
  }

  document(hash: string): StoredDocument | null {
    const sql = 'SELECT hash, kind, text FROM document WHERE hash = ?';
    return this.db.prepare<[string], StoredDocument>(sql).get(hash) ?? null;
  }

  documents(): readonly StoredDocument[] {
    const sql = 'SELECT hash, kind, text FROM document ORDER BY hash';
    return this.db.prepare<[], StoredDocument>(sql).all();
  }

  /** Signed checkpoints with `seq >= fromSeq`, oldest first. */
  checkpoints(fromSeq: number, limit: number): readonly SignedCheckpoint[] {
    return this.#signed('seq >= ? ORDER BY seq', fromSeq, limit);
  }

  /** Signed checkpoints with `seq <= toSeq`, newest first. */
  checkpointsBackFrom(toSeq: number, limit: number): readonly SignedCheckpoint[] {
    return this.#signed('seq <= ? ORDER BY seq DESC', toSeq, limit);
  }

  #signed(where: string, seq: number, limit: number): readonly SignedCheckpoint[] {
    const sql = `SELECT seq, body, signature FROM checkpoint WHERE ${where} LIMIT ?`;
    return this.db
      .prepare<[number, number], { seq: number; body: string; signature: Buffer }>(sql)
      .all(seq, limit)
      .map((row) => ({ ...row, signature: row.signature.toString('base64') }));
  }

  /** Public keys (32 bytes, base64) of the checkpoints, by name. */
  keys(): ReadonlyMap<string, string> {
    const rows = this.db
      .prepare<[], { name: string; public: Buffer }>('SELECT name, public FROM key')
      .all();
    return new Map(rows.map((row) => [row.name, row.public.toString('base64')]));
  }

  prunings(): readonly Pruning[] {
    const sql = 'SELECT seq, prev, consumer, wall_ms FROM pruned ORDER BY seq';
    return this.db
      .prepare<[], { seq: number; prev: Buffer; consumer: string; wall_ms: number }>(sql)
      .all()
      .map((row) => ({
        seq: row.seq,
        prev: row.prev.toString('hex'),
        consumer: row.consumer,
        wallMs: row.wall_ms,
      }));
  }

  close(): void {
    this.db.close();
    if (this.#copy !== null) rmSync(this.#copy, { recursive: true, force: true });
  }
}
