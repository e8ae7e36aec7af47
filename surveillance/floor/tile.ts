import type { Finding } from '../../controller/core/finding.js';
import type { Phase } from '../../controller/core/state.js';
import type { HealthMessage, StateMessage, StatusMessage } from '../contract/messages.js';
import type {
  Acknowledgement,
  CoverBar,
  Degraded,
  LinkState,
  RowRange,
  TableId,
  Tile,
  TileFinding,
} from './api.js';
import { LIMITS, SILENT_MS } from './api.js';
import { attentionOf } from './attention.js';

/** What is known of one table, as it was last told; the tile is made from it. */
export interface TableRecord {
  readonly id: TableId;
  readonly key: string;
  status: StatusMessage | null;
  statusMs: number;
  state: StateMessage | null;
  health: HealthMessage | null;
  /** Last live message of any kind; 0: none since the service began. */
  heardMs: number;
  game: { readonly id: string; readonly title: string } | null;
  /** Cards that must lie behind the cover card, where its procedure says a number. */
  minBehind: number | null;
  firstSeq: number;
  seq: number;
  top: number;
  gaps: readonly RowRange[];
  gapsMore: boolean;
  /** Since when rows are missing without any coming; null while none are. */
  missingSinceMs: number | null;
  chain: { readonly seq: number; readonly text: string } | null;
  /** Row at which following stopped, and why. */
  history: { readonly seq: number; readonly text: string } | null;
  schemaFault: { readonly text: string; readonly atMs: number } | null;
  /** When each open finding was first heard of. */
  readonly firstHeard: Map<string, number>;
  readonly acknowledged: Map<string, Acknowledgement>;
  checkpoint: { readonly seq: number; readonly atMs: number; readonly hash: string } | null;
  changedMs: number;
}

export interface Escalation {
  /** Age of an unacknowledged finding at which it counts as the floor's, and as the shift's, ms. */
  readonly floorMs: number;
  readonly shiftMs: number;
}

export const ESCALATION: Escalation = { floorMs: 60_000, shiftMs: 300_000 };
/** Rows may come a little late without anybody being told, ms. */
export const ROWS_LATE_MS = 5000;
/** A message that broke the contract is shown so long, ms. */
const SCHEMA_SHOWN_MS = 600_000;
const IDLE: ReadonlySet<Phase> = new Set(['closed', 'opening', 'idle-spread']);

export const newRecord = (id: TableId, key: string, nowMs: number): TableRecord => ({
  id,
  key,
  status: null,
  statusMs: 0,
  state: null,
  health: null,
  heardMs: 0,
  game: null,
  minBehind: null,
  firstSeq: 1,
  seq: 0,
  top: 0,
  gaps: [],
  gapsMore: false,
  missingSinceMs: null,
  chain: null,
  history: null,
  schemaFault: null,
  firstHeard: new Map(),
  acknowledged: new Map(),
  checkpoint: null,
  changedMs: nowMs,
});

export const linkOf = (record: TableRecord, nowMs: number): Tile['link'] => {
  const { status, statusMs, heardMs } = record;
  if (status === null && heardMs === 0) return { state: 'never', sinceMs: null };
  if (status?.status === 'offline') return { state: 'offline', sinceMs: statusMs };
  const isSilent = nowMs - Math.max(heardMs, statusMs) > SILENT_MS;
  if (isSilent) return { state: 'silent', sinceMs: Math.max(heardMs, statusMs) };
  return { state: 'online', sinceMs: statusMs === 0 ? heardMs : statusMs };
};

/** Newest row the table itself told of apart from its rows; 0 where it said nothing. */
export const toldBy = ({ state, status, health }: TableRecord): number =>
  Math.max(0, state?.seq ?? 0, status?.seq ?? 0, health?.seq ?? 0);

/** Newest row anybody told of; null where nothing was heard. */
export const newestOf = ({ state, status, health, top }: TableRecord): number | null => {
  const told = [state?.seq, status?.seq, health?.seq].filter((seq) => seq !== undefined);
  if (told.length === 0 && top === 0) return null;
  return Math.max(top, ...told);
};

const who = ({ acknowledged }: Finding): string | null =>
  acknowledged === undefined
    ? null
    : acknowledged.badge === undefined
      ? acknowledged.role
      : `${acknowledged.role} ${acknowledged.badge}`;

/** The table's clock may be wrong or fast: a finding is never older than it says, nor younger
 *  than it has been heard of here. */
const sinceOf = (finding: Finding, record: TableRecord, nowMs: number): number => {
  const heard = record.firstHeard.get(finding.id) ?? nowMs;
  return record.state?.wallTrusted === true ? Math.min(heard, finding.raisedWallMs) : heard;
};

export const escalationOf = (
  sinceMs: number,
  isAcknowledged: boolean,
  nowMs: number,
  { floorMs, shiftMs }: Escalation,
): number => {
  if (isAcknowledged) return 0;
  const ageMs = nowMs - sinceMs;
  return ageMs >= shiftMs ? 2 : ageMs >= floorMs ? 1 : 0;
};

const findingOf = (
  finding: Finding,
  record: TableRecord,
  nowMs: number,
  escalation: Escalation,
): TileFinding => {
  const sinceMs = sinceOf(finding, record, nowMs);
  const acknowledged = record.acknowledged.get(finding.id) ?? null;
  const byAge = escalationOf(sinceMs, acknowledged !== null, nowMs, escalation);
  return {
    id: finding.id,
    code: finding.code,
    clause: finding.clause,
    severity: finding.severity,
    expected: finding.expected,
    observed: finding.observed,
    remedy: finding.remedy,
    authority: finding.authority,
    sinceMs,
    cardsAfterWarning: finding.cardsAfterWarning ?? 0,
    acknowledgedAtTable: who(finding),
    acknowledged,
    escalation: Math.max(byAge, acknowledged === null ? (finding.level ?? 0) : 0),
  };
};

const coverOf = ({ state, minBehind }: TableRecord): CoverBar | null => {
  if (state === null || state.loaded === 0) return null;
  if (state.coverSeen) return { cards: 0, basis: 'seen' };
  if (state.left === null || minBehind === null) return null;
  return { cards: Math.max(0, state.left - minBehind), basis: 'at-most' };
};

const missingIn = (gaps: readonly RowRange[]): number =>
  gaps.reduce((sum, { from, to }) => sum + to - from + 1, 0);

const degradedOf = (record: TableRecord, nowMs: number): readonly Degraded[] => {
  const { state, health, chain, schemaFault, missingSinceMs, gaps } = record;
  const list: Degraded[] = [];
  for (const [device, { up, stale }] of Object.entries(health?.devices ?? {})) {
    if (!up) list.push({ kind: 'device', device, what: 'down' });
    else if (stale) list.push({ kind: 'device', device, what: 'stale' });
  }
  if (state?.wallTrusted === false) list.push({ kind: 'clock' });
  const isFaulty = state?.findings.some(({ code }) => code === 'journal.fault') ?? false;
  if (isFaulty || state?.fault !== undefined || health?.fault !== undefined) {
    list.push({ kind: 'journal' });
  }
  if (chain !== null) list.push({ kind: 'chain', ...chain });
  if (record.history !== null) list.push({ kind: 'history', ...record.history });
  if (missingSinceMs !== null && nowMs - missingSinceMs > ROWS_LATE_MS) {
    list.push({ kind: 'rows', missing: missingIn(gaps) });
  }
  if (schemaFault !== null && nowMs - schemaFault.atMs < SCHEMA_SHOWN_MS) {
    list.push({ kind: 'schema', text: schemaFault.text });
  }
  return list;
};

const shownOf = (
  state: StateMessage | null,
): Pick<
  Tile,
  | 'phase'
  | 'seq'
  | 'shoe'
  | 'round'
  | 'loaded'
  | 'out'
  | 'left'
  | 'lastHand'
  | 'gate'
  | 'tower'
  | 'display'
  | 'dealer'
  | 'cardsAfterWarning'
  | 'cameras'
> => ({
  phase: state?.phase ?? null,
  seq: state?.seq ?? null,
  shoe: state?.shoe ?? null,
  round: state?.round ?? null,
  loaded: state?.loaded ?? null,
  out: state?.out ?? null,
  left: state?.left ?? null,
  lastHand: state?.lastHand ?? false,
  gate: state?.gate ?? null,
  tower: state?.tower == null ? null : { colour: state.tower.colour, light: state.tower.light },
  display:
    state?.display == null
      ? null
      : {
          line1: state.display.line1,
          line2: state.display.line2,
          clause: state.display.clause,
        },
  dealer: state?.dealer ?? null,
  cardsAfterWarning: state?.cardsAfterWarning ?? 0,
  cameras: state?.cameras ?? [],
});

const isPlaying = (link: LinkState, state: StateMessage | null): boolean =>
  link !== 'never' && state !== null && !IDLE.has(state.phase);

/** The tile of a table at a moment of the service's clock. */
export const tileOf = (
  record: TableRecord,
  nowMs: number,
  escalation: Escalation = ESCALATION,
): Tile => {
  const { state } = record;
  const link = linkOf(record, nowMs);
  const findings = (state?.findings ?? []).map((finding) =>
    findingOf(finding, record, nowMs, escalation),
  );
  const degraded = degradedOf(record, nowMs);
  const shown = shownOf(state);
  return {
    id: record.id,
    key: record.key,
    game: record.game,
    link,
    ...shown,
    cardsToCover: coverOf(record),
    findings,
    degraded,
    holding: {
      seq: record.seq,
      newest: newestOf(record),
      gaps: record.gaps.slice(0, LIMITS.gaps),
      gapsMore: record.gapsMore || record.gaps.length > LIMITS.gaps,
      signedSeq: record.checkpoint?.seq ?? 0,
    },
    attention: attentionOf({
      link: link.state,
      findings,
      degraded,
      lastHand: shown.lastHand,
      isPlaying: isPlaying(link.state, state),
    }),
    changedMs: record.changedMs,
  };
};
