import type { Decision } from './decision.js';
import type { Stamp } from './observation.js';
import type { TableState } from './state.js';

/** Folds one decision into the state. Total: every decision a journal may hold is known here. */
export const evolveOne = (state: TableState, decision: Decision): TableState => {
  switch (decision.do) {
    case 'noted':
      return {
        ...state,
        [decision.part]: { ...state[decision.part], ...decision.set },
      };
    case 'moved':
      return { ...state, phase: decision.phase };
    case 'duty': {
      const others = state.duties.filter((duty) => duty.duty !== decision.duty.duty);
      return { ...state, duties: [...others, decision.duty] };
    }
    case 'duties':
      return { ...state, duties: decision.duties };
    case 'raised':
      return {
        ...state,
        findings:
          decision.finding.severity === 'info'
            ? state.findings
            : [...state.findings, decision.finding],
        tally: {
          ...state.tally,
          raised: {
            ...state.tally.raised,
            [decision.finding.code]: (state.tally.raised[decision.finding.code] ?? 0) + 1,
          },
        },
      };
    case 'changed':
      return {
        ...state,
        findings: state.findings.map((finding) =>
          finding.id === decision.finding.id ? decision.finding : finding,
        ),
      };
    case 'acknowledged':
      return {
        ...state,
        findings: state.findings.map((finding) =>
          finding.id === decision.id ? { ...finding, acknowledged: decision.by } : finding,
        ),
      };
    case 'cleared':
      return {
        ...state,
        findings: state.findings.filter((finding) => finding.id !== decision.id),
      };
    case 'timer': {
      const { [decision.timer]: _was, ...others } = state.timers;
      return {
        ...state,
        timers: decision.dueNs === null ? others : { ...others, [decision.timer]: decision.dueNs },
      };
    }
    case 'direct':
      return evolveOutput(state, decision);
    case 'refused':
      return state;
  }
};

const evolveOutput = (
  state: TableState,
  { directive }: Extract<Decision, { do: 'direct' }>,
): TableState => {
  switch (directive.to) {
    case 'gate':
      return { ...state, outputs: { ...state.outputs, gateLocked: directive.locked } };
    case 'tower':
      return { ...state, outputs: { ...state.outputs, tower: directive } };
    case 'display':
      return { ...state, outputs: { ...state.outputs, display: directive } };
    case 'sound':
    case 'announce':
    case 'video':
      return state;
  }
};

/** Folds a whole step: how a journal becomes a state again. */
export const evolve = (
  state: TableState,
  stamp: Stamp,
  decisions: readonly Decision[],
): TableState => {
  let next: TableState = {
    ...state,
    seq: stamp.seq,
    atNs: stamp.atNs,
    wallMs: stamp.wallMs,
  };
  for (const decision of decisions) next = evolveOne(next, decision);
  return next;
};
