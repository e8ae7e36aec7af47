import type { Journal, JournalRow } from '../../controller/core/ports.js';
import type { Outlet } from './outlet.js';
import { eventPayload } from './payloads.js';

/** Ranges waiting to be sent again. */
export const RESEND_RANGES_MAX = 8;
const READ_ROWS = 128;

interface Range {
  next: number;
  readonly to: number;
}

export interface ResendLaneParts {
  readonly journal: Journal;
  readonly outlet: Outlet;
  readonly cameras: string;
  readonly pump: () => void;
  readonly fault: (kind: 'journal-read', reason: string) => void;
}

/**
 * Rows a consumer asked for again, beside the running events and without touching their cursor.
 * A broken link starts the unacknowledged part of a range anew.
 */
export class ResendLane {
  readonly #parts: ResendLaneParts;
  #ranges: Range[] = [];
  #rows: readonly JournalRow[] = [];
  #next = 0;
  #isReading = false;
  #generation = 0;
  #inFlight: { readonly seq: number; isAcked: boolean }[] = [];

  constructor(parts: ResendLaneParts) {
    this.#parts = parts;
  }

  get isBusy(): boolean {
    return this.#ranges.length > 0;
  }

  /** Null when taken; otherwise why not. */
  add(from: number, to: number): string | null {
    const head = this.#parts.journal.head().seq;
    if (from > to) return `\`from\` ${from} comes after \`to\` ${to}`;
    if (from > head) return `row ${from} does not exist yet; the newest is ${head}`;
    if (this.#ranges.some((range) => range.next <= from && to <= range.to)) return null;
    if (this.#ranges.length >= RESEND_RANGES_MAX) {
      return `${RESEND_RANGES_MAX} ranges are being sent again already; ask when they are through`;
    }
    this.#ranges.push({ next: from, to: Math.min(to, head) });
    return null;
  }

  sendOne(): boolean {
    const range = this.#ranges[0];
    if (range === undefined) return false;
    const row = this.#rows[this.#next];
    if (row === undefined) {
      this.#fetch(range);
      return false;
    }
    this.#next += 1;
    const generation = this.#generation;
    const sending = { seq: row.seq, isAcked: false };
    this.#inFlight.push(sending);
    this.#parts.outlet.send('event', eventPayload(row, true, this.#parts.cameras), () => {
      if (generation === this.#generation) this.#taken(range, sending);
    });
    return true;
  }

  down(): void {
    this.#generation += 1;
    this.#reset();
  }

  #reset(): void {
    this.#rows = [];
    this.#next = 0;
    this.#isReading = false;
    this.#inFlight = [];
  }

  #taken(range: Range, sending: { isAcked: boolean }): void {
    sending.isAcked = true;
    while (this.#inFlight[0]?.isAcked === true) {
      range.next = (this.#inFlight.shift()?.seq ?? range.next) + 1;
    }
    if (range.next <= range.to) return;
    this.#ranges.shift();
    this.#reset();
    this.#parts.pump();
  }

  #fetch(range: Range): void {
    const last = this.#inFlight.at(-1)?.seq ?? range.next - 1;
    if (this.#isReading || last >= range.to) return;
    this.#isReading = true;
    const generation = this.#generation;
    const limit = Math.min(READ_ROWS, range.to - last);
    this.#parts.journal.read(last, limit).then(
      (rows) => {
        if (generation !== this.#generation) return;
        this.#isReading = false;
        this.#rows = rows.filter((row) => row.seq <= range.to);
        this.#next = 0;
        if (this.#rows.length === 0 && this.#inFlight.length === 0) this.#ranges.shift();
        this.#parts.pump();
      },
      (cause: unknown) => {
        if (generation !== this.#generation) return;
        this.#isReading = false;
        this.#ranges.shift();
        const why = cause instanceof Error ? cause.message : 'unknown cause';
        this.#parts.fault('journal-read', `rows after ${last} cannot be read again: ${why}`);
      },
    );
  }
}
