import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteError } from 'better-sqlite3';
import type { TableStep } from '../../controller/core/ports.js';
import type { SimulatedClock } from '../../controller/core/simulated-clock.js';
import type { Store as Place } from '../../controller/runtime/scenario/rig.js';
import { stepOfRow } from '../../storage/decode.js';
import { faultOf, type JournalFault } from '../../storage/fault.js';
import { SqliteJournal } from '../../storage/journal.js';
import { type Opened, type RowBatch, Store } from '../../storage/store.js';
import { verifyChain } from '../../storage/verify.js';
import { InlineWriter } from '../../storage/writer.js';

/** How a disk fails, as SQLite names it. `EIO`: the sync; the rows may be there all the same. */
export type DiskTrouble = 'EIO' | 'full' | 'read-only';

const SQLITE: Readonly<Record<DiskTrouble, readonly [code: string, text: string]>> = {
  EIO: ['SQLITE_IOERR_FSYNC', 'disk I/O error'],
  full: ['SQLITE_FULL', 'database or disk is full'],
  'read-only': ['SQLITE_READONLY', 'attempt to write a readonly database'],
};

interface Armed {
  readonly trouble: DiskTrouble;
  /** Commits that still go well before it. */
  readonly after: number;
  /** The rows of the failing commit are on the disk, though nobody was told so. */
  readonly landed: boolean;
}

const MEMORY_FOLDER = '/dev/shm';
const NS_PER_MS = 1e6;

/** What a row that is durable said, and its hash. */
interface Acknowledged {
  readonly seq: number;
  readonly hash: string;
}

/**
 * A disk that does what it is told: slow commits, failing ones, none at all; and forgetting what
 * it had acknowledged, to see that somebody notices.
 */
export class SimulatedDisk {
  /** Set once the rig is there: a slow commit takes its time. */
  clock: SimulatedClock | null = null;
  /** How long each commit takes, simulated ms. */
  slowMs = 0;
  /** Rows from the next commit on are lost at the next power cut. */
  forgets = false;
  #armed: Armed | null = null;
  #trouble: DiskTrouble | null = null;
  /** The last row whose commit was reported as done. */
  acknowledged: Acknowledged = { seq: 0, hash: '' };
  /** Told the texts of rows as soon as they are durable. */
  durable: (firstSeq: number, bodies: readonly string[]) => void = () => undefined;
  /** Commits that failed since the beginning. */
  failures = 0;

  /** Fails the commit behind the next `after` ones, and every write until `mend`. */
  break(trouble: DiskTrouble, { after = 0, landed = false } = {}): void {
    this.#armed = { trouble, after, landed };
  }

  mend(): void {
    this.#armed = null;
    this.#trouble = null;
  }

  /** Whether it refuses writes at present. */
  get isBroken(): boolean {
    return this.#trouble !== null;
  }

  get isReadOnly(): boolean {
    return this.#trouble === 'read-only';
  }

  /** One commit; `write` puts the rows there. @throws JournalFault */
  commit(path: string, write: () => void): void {
    this.refuse(path);
    const armed = this.#armed;
    if (armed !== null && armed.after <= 0) {
      this.#trouble = armed.trouble;
      this.#armed = null;
      if (armed.landed) write();
      this.refuse(path);
    }
    if (armed !== null) this.#armed = { ...armed, after: armed.after - 1 };
    write();
    this.#takeTime();
  }

  /** @throws JournalFault while the disk is in trouble */
  refuse(path: string): void {
    if (this.#trouble === null) return;
    this.failures += 1;
    throw this.faultAt(path, this.#trouble);
  }

  faultAt(path: string, trouble: DiskTrouble): JournalFault {
    const [code, text] = SQLITE[trouble];
    return faultOf(path, 'writing rows', new SqliteError(text, code));
  }

  /** Everything else goes on meanwhile, as it does beside the writing thread. */
  #takeTime(): void {
    const { clock, slowMs } = this;
    if (clock !== null && slowMs > 0) clock.runUntil(clock.nowNs() + slowMs * NS_PER_MS);
  }
}

/** The product's own store on such a disk. */
class DiskStore extends Store {
  readonly #path: string;
  readonly #disk: SimulatedDisk;
  readonly #before: () => void;
  #put: RowBatch[] = [];

  constructor(path: string, disk: SimulatedDisk, before: () => void) {
    super(path);
    this.#path = path;
    this.#disk = disk;
    this.#before = before;
  }

  override open(): Opened {
    if (this.#disk.isReadOnly) this.#disk.refuse(this.#path);
    return super.open();
  }

  override put(batch: RowBatch): void {
    super.put(batch);
    this.#put.push(batch);
  }

  override commit(): void {
    const put = this.#put;
    this.#put = [];
    this.#before();
    this.#disk.commit(this.#path, () => {
      super.commit();
    });
    for (const { firstSeq, bodies, hashes } of put) {
      const seq = firstSeq + bodies.length - 1;
      this.#disk.acknowledged = { seq, hash: hashes.at(-1) ?? '' };
      this.#disk.durable(firstSeq, bodies);
    }
  }

  override putDocument(...document: Parameters<Store['putDocument']>): void {
    this.#disk.refuse(this.#path);
    super.putDocument(...document);
  }

  override flush(): void {
    if (this.hasUnwritten) this.#disk.refuse(this.#path);
    super.flush();
  }
}

/**
 * A real journal on a simulated disk, in a folder of its own. A power cut leaves database and log
 * as they lie there.
 */
export class DiskPlace implements Place {
  readonly disk: SimulatedDisk;
  /** What was wrong at an opening, in words. */
  readonly faults: string[] = [];
  readonly #recovered: (step: TableStep) => void;
  readonly #folder: string;
  #no = 0;
  #journal: SqliteJournal | null = null;
  #hasOld = false;

  /** `recovered`: told each row found at an opening that nobody had been told is durable. */
  constructor(disk: SimulatedDisk, recovered: (step: TableStep) => void) {
    this.disk = disk;
    this.#recovered = recovered;
    const root = existsSync(MEMORY_FOLDER) ? MEMORY_FOLDER : tmpdir();
    this.#folder = mkdtempSync(join(root, 'cutcard-disk-'));
  }

  async open(): Promise<SqliteJournal> {
    const path = this.#path();
    const store = new DiskStore(path, this.disk, () => this.#keepOld());
    const journal = new SqliteJournal(path, new InlineWriter(path, store), { writer: 'inline' });
    await journal.open();
    this.#journal = journal;
    await this.#compare(journal);
    return journal;
  }

  async cut(): Promise<void> {
    const from = this.disk.forgets && this.#hasOld ? join(this.#folder, 'old') : this.#path();
    this.#no += 1;
    copyJournal(from, this.#path());
    this.#hasOld = false;
    await this.#close();
  }

  async verify(): Promise<readonly string[]> {
    const { damage } = await verifyChain(this.#path(), { deep: true });
    const found = damage === null ? [] : [`journal: ${JSON.stringify(damage)}`];
    return [...this.faults, ...found];
  }

  async dispose(): Promise<void> {
    await this.#close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** A disk that is to forget keeps what it had before the first commit it forgets. */
  #keepOld(): void {
    if (!this.disk.forgets || this.#hasOld) return;
    copyJournal(this.#path(), join(this.#folder, 'old'));
    this.#hasOld = true;
  }

  #path(): string {
    const folder = join(this.#folder, String(this.#no));
    mkdirSync(folder, { recursive: true });
    return join(folder, 'journal.db');
  }

  /** Everything acknowledged is there, and what is there beyond it is told. */
  async #compare(journal: SqliteJournal): Promise<void> {
    const { seq, hash } = this.disk.acknowledged;
    const head = journal.head();
    if (seq > 0) {
      const [row] = await journal.read(seq - 1, 1);
      if (row === undefined) {
        this.faults.push(
          `row ${seq} was acknowledged and is gone: the journal ends at ${head.seq}`,
        );
      } else if (row.hash !== hash) {
        this.faults.push(`row ${seq} is not the one that was acknowledged`);
      }
    }
    for (const row of await journal.read(seq, Number.MAX_SAFE_INTEGER)) {
      this.#recovered(stepOfRow(row.seq, row.body));
    }
    this.disk.acknowledged = head;
  }

  async #close(): Promise<void> {
    const journal = this.#journal;
    this.#journal = null;
    try {
      await journal?.close();
    } catch (cause) {
      // A broken disk takes no cursors either: they are sent again.
      if (!this.disk.isBroken) throw cause;
    }
  }
}

const copyJournal = (from: string, to: string): void => {
  for (const suffix of ['', '-wal']) {
    if (existsSync(from + suffix)) copyFileSync(from + suffix, to + suffix);
  }
};
