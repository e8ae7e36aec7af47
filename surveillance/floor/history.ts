import { evolve } from '../../controller/core/evolve.js';
import type { Observation } from '../../controller/core/observation.js';
import type { TableStep } from '../../controller/core/ports.js';
import type { TableState } from '../../controller/core/state.js';
import { viewOf } from '../../controller/core/view.js';
import type { RowRange, TableId } from './api.js';
import { LIMITS, tableKey } from './api.js';
import type { SeenState, SeenStep, StepPage, Strip, StripMark } from './api-table.js';
import { actorText } from './follow.js';
import { AskedWrong } from './http/query.js';
import { baseAt, type ProjectorParts, stepIn } from './projector.js';
import { whyUnsound } from './sound-step.js';
import type { HeldRow } from './store/row-store.js';

/** Rows read in one go. */
const READ_ROWS = 1000;
/** Rows folded before the first one asked for, at most; saved states lie closer together. */
const FOLD_MAX = 200_000;
/** Marks of one answer; the page asks on. */
const MARKS_MAX = 5000;

export type HistoryParts = Pick<ProjectorParts, 'store' | 'configuration' | 'firstSeq'> & {
  /** What happened, in words. */
  readonly words: (observation: Observation) => string;
};

/** A table's stored rows, as people look at them: steps and strips. */
export class History {
  readonly #parts: HistoryParts;

  constructor(parts: HistoryParts) {
    this.#parts = parts;
  }

  /** Rows `from` to `to` with what each role saw after them; at most LIMITS.steps. */
  async steps(id: TableId, from: number, to: number): Promise<StepPage> {
    const table = tableKey(id);
    const { store } = this.#parts;
    const last = Math.min(to, from + LIMITS.steps - 1);
    const before = await this.#stateBefore(table, from);
    const rows = await store.rows.rows(table, from, last, LIMITS.steps);
    const steps: SeenStep[] = [];
    let { state, isWhole } = before;
    let next = from;
    for (const row of rows) {
      if (row.seq !== next) isWhole = false;
      next = row.seq + 1;
      const taken = taking(table, row, state);
      if (!taken.ok) {
        isWhole = false;
        steps.push(unsoundStep(row, taken.why));
        continue;
      }
      const seen = isWhole ? seenState(taken.state, taken.step, state.findings) : null;
      state = taken.state;
      steps.push(this.#seen(row, taken.step, seen));
    }
    return {
      table: id,
      steps,
      firstSeq: steps[0]?.seq ?? from,
      lastSeq: steps.at(-1)?.seq ?? from - 1,
      gaps: gapsIn(rows, from, Math.min(last, rows.at(-1)?.seq ?? last)),
    };
  }

  /**
   * The marks of a shoe after row `after`. Null where the shoe is not known.
   * @throws AskedWrong 409 naming the row that is no sound step.
   */
  async strip(id: TableId, shoe: number, after: number): Promise<Strip | null> {
    const table = tableKey(id);
    const { store } = this.#parts;
    const life = await store.shoe(table, shoe);
    if (life === null) return null;
    const from = Math.max(life.fromSeq, after + 1);
    let { state } = await this.#stateBefore(table, from);
    const marks: StripMark[] = [];
    let seq = from - 1;
    while (seq < life.toSeq && marks.length < MARKS_MAX) {
      const rows = await store.rows.rows(table, seq + 1, life.toSeq, READ_ROWS);
      if (rows.length === 0) break;
      for (const row of rows) {
        const taken = taking(table, row, state);
        if (!taken.ok) throw new AskedWrong(unsoundText(row.seq, taken.why), 409);
        if (row.seq > seq + 1) {
          const { wallMs: atMs } = row;
          marks.push({ seq: seq + 1, atMs, out: state.shoe.out, kind: 'gap', to: row.seq - 1 });
        }
        marks.push(...marksOf(taken.step, state, taken.state));
        state = taken.state;
        seq = row.seq;
      }
    }
    return {
      table: id,
      shoe,
      loaded: life.loaded,
      marks,
      lastSeq: Math.max(seq, after),
      isOpen: life.isOpen,
    };
  }

  async #stateBefore(
    table: string,
    seq: number,
  ): Promise<{ readonly state: TableState; readonly isWhole: boolean }> {
    const base = await baseAt(this.#parts, table, seq - 1);
    let { state, isWhole } = base.followed;
    let at = base.seq;
    if (seq - 1 - at > FOLD_MAX) return { state, isWhole: false };
    while (at < seq - 1) {
      const rows = await this.#parts.store.rows.rows(table, at + 1, seq - 1, READ_ROWS);
      if (rows.length === 0) return { state, isWhole: false };
      for (const row of rows) {
        if (row.seq !== at + 1) isWhole = false;
        const taken = taking(table, row, state);
        if (!taken.ok) return { state, isWhole: false };
        state = taken.state;
        at = row.seq;
      }
    }
    return { state, isWhole };
  }

  #seen(row: HeldRow, { observation }: TableStep, state: SeenState | null): SeenStep {
    return {
      seq: row.seq,
      atMs: observation.wallMs,
      wallTrusted: observation.wallTrusted,
      atNs: observation.atNs,
      kind: observation.kind,
      text: this.#parts.words(withoutFace(observation)),
      historical: row.isHistorical,
      state,
    };
  }
}

type Taking =
  | { readonly ok: true; readonly step: TableStep; readonly state: TableState }
  | { readonly ok: false; readonly why: string };

/** A row folded into a state. A table's rows are its own word: one may be no sound step. */
const taking = (table: string, row: HeldRow, state: TableState): Taking => {
  try {
    const step = stepIn(table, row);
    const why = whyUnsound(step, state);
    if (why !== null) return { ok: false, why };
    return { ok: true, step, state: evolve(state, step.observation, step.decisions) };
  } catch (cause) {
    return { ok: false, why: cause instanceof Error ? cause.message : String(cause) };
  }
};

const unsoundText = (seq: number, why: string): string =>
  `Row ${seq} is no sound step: ${why}. From there on nobody can tell what was shown.`;

const unsoundStep = ({ seq, wallMs, isHistorical }: HeldRow, why: string): SeenStep => ({
  seq,
  atMs: wallMs,
  wallTrusted: false,
  atNs: 0,
  kind: 'unsound',
  text: unsoundText(seq, why),
  historical: isHistorical,
  state: null,
});

/** No page of the floor shows a rank, not even one that was dealt face up. */
const withoutFace = (observation: Observation): Observation => {
  if (observation.kind !== 'card.out') return observation;
  const { rank: _rank, suit: _suit, ...rest } = observation;
  return rest;
};

const gapsIn = (rows: readonly HeldRow[], from: number, to: number): readonly RowRange[] => {
  const gaps: RowRange[] = [];
  let next = from;
  for (const { seq } of rows) {
    if (seq > next) gaps.push({ from: next, to: seq - 1 });
    next = seq + 1;
  }
  if (next <= to) gaps.push({ from: next, to });
  return gaps;
};

const toldBy = ({ decisions }: TableStep, opened: TableState['findings']): readonly string[] =>
  decisions.flatMap((decision) => {
    switch (decision.do) {
      case 'raised':
        return [`raised ${decision.finding.code} § ${decision.finding.clause}`];
      case 'changed':
        return [`changed ${decision.finding.code} § ${decision.finding.clause}`];
      case 'acknowledged': {
        const code = opened.find(({ id }) => id === decision.id)?.code ?? decision.id;
        return [`acknowledged ${code} by ${actorText(decision.by)}`];
      }
      case 'cleared':
        return [`cleared ${decision.code}: ${decision.how} (${actorText(decision.by)})`];
      case 'direct':
        return decision.directive.to === 'video' ? [`mark ${decision.directive.mark}`] : [];
      default:
        return [];
    }
  });

const seenState = (
  state: TableState,
  step: TableStep,
  opened: TableState['findings'],
): SeenState => {
  const view = viewOf(state);
  const { tower, display } = view;
  return {
    phase: view.phase,
    shoe: view.shoe,
    round: view.round,
    out: view.out,
    left: view.left,
    dealer:
      display === null
        ? null
        : {
            line1: display.line1,
            line2: display.line2,
            clause: display.clause,
            step: display.step,
          },
    gate: view.gate,
    tower: tower === null ? null : { colour: tower.colour, light: tower.light },
    floor: view.findings.map((finding) => ({
      id: finding.id,
      code: finding.code,
      severity: finding.severity,
      clause: finding.clause,
      observed: finding.observed,
      remedy: finding.remedy,
      cardsAfterWarning: finding.cardsAfterWarning ?? 0,
      acknowledgedAtTable:
        finding.acknowledged === undefined ? null : actorText(finding.acknowledged),
    })),
    surveillance: toldBy(step, opened),
  };
};

const cardUse = (before: TableState, after: TableState): 'burn' | 'round' | 'other' => {
  if (before.phase === 'burn' || after.burn.done > before.burn.done) return 'burn';
  if (after.burn.dealerOwed < before.burn.dealerOwed) return 'burn';
  return after.phase === 'round' || after.round.cards > before.round.cards ? 'round' : 'other';
};

type Bare = StripMark extends infer M ? (M extends StripMark ? Omit<M, keyof At> : never) : never;
interface At {
  readonly seq: number;
  readonly atMs: number;
  readonly out: number;
}

/** What a row leaves on the strip, in the order it came about. */
const marksOf = (step: TableStep, before: TableState, after: TableState): readonly StripMark[] => {
  const { observation, decisions } = step;
  const at: At = { seq: observation.seq, atMs: observation.wallMs, out: after.shoe.out };
  const bare: Bare[] = [...observed(step, before, after)];
  if (before.phase !== 'round' && after.phase === 'round') {
    bare.push({ kind: 'round-begin', round: after.round.no });
  }
  if (before.phase === 'round' && after.phase !== 'round') {
    const isVoid = observation.kind === 'press' && observation.key === 'void-round';
    bare.push({ kind: isVoid ? 'round-void' : 'round-end', round: before.round.no });
  }
  for (const decision of decisions) {
    if (decision.do === 'raised') {
      const { id, code, severity, clause } = decision.finding;
      bare.push({ kind: 'raised', id, code, severity, clause });
    }
    if (decision.do === 'cleared') {
      const { id, code, how } = decision;
      bare.push({ kind: 'cleared', id, code, how });
    }
    if (decision.do === 'direct' && decision.directive.to === 'gate') {
      bare.push({ kind: 'gate', locked: decision.directive.locked });
    }
  }
  if (!before.shoe.isLoaded && after.shoe.isLoaded) bare.unshift({ kind: 'loaded' });
  if (before.shoe.isLoaded && !after.shoe.isLoaded) bare.push({ kind: 'ended' });
  return bare.map((mark) => ({ ...at, ...mark }));
};

const observed = (
  { observation, decisions }: TableStep,
  before: TableState,
  after: TableState,
): readonly Bare[] => {
  switch (observation.kind) {
    case 'card.out':
      return [{ kind: 'card', use: cardUse(before, after), round: after.round.no }];
    case 'card.back':
      return [{ kind: 'card-back' }];
    case 'card.double':
      return [{ kind: 'double' }];
    case 'cover.out':
      return [{ kind: 'cover' }];
    case 'press': {
      const taken = !decisions.some((one) => one.do === 'refused');
      return [{ kind: 'press', key: observation.key, by: actorText(observation), taken }];
    }
    default:
      return [];
  }
};
