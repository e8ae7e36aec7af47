import type { Draft } from './draft.js';
import { raise } from './findings.js';
import type { Procedure } from './procedure.js';
import type { TableState } from './state.js';

export type Lifted = 'cut' | 'count' | 'idle' | 'stub';

/**
 * Whether an approved reshuffling-and-counting device lifts this duty now. The exemption rests on
 * that very device: when it goes, changes or stops counting, the duties are back at once.
 */
export const exempt = (state: TableState, procedure: Procedure, duty: Lifted): boolean =>
  state.house.reshuffler !== null && (procedure.exemption?.lifts.includes(duty) ?? false);

const lapse = (draft: Draft, why: string): void => {
  const { exemption } = draft.procedure;
  draft.note('house', { reshuffler: null });
  if (exemption === null) return;
  raise(draft, 'exemption.lapsed', {
    cite: exemption.cite,
    expected: 'the approved device, shuffling and counting',
    observed: why,
    remedy: `The duties it lifted are back: ${exemption.lifts.join(', ')}`,
  });
};

/** A link went down, or a device came up with an identity: does the exemption still stand? */
export const checkIdentity = (draft: Draft, device: string, identity: string | null): void => {
  const { reshuffler } = draft.state.house;
  if (reshuffler === null || reshuffler.device !== device) return;
  if (identity === reshuffler.identity) return;
  lapse(draft, `${device} now says it is ${identity ?? 'nobody'}`);
};

/** The device an exemption rests on went away or fell silent. */
export const lapseIfDevice = (draft: Draft, device: string, why: string): void => {
  if (draft.state.house.reshuffler?.device === device) lapse(draft, why);
};

/** The device finished a shuffle without saying a number. */
export const lapseIfNotCounting = (draft: Draft): void => {
  if (draft.state.house.reshuffler !== null) lapse(draft, 'it finished without a count');
};

/**
 * A counting machine that falls away brings the stub count back (677a.9(d)); the rounds since the
 * last verified count were counted all along.
 */
export const stubDutyBack = (draft: Draft, why: string): void => {
  const { stub } = draft.procedure;
  const { table } = draft;
  if (stub === null || !stub.exemptIfCounting || table.shuffler !== 'counting') return;
  if (!stub.appliesTo.includes(table.dealing)) return;
  raise(draft, 'exemption.lapsed', {
    cite: stub.cite,
    expected: 'a machine that counts after each shuffle',
    observed: why,
    remedy: `Count the stub at least once in ${stub.everyRounds} rounds`,
  });
};
