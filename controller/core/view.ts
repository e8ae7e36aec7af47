import type { Duty } from './duty.js';
import type { Finding } from './finding.js';
import type { Outputs, Phase, TableState } from './state.js';

/**
 * What a table shows to people and to MQTT `state`: counts and findings, never a rank.
 * Numbers that are not known are null.
 */
export interface TableView {
  readonly phase: Phase;
  readonly seq: number;
  readonly shoe: number;
  readonly round: number;
  readonly cardsThisRound: number;
  readonly loaded: number;
  readonly out: number;
  /** Cards left in the shoe; null when cards may have moved unseen. */
  readonly left: number | null;
  /** Cards left when the cover card came out. */
  readonly behind: number | null;
  /** Burn cards still owed; null while the first card's rank is not known; 0 when none are. */
  readonly due: number | null;
  readonly batch: string | null;
  readonly dealer: string | null;
  readonly coverSeen: boolean;
  readonly lastHand: boolean;
  readonly dealerBurnDue: boolean;
  readonly countRequired: string | null;
  readonly quarantined: readonly string[];
  readonly gap: boolean;
  readonly roundsSinceCount: number;
  readonly gate: 'open' | 'locked';
  readonly tower: Outputs['tower'];
  readonly display: Outputs['display'];
  readonly findings: readonly Finding[];
  readonly raised: Readonly<Record<string, number>>;
  readonly duties: readonly Duty[];
  readonly cardsAfterWarning: number;
  readonly timeToStopMs: number;
}

/** Burn cards owed now, the opening burn's and a new dealer's together. */
export const burnOwed = (state: TableState): number | null => {
  if (state.burn.dealerOwed > 0 && state.phase === 'ready') return state.burn.dealerOwed;
  if (state.phase !== 'burn') return 0;
  return state.burn.required === null ? null : state.burn.required - state.burn.done;
};

/** Why the batch in use must be counted before play goes on; null when it need not be. */
export const countRequired = (state: TableState): string | null =>
  state.batches[state.shoe.batch ?? state.prep.batch]?.countRequired ?? null;

export const viewOf = (state: TableState): TableView => ({
  phase: state.phase,
  seq: state.seq,
  shoe: state.shoe.no,
  round: state.round.no,
  cardsThisRound: state.round.cards,
  loaded: state.shoe.loaded,
  out: state.shoe.out,
  left: state.shoe.outKnown ? state.shoe.loaded - state.shoe.out : null,
  behind: state.shoe.behind,
  due: burnOwed(state),
  batch: state.shoe.batch,
  dealer: state.house.dealer,
  coverSeen: state.cover.roundsLeft !== null,
  lastHand: state.cover.lastHandDue || state.cover.inLastHand,
  dealerBurnDue: state.burn.dealerOwed > 0,
  countRequired: countRequired(state),
  quarantined: Object.keys(state.batches).filter((batch) => state.batches[batch]?.quarantined),
  gap: !state.shoe.outKnown,
  roundsSinceCount: state.counting.roundsSince,
  gate: state.outputs.gateLocked ? 'locked' : 'open',
  tower: state.outputs.tower,
  display: state.outputs.display,
  findings: state.findings,
  raised: state.tally.raised,
  duties: state.duties,
  cardsAfterWarning: state.tally.cardsAfterWarning,
  timeToStopMs: Math.round(state.tally.timeToStopNs / 1e6),
});
