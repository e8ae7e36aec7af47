import type { Duty } from '../../controller/core/duty.js';
import type { Finding } from '../../controller/core/finding.js';
import type { PermittedKey } from '../../controller/core/permitted.js';
import type { TableView } from '../../controller/core/view.js';
import { LINES_KEPT } from './recent-lines.js';
import type { StepLine, TablePageSource } from './source.js';

/** An open finding as the pages show it. */
export type PageFinding = Pick<
  Finding,
  | 'id'
  | 'code'
  | 'clause'
  | 'severity'
  | 'expected'
  | 'observed'
  | 'remedy'
  | 'authority'
  | 'raisedNs'
  | 'raisedWallMs'
> & {
  readonly cardsAfterWarning: number;
  readonly timeToStopMs: number;
  readonly level: number;
  readonly repeats: number;
  readonly acknowledgedBy: string | null;
  /** What the floor does about it, out of the runbook; empty where that is nothing. */
  readonly floorTask: string;
};

export type PageDuty = Pick<Duty, 'duty' | 'clause' | 'status' | 'evidence'> & {
  readonly detail: string;
  /** False: no device of this table can see it; it can only be looked for on video. */
  readonly isWatched: boolean;
};

/** The view field by field: what is added to it later reaches no page by accident. */
export type PageView = Pick<
  TableView,
  | 'phase'
  | 'seq'
  | 'shoe'
  | 'round'
  | 'cardsThisRound'
  | 'loaded'
  | 'out'
  | 'left'
  | 'behind'
  | 'due'
  | 'batch'
  | 'dealer'
  | 'coverSeen'
  | 'lastHand'
  | 'dealerBurnDue'
  | 'countRequired'
  | 'quarantined'
  | 'gap'
  | 'roundsSinceCount'
  | 'gate'
  | 'cardsAfterWarning'
  | 'timeToStopMs'
> & {
  readonly tower: {
    readonly colour: 'green' | 'amber' | 'red';
    readonly light: 'steady' | 'blink';
  } | null;
  readonly display: {
    readonly line1: string;
    readonly line2: string;
    readonly clause: string;
    readonly step: string;
  } | null;
  readonly findings: readonly PageFinding[];
  readonly duties: readonly PageDuty[];
};

/** Everything a page shows; sent whole on each change, with the lines since the last one. */
export interface PageState {
  readonly table: string;
  readonly procedure: { readonly id: string; readonly title: string };
  readonly view: PageView;
  /** Keys that would be taken now, with what pressing them would be found as. */
  readonly keys: readonly PermittedKey[];
  /** The table's clocks at sending. */
  readonly watchedNs: number;
  readonly wallMs: number;
  readonly wallTrusted: boolean;
  /** Said where the table's time is simulated and runs at another pace than ours. */
  readonly simulated?: true;
  readonly lines: readonly StepLine[];
  /** Lines between the reader's last one and `lines` are no longer kept here. */
  readonly linesMissed: boolean;
}

/** Sent while nothing changes, so that a silent line shows. */
export type PageBeat = Pick<PageState, 'watchedNs' | 'wallMs' | 'wallTrusted'> & {
  readonly seq: number;
};

const has = (value: unknown, keys: readonly string[]): boolean =>
  typeof value === 'object' && value !== null && keys.every((key) => key in value);

const BEAT_KEYS = ['watchedNs', 'wallMs', 'wallTrusted'];

/** Whether a message has a state's outline; what is in it comes from a server of this version. */
export const isPageState = (value: unknown): value is PageState =>
  has(value, [...BEAT_KEYS, 'table', 'procedure', 'view', 'keys', 'lines', 'linesMissed']);

export const isPageBeat = (value: unknown): value is PageBeat => has(value, [...BEAT_KEYS, 'seq']);

const findingOf = (finding: Finding, floorTask: string): PageFinding => ({
  id: finding.id,
  code: finding.code,
  clause: finding.clause,
  severity: finding.severity,
  expected: finding.expected,
  observed: finding.observed,
  remedy: finding.remedy,
  authority: finding.authority,
  raisedNs: finding.raisedNs,
  raisedWallMs: finding.raisedWallMs,
  cardsAfterWarning: finding.cardsAfterWarning ?? 0,
  timeToStopMs: Math.round((finding.timeToStopNs ?? 0) / 1e6),
  level: finding.level ?? 0,
  repeats: finding.repeats ?? 0,
  acknowledgedBy: finding.acknowledged?.role ?? null,
  floorTask,
});

const dutyOf = (
  { duty, clause, status, evidence, detail }: Duty,
  unseen: TablePageSource['unseen'],
): PageDuty => {
  const rule = unseen.find((one) => one.duty === duty);
  return {
    duty,
    clause,
    status,
    evidence,
    detail: detail ?? rule?.text ?? '',
    isWatched: rule === undefined,
  };
};

export const pageViewOf = (
  view: TableView,
  { unseen, floorTask }: Pick<TablePageSource, 'unseen' | 'floorTask'>,
): PageView => ({
  phase: view.phase,
  seq: view.seq,
  shoe: view.shoe,
  round: view.round,
  cardsThisRound: view.cardsThisRound,
  loaded: view.loaded,
  out: view.out,
  left: view.left,
  behind: view.behind,
  due: view.due,
  batch: view.batch,
  dealer: view.dealer,
  coverSeen: view.coverSeen,
  lastHand: view.lastHand,
  dealerBurnDue: view.dealerBurnDue,
  countRequired: view.countRequired,
  quarantined: view.quarantined,
  gap: view.gap,
  roundsSinceCount: view.roundsSinceCount,
  gate: view.gate,
  cardsAfterWarning: view.cardsAfterWarning,
  timeToStopMs: view.timeToStopMs,
  tower: view.tower === null ? null : { colour: view.tower.colour, light: view.tower.light },
  display:
    view.display === null
      ? null
      : {
          line1: view.display.line1,
          line2: view.display.line2,
          clause: view.display.clause,
          step: view.display.step,
        },
  findings: view.findings.map((finding) => findingOf(finding, floorTask(finding.code))),
  duties: view.duties.map((duty) => dutyOf(duty, unseen)),
});

/**
 * What a page that has seen everything up to row `afterSeq` lacks; null: it has seen nothing. A
 * page that saw more than there is looks at another journal: it gets everything.
 */
export const pageStateOf = (source: TablePageSource, afterSeq: number | null): PageState => {
  const view = source.view();
  const wall = source.wall();
  const kept = source.recent(LINES_KEPT);
  const from = afterSeq === null || afterSeq > view.seq ? 0 : afterSeq;
  const oldest = kept[0]?.seq ?? view.seq;
  return {
    table: source.table,
    procedure: source.procedure,
    view: pageViewOf(view, source),
    keys: source.keys(),
    watchedNs: source.watchedNs(),
    wallMs: wall.ms,
    wallTrusted: wall.trusted,
    ...(wall.simulated === true ? { simulated: true } : {}),
    lines: kept.filter(({ seq }) => seq > from),
    linesMissed: from !== 0 && kept.length === LINES_KEPT && oldest > from + 1,
  };
};

export const pageBeatOf = (source: TablePageSource): PageBeat => {
  const wall = source.wall();
  return {
    watchedNs: source.watchedNs(),
    wallMs: wall.ms,
    wallTrusted: wall.trusted,
    seq: source.view().seq,
  };
};
