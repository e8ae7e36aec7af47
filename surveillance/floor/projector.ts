import { z } from 'zod';
import type { TableStep } from '../../controller/core/ports.js';
import { DEFAULT_POLICY, type Table } from '../../controller/core/procedure.js';
import { initialState, type TableState } from '../../controller/core/state.js';
import { stepOf } from '../mqtt/notices.js';
import { Changes, follow, type Followed } from './follow.js';
import type { FloorLog } from './log.js';
import { whyUnsound } from './sound-step.js';
import { isDataFault } from './store/db.js';
import type { FloorStore, FollowedSpan, Unfollowed } from './store/floor-store.js';
import { whyOf } from './why.js';

/** Rows followed in one go. */
const ROWS_AT_ONCE = 2000;
/** A state is saved at the first row after so many, for stepping and for a restart. */
const SAVE_ROWS = 500;
/** Tables whose history is kept in memory. */
const KEPT_MAX = 5000;
const LEASE = 'follow';
const LEASE_MS = 10_000;
/** Rows older than this are looked for only now and then: it keeps old months out of the search. */
const RECENT_MS = 40 * 86_400_000;
const FULL_LOOK_MS = 30_000;

const hasOutline = (value: unknown): value is Followed =>
  typeof value === 'object' &&
  value !== null &&
  ['state', 'isWhole', 'shoe', 'round', 'open'].every((key) => key in value);
const followedSchema = z.custom<Followed>(hasOutline);

const tableSchema = z.object({
  batches: z.array(z.string()).min(1),
  seats: z.int(),
});

/** What a table is taken for while its own configuration is not known. */
const USUAL: Table = {
  decks: 8,
  crew: 1,
  seats: 7,
  dealing: 'shoe',
  shuffler: 'none',
  reader: 'none',
  batches: ['red', 'blue'],
  enforcement: 'lock',
  policy: DEFAULT_POLICY,
};

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

/** A table before its first row. `text`: its configuration, where it was sent. */
export const firstState = (text: string | null): TableState => {
  const parsed = tableSchema.safeParse(jsonOf(text ?? 'null'));
  return initialState(parsed.success ? { ...USUAL, ...parsed.data } : USUAL);
};

export const savedText = (followed: Followed): string => JSON.stringify(followed);

/** Null where the text is none of this program's. */
export const readSaved = (text: string): Followed | null => {
  const parsed = followedSchema.safeParse(JSON.parse(text));
  return parsed.success ? parsed.data : null;
};

/** @throws Error naming table and row: the store holds what it should never have taken. */
export const stepIn = (table: string, { seq, body }: Omit<Unfollowed, 'table'>): TableStep => {
  const step = stepOf({ seq, prev: '', hash: '', body });
  if (step === null) throw new Error(`row ${seq} of ${table} in the floor's store is no step`);
  return step;
};

export interface ProjectorParts {
  readonly store: FloorStore;
  readonly instance: string;
  readonly log: FloorLog;
  readonly nowMs: () => number;
  /** Id of the game played at a table; null where it is not known. */
  readonly game: (table: string) => string | null;
  /** Canonical configuration of a table; null where it was not sent. */
  readonly configuration: (table: string) => string | null;
  readonly firstSeq: (table: string) => number;
  /** A table's history cannot be followed beyond the row before `seq`. */
  readonly stopped?: (table: string, seq: number, text: string) => void;
}

/** A row that cannot be followed. */
class RowFault extends Error {
  readonly seq: number;

  constructor(seq: number, why: string) {
    super(why);
    this.name = 'RowFault';
    this.seq = seq;
  }
}

interface Kept {
  readonly seq: number;
  readonly savedSeq: number;
  readonly followed: Followed;
}

interface Forward {
  readonly span: FollowedSpan;
  readonly kept: Kept;
  readonly rows: readonly Unfollowed[];
}

/** @throws RowFault. */
const followRow = (
  followed: Followed,
  table: string,
  row: Omit<Unfollowed, 'table'>,
  game: string | null,
  changes: Changes,
): Followed => {
  try {
    const step = stepIn(table, row);
    const why = whyUnsound(step, followed.state);
    if (why !== null) throw new RowFault(row.seq, why);
    // What a row that fails half-way gave must not be written down.
    const own = new Changes();
    const after = follow(followed, step, game, own);
    changes.add(own);
    return after;
  } catch (cause) {
    if (cause instanceof RowFault) throw cause;
    throw new RowFault(row.seq, whyOf(cause));
  }
};

/**
 * Follows the stored rows of every table and writes down findings, shoes, rounds and measures.
 * One instance does it at a time (a lease); a second one that believes the same finds the place
 * taken, for each step forward is bound to the row before it.
 */
export class Projector {
  readonly #parts: ProjectorParts;
  readonly #kept = new Map<string, Kept>();
  /** Tables whose next row cannot be followed. */
  readonly #stopped = new Set<string>();
  #isWorking = false;
  #fullLookMs = 0;
  #hasLease = false;
  #leaseMs = 0;

  constructor(parts: ProjectorParts) {
    this.#parts = parts;
  }

  /** Tables that are not followed on. */
  get stopped(): number {
    return this.#stopped.size;
  }

  /** Follows what has come since; call it some times a second. @returns rows followed. */
  async tick(): Promise<number> {
    if (this.#isWorking) return 0;
    this.#isWorking = true;
    try {
      return await this.#work();
    } finally {
      this.#isWorking = false;
    }
  }

  async stop(): Promise<void> {
    if (!this.#hasLease) return;
    await this.#parts.store.desk.release(LEASE, this.#parts.instance);
  }

  async #work(): Promise<number> {
    const { store, nowMs } = this.#parts;
    if (!(await this.#holdsLease())) return 0;
    const isFull = nowMs() - this.#fullLookMs > FULL_LOOK_MS;
    if (isFull) this.#fullLookMs = nowMs();
    const sinceMs = isFull ? 0 : nowMs() - RECENT_MS;
    const rows = await store.unfollowed(ROWS_AT_ONCE, sinceMs, [...this.#stopped]);
    const steps: Forward[] = [];
    const faults: unknown[] = [];
    for (const [table, mine] of groups(rows)) {
      try {
        const forward = await this.#follow(table, mine);
        if (forward !== null) steps.push(forward);
      } catch (cause) {
        // One table never holds up the others.
        if (cause instanceof RowFault) this.#stop(table, cause.seq, cause.message);
        else faults.push(cause);
      }
    }
    if (steps.length > 0) await this.#write(steps);
    if (faults.length > 0) throw faults[0];
    return rows.length;
  }

  #stop(table: string, seq: number, why: string): void {
    const text = `the history stops before row ${seq}: ${why}`;
    this.#stopped.add(table);
    this.#kept.delete(table);
    this.#parts.log.error({ table, seq }, text);
    this.#parts.stopped?.(table, seq, text);
  }

  /** A store in a file has one service; elsewhere the lease is kept while it runs. */
  async #holdsLease(): Promise<boolean> {
    const { store, instance, nowMs } = this.#parts;
    if (store.db.kind === 'sqlite') return true;
    if (this.#hasLease && nowMs() - this.#leaseMs < LEASE_MS / 3) return true;
    this.#leaseMs = nowMs();
    const isMine = await store.desk.lease(LEASE, instance, nowMs(), LEASE_MS);
    if (!isMine && this.#hasLease) this.#kept.clear();
    this.#hasLease = isMine;
    return isMine;
  }

  async #write(steps: readonly Forward[]): Promise<void> {
    try {
      await this.#writeAll(steps);
    } catch (cause) {
      if (!isDataFault(cause)) throw cause;
      for (const { span, rows } of steps) await this.#writeOne(span.table, rows);
    }
  }

  /** One table by itself, up to the row that the store cannot hold. */
  async #writeOne(table: string, rows: readonly Unfollowed[]): Promise<void> {
    const forward = await this.#follow(table, rows);
    if (forward === null) return;
    try {
      await this.#writeAll([forward]);
    } catch (cause) {
      if (!isDataFault(cause)) throw cause;
      const [first] = rows;
      if (rows.length === 1 && first !== undefined) {
        this.#stop(table, first.seq, whyOf(cause));
        return;
      }
      const middle = Math.ceil(rows.length / 2);
      await this.#writeOne(table, rows.slice(0, middle));
      if (!this.#stopped.has(table)) await this.#writeOne(table, rows.slice(middle));
    }
  }

  async #writeAll(steps: readonly Forward[]): Promise<void> {
    const taken = await this.#parts.store.followed(steps.map(({ span }) => span));
    if (this.#kept.size + steps.length > KEPT_MAX) this.#kept.clear();
    for (const { span, kept } of steps) {
      if (taken.has(span.table)) this.#kept.delete(span.table);
      else this.#kept.set(span.table, kept);
    }
  }

  /** Nothing is written yet; null where no row follows on. @throws RowFault at the first row. */
  async #follow(table: string, rows: readonly Unfollowed[]): Promise<Forward | null> {
    const kept = this.#kept.get(table) ?? (await this.#load(table));
    const changes = new Changes();
    let { followed } = kept;
    let seq = kept.seq;
    for (const row of rows) {
      // An unusual clock put a row where this look did not find it: the full look will.
      if (row.seq !== seq + 1) break;
      try {
        followed = followRow(followed, table, row, this.#parts.game(table), changes);
      } catch (cause) {
        // The rows before it are written first; it comes up again as the first one.
        if (seq === kept.seq || !(cause instanceof RowFault)) throw cause;
        break;
      }
      seq = row.seq;
    }
    if (seq === kept.seq) return null;
    const isSaveDue = seq - kept.savedSeq >= SAVE_ROWS;
    const saved = isSaveDue ? savedText(followed) : null;
    return {
      span: { table, from: kept.seq, to: seq, changes: changes.all(), saved },
      kept: { seq, savedSeq: isSaveDue ? seq : kept.savedSeq, followed },
      rows,
    };
  }

  /** From the newest saved state, with the rows since; or from the first row. */
  async #load(table: string): Promise<Kept> {
    const { store } = this.#parts;
    const to = await store.followedTo(table);
    const base = await baseAt(this.#parts, table, to);
    const changes = new Changes();
    let { followed, seq } = base;
    while (seq < to) {
      const rows = await store.rows.rows(table, seq + 1, to, ROWS_AT_ONCE);
      if (rows[0]?.seq !== seq + 1) break;
      for (const row of rows) {
        followed = followRow(followed, table, row, null, changes);
        seq = row.seq;
      }
    }
    return { seq: to, savedSeq: base.seq, followed };
  }
}

/** What is known of a table at a saved row at or before `seq`; before its first row at worst. */
export const baseAt = async (
  parts: Pick<ProjectorParts, 'store' | 'configuration' | 'firstSeq'>,
  table: string,
  seq: number,
): Promise<{ readonly seq: number; readonly followed: Followed }> => {
  const saved = await parts.store.savedAt(table, seq);
  const followed = saved === null ? null : readSaved(saved.state);
  if (saved !== null && followed !== null) return { seq: saved.seq, followed };
  const first = parts.firstSeq(table);
  const { rows, proofs } = parts.store;
  const named = await proofs.configurationAt(await rows.placeOf(table), first);
  const state = firstState(named ?? parts.configuration(table));
  return {
    seq: first - 1,
    followed: { state, isWhole: first === 1, shoe: null, round: null, open: {} },
  };
};

const groups = (rows: readonly Unfollowed[]): ReadonlyMap<string, readonly Unfollowed[]> => {
  const map = new Map<string, Unfollowed[]>();
  for (const row of rows) {
    const mine = map.get(row.table);
    if (mine === undefined) map.set(row.table, [row]);
    else mine.push(row);
  }
  return map;
};
