import type { Draft } from './draft.js';
import type { Actor, Finding, FindingCode, Lifespan, Severity } from './finding.js';
import { FINDING_RULES } from './finding-rules.js';
import type { Batch } from './observation.js';
import type { Cite } from './procedure.js';
import type { TableState } from './state.js';

/** What one occurrence of a finding says; the rest comes from FINDING_RULES. */
export interface Told {
  readonly cite: Cite | string;
  readonly expected: string;
  readonly observed: string;
  readonly remedy: string;
  readonly by?: number;
  readonly batch?: Batch;
  readonly device?: string;
  readonly severity?: Severity;
}

const SYSTEM: Actor = { role: 'system' };
const S = 1e9;

export const openFinding = (
  state: TableState,
  code: FindingCode,
  batch?: Batch,
): Finding | undefined =>
  state.findings.find(
    (finding) => finding.code === code && (batch === undefined || finding.batch === batch),
  );

export const stopOpen = (state: TableState): boolean =>
  state.findings.some((finding) => finding.severity === 'stop');

const sameCase = (finding: Finding, code: FindingCode, told: Told): boolean =>
  finding.code === code && finding.batch === told.batch && finding.device === told.device;

/**
 * Raises a finding. While the same thing stands open it is not raised again: its text and numbers
 * follow, it counts the repeat and grows louder.
 */
export const raise = (draft: Draft, code: FindingCode, told: Told): void => {
  const rule = FINDING_RULES[code];
  const open = draft.state.findings.find((finding) => sameCase(finding, code, told));
  if (open !== undefined && rule.each === undefined) {
    repeat(draft, open, told);
    return;
  }
  const { state } = draft;
  const serial = draft.decisions.filter((decision) => decision.do === 'raised').length + 1;
  const severity = told.severity ?? rule.severity;
  const { cite, ...words } = told;
  const finding: Finding = {
    id: `${state.seq}.${serial}`,
    code,
    clause: typeof cite === 'string' ? cite : cite.clause,
    lifespan: rule.lifespan,
    authority: rule.authority,
    ...words,
    severity,
    raisedSeq: state.seq,
    raisedNs: state.atNs,
    raisedWallMs: state.wallMs,
    ...(severity === 'stop' ? { cardsAfterWarning: 0, timeToStopNs: 0, level: 0 } : {}),
  };
  if (severity === 'stop') startEpisode(draft, finding.id);
  draft.add({ do: 'raised', finding });
  if (severity !== 'info') draft.direct({ to: 'video', mark: `${code} ${finding.clause}` });
};

/** The clock of "cards dealt after the warning" starts with the first of the open stops. */
const startEpisode = (draft: Draft, id: string): void => {
  if (!stopOpen(draft.state)) {
    draft.note('tally', {
      cardsAfterWarning: 0,
      timeToStopNs: 0,
      stopSinceNs: draft.state.atNs,
    });
  }
  draft.timer(`escalate:${id}`, draft.table.policy.escalateFloorS * S);
};

const repeat = (draft: Draft, open: Finding, told: Told): void => {
  const repeats = (open.repeats ?? 0) + 1;
  draft.add({
    do: 'changed',
    finding: {
      ...open,
      expected: told.expected,
      observed: told.observed,
      remedy: told.remedy,
      repeats,
      ...(told.by === undefined ? {} : { by: told.by }),
      ...(open.level === undefined ? {} : { level: Math.max(open.level, Math.min(2, repeats)) }),
    },
  });
};

/** Changes the text or numbers of an open finding without counting it again. */
export const reword = (draft: Draft, code: FindingCode, set: Partial<Finding>): void => {
  const open = openFinding(draft.state, code);
  if (open !== undefined) draft.add({ do: 'changed', finding: { ...open, ...set } });
};

const close = (draft: Draft, finding: Finding, by: Actor, how: string): void => {
  draft.add({ do: 'cleared', id: finding.id, code: finding.code, by, how });
  draft.timer(`escalate:${finding.id}`, null);
};

/** Ends every open finding that `which` picks. */
export const clearWhere = (
  draft: Draft,
  which: (finding: Finding) => boolean,
  how: string,
  by: Actor = SYSTEM,
): void => {
  for (const finding of draft.state.findings.filter(which)) close(draft, finding, by, how);
};

/** Ends findings of these codes; `step` done is the usual reason. */
export const clearCodes = (
  draft: Draft,
  codes: readonly FindingCode[],
  how = 'step done',
  by: Actor = SYSTEM,
): void => {
  if (draft.state.findings.length === 0) return;
  clearWhere(draft, (finding) => codes.includes(finding.code), how, by);
};

/** Ends what only lived as long as a round or a shoe; stops wait for a person. */
export const clearLifespan = (draft: Draft, lifespan: Lifespan, how: string): void => {
  if (draft.state.findings.length === 0) return;
  clearWhere(draft, (finding) => finding.lifespan === lifespan && finding.severity !== 'stop', how);
};

/** A card left the shoe while stops were open: each of them counts it. */
export const countAfterWarning = (draft: Draft): void => {
  const { state } = draft;
  if (!stopOpen(state)) return;
  draft.note('tally', {
    cardsAfterWarning: state.tally.cardsAfterWarning + 1,
    timeToStopNs: state.atNs - state.tally.stopSinceNs,
  });
  for (const finding of state.findings) {
    if (finding.severity !== 'stop') continue;
    draft.add({
      do: 'changed',
      finding: {
        ...finding,
        cardsAfterWarning: (finding.cardsAfterWarning ?? 0) + 1,
        timeToStopNs: state.atNs - finding.raisedNs,
      },
    });
  }
};

/** An ignored stop grows louder: dealer, then floor, then surveillance and the shift. */
export const escalate = (draft: Draft, id: string): void => {
  draft.timer(`escalate:${id}`, null);
  const finding = draft.state.findings.find((open) => open.id === id);
  if (finding === undefined || finding.acknowledged !== undefined) return;
  const level = Math.min(2, (finding.level ?? 0) + 1);
  draft.add({ do: 'changed', finding: { ...finding, level } });
  draft.direct({ to: 'sound', pattern: 'escalate' });
  if (level < 2) {
    const { escalateFloorS, escalateSurveillanceS } = draft.table.policy;
    draft.timer(`escalate:${id}`, Math.max(1, escalateSurveillanceS - escalateFloorS) * S);
  }
};
