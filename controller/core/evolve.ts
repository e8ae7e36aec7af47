import type { Decision } from './decision.js';
import type { Stamp } from './observation.js';
import type { StateParts, TableState } from './state.js';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A copy of a state that one step may change: fresh on top, its parts shared and never touched. */
export type Working = Mutable<TableState>;

/** Opens a state for the step that happens at `stamp`. */
export const open = (state: TableState, stamp: Stamp): Working => ({
  ...state,
  seq: stamp.seq,
  atNs: stamp.atNs,
  wallMs: stamp.wallMs,
});

const put = <P extends keyof StateParts>(
  state: Mutable<StateParts>,
  part: P,
  set: Partial<StateParts[P]>,
): void => {
  state[part] = Object.assign({ ...state[part] }, set);
};

/** Folds one decision in place. Total: every decision a journal may hold is known here. */
export const apply = (state: Working, decision: Decision): void => {
  switch (decision.do) {
    case 'noted':
      put(state, decision.part, decision.set);
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
