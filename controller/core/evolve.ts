import type { Decision, Noted } from './decision.js';
import type { Stamp } from './observation.js';
import type { TableState } from './state.js';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A copy of a state that one step may change: fresh on top, its parts shared and never touched. */
export type Working = Mutable<TableState>;

/**
 * Opens a state for the step that happens at `stamp`. Field by field, and one copying site per
 * part below: a spread that meets one shape only is several times faster than a shared one.
 */
export const open = (state: TableState, stamp: Stamp): Working => ({
  phase: state.phase,
  findings: state.findings,
  duties: state.duties,
  timers: state.timers,
  seq: stamp.seq,
  atNs: stamp.atNs,
  wallMs: stamp.wallMs,
  prep: state.prep,
  shoe: state.shoe,
  burn: state.burn,
  cover: state.cover,
  round: state.round,
  counting: state.counting,
  house: state.house,
  tally: state.tally,
  outputs: state.outputs,
  batches: state.batches,
  devices: state.devices,
});

const put = (state: Working, { part, set }: Noted): void => {
  switch (part) {
    case 'prep':
      state.prep = { ...state.prep, ...set };
      return;
    case 'shoe':
      state.shoe = { ...state.shoe, ...set };
      return;
    case 'burn':
      state.burn = { ...state.burn, ...set };
      return;
    case 'cover':
      state.cover = { ...state.cover, ...set };
      return;
    case 'round':
      state.round = { ...state.round, ...set };
      return;
    case 'counting':
      state.counting = { ...state.counting, ...set };
      return;
    case 'house':
      state.house = { ...state.house, ...set };
      return;
    case 'tally':
      state.tally = { ...state.tally, ...set };
      return;
    case 'outputs':
      state.outputs = { ...state.outputs, ...set };
      return;
    case 'batches':
      state.batches = Object.assign({ ...state.batches }, set);
      return;
    case 'devices':
      state.devices = Object.assign({ ...state.devices }, set);
      return;
  }
};

/** Folds one decision in place. Total: every decision a journal may hold is known here. */
export const apply = (state: Working, decision: Decision): void => {
  switch (decision.do) {
    case 'noted':
      put(state, decision);
      return;
    case 'moved':
      state.phase = decision.phase;
      return;
    case 'duty':
      state.duties = [
        ...state.duties.filter((duty) => duty.duty !== decision.duty.duty),
        decision.duty,
      ];
      return;
    case 'duties':
      state.duties = decision.duties;
      return;
    case 'raised':
      applyRaised(state, decision);
      return;
    case 'changed':
      state.findings = state.findings.map((finding) =>
        finding.id === decision.finding.id ? decision.finding : finding,
      );
      return;
    case 'acknowledged':
      state.findings = state.findings.map((finding) =>
        finding.id === decision.id ? { ...finding, acknowledged: decision.by } : finding,
      );
      return;
    case 'cleared':
      state.findings = state.findings.filter((finding) => finding.id !== decision.id);
      return;
    case 'timer': {
      const { [decision.timer]: _was, ...others } = state.timers;
      state.timers =
        decision.dueNs === null ? others : { ...others, [decision.timer]: decision.dueNs };
      return;
    }
    case 'direct':
      applyOutput(state, decision);
      return;
    case 'refused':
      return;
  }
};

/** `info` is told and counted, and never stands open. */
const applyRaised = (state: Working, { finding }: Extract<Decision, { do: 'raised' }>): void => {
  if (finding.severity !== 'info') state.findings = [...state.findings, finding];
  const { raised } = state.tally;
  state.tally = {
    ...state.tally,
    raised: { ...raised, [finding.code]: (raised[finding.code] ?? 0) + 1 },
  };
};

const applyOutput = (state: Working, { directive }: Extract<Decision, { do: 'direct' }>): void => {
  switch (directive.to) {
    case 'gate':
      state.outputs = { ...state.outputs, gateLocked: directive.locked };
      return;
    case 'tower':
      state.outputs = { ...state.outputs, tower: directive };
      return;
    case 'display':
      state.outputs = { ...state.outputs, display: directive };
      return;
    case 'sound':
    case 'announce':
    case 'video':
      return;
  }
};

/** Folds a whole step: how a journal becomes a state again. */
export const evolve = (
  state: TableState,
  stamp: Stamp,
  decisions: readonly Decision[],
): TableState => {
  const next = open(state, stamp);
  for (const decision of decisions) apply(next, decision);
  return next;
};
