import type { FindingCode, Severity } from '../../controller/core/finding.js';
import type { Phase } from '../../controller/core/state.js';

/**
 * What the floor service says and takes: addresses, JSON shapes, limits. Pure: the browser pages
 * are built from the same file. All times are wall times in ms since the epoch unless the name
 * ends otherwise; what is not known is null, never a guess; no rank is in any of it.
 * One table's shapes: api-table.ts; alerts, reports, access: api-records.ts.
 * Documentation: docs/FLOOR.md.
 */

/** Addresses. `T` stands for `:site/:pit/:table`. */
export const PATHS = {
  /** GET → Wall. */
  wall: '/api/wall',
  /**
   * GET, server-sent events: `wall` (Wall), `tile` (Tile), `beat` (WallBeat). A page that comes
   * back gives the id of the last event, as Last-Event-ID or `?after=`.
   */
  wallStream: '/api/wall/stream',
  /** GET T → TableDetail; below it shoes, steps, evidence, voids. */
  tables: '/api/tables',
  /** GET ?open&pit&game&code&severity&badge&from&to&limit&before → AlertPage. */
  alerts: '/api/alerts',
  /** POST AcknowledgeRequest → Alert. */
  acknowledge: '/api/alerts/acknowledge',
  /** POST NoteRequest → HandoverNote. */
  notes: '/api/notes',
  /** GET ?who&what&from&to&limit&before → AuditPage. */
  audit: '/api/audit',
  /** GET → SavedSearch[]; POST SearchRequest → SavedSearch; DELETE /:id. */
  searches: '/api/searches',
  /** GET ?since → Handover. */
  handover: '/api/handover',
  /** GET /shoe|table|dealer|day ?table&shoe&badge&from&to&pit&format=html|csv|json. */
  reports: '/reports',
  /** GET ?from&to&pit&table → Trends. */
  trends: '/api/trends',
  /** POST {name, password} → WhoView (and a cookie); see surveillance/access. */
  login: '/api/login',
  /** POST → 204. */
  logout: '/api/logout',
  /** GET → WhoView; 401 where nobody is logged in. */
  me: '/api/me',
  health: '/health',
  metrics: '/metrics',
} as const;

export const tableAddress = ({ site, pit, table }: TableId): string =>
  `${PATHS.tables}/${site}/${pit}/${table}`;
/** GET → ShoeSummary[], newest first. */
export const shoesAddress = (id: TableId): string => `${tableAddress(id)}/shoes`;
/** GET ?after=seq → Strip. */
export const stripAddress = (id: TableId, shoe: number): string =>
  `${tableAddress(id)}/shoes/${shoe}/strip`;
/** GET ?from=seq&to=seq → StepPage. */
export const stepsAddress = (id: TableId): string => `${tableAddress(id)}/steps`;
/** GET ?finding=id | ?round=shoe.round | ?from=seq&to=seq → a file (text/html, attachment). */
export const evidenceAddress = (id: TableId): string => `${tableAddress(id)}/evidence`;
/** GET ?from&to → VoidedRound[], newest first. */
export const voidsAddress = (id: TableId): string => `${tableAddress(id)}/voids`;

export interface TableId {
  readonly site: string;
  readonly pit: string;
  readonly table: string;
}

/** `site/pit/table`: the key of a table everywhere. */
export const tableKey = ({ site, pit, table }: TableId): string => `${site}/${pit}/${table}`;

/** Null where the text is no table's key. */
export const tableIdOf = (key: string): TableId | null => {
  const [site, pit, table, ...rest] = key.split('/');
  const isWhole = site && pit && table && rest.length === 0;
  return isWhole ? { site, pit, table } : null;
};

export const LIMITS = {
  /** Steps in one answer. */
  steps: 500,
  /** Alerts, audit lines in one answer. */
  page: 200,
  /** Characters of a note. */
  note: 500,
  /** Characters of a saved search's title. */
  title: 80,
  /** Saved searches of one user. */
  searches: 100,
  /** Tables on the wall. */
  tables: 2000,
  /** Gaps listed in a tile; `gapsMore` says that there are others. */
  gaps: 10,
  /** Days of trends. */
  trendDays: 400,
} as const;

/** The stream sends something at least so often, ms; call the line lost after three of these. */
export const BEAT_MS = 2000;

/* ---- the wall ---- */

/** Whether the table is heard. */
export type LinkState =
  /** Speaks. */
  | 'online'
  /** Said good-bye, or the broker says it lost it. */
  | 'offline'
  /** Called online, yet nothing came for SILENT_MS. */
  | 'silent'
  /** Only known from the floor's list or from the store; never heard since this service began. */
  | 'never';

/** A table sends `health` every 10 s; so long without any message it counts as silent, ms. */
export const SILENT_MS = 30_000;

/** What `/health` says: of the service, nothing of the game. */
export interface FloorHealth {
  readonly ok: boolean;
  readonly broker: boolean;
  readonly store: ServiceState['store'];
  /** False while the store refuses rows that wait. */
  readonly takesRows: boolean;
  readonly queued: number;
  readonly tables: number;
  /** Tables whose rows cannot be followed: findings and reports of them stand still. */
  readonly historyStopped: number;
}

export type Degraded =
  | { readonly kind: 'device'; readonly device: string; readonly what: 'down' | 'stale' }
  | { readonly kind: 'clock' }
  | { readonly kind: 'journal' }
  /** A row came that does not follow from the one before, or a row came twice with two hashes. */
  | { readonly kind: 'chain'; readonly seq: number; readonly text: string }
  /** What was followed of the rows ends before this one: findings and shoes are not up to date. */
  | { readonly kind: 'history'; readonly seq: number; readonly text: string }
  /** Rows are missing at the historian. */
  | { readonly kind: 'rows'; readonly missing: number }
  /** A message that does not keep the contract. */
  | { readonly kind: 'schema'; readonly text: string };

export interface TileFinding {
  readonly id: string;
  readonly code: FindingCode;
  readonly clause: string;
  readonly severity: Severity;
  readonly expected: string;
  readonly observed: string;
  readonly remedy: string;
  readonly authority: string;
  /** Raised at. */
  readonly sinceMs: number;
  readonly cardsAfterWarning: number;
  /** Acknowledged at the table: role (and badge). */
  readonly acknowledgedAtTable: string | null;
  /** Acknowledged in the surveillance room. */
  readonly acknowledged: Acknowledgement | null;
  /** 0 dealer, 1 floor, 2 surveillance and shift: the table's own, or by age here; the higher. */
  readonly escalation: number;
}

export interface Acknowledgement {
  readonly by: string;
  readonly atMs: number;
  readonly note: string;
}

export interface RowRange {
  readonly from: number;
  readonly to: number;
}

/** What the historian holds of a table. */
export interface Holding {
  /** Contiguous high-water mark: every row from the first up to here is stored. 0: none. */
  readonly seq: number;
  /** Newest row anybody told of; null where nothing was heard. */
  readonly newest: number | null;
  readonly gaps: readonly RowRange[];
  readonly gapsMore: boolean;
  /** Row of the newest signed checkpoint: evidence is proved up to there. 0: none was sent. */
  readonly signedSeq: number;
}

export interface CoverBar {
  /** Cards before the cover card. */
  readonly cards: number;
  /** `seen`: it is out (0 to go). `at-most`: by the rule that so many lie behind it. */
  readonly basis: 'seen' | 'at-most';
}

export interface Tile {
  readonly id: TableId;
  /** `site/pit/table`. */
  readonly key: string;
  /** Null while no row of the table names the procedure it sent. */
  readonly game: { readonly id: string; readonly title: string } | null;
  readonly link: { readonly state: LinkState; readonly sinceMs: number | null };
  /** Null before the first `state` of the table. */
  readonly phase: Phase | null;
  readonly seq: number | null;
  readonly shoe: number | null;
  readonly round: number | null;
  readonly loaded: number | null;
  readonly out: number | null;
  /** Cards left in the shoe; null where cards may have moved unseen. */
  readonly left: number | null;
  readonly cardsToCover: CoverBar | null;
  readonly lastHand: boolean;
  readonly gate: 'open' | 'locked' | null;
  readonly tower: {
    readonly colour: 'green' | 'amber' | 'red';
    readonly light: 'steady' | 'blink';
  } | null;
  readonly display: {
    readonly line1: string;
    readonly line2: string;
    readonly clause: string;
  } | null;
  readonly dealer: string | null;
  readonly findings: readonly TileFinding[];
  readonly cardsAfterWarning: number;
  readonly degraded: readonly Degraded[];
  readonly holding: Holding;
  readonly cameras: readonly string[];
  /** What needs eyes first: sort by it, the highest first. See docs/FLOOR.md, "Order". */
  readonly attention: number;
  /** When anything in the tile last changed, by the service's clock. */
  readonly changedMs: number;
}

export interface Wall {
  readonly tables: readonly Tile[];
  /** The service's clock when this was written: ages are counted on it. */
  readonly atMs: number;
  readonly service: ServiceState;
}

export interface ServiceState {
  /** Link of the service to the broker. */
  readonly broker: { readonly up: boolean; readonly sinceMs: number | null };
  readonly store: 'sqlite' | 'postgresql';
  /** Since when the store refuses rows, and why; null: it takes them. */
  readonly storeFault: { readonly why: string; readonly sinceMs: number } | null;
  /** Rows waiting to be committed. */
  readonly queued: number;
  readonly version: string;
  readonly instance: string;
}

export interface WallBeat {
  readonly atMs: number;
  readonly service: ServiceState;
}

/* ---- guards: the outline only, what is in it comes from a service of this version ---- */

const has = (value: unknown, keys: readonly string[]): boolean =>
  typeof value === 'object' && value !== null && keys.every((key) => key in value);

export const isTile = (value: unknown): value is Tile =>
  has(value, ['id', 'key', 'link', 'phase', 'findings', 'degraded', 'holding', 'attention']);

export const isWall = (value: unknown): value is Wall =>
  has(value, ['tables', 'atMs', 'service']) && !has(value, ['key']);

export const isWallBeat = (value: unknown): value is WallBeat =>
  has(value, ['atMs', 'service']) && !has(value, ['tables']);
