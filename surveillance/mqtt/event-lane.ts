import type { Journal, JournalRow } from '../../controller/core/ports.js';
import type { Outlet } from './outlet.js';
import { eventPayload } from './payloads.js';

/** Name of this lane's cursor in the journal: last row the broker acknowledged. */
export const EVENT_CURSOR = 'mqtt.event';
/** Rows fetched at once: memory stays the same however long the outage was. */
const READ_ROWS = 64;
/** With fewer at hand the next are fetched, while the broker still answers for those before. */
const AHEAD_ROWS = 64;

export interface EventLaneParts {
  readonly journal: Journal;
  readonly outlet: Outlet;
  readonly cameras: string;
  /** Rows up to here were committed too long ago to count as live. */
  readonly lateSeq: () => number;
  /** A row the broker's largest packet cannot hold, or a journal that cannot be read. */
  readonly fault: (kind: 'too-large' | 'journal-read' | 'journal-gap', reason: string) => void;
  /** Rows that were read, each once and in order: whoever looks for alerts need not read them. */
  readonly passes: (rows: readonly JournalRow[]) => void;
  /** Rows are at hand: send what there is room for. */
  readonly pump: () => void;
  /** Pumps again after a failed read, a little later. */
  readonly retryLater: () => void;
  readonly maximumPacketBytes: () => number | null;
}

interface Sending {
  readonly seq: number;
  isAcked: boolean;
}

/**
 * All rows, strictly in order, from the journal's cursor on. The journal is the queue: only what
 * is in flight and one fetch of rows is in memory. The cursor follows contiguous PUBACKs; when the
 * link goes, sending starts again right after it.
 */
export class EventLane {
  readonly #parts: EventLaneParts;
  #acked: number;
  /** Last row that was read; what of it was not sent is in `#rows`. */
  #read: number;
  #rows: readonly JournalRow[] = [];
  #next = 0;
  #isReading = false;
  /** Set while the broker's limit keeps a row back; cleared at the next link. */
  #isHeld = false;
  #generation = 0;
  #inFlight: Sending[] = [];

  constructor(parts: EventLaneParts) {
    this.#parts = parts;
    this.#acked = parts.journal.cursor(EVENT_CURSOR);
    this.#read = this.#acked;
  }

  /** Rows the broker has not acknowledged. */
  get queued(): number {
    return Math.max(0, this.#parts.journal.head().seq - this.#acked);
  }

  get acked(): number {
    return this.#acked;
  }

  /** Last row that was read; null while none is, because the broker's limit keeps one back. */
  get readTo(): number | null {
    return this.#isHeld ? null : this.#read;
  }

  /** Sends one row if there is one at hand; asks for more when there is none. */
  sendOne(): boolean {
    if (this.#isHeld) return false;
    const row = this.#rows[this.#next];
    if (row === undefined) {
      this.#fetch();
      return false;
    }
    const payload = eventPayload(row, row.seq <= this.#parts.lateSeq(), this.#parts.cameras);
    if (!this.#fits(row.seq, payload)) return false;
    this.#next += 1;
    if (this.#rows.length - this.#next < AHEAD_ROWS) this.#fetch();
    const generation = this.#generation;
    const sending: Sending = { seq: row.seq, isAcked: false };
    this.#inFlight.push(sending);
    this.#parts.outlet.send('event', payload, () => {
      if (generation === this.#generation) this.#taken(sending);
    });
    return true;
  }

  /** Goes back to the row after the last acknowledged one. */
  down(): void {
    this.#restart(this.#acked);
  }

  /** Sends everything after `seq` again: a consumer has lost it. */
  rewind(seq: number): void {
    if (seq >= this.#acked) return;
    this.#acked = seq;
    this.#parts.journal.moveCursor(EVENT_CURSOR, seq);
    this.#restart(seq);
  }

  #restart(seq: number): void {
    this.#generation += 1;
    this.#read = seq;
    this.#rows = [];
    this.#next = 0;
    this.#isHeld = false;
    this.#isReading = false;
    this.#inFlight = [];
  }

  /** The cursor moves over what is acknowledged without a hole. */
  #taken(sending: Sending): void {
    sending.isAcked = true;
    let to = this.#acked;
    while (this.#inFlight[0]?.isAcked === true) to = this.#inFlight.shift()?.seq ?? to;
    if (to === this.#acked) return;
    this.#acked = to;
    this.#parts.journal.moveCursor(EVENT_CURSOR, to);
  }

  #fetch(): void {
    const { journal } = this.#parts;
    if (this.#isReading || journal.head().seq <= this.#read) return;
    this.#isReading = true;
    const generation = this.#generation;
    const after = this.#read;
    journal.read(after, READ_ROWS).then(
      (rows) => {
        if (generation !== this.#generation) return;
        this.#isReading = false;
        this.#take(after, rows);
      },
      (cause: unknown) => {
        if (generation !== this.#generation) return;
        this.#isReading = false;
        this.#parts.fault('journal-read', `rows after ${after} cannot be read: ${said(cause)}`);
        this.#parts.retryLater();
      },
    );
  }

  #take(after: number, rows: readonly JournalRow[]): void {
    const [first, last] = [rows[0], rows.at(-1)];
    if (first === undefined || last === undefined) return;
    if (first.seq !== after + 1) {
      this.#parts.fault(
        'journal-gap',
        `row ${after + 1} is no longer in the journal; sending goes on at ${first.seq}`,
      );
    }
    const isEmpty = this.#next === this.#rows.length;
    this.#rows = isEmpty ? rows : [...this.#rows.slice(this.#next), ...rows];
    this.#next = 0;
    this.#read = last.seq;
    this.#parts.passes(rows);
    this.#parts.pump();
  }

  #fits(seq: number, payload: string): boolean {
    const limit = this.#parts.maximumPacketBytes();
    if (limit === null || payload.length * 3 + HEADER_BYTES <= limit) return true;
    const bytes = Buffer.byteLength(payload) + HEADER_BYTES;
    if (bytes <= limit) return true;
    this.#isHeld = true;
    this.#parts.fault(
      'too-large',
      `row ${seq} takes ${bytes} bytes and the broker takes ${limit}: raise its largest packet; ` +
        'rows wait in the journal until then',
    );
    return false;
  }
}

/** Topic, packet id and lengths, at most. */
const HEADER_BYTES = 256;

const said = (cause: unknown): string => (cause instanceof Error ? cause.message : 'unknown cause');
