import type { Draft } from './draft.js';
import { exempt } from './exemption.js';
import { clearCodes, raise } from './findings.js';
import type { IdleRule } from './procedure.js';
import type { TableState } from './state.js';
import { startStack } from './stack.js';

const MINUTE_NS = 60e9;
export const IDLE_TIMER = 'idle';

const ruleOf = (draft: Draft): IdleRule | null =>
  exempt(draft.state, draft.procedure, 'idle') ? null : draft.procedure.idle;

/** Cards are on the table and nothing is being done with them. */
const waiting = ({ phase, shoe }: TableState): boolean =>
  phase === 'ready' || phase === 'load-due' || (phase === 'shuffle-due' && shoe.no > 0);

/** The phase has changed: the idle time starts when the cards begin to wait, and ends with it. */
export const watchIdle = (draft: Draft): void => {
  const rule = ruleOf(draft);
  const inNs = rule !== null && waiting(draft.state) ? rule.minutes * MINUTE_NS : null;
  draft.timer(IDLE_TIMER, inNs);
};

export const idleTimer = (draft: Draft): void => {
  const rule = ruleOf(draft);
  draft.timer(IDLE_TIMER, null);
  if (rule === null || !waiting(draft.state)) return;
  raise(draft, 'idle.spread-due', {
    cite: rule.cite,
    expected: 'without play the cards are taken out and spread on the table',
    observed: `no play for ${rule.minutes} min`,
    remedy: 'SPREAD THE CARDS face down (face up if a player asks)',
  });
};

export const spread = (draft: Draft): void => {
  const { phase } = draft.state;
  if (phase === 'round' || phase === 'stub-due' || phase === 'closed' || phase === 'dispute') {
    draft.refuse(draft.procedure.idle?.cite ?? 'policy:idle', 'not now');
    return;
  }
  const { batch } = draft.state.prep;
  draft.noteBatch(draft.state.shoe.batch ?? batch, { token: null });
  draft.noteBatch(batch, { token: null });
  startStack(draft);
  clearCodes(draft, ['idle.spread-due'], 'spread', draft.actor);
  draft.move('idle-spread');
};

/** The first player to arrive has looked at the cards: the opening procedure follows. */
export const inspected = (draft: Draft): void => {
  if (draft.state.phase !== 'idle-spread') {
    draft.refuse(draft.procedure.idle?.cite ?? 'policy:idle', 'the cards are not spread');
    return;
  }
  draft.move('shuffle-due');
};
