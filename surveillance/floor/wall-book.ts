import type { CheckpointMessage, HealthMessage } from '../contract/messages.js';
import type { StateMessage, StatusMessage } from '../contract/messages.js';
import type { Acknowledgement, RowRange, TableId, Tile } from './api.js';
import { LIMITS, tableKey } from './api.js';
import type { Mark } from './store/row-store.js';
import { type Escalation, ESCALATION, newRecord, newestOf, tileOf } from './tile.js';
import type { TableRecord } from './tile.js';

/** Findings remembered a table, so that an age does not begin anew. */
const HEARD_MAX = 500;

export interface WallBookParts {
  readonly nowMs: () => number;
  readonly escalation?: Escalation;
  /** A table's tile may look different now. */
  readonly changed: (key: string) => void;
}

/**
 * What every table last said, kept in memory: the wall is made from it. Nothing here is evidence;
 * the rows are in the store.
 */
export class WallBook {
  readonly #parts: WallBookParts;
  readonly #records = new Map<string, TableRecord>();
  #turnedAway = 0;

  constructor(parts: WallBookParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#records.size;
  }

  /** Tables beyond the limit, that are not shown. */
  get turnedAway(): number {
    return this.#turnedAway;
  }

  keys(): readonly string[] {
    return [...this.#records.keys()];
  }

  record(key: string): TableRecord | null {
    return this.#records.get(key) ?? null;
  }

  /** The table's record, made at first sight; null beyond the limit. */
  meet(id: TableId): TableRecord | null {
    const key = tableKey(id);
    const known = this.#records.get(key);
    if (known !== undefined) return known;
    if (this.#records.size >= LIMITS.tables) {
      this.#turnedAway += 1;
      return null;
    }
    const record = newRecord(id, key, this.#parts.nowMs());
    this.#records.set(key, record);
    this.#parts.changed(key);
    return record;
  }

  status(record: TableRecord, status: StatusMessage, isRetained: boolean): void {
    const nowMs = this.#parts.nowMs();
    const isSame = record.status?.status === status.status;
    record.status = status;
    if (!isSame || record.statusMs === 0) {
      record.statusMs = isRetained ? Math.min(nowMs, status.sinceMs) : nowMs;
    }
    if (!isRetained && status.status === 'online') record.heardMs = nowMs;
    this.#touch(record);
  }

  state(record: TableRecord, state: StateMessage, isRetained: boolean): void {
    const nowMs = this.#parts.nowMs();
    // An old one may be said again by a broker that restarted.
    if (isRetained && record.state !== null && record.state.seq > state.seq) return;
    record.state = state;
    if (!isRetained) record.heardMs = nowMs;
    for (const { id } of state.findings) {
      if (!record.firstHeard.has(id)) record.firstHeard.set(id, nowMs);
    }
    if (record.firstHeard.size > HEARD_MAX) {
      const open = new Set(state.findings.map(({ id }) => id));
      for (const id of record.firstHeard.keys()) if (!open.has(id)) record.firstHeard.delete(id);
    }
    this.#touch(record);
  }

  health(record: TableRecord, health: HealthMessage): void {
    const before = JSON.stringify(record.health?.devices);
    record.health = health;
    record.heardMs = this.#parts.nowMs();
    if (JSON.stringify(health.devices) !== before) this.#touch(record);
  }

  /** A row, an alert, a mark: the table speaks. */
  heard(record: TableRecord): void {
    record.heardMs = this.#parts.nowMs();
  }

  checkpoint(record: TableRecord, { seq, wallMs, hash }: CheckpointMessage): void {
    const before = record.checkpoint?.seq;
    record.checkpoint = { seq, atMs: wallMs, hash };
    if (seq !== before) this.#touch(record);
  }

  /** `game`: null where no row of the table proves what is played. */
  game(
    record: TableRecord,
    game: { readonly id: string; readonly title: string } | null,
    minBehind: number | null,
  ): void {
    record.game = game;
    record.minBehind = minBehind;
    this.#touch(record);
  }

  /** What the store holds of a table. */
  holding(record: TableRecord, { firstSeq, seq, top }: Mark): void {
    const isNews = seq > record.seq || top > record.top || firstSeq !== record.firstSeq;
    if (seq > record.seq) record.missingSinceMs = null;
    record.firstSeq = firstSeq;
    record.seq = Math.max(record.seq, seq);
    record.top = Math.max(record.top, top);
    if (record.seq >= (newestOf(record) ?? 0)) record.gaps = [];
    if (isNews) this.#touch(record);
  }

  /** The store was emptied or exchanged: it holds less than it did. */
  holdsLess(record: TableRecord, { firstSeq, seq, top }: Mark): void {
    Object.assign(record, { firstSeq, seq, top });
    this.#touch(record);
  }

  gaps(record: TableRecord, gaps: readonly RowRange[], more: boolean): void {
    if (JSON.stringify(gaps) === JSON.stringify(record.gaps)) return;
    record.gaps = gaps;
    record.gapsMore = more;
    this.#touch(record);
  }

  missing(record: TableRecord, sinceMs: number | null): void {
    if (record.missingSinceMs === sinceMs) return;
    record.missingSinceMs = sinceMs;
    this.#touch(record);
  }

  chainFault(record: TableRecord, seq: number, text: string): void {
    record.chain = { seq, text };
    this.#touch(record);
  }

  /** Chains that were in doubt before this service began. */
  doubt(all: readonly { readonly table: string; readonly seq: number; why: string }[]): void {
    for (const { table, seq, why } of all) {
      const record = this.#records.get(table);
      if (record !== undefined) this.chainFault(record, seq, why);
    }
  }

  historyFault(record: TableRecord, seq: number, text: string): void {
    record.history = { seq, text: text.slice(0, 300) };
    this.#touch(record);
  }

  schemaFault(record: TableRecord, text: string): void {
    record.schemaFault = { text, atMs: this.#parts.nowMs() };
    this.#touch(record);
  }

  acknowledged(record: TableRecord, id: string, by: Acknowledgement): void {
    record.acknowledged.set(id, by);
    if (record.acknowledged.size > HEARD_MAX) {
      const [oldest] = record.acknowledged.keys();
      if (oldest !== undefined) record.acknowledged.delete(oldest);
    }
    this.#touch(record);
  }

  tile(key: string): Tile | null {
    const record = this.#records.get(key);
    if (record === undefined) return null;
    return tileOf(record, this.#parts.nowMs(), this.#parts.escalation ?? ESCALATION);
  }

  tiles(): readonly Tile[] {
    const { nowMs, escalation = ESCALATION } = this.#parts;
    return [...this.#records.values()].map((record) => tileOf(record, nowMs(), escalation));
  }

  #touch(record: TableRecord): void {
    record.changedMs = this.#parts.nowMs();
    this.#parts.changed(record.key);
  }
}
