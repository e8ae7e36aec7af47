import { type KeyObject, randomBytes } from 'node:crypto';
import { topicOf } from '../contract/topics.js';
import { signOrder } from '../mqtt/command-sign.js';
import type { RowRange } from './api.js';
import { LIMITS } from './api.js';
import { newestOf, type TableRecord } from './tile.js';

/** Rows that are late are asked for after this long without progress, ms. */
const PATIENCE_MS = 2000;
/** Wait between two questions for the same rows, ms; doubles up to ASK_MAX_MS. */
const ASK_AGAIN_MS = 10_000;
const ASK_MAX_MS = 300_000;
const MAX_DOUBLINGS = 5;
/** Ranges asked for at once; a table takes eight. */
const RANGES_AT_ONCE = 4;
/** Tables looked after in one go. */
const TABLES_AT_ONCE = 50;
/** A table that is offline can be asked nothing: it is looked at so often only, ms. */
const OFFLINE_MS = 60_000;
const ORDER_MS = 30_000;
/** So often and so long rows before the first are asked for before they count as gone. */
const ADOPT_ASKS = 3;
const ADOPT_MS = 30_000;

export interface CommandKey {
  /** Name on the tables' lists. */
  readonly name: string;
  readonly key: KeyObject;
}

export interface AskerParts {
  readonly records: () => Iterable<TableRecord>;
  readonly gaps: (table: string, limit: number) => Promise<readonly RowRange[]>;
  readonly told: (record: TableRecord, gaps: readonly RowRange[], more: boolean) => void;
  readonly missing: (record: TableRecord, sinceMs: number | null) => void;
  /** The table no longer has the rows before the lowest held one. */
  readonly adopt: (record: TableRecord) => Promise<void>;
  readonly publish: (topic: string, payload: string) => boolean;
  /** Null: rows can be missed, not asked for. */
  readonly key: CommandKey | null;
  readonly nowMs: () => number;
  readonly asked: (record: TableRecord, ranges: readonly RowRange[]) => void;
}

/**
 * What is missing, with the row that comes next: where that one is held and does not follow from
 * the row before, the one that does is missing.
 */
const withNext = (gaps: readonly RowRange[], next: number): readonly RowRange[] => {
  const [first] = gaps;
  return first === undefined || first.from > next ? [{ from: next, to: next }, ...gaps] : gaps;
};

interface Quest {
  /** Mark at which the table stands, and since when. */
  seq: number;
  sinceMs: number;
  askedMs: number;
  asks: number;
  lookedMs: number;
}

/** Looks after what is missing: says so on the wall, and asks the table for it. */
export class Asker {
  readonly #parts: AskerParts;
  readonly #quests = new Map<string, Quest>();
  #isLooking = false;
  /** Where the next look begins, so that every table has its turn. */
  #turn = 0;

  constructor(parts: AskerParts) {
    this.#parts = parts;
  }

  /** Call it about once a second. */
  async tick(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      let looked = 0;
      const records = [...this.#parts.records()];
      const begin = records.length === 0 ? 0 : this.#turn % records.length;
      for (const record of [...records.slice(begin), ...records.slice(0, begin)]) {
        if (looked >= TABLES_AT_ONCE) break;
        this.#turn = (this.#turn + 1) % records.length;
        if (await this.#look(record)) looked += 1;
      }
    } finally {
      this.#isLooking = false;
    }
  }

  /** True where the store was asked. */
  async #look(record: TableRecord): Promise<boolean> {
    const nowMs = this.#parts.nowMs();
    const newest = newestOf(record) ?? 0;
    if (newest <= record.seq) {
      this.#quests.delete(record.key);
      this.#parts.missing(record, null);
      return false;
    }
    const quest = this.#questOf(record, nowMs);
    if (nowMs - quest.sinceMs < PATIENCE_MS) return false;
    this.#parts.missing(record, quest.sinceMs);
    const wait = Math.min(ASK_MAX_MS, ASK_AGAIN_MS * 2 ** Math.min(quest.asks, MAX_DOUBLINGS));
    if (quest.asks > 0 && nowMs - quest.askedMs < wait) return false;
    const isOffline = record.status?.status === 'offline';
    if (isOffline && quest.lookedMs > 0 && nowMs - quest.lookedMs < OFFLINE_MS) return false;
    quest.lookedMs = nowMs;
    const inner = await this.#parts.gaps(record.key, LIMITS.gaps + 1);
    const held = Math.max(record.top, record.seq);
    const tail = newest > held ? [{ from: held + 1, to: newest }] : [];
    const listed = [...inner.slice(0, LIMITS.gaps), ...tail];
    const gaps = withNext(listed, record.seq + 1);
    this.#parts.told(record, gaps, inner.length > LIMITS.gaps);
    if (gaps.length > 0 && !isOffline) this.#ask(record, gaps, quest);
    await this.#maybeAdopt(record, quest, nowMs);
    return true;
  }

  #questOf(record: TableRecord, nowMs: number): Quest {
    const known = this.#quests.get(record.key);
    if (known?.seq === record.seq) return known;
    const quest = { seq: record.seq, sinceMs: nowMs, askedMs: 0, asks: 0, lookedMs: 0 };
    this.#quests.set(record.key, quest);
    return quest;
  }

  #ask(record: TableRecord, gaps: readonly RowRange[], quest: Quest): void {
    quest.asks += 1;
    quest.askedMs = this.#parts.nowMs();
    const { key } = this.#parts;
    if (key === null) return;
    const ranges = gaps.slice(0, RANGES_AT_ONCE);
    for (const { from, to } of ranges) {
      const issuedMs = Date.now();
      const order = {
        table: record.key,
        nonce: randomBytes(18).toString('base64url'),
        issuedMs,
        expiresMs: issuedMs + ORDER_MS,
        cmd: 'resend',
        from,
        to,
      } as const;
      this.#parts.publish(topicOf(record.id, 'cmd'), signOrder(order, key.name, key.key));
    }
    this.#parts.asked(record, ranges);
  }

  /** Rows before the first held one that never come were retired at the table before we came. */
  async #maybeAdopt(record: TableRecord, quest: Quest, nowMs: number): Promise<void> {
    if (record.seq !== 0 || record.top === 0) return;
    if (quest.asks < ADOPT_ASKS || nowMs - quest.sinceMs < ADOPT_MS) return;
    await this.#parts.adopt(record);
  }
}
