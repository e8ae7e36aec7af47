import type { Draft } from './draft.js';
import { clearLifespan, raise } from './findings.js';
import { startAge } from './batches.js';
import { firstTurn, handDealt, startStack } from './stack.js';

const POLICY_OPEN = 'policy:opening';

export const openTable = (draft: Draft): void => {
  if (draft.state.phase !== 'closed') {
    draft.refuse(POLICY_OPEN, 'the table is open already');
    return;
  }
  startStack(draft);
  // A new game: the first offer of the cut goes where the text says, whoever cut before.
  draft.note('prep', { cutTurn: firstTurn(draft.procedure.cut, draft.table) });
  draft.move('opening');
  for (const batch of draft.table.batches) startAge(draft, batch);
};

export const cardsInspected = (draft: Draft): void => {
  if (draft.state.phase !== 'opening') {
    draft.refuse(POLICY_OPEN, 'the cards are inspected when the table opens');
    return;
  }
  draft.move('shuffle-due');
};

/** The dealer takes the cards off the shoe: the end of it, or an early end. */
export const collected = (draft: Draft): void => {
  const { phase, cover } = draft.state;
  const rule = draft.procedure.cover;
  if (phase !== 'reshuffle-due' && phase !== 'ready' && phase !== 'burn') {
    draft.refuse(draft.procedure.shuffle.cite, 'there is no shoe to collect now');
    return;
  }
  startStack(draft);
  // Dealt from the hand no cover card is sensed: nothing says that the deck had more to give.
  const early = phase !== 'reshuffle-due' && rule !== null && !handDealt(draft.table);
  if (!early) return;
  raise(draft, 'cover.early-shuffle', {
    cite: rule.cite,
    expected: 'the shoe is dealt to its last hand',
    observed:
      cover.roundsLeft === null
        ? 'collected before the cover card came out'
        : `collected with ${cover.roundsLeft} round${cover.roundsLeft === 1 ? '' : 's'} to go`,
    remedy: 'Floor: note the reason. The cards are shuffled as usual',
  });
};

export const closeTable = (draft: Draft): void => {
  const { phase } = draft.state;
  if (phase === 'round' || phase === 'stub-due' || phase === 'dispute' || phase === 'closed') {
    draft.refuse(POLICY_OPEN, phase === 'closed' ? 'the table is closed' : 'finish this first');
    return;
  }
  for (const batch of draft.table.batches) draft.noteBatch(batch, { token: null });
  startStack(draft);
  clearLifespan(draft, 'step', 'table closed');
  draft.move('closed');
};
