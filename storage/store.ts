import { existsSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { DocumentKind } from '../controller/core/ports.js';
import { checkTail } from './chain.js';
import { faultOf, JournalFault } from './fault.js';
import { demandFile, emptied, isEmptied, leftLog } from './file-check.js';
import { takeLock } from './lock.js';
import { hasLog, isConsumer, isMarked, LOST_LOG, mark, unmark, unmarkCopy } from './open-mark.js';
import { makeJournal } from './create.js';
import { setPragmas, type Statements, statementsOf } from './connection.js';
import { Packer } from './packing.js';
import { damagedLog } from './wal-check.js';
import { checkFormat, isEmpty, readWords } from './schema.js';

/** Most rows in one transaction. */
export const MAX_GROUP_ROWS = 256;
/** Rows whose chain is checked at every open. */
const TAIL_ROWS = 1000;
/** After an unclean end a file up to this size has all its pages checked, a larger one its tail. */
const QUICK_CHECK_BYTES = 32 * 1024 * 1024;
/** Cursors wait for so many rows, or for `flush`: written with every row they double its bytes. */
const CURSOR_ROWS = 64;
/** Saved states kept: the newest, and one before it in case the newest is unsound. */
const SNAPSHOTS_KEPT = 2;
/** Rows removed in one transaction when old ones go. */
const PRUNE_ROWS = 5000;
const READER_WAIT_MS = 2000;
const SYNCHRONOUS_FULL = 2;

/** Rows on their way to the disk; the lists run in step. */
export interface RowBatch {
  readonly firstSeq: number;
  readonly atNs: readonly number[];
  readonly wallMs: readonly number[];
  /** Hex. */
  readonly hashes: readonly string[];
  readonly bodies: readonly string[];
  readonly checkpoints: readonly SignedCheckpoint[];
  /** Public key (32 bytes, base64) of the checkpoints, by its name; null where there are none. */
  readonly key: { readonly name: string; readonly publicKey: string } | null;
}

export interface SignedCheckpoint {
  readonly seq: number;
  /** Canonical JSON of what is signed. */
  readonly body: string;
  /** Ed25519, 64 bytes, base64. */
  readonly signature: string;
}

export interface Opened {
  readonly head: { readonly seq: number; readonly hash: string };
  /** Watched time of the last row, ns. */
  readonly atNs: number;
  readonly cursors: readonly (readonly [string, number])[];
  /** The last writer did not close the file. */
  readonly unclean: boolean;
}

export interface SavedState {
  readonly seq: number;
  readonly hash: string;
  readonly state: string;
  readonly digest: string;
}

type Db = Database.Database;

/**
 * The one connection that writes a journal; everything here blocks. Used from the writer's thread,
 * or in place where time is simulated.
 */
export class Store {
  readonly #path: string;
  #db: Db | null = null;
  #lock: Db | null = null;
  #packer: Packer | null = null;
  #statements: Statements | null = null;
  #syncChecked = false;
  readonly #cursors = new Map<string, number>();
  /** Rows written since the cursors were. */
  #cursorRows = 0;
  /** The file itself says that a log belongs to it. */
  #isMarked = false;
  #saved: SavedState | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Takes the lock, opens or makes the file, checks it.
   * @throws JournalFault; then nothing was changed.
   */
  open(): Opened {
    try {
      demandFile(this.#path);
      this.#lock = takeLock(this.#path);
      if (isEmptied(this.#path)) throw emptied(this.#path);
      if (!existsSync(this.#path)) {
        if (hasLog(this.#path)) throw leftLog(this.#path);
        makeJournal(this.#path);
      }
      const unclean = existsSync(`${this.#path}-wal`);
      const isWithLog = hasLog(this.#path);
      // Before SQLite looks: it would take what it can read and forget the rest.
      const log = damagedLog(this.#path);
      if (log !== null) throw new JournalFault('corrupt', `journal ${this.#path}: ${log}`);
      const db = new Database(this.#path, { timeout: READER_WAIT_MS });
      this.#db = db;
      if (isEmpty(db)) throw emptied(this.#path);
      checkFormat(db, this.#path);
      if (!isWithLog && isMarked(db)) {
        throw new JournalFault('corrupt', `journal ${this.#path}: ${LOST_LOG}`);
      }
      setPragmas(db);
      this.#packer = new Packer(readWords(db));
      this.#statements = statementsOf(db);
      if (unclean) quickCheck(db, this.#path);
      const { head, atNs } = checkTail(db, this.#path, TAIL_ROWS);
      return { head, atNs, cursors: readCursors(db), unclean };
    } catch (cause) {
      this.abandon();
      throw faultOf(this.#path, 'opening', cause);
    }
  }

  /** Puts rows into the open transaction, or begins one: `commit` makes it durable. */
  put(batch: RowBatch): void {
    this.#try('writing rows', (db) => {
      if (!db.inTransaction) {
        if (!this.#isMarked) this.#isMarked = mark(db);
        this.#prepared().begin.run();
      }
      this.#insert(db, batch);
      this.#cursorRows += batch.bodies.length;
    });
  }

  /** Rows were put and are not committed yet. */
  get isGathering(): boolean {
    return this.#db?.inTransaction ?? false;
  }

  /** What was put is durable when it returns. @throws JournalFault */
  commit(): void {
    this.#try('writing rows', (db) => {
      if (this.#cursorRows >= CURSOR_ROWS) this.#writeCursors(db);
      this.#writeState(db);
      this.#prepared().commit.run();
      if (!this.#syncChecked) this.#checkSynchronous(db);
    });
  }

  /** Keeps a document; harmless when it is there already. Durable when it returns. */
  putDocument(kind: DocumentKind, hash: string, text: string): void {
    const known = this.#open().prepare('SELECT 1 FROM document WHERE hash = ?').get(hash);
    if (known !== undefined) return;
    this.#transact('keeping a document', (db) => {
      db.prepare('INSERT INTO document (hash, kind, text) VALUES (?, ?, ?)').run(hash, kind, text);
    });
  }

  /** Noted now, written with some of the next rows or by `flush`: it may fall back, never skip. */
  moveCursor(consumer: string, seq: number): void {
    this.#cursors.set(consumer, seq);
  }

  /** Noted now, written with the next rows or by `flush`. */
  saveState(saved: SavedState): void {
    this.#saved = saved;
  }

  get hasUnwritten(): boolean {
    return this.#cursors.size > 0 || this.#saved !== null;
  }

  /** Writes noted cursors and states; nothing when there are none. @throws JournalFault */
  flush(): void {
    if (!this.hasUnwritten) return;
    this.#transact('writing cursors', (db) => {
      this.#writeCursors(db);
      this.#writeState(db);
    });
  }

  /**
   * Records that the rows before `seq` may go, then removes some of them: a few thousand a call,
   * so that no commit waits long. @returns how many went; 0 when all are gone.
   * @throws JournalFault
   */
  prune(seq: number, consumer: string, wallMs: number): number {
    let removed = 0;
    this.#transact('pruning', (db) => {
      const known = db.prepare('SELECT 1 FROM pruned WHERE seq = ?').get(seq);
      if (known === undefined) this.#recordPruning(db, seq, consumer, wallMs);
      const from = db.prepare<[], number>('SELECT coalesce(min(seq), 0) FROM step').pluck().get();
      const to = Math.min(seq, (from ?? 0) + PRUNE_ROWS);
      removed = db.prepare('DELETE FROM step WHERE seq < ?').run(to).changes;
      db.prepare('DELETE FROM checkpoint WHERE seq < ?').run(to);
    });
    return removed;
  }

  #recordPruning(db: Db, seq: number, consumer: string, wallMs: number): void {
    const sql =
      'INSERT INTO pruned (seq, prev, consumer, wall_ms) SELECT ?, hash, ?, ? FROM step ' +
      'WHERE seq = ? - 1';
    if (db.prepare(sql).run(seq, consumer, wallMs, seq).changes === 1) return;
    throw new JournalFault('order', `journal ${this.#path}: no row before ${seq} to prune`);
  }

  /** A whole copy while the journal is in use. @throws JournalFault */
  async backup(to: string): Promise<void> {
    if (existsSync(to)) {
      throw new JournalFault('asked', `backup: ${to} is there already; name a new file`);
    }
    try {
      await this.#open().backup(to);
      unmarkCopy(to);
    } catch (cause) {
      throw faultOf(to, 'copying', cause);
    }
  }

  /** Writes what is noted, folds the write-ahead log in and gives the lock back. */
  close(): void {
    if (this.#db === null) return;
    try {
      // Rows of a group that never became whole: nobody was told of them.
      if (this.#db.inTransaction) this.#prepared().rollback.run();
      this.flush();
      unmark(this.#db);
    } catch (cause) {
      this.abandon();
      throw cause;
    }
    this.#letGo();
  }

  /**
   * Lets go of the file and its log as they are: after a fault. A last connection that may write
   * would fold the log in and delete it: so one that may not is the last.
   */
  abandon(): void {
    const watcher = this.#db === null ? null : watcherOf(this.#path);
    this.#letGo();
    watcher?.close();
  }

  #open(): Db {
    if (this.#db === null) {
      throw new JournalFault('stopped', `journal ${this.#path} is not open`);
    }
    return this.#db;
  }

  #transact(doing: string, work: (db: Db) => void): void {
    this.#try(doing, (db) => {
      const { begin, commit } = this.#prepared();
      begin.run();
      work(db);
      commit.run();
      if (!this.#syncChecked) this.#checkSynchronous(db);
    });
  }

  /** @throws JournalFault; then nothing of the transaction is left. */
  #try(doing: string, work: (db: Db) => void): void {
    const db = this.#open();
    try {
      work(db);
    } catch (cause) {
      // SQLite has rolled back by itself where the disk failed.
      if (db.inTransaction) this.#prepared().rollback.run();
      throw faultOf(this.#path, doing, cause);
    }
  }

  #prepared(): Statements {
    if (this.#statements === null) {
      throw new JournalFault('stopped', `journal ${this.#path} is not open`);
    }
    return this.#statements;
  }

  #insert(db: Db, batch: RowBatch): void {
    const packer = this.#packer;
    if (packer === null) throw new JournalFault('stopped', `journal ${this.#path} is not open`);
    const { insert } = this.#prepared();
    for (let i = 0; i < batch.bodies.length; i += 1) {
      const [atNs, wallMs, hash, body] = [
        batch.atNs[i],
        batch.wallMs[i],
        batch.hashes[i],
        batch.bodies[i],
      ];
      if (atNs === undefined || wallMs === undefined || hash === undefined || body === undefined) {
        throw new JournalFault('order', `journal ${this.#path}: a batch of unequal lists`);
      }
      const columns = { seq: batch.firstSeq + i, atNs, wallMs };
      insert.run(columns.seq, atNs, wallMs, Buffer.from(hash, 'hex'), packer.pack(body, columns));
    }
    if (batch.key !== null) {
      const key = 'INSERT OR IGNORE INTO key (name, public) VALUES (?, ?)';
      db.prepare(key).run(batch.key.name, Buffer.from(batch.key.publicKey, 'base64'));
    }
    for (const { seq, body, signature } of batch.checkpoints) {
      const sql = 'INSERT INTO checkpoint (seq, body, signature) VALUES (?, ?, ?)';
      db.prepare(sql).run(seq, body, Buffer.from(signature, 'base64'));
    }
  }

  #writeCursors(db: Db): void {
    const sql = 'INSERT OR REPLACE INTO cursor (consumer, seq) VALUES (?, ?)';
    for (const [consumer, seq] of this.#cursors) db.prepare(sql).run(consumer, seq);
    this.#cursors.clear();
    this.#cursorRows = 0;
  }

  #writeState(db: Db): void {
    const saved = this.#saved;
    if (saved === null) return;
    this.#saved = null;
    const sql = 'INSERT OR REPLACE INTO snapshot (seq, hash, state, digest) VALUES (?, ?, ?, ?)';
    const [hash, digest] = [Buffer.from(saved.hash, 'hex'), Buffer.from(saved.digest, 'hex')];
    db.prepare(sql).run(saved.seq, hash, saved.state, digest);
    const old = 'SELECT seq FROM snapshot ORDER BY seq DESC LIMIT -1 OFFSET ?';
    db.prepare(`DELETE FROM snapshot WHERE seq IN (${old})`).run(SNAPSHOTS_KEPT);
  }

  /** SQLite forgets FULL when a file turns to WAL: asked again after the first write. */
  #checkSynchronous(db: Db): void {
    if (db.pragma('synchronous', { simple: true }) !== SYNCHRONOUS_FULL) {
      throw new JournalFault('io', `journal ${this.#path}: commits are not synchronous`);
    }
    this.#syncChecked = true;
  }

  #letGo(): void {
    this.#statements = null;
    this.#isMarked = false;
    for (const db of [this.#db, this.#lock]) db?.close();
    this.#db = null;
    this.#lock = null;
    this.#packer = null;
  }
}

/** A connection that only reads, in use; null where the file cannot be read at all. */
const watcherOf = (path: string): Db | null => {
  let db: Db | null = null;
  try {
    db = new Database(path, { readonly: true, fileMustExist: true });
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    return db;
  } catch {
    // Left open, it would keep a read-only disk from being taken out.
    db?.close();
    return null;
  }
};

const quickCheck = (db: Db, path: string): void => {
  if (statSync(path).size > QUICK_CHECK_BYTES) return;
  const said: unknown = db.pragma('quick_check(1)', { simple: true });
  if (said !== 'ok') {
    throw new JournalFault('corrupt', `journal ${path} is damaged (${String(said)})`);
  }
};

const readCursors = (db: Db): readonly (readonly [string, number])[] =>
  db
    .prepare<[], { consumer: string; seq: number }>('SELECT consumer, seq FROM cursor')
    .all()
    .filter(({ consumer }) => isConsumer(consumer))
    .map(({ consumer, seq }) => [consumer, seq]);
