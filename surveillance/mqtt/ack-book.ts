import type { Journal } from '../../controller/core/ports.js';
import { ackSchema } from '../contract/messages.js';

/** Longest ack taken, bytes. */
const ACK_MAX_BYTES = 512;
/** Consumers whose acks are looked at. */
const CONSUMERS_MAX = 16;
const NO_HASH = '0'.repeat(64);

export type AckFault = 'ack-mismatch' | 'ack-ahead' | 'ack-unreadable' | 'consumer-went-back';

export interface AckBookParts {
  readonly journal: Journal;
  /** Consumers whose acknowledgement decides what counts as delivered. */
  readonly consumers: readonly string[];
  readonly fault: (kind: AckFault, reason: string) => void;
  /** A named consumer stands lower than it once did: everything after `seq` is to go again. */
  readonly wentBack: (seq: number) => void;
}

interface Claim {
  readonly seq: number;
  readonly hash: string;
}

/** Name of a consumer's cursor in the journal. */
export const ackCursorOf = (consumer: string): string => `ack.${consumer}`;

/**
 * What consumers say they hold. A claim counts only when its hash is the hash of our row: a broker
 * that lost its disk, a restored backup or a forked journal shows here, and rows may be retired
 * only up to what was proved.
 */
export class AckBook {
  readonly #parts: AckBookParts;
  readonly #proved = new Map<string, number>();
  /** Newest claim of each consumer that waits for its look at the journal. */
  readonly #claims = new Map<string, Claim>();
  #isLooking = false;

  constructor(parts: AckBookParts) {
    this.#parts = parts;
    for (const consumer of parts.consumers) {
      this.#proved.set(consumer, parts.journal.cursor(ackCursorOf(consumer)));
    }
  }

  /** Last row every named consumer has proved to hold; null where none is named. */
  get delivered(): number | null {
    const { consumers } = this.#parts;
    if (consumers.length === 0) return null;
    return Math.min(...consumers.map((consumer) => this.#proved.get(consumer) ?? 0));
  }

  message(consumer: string, payload: Uint8Array): void {
    const claim = readClaim(payload);
    if (claim === null) {
      this.#parts.fault('ack-unreadable', `the ack of \`${consumer}\` is not {seq, hash}`);
      return;
    }
    const isNamed = this.#parts.consumers.includes(consumer);
    if (!isNamed && !this.#claims.has(consumer) && this.#claims.size >= CONSUMERS_MAX) return;
    this.#claims.set(consumer, claim);
    void this.#look();
  }

  /** One look at the journal at a time; a newer claim replaces one that still waits. */
  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    for (;;) {
      const next = this.#claims.entries().next();
      if (next.done === true) break;
      const [consumer, claim] = next.value;
      this.#claims.delete(consumer);
      try {
        this.#judge(consumer, claim, await this.#hashOf(claim.seq));
      } catch (cause) {
        const why = cause instanceof Error ? cause.message : 'unknown cause';
        this.#parts.fault('ack-unreadable', `row ${claim.seq} cannot be read: ${why}`);
      }
    }
    this.#isLooking = false;
  }

  /** Null where the row is not in the journal (any more). */
  async #hashOf(seq: number): Promise<string | null> {
    if (seq === 0) return NO_HASH;
    const [row] = await this.#parts.journal.read(seq - 1, 1);
    return row?.seq === seq ? row.hash : null;
  }

  #judge(consumer: string, { seq, hash }: Claim, ours: string | null): void {
    const { journal, fault, consumers } = this.#parts;
    const head = journal.head().seq;
    if (seq > head) {
      fault(
        'ack-ahead',
        `\`${consumer}\` holds row ${seq} and this journal ends at ${head}: ` +
          'the journal was lost or replaced; keep both and compare',
      );
      return;
    }
    const before = this.#proved.get(consumer) ?? 0;
    // A row that was retired was proved before.
    if (ours === null && seq <= before) return;
    if (ours !== hash) {
      fault(
        'ack-mismatch',
        `\`${consumer}\` holds another row ${seq} than we do (theirs ${hash.slice(0, 12)}, ` +
          `ours ${ours?.slice(0, 12) ?? 'none'}): one was rewritten; keep both and compare`,
      );
      return;
    }
    if (!consumers.includes(consumer)) return;
    this.#proved.set(consumer, seq);
    journal.moveCursor(ackCursorOf(consumer), seq);
    if (seq < before) {
      fault(
        'consumer-went-back',
        `\`${consumer}\` had row ${before} and now has ${seq}: what follows is sent again`,
      );
      this.#parts.wentBack(seq);
    }
  }
}

const readClaim = (payload: Uint8Array): Claim | null => {
  if (payload.length > ACK_MAX_BYTES) return null;
  try {
    const parsed = ackSchema.safeParse(JSON.parse(Buffer.from(payload).toString('utf8')));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
};
