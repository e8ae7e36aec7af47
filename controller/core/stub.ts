import { countedRight, countsDisagree } from './count.js';
import type { Draft } from './draft.js';
import { clearCodes, clearWhere, raise, reword } from './findings.js';
import type { Press } from './press.js';
import type { StubRule } from './procedure.js';
import { exempt } from './exemption.js';
import { startStack } from './stack.js';

type Act<K extends Press['key']> = Extract<Press, { key: K }>;

/** The stub rule, where it applies to the way this table deals and nothing lifts it. */
const ruleOf = (draft: Draft): StubRule | null => {
  const { stub } = draft.procedure;
  if (stub === null || !stub.appliesTo.includes(draft.table.dealing)) return null;
  return exempt(draft.state, draft.procedure, 'stub') ? null : stub;
};

/** This round is the last that may close without a verified count. */
export const stubDue = (draft: Draft): boolean => {
  const rule = ruleOf(draft);
  const { counting } = draft.state;
  return rule !== null && counting.stub === null && counting.roundsSince >= rule.everyRounds;
};

/** The round may not close uncounted: raises the hold and says true. */
export const stubOwed = (draft: Draft): boolean => {
  const rule = ruleOf(draft);
  if (rule === null || !stubDue(draft)) return false;
  const { roundsSince } = draft.state.counting;
  raise(draft, 'stub.overdue', {
    cite: rule.cite,
    expected: `the stub counted at least once in ${rule.everyRounds} rounds, before settlement`,
    observed: `round ${roundsSince} since the last verified count`,
    remedy: 'COUNT THE STUB',
  });
  draft.move('stub-due');
  draft.refuse(rule.cite, 'count the stub before the round is closed');
  return true;
};

/** deck − perHand × (players + dealer) − community − burns. */
export const expectedStub = (rule: StubRule, deck: number, hands: number): number =>
  deck - rule.perHand * (hands + (rule.dealerHand ? 1 : 0)) - rule.community - rule.burns;

export const stubCount = (draft: Draft, press: Act<'stub-count'>): void => {
  const { stub: rule } = draft.procedure;
  const { phase, round } = draft.state;
  if (rule === null || (phase !== 'round' && phase !== 'stub-due')) {
    draft.refuse(rule?.cite ?? 'policy:stub', 'there is no stub to count now');
    return;
  }
  // Where hands are dealt to every place, their number is in the formula already.
  if (round.hands === null && rule.perHand > 0) {
    draft.refuse(rule.cite, 'the number of hands is not known: key it with "no more bets"');
    return;
  }
  const expected = expectedStub(rule, draft.expected, round.hands ?? 0);
  const { batch } = draft.state.shoe;
  draft.note('counting', { stub: press.n });
  if (press.n === expected) good(draft, rule, press.n, batch);
  else wrong(draft, rule, press.n, expected, batch);
};

const good = (draft: Draft, rule: StubRule, n: number, batch: string | null): void => {
  if (batch !== null) countedRight(draft, batch, 'stub');
  draft.note('counting', { stub: n });
  clearCodes(draft, ['stub.overdue'], 'step done', draft.actor);
  draft.duty('stub', rule.goodCite, {
    status: 'met',
    evidence: 'attested',
    detail: `${n} in the stub`,
  });
  draft.move('round');
};

const wrong = (
  draft: Draft,
  rule: StubRule,
  n: number,
  expected: number,
  batch: string | null,
): void => {
  const by = Math.abs(n - expected);
  clearCodes(draft, ['stub.overdue'], 'step done', draft.actor);
  raise(draft, 'stub.wrong', {
    cite: rule.wrongCite,
    expected: `${expected} cards in the stub`,
    observed: `STUB ${n} of ${expected}: ${by} ${n < expected ? 'short' : 'over'}`,
    remedy: 'Floor: were the cards misdealt, and is the deck full?',
    by,
    ...(batch === null ? {} : { batch }),
  });
  const known = batch === null ? undefined : draft.batch(batch);
  if (batch !== null && known?.countedBy === 'shuffler' && known.lastCount === draft.expected) {
    const byHand = draft.expected + n - expected;
    countsDisagree(draft, batch, `shuffler ${draft.expected}`, `stub and hands ${byHand}`);
  }
  draft.move('dispute');
};

/**
 * The floor's answer to a wrong stub. Misdealt and full: hands void, deck stays. Anything else:
 * hands void and the entire deck leaves; misdealt AND short is in neither sentence of 677a.9(f),
 * and is treated as removal.
 */
export const misdeal = (draft: Draft, press: Act<'misdeal'>): void => {
  const { stub: rule } = draft.procedure;
  if (rule === null || draft.state.phase !== 'dispute') {
    draft.refuse(rule?.wrongCite ?? 'policy:misdeal', 'no stub count is in dispute');
    return;
  }
  draft.note('house', { misdeal: { yes: press.yes, full: press.full } });
  draft.direct({ to: 'video', mark: 'hands void' });
  if (press.yes && press.full) {
    clearWhere(
      draft,
      ({ code }) => code === 'stub.wrong' || code === 'count.disagree',
      'misdealt, deck full: hands void, wagers returned',
      draft.actor,
    );
    startStack(draft);
    return;
  }
  const batch = draft.state.shoe.batch ?? draft.state.prep.batch;
  draft.noteBatch(batch, { quarantined: true, token: null });
  reword(draft, 'stub.wrong', {
    remedy: `REMOVE THE ${batch.toUpperCase()} DECK. All hands void, wagers returned`,
  });
};
