import type { AccessRole } from '../../surveillance/access/roles.js';
import type {
  Alert,
  AuditLine,
  Handover,
  HandoverNote,
  SavedSearch,
  TrendDay,
} from '../../surveillance/floor/api-records.js';
import type { StepPage, TableDetail } from '../../surveillance/floor/api-table.js';
import { PATHS, type Tile, tableKey } from '../../surveillance/floor/api.js';
import { alertsOf, FakeShoe, pastAlerts, voidedOf } from './floor-shoe.js';

interface Question {
  readonly method: string;
  readonly url: URL;
  readonly body: Readonly<Record<string, unknown>>;
  readonly who: string;
}

interface Reply {
  readonly code: number;
  readonly value: unknown;
  /** Headers of an answer that is no JSON. */
  readonly type?: Readonly<Record<string, string>>;
}

const ok = (value: unknown): Reply => ({ code: 200, value });
const refused = (error: string): Reply => ({ code: 403, value: { error } });
const missing: Reply = { code: 404, value: { error: 'There is nothing here.' } };

const DAYS = 30;

const trendDays = (): TrendDay[] =>
  Array.from({ length: DAYS }, (_, i) => ({
    day: new Date(Date.UTC(2025, 11, 7 + i)).toISOString().slice(0, 10),
    shoes: 900 + ((i * 53) % 80),
    rounds: 60_000 + ((i * 997) % 5000),
    cards: 300_000 + ((i * 4999) % 20_000),
    findings: 20 + ((i * 7) % 13),
    stops: (i * 5) % 4,
    missedBurns: (i * 3) % 7,
    cardsAfterWarning: (i * 2) % 5,
    timeToStopS: i % 9 === 0 ? null : { median: 2 + (i % 4) * 0.5, longest: 6 + (i % 5) },
    cutDwellS: { median: 14 + (i % 6), longest: 40 + ((i * 7) % 31) },
    countAgeRounds: { median: 3 + (i % 3), longest: 9 + (i % 8) },
  }));

/** What the fake service keeps beside the tiles: alerts, notes, searches, the audit trail. */
export class FloorRecords {
  readonly alerts: Alert[];
  readonly notes: HandoverNote[] = [];
  readonly searches: SavedSearch[] = [];
  readonly trail: AuditLine[] = [];
  readonly #tiles: Tile[];
  readonly #nowMs: () => number;

  constructor(tiles: Tile[], nowMs: () => number) {
    this.#tiles = tiles;
    this.#nowMs = nowMs;
    this.alerts = [...alertsOf(tiles), ...pastAlerts(tiles)];
  }

  answer(question: Question, roles: readonly AccessRole[]): Reply {
    const { method, url } = question;
    const { pathname: path, searchParams: query } = url;
    if (path.startsWith(`${PATHS.tables}/`)) return this.#ofTable(path, query);
    if (path.startsWith(PATHS.reports)) return this.#report(query);
    if (path.startsWith(PATHS.searches)) return this.#search(question);
    switch (`${method} ${path}`) {
      case `GET ${PATHS.alerts}`:
        return ok(this.#found(query));
      case `POST ${PATHS.acknowledge}`:
        if (!roles.includes('operator')) return refused('It takes the role operator.');
        return this.#acknowledge(question);
      case `POST ${PATHS.notes}`:
        return ok(this.#note(question));
      case `GET ${PATHS.audit}`:
        if (!roles.includes('auditor')) return refused('It takes the role auditor.');
        return ok({ lines: this.trail, next: null });
      case `GET ${PATHS.handover}`:
        return ok(this.#handover(Number(query.get('since') ?? 0)));
      case `GET ${PATHS.trends}`:
        return ok({ days: trendDays(), dayBeginsHour: 6 });
      default:
        return missing;
    }
  }

  #record(who: string, what: string, about: string): void {
    this.trail.unshift({ id: this.trail.length + 1, atMs: this.#nowMs(), who, what, about });
  }

  #found(query: URLSearchParams): { alerts: readonly Alert[]; next: null } {
    const severity = query.get('severity');
    const alerts = this.alerts.filter(
      (alert) =>
        (query.get('open') !== '1' || alert.cleared === null) &&
        (severity === null || alert.severity === severity) &&
        (query.get('code') === null || alert.code === query.get('code')) &&
        (query.get('pit') === null || alert.table.pit === query.get('pit')),
    );
    return { alerts: alerts.toSorted((a, b) => b.raisedMs - a.raisedMs), next: null };
  }

  #acknowledge({ body, who }: Question): Reply {
    const at = this.alerts.findIndex(
      ({ table, id }) => tableKey(table) === body['table'] && id === body['id'],
    );
    const alert = this.alerts[at];
    if (alert === undefined) return missing;
    const acknowledged = { by: who, atMs: this.#nowMs(), note: String(body['note']) };
    const next = { ...alert, acknowledged };
    this.alerts[at] = next;
    this.#record(who, 'acknowledge', `${tableKey(alert.table)} ${alert.id}`);
    return ok(next);
  }

  #note({ body, who }: Question): HandoverNote {
    const note = {
      id: this.notes.length + 1,
      atMs: this.#nowMs(),
      by: who,
      table: typeof body['table'] === 'string' ? body['table'] : null,
      text: String(body['text']),
    };
    this.notes.push(note);
    return note;
  }

  #search({ method, url, body, who }: Question): Reply {
    if (method === 'GET') return ok(this.searches);
    if (method === 'DELETE') {
      const id = Number(url.pathname.split('/').at(-1));
      this.searches.splice(
        this.searches.findIndex((search) => search.id === id),
        1,
      );
      return { code: 204, value: null };
    }
    const search = {
      id: this.searches.length + 1,
      by: who,
      atMs: this.#nowMs(),
      title: String(body['title']),
      query: String(body['query']),
    };
    this.searches.push(search);
    return ok(search);
  }

  #handover(sinceMs: number): Handover {
    return {
      sinceMs,
      atMs: this.#nowMs(),
      open: this.alerts.filter(({ cleared }) => cleared === null),
      dealtWith: this.alerts.filter(({ cleared }) => cleared !== null),
      notes: this.notes,
      tablesNotHeard: this.#tiles.filter(({ link }) => link.state !== 'online'),
      tablesDegraded: this.#tiles.filter(({ degraded }) => degraded.length > 0),
    };
  }

  #report(query: URLSearchParams): Reply {
    const isCsv = query.get('format') === 'csv';
    return {
      code: 200,
      value: isCsv ? 'day,shoes\r\n2026-01-05,3\r\n' : '<!doctype html><title>Report</title>',
      type: { 'content-type': isCsv ? 'text/csv; charset=utf-8' : 'text/html; charset=utf-8' },
    };
  }

  #ofTable(path: string, query: URLSearchParams): Reply {
    const [site, pit, table, part, no] = path.slice(PATHS.tables.length + 1).split('/');
    const tile = this.#tiles.find(({ key }) => key === `${site}/${pit}/${table}`);
    if (tile === undefined) return missing;
    const shoe = new FakeShoe(tile, tile.shoe ?? 1, Math.min(330, Math.max(20, tile.out ?? 20)));
    switch (part) {
      case undefined:
        return ok(this.#detail(tile));
      case 'shoes':
        if (no === undefined) {
          return ok([shoe, new FakeShoe(tile, 2, 402), new FakeShoe(tile, 1, 399)].map(summary));
        }
        return ok(new FakeShoe(tile, Number(no), 402).strip(Number(query.get('after') ?? 0)));
      case 'steps':
        return ok(this.#steps(tile, Number(query.get('from')), Number(query.get('to'))));
      case 'voids':
        return ok(voidedOf(tile));
      case 'evidence':
        return {
          code: 200,
          value: '<!doctype html><title>Evidence</title>',
          type: {
            'content-type': 'text/html; charset=utf-8',
            'content-disposition': 'attachment; filename="evidence.html"',
          },
        };
      default:
        return missing;
    }
  }

  #steps(tile: Tile, from: number, to: number): StepPage {
    const shoe = new FakeShoe(tile, tile.shoe ?? 1, 402);
    return {
      table: tile.id,
      steps: shoe.steps(from, to),
      firstSeq: 1,
      lastSeq: shoe.lastSeq,
      gaps: [],
    };
  }

  #detail(tile: Tile): TableDetail {
    return {
      tile,
      duties: [
        {
          duty: 'shuffle',
          clause: '631a.5(a)',
          status: 'met',
          evidence: 'sensed',
          detail: null,
        },
        {
          duty: 'marker',
          clause: '631a.5(d)',
          status: 'met',
          evidence: 'attested',
          detail: '14 cards',
        },
      ],
      health: {
        wallMs: this.#nowMs(),
        queued: 0,
        undelivered: 0,
        uptimeS: 86_400,
        rssBytes: 80_000_000,
        diskFreeBytes: 9_000_000_000,
        temperatureC: 48,
        devices: { shuffler: { up: true, stale: false }, mouth: { up: true, stale: false } },
      },
      version: '0.1.0',
      boot: 12,
      firstSeq: 1,
      checkpoint: { seq: 900, atMs: this.#nowMs() - 60_000, agrees: true },
      forks: [],
    };
  }
}

const summary = (shoe: FakeShoe) => shoe.summary();
