import type { FloorLog } from './log.js';

/** Complaints of one kind about one table that are written one by one, in WINDOW_MS. */
const EACH_MAX = 20;
/** What is beyond is counted, and told as one line once this is over, ms. */
const WINDOW_MS = 60_000;

export interface ComplaintsParts {
  readonly log: FloorLog;
  /** A line of the audit. */
  readonly note: (what: string, about: string) => Promise<void>;
  readonly nowMs: () => number;
}

export interface Complaint {
  /** `site/pit/table` */
  readonly table: string;
  /** A word that says what kind it is: those of one kind are counted together. */
  readonly what: string;
  readonly level: 'warn' | 'error';
  readonly text: string;
  readonly fields?: object;
  /** Whether it stands in the audit too. */
  readonly isAudited?: boolean;
}

interface Kept {
  readonly sinceMs: number;
  readonly first: Complaint;
  said: number;
  held: number;
}

/**
 * What the service says of tables that do wrong. A table that does so without end fills neither
 * the log nor the audit: the first ones are written whole, the rest as a number, none is left out.
 */
export class Complaints {
  readonly #parts: ComplaintsParts;
  readonly #kept = new Map<string, Kept>();

  constructor(parts: ComplaintsParts) {
    this.#parts = parts;
  }

  say(complaint: Complaint): void {
    const key = `${complaint.table} ${complaint.what}`;
    const known = this.#kept.get(key);
    const sinceMs = this.#parts.nowMs();
    const kept = known ?? { sinceMs, first: complaint, said: 0, held: 0 };
    if (known === undefined) this.#kept.set(key, kept);
    if (kept.said >= EACH_MAX) {
      kept.held += 1;
      return;
    }
    kept.said += 1;
    this.#write(complaint, complaint.text);
  }

  /** Tells what was only counted, once its time is over; call it about once a second. */
  tick(): void {
    const endMs = this.#parts.nowMs() - WINDOW_MS;
    for (const [key, { sinceMs, first, held }] of this.#kept) {
      if (sinceMs > endMs) continue;
      this.#kept.delete(key);
      this.#tell(first, held);
    }
  }

  /** Tells what was counted up to now. */
  stop(): void {
    for (const { first, held } of this.#kept.values()) this.#tell(first, held);
    this.#kept.clear();
  }

  #tell(first: Complaint, held: number): void {
    if (held > 0) this.#write(first, `${held} more of this kind, like: ${first.text}`);
  }

  #write({ table, what, level, fields = {}, isAudited = false }: Complaint, text: string): void {
    this.#parts.log[level]({ table, ...fields }, text);
    if (isAudited) void this.#parts.note(what, `${table}: ${text}`);
  }
}
