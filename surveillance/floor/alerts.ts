import { type Alert, type AlertPage } from './api-records.js';
import { LIMITS, tableIdOf, tableKey } from './api.js';
import type { FindingQuery, FloorStore, StoredFinding } from './store/floor-store.js';
import { ESCALATION, type Escalation, escalationOf } from './tile.js';
import type { WallBook } from './wall-book.js';

export interface AlertsParts {
  readonly store: FloorStore;
  readonly book: WallBook;
  readonly nowMs: () => number;
  readonly escalation?: Escalation;
}

export type AlertQuery = Omit<FindingQuery, 'before' | 'limit'> & {
  readonly before?: string | undefined;
  readonly limit?: number | undefined;
};

export type Acknowledged =
  | { readonly is: 'done'; readonly alert: Alert }
  | { readonly is: 'unknown' }
  | { readonly is: 'before'; readonly by: string };

/** Findings' lives as the room sees them: acknowledged by name, escalated by age, cleared. */
export class Alerts {
  readonly #parts: AlertsParts;

  constructor(parts: AlertsParts) {
    this.#parts = parts;
  }

  async page({ before, limit = LIMITS.page, ...query }: AlertQuery): Promise<AlertPage> {
    const asked = Math.min(Math.max(1, limit), LIMITS.page);
    const place = placeOf(before);
    const found = await this.#parts.store.findings({
      ...query,
      limit: asked,
      ...(place === null ? {} : { before: place }),
    });
    const last = found.at(-1);
    const next =
      last === undefined || found.length < asked
        ? null
        : `${last.life.raisedMs}~${last.table} ${last.life.id}`;
    return { alerts: found.map((one) => this.#alertOf(one)), next };
  }

  async one(table: string, id: string): Promise<Alert | null> {
    const [found] = await this.#parts.store.findings({ table, id, limit: 1 });
    return found === undefined ? null : this.#alertOf(found);
  }

  /** Written down before it is answered; the first to acknowledge stays the one. */
  async acknowledge(
    table: string,
    id: string,
    by: { readonly by: string; readonly note: string },
  ): Promise<Acknowledged> {
    const { store, book, nowMs } = this.#parts;
    const known = await this.one(table, id);
    if (known === null) return { is: 'unknown' };
    if (known.acknowledged !== null) return { is: 'before', by: known.acknowledged.by };
    const acknowledged = { ...by, atMs: nowMs() };
    const place = await store.rows.placeOf(table);
    if (!(await store.desk.acknowledge(place, id, acknowledged))) {
      const now = await this.one(table, id);
      return { is: 'before', by: now?.acknowledged?.by ?? 'somebody' };
    }
    const record = book.record(table);
    if (record !== null) book.acknowledged(record, id, acknowledged);
    return { is: 'done', alert: { ...known, acknowledged, escalation: 0 } };
  }

  #alertOf({ table, life, acknowledged }: StoredFinding): Alert {
    const { book, nowMs, escalation = ESCALATION } = this.#parts;
    const id = tableIdOf(table) ?? { site: '', pit: '', table };
    const record = book.record(tableKey(id));
    const heardMs = record?.firstHeard.get(life.id);
    const sinceMs = heardMs === undefined ? life.raisedMs : Math.min(life.raisedMs, heardMs);
    const isDone = acknowledged !== null || life.cleared !== null;
    return {
      table: id,
      id: life.id,
      code: life.code,
      clause: life.clause,
      severity: life.severity,
      expected: life.detail.expected,
      observed: life.detail.observed,
      remedy: life.detail.remedy,
      game: life.game,
      shoe: life.shoe,
      round: life.round,
      dealer: life.dealer,
      raisedSeq: life.raisedSeq,
      raisedMs: life.raisedMs,
      cardsAfterWarning: life.detail.cardsAfterWarning,
      timeToStopMs: life.detail.timeToStopMs,
      acknowledged,
      acknowledgedAtTable: life.detail.acknowledgedAtTable,
      cleared: life.cleared,
      escalation: escalationOf(sinceMs, isDone, nowMs(), escalation),
      cameras: record?.state?.cameras ?? [],
    };
  }
}

/** `<raised ms>~<table> <id>`: where the page before ended. */
const placeOf = (
  text: string | undefined,
): { readonly ms: number; readonly key: string } | null => {
  const [, ms, key] = /^(\d{1,15})~(.{1,200})$/.exec(text ?? '') ?? [];
  return ms === undefined || key === undefined ? null : { ms: Number(ms), key };
};
