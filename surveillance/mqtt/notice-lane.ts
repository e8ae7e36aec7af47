import type { Journal, JournalRow, TableStep } from '../../controller/core/ports.js';
import type { Finding } from '../../controller/core/finding.js';
import type { Outlet } from './outlet.js';
import { mayHoldNotice, type Notice, noticesOf, stepOf } from './notices.js';

/** Name of this lane's cursor in the journal. */
export const NOTICE_CURSOR = 'mqtt.alert';
/** Rows looked through at once. */
const READ_ROWS = 256;
/** Notices waiting in memory; beyond it the journal keeps them. */
const QUEUE_MAX = 256;
/** Rows whose notices went ahead of the backlog and need not be sent when it gets there. */
const AHEAD_MAX = 4096;
/** Findings remembered while the backlog is looked through. */
const KNOWN_MAX = 1024;
/** Rows without a notice after which the cursor is moved all the same. */
const CURSOR_STRIDE = 1000;

export interface NoticeLaneParts {
  readonly journal: Journal;
  readonly outlet: Outlet;
  readonly cameras: readonly string[];
  readonly lateSeq: () => number;
  /** Last row the event lane has read and handed on (`passed`); null while it is held up. */
  readonly readTo: () => number | null;
  readonly pump: () => void;
  /** Pumps again as soon as whatever else waits has had its turn. */
  readonly pumpSoon: () => void;
  readonly retryLater: () => void;
  readonly fault: (kind: 'journal-read', reason: string) => void;
}

interface Pending {
  readonly seq: number;
  /** Notices of the row that the broker has not acknowledged. */
  left: number;
}

/**
 * Alerts and marks. They have a lane and a cursor of their own, and what is decided now goes ahead
 * of whatever an outage has left behind: a stop does not wait for last week's warnings. Each is
 * sent at least once; a consumer de-duplicates by (seq, n).
 */
export class NoticeLane {
  readonly #parts: NoticeLaneParts;
  #acked: number;
  #movedTo: number;
  /** Last row whose notices are in `#queue` or further. */
  #scanned: number;
  #queue: { readonly notice: Notice; readonly pending: Pending }[] = [];
  #queueNext = 0;
  #urgent: { readonly notice: Notice; readonly pending: Pending }[] = [];
  #pending: Pending[] = [];
  #isReading = false;
  #isUp = false;
  #generation = 0;
  readonly #ahead = new Set<number>();
  readonly #known = new Map<string, Finding>();
  #open: readonly Finding[] = [];

  constructor(parts: NoticeLaneParts) {
    this.#parts = parts;
    this.#acked = parts.journal.cursor(NOTICE_CURSOR);
    this.#movedTo = this.#acked;
    this.#scanned = this.#acked;
  }

  /** Findings open when the controller starts: what a later row clears is known by them. */
  seed(open: readonly Finding[]): void {
    this.#open = open;
  }

  up(): void {
    this.#isUp = true;
  }

  down(): void {
    this.#isUp = false;
    this.#generation += 1;
    this.#queue = [];
    this.#queueNext = 0;
    this.#urgent = [];
    this.#pending = [];
    this.#isReading = false;
    this.#scanned = this.#acked;
  }

  /** A row that has just become durable, with the findings open after it. */
  committed(step: TableStep, open: readonly Finding[]): void {
    const before = this.#open;
    this.#open = open;
    if (!this.#isUp) return;
    const { seq } = step.observation;
    const inStep = this.#scanned === seq - 1;
    if (step.decisions.length === 0 && step.observation.kind !== 'command') {
      if (inStep) this.#pass(seq);
      return;
    }
    const notices = noticesOf(
      step,
      (id) => before.find((finding) => finding.id === id) ?? null,
      this.#parts.cameras,
    );
    if (inStep && this.#waiting < QUEUE_MAX) {
      this.#enqueue(seq, notices);
      this.#scanned = seq;
    } else if (notices.length > 0 && this.#urgent.length < QUEUE_MAX) {
      const pending: Pending = { seq, left: notices.length };
      for (const notice of notices) this.#urgent.push({ notice, pending });
    }
  }

  /** Rows of a backlog, as the event lane reads them: to read each twice would double its cost. */
  passed(rows: readonly JournalRow[]): void {
    const first = rows[0];
    if (first === undefined || !this.#isUp || this.#isReading) return;
    if (first.seq > this.#scanned + 1 || this.#waiting >= QUEUE_MAX) return;
    for (const row of rows) this.#look(row);
  }

  /** Sends one notice if there is one; looks further through the journal when there is none. */
  sendOne(): boolean {
    const urgent = this.#urgent.shift();
    if (urgent !== undefined) {
      this.#send(urgent.notice, false, () => {
        urgent.pending.left -= 1;
        if (urgent.pending.left === 0) this.#wentAhead(urgent.pending.seq);
      });
      return true;
    }
    const next = this.#queue[this.#queueNext];
    if (next === undefined) {
      this.#fetch();
      return false;
    }
    this.#queueNext += 1;
    if (this.#queueNext === this.#queue.length) {
      this.#queue = [];
      this.#queueNext = 0;
    }
    const { notice, pending } = next;
    this.#send(notice, notice.message.seq <= this.#parts.lateSeq(), () => {
      pending.left -= 1;
      this.#advance();
    });
    return true;
  }

  /** Writes the cursor down as far as it is known; called at a stop. */
  settle(): void {
    this.#advance();
    this.#moveCursor(true);
  }

  get #waiting(): number {
    return this.#queue.length - this.#queueNext;
  }

  #send(notice: Notice, isLate: boolean, done: () => void): void {
    const generation = this.#generation;
    const message = isLate ? { ...notice.message, historical: true as const } : notice.message;
    this.#parts.outlet.send(notice.kind, JSON.stringify(message), () => {
      if (generation === this.#generation) done();
    });
  }

  #enqueue(seq: number, notices: readonly Notice[]): void {
    if (notices.length === 0) {
      this.#pass(seq);
      return;
    }
    const pending: Pending = { seq, left: notices.length };
    this.#pending.push(pending);
    for (const notice of notices) this.#queue.push({ notice, pending });
  }

  /** Nothing to send in this row. */
  #pass(seq: number): void {
    this.#scanned = seq;
    if (this.#pending.length > 0) return;
    this.#acked = seq;
    this.#moveCursor(false);
  }

  #wentAhead(seq: number): void {
    if (seq <= this.#acked) return;
    if (this.#ahead.size >= AHEAD_MAX) {
      const [oldest] = this.#ahead;
      if (oldest !== undefined) this.#ahead.delete(oldest);
    }
    this.#ahead.add(seq);
  }

  #advance(): void {
    let moved = false;
    while (this.#pending[0]?.left === 0) {
      this.#acked = this.#pending.shift()?.seq ?? this.#acked;
      moved = true;
    }
    if (this.#pending.length === 0) this.#acked = Math.max(this.#acked, this.#scanned);
    if (moved) this.#moveCursor(true);
  }

  /** An idle table writes nothing: rows without a notice move the cursor only now and then. */
  #moveCursor(isDue: boolean): void {
    if (this.#acked <= this.#movedTo) return;
    if (!isDue && this.#acked - this.#movedTo < CURSOR_STRIDE) return;
    this.#movedTo = this.#acked;
    this.#parts.journal.moveCursor(NOTICE_CURSOR, this.#acked);
  }

  /** Reads for itself only what the event lane has passed already, or cannot come to. */
  #fetch(): void {
    const { journal } = this.#parts;
    if (this.#isReading || journal.head().seq <= this.#scanned) return;
    const readTo = this.#parts.readTo();
    if (readTo !== null && readTo <= this.#scanned) return;
    this.#isReading = true;
    const generation = this.#generation;
    const after = this.#scanned;
    journal.read(after, READ_ROWS).then(
      (rows) => {
        if (generation !== this.#generation) return;
        this.#isReading = false;
        for (const row of rows) this.#look(row);
        // A week without an alert is not to be looked through in one go: the cards come first.
        if (this.#waiting > 0) this.#parts.pump();
        else if (rows.length > 0) this.#parts.pumpSoon();
      },
      (cause: unknown) => {
        if (generation !== this.#generation) return;
        this.#isReading = false;
        const why = cause instanceof Error ? cause.message : 'unknown cause';
        this.#parts.fault('journal-read', `rows after ${after} cannot be read: ${why}`);
        this.#parts.retryLater();
      },
    );
  }

  #look(row: JournalRow): void {
    // Rows committed while the read ran may have been taken already.
    if (row.seq <= this.#scanned) return;
    const step = mayHoldNotice(row.body) ? stepOf(row) : null;
    if (step === null) {
      this.#pass(row.seq);
      return;
    }
    const notices = noticesOf(step, (id) => this.#known.get(id) ?? null, this.#parts.cameras);
    this.#remember(notices);
    this.#enqueue(row.seq, this.#ahead.delete(row.seq) ? [] : notices);
    this.#scanned = row.seq;
  }

  #remember(notices: readonly Notice[]): void {
    for (const { kind, message } of notices) {
      if (kind !== 'alert') continue;
      if (message.change === 'cleared') this.#known.delete(message.id);
      else if (message.finding !== null) this.#known.set(message.id, message.finding);
    }
    while (this.#known.size > KNOWN_MAX) {
      const [oldest] = this.#known.keys();
      if (oldest === undefined) return;
      this.#known.delete(oldest);
    }
  }
}
