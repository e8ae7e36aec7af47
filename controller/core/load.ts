import { countedIfRequired } from './count.js';
import { cutMissing, markerMissing } from './cut.js';
import type { Draft } from './draft.js';
import { raise } from './findings.js';
import { dealerMissing } from './hand-shuffle.js';
import type { Batch } from './observation.js';
import { handDealt, load, startStack } from './stack.js';

/** Somebody says, or a switch shows, that the stack is in the shoe. */
export const loaded = (draft: Draft, evidence: 'sensed' | 'attested', batch?: Batch): void => {
  const { shoe } = draft.state;
  if (handDealt(draft.table)) {
    draft.refuse('policy:dealing', 'the deck is dealt from the hand: there is no shoe to load');
    return;
  }
  if (shoe.isLoaded && (draft.state.phase !== 'reshuffle-due' || evidence === 'sensed')) {
    if (evidence === 'sensed') confirmLoad(draft);
    else if (shoe.out > 0) draft.refuse(draft.procedure.shuffle.cite, 'the shoe is loaded already');
    return;
  }
  if (draft.state.phase === 'closed') {
    draft.refuse('policy:closed', 'the table is closed: open it first');
    return;
  }
  // A load after the last hand: the old shoe is off, its count goes no further.
  if (shoe.isLoaded) startStack(draft);
  const { prep } = draft.state;
  if (batch !== undefined && batch !== prep.batch && !changeBatch(draft, batch)) return;
  if (!owed(draft)) return;
  if (!countedIfRequired(draft, draft.state.prep.batch)) return;
  load(draft, evidence, evidence === 'sensed' ? 'shoe switch' : 'pressed');
};

/** A switch in the shoe confirms what a person pressed. */
const confirmLoad = (draft: Draft): void => {
  draft.duty('load', draft.procedure.shuffle.cite, {
    status: 'met',
    evidence: 'sensed',
    detail: 'shoe switch',
  });
};

/**
 * The dealer loads another batch than the prepared one: that batch's own shuffle, cut and marker
 * count, not those of the stack left standing. False where this table has no such batch.
 */
const changeBatch = (draft: Draft, batch: Batch): boolean => {
  if (!draft.table.batches.includes(batch)) {
    draft.refuse('policy:batches', `this table has the batches ${draft.table.batches.join(', ')}`);
    return false;
  }
  startStack(draft, batch);
  return true;
};

/**
 * Raises what is still owed before a stack may be in the shoe; true when nothing is. A stack that
 * was never shuffled is a stop, a missing cut or marker a hold.
 */
export const owed = (draft: Draft): boolean => {
  switch (draft.state.phase) {
    case 'load-due':
      return true;
    case 'cut-due':
    case 'cut-made':
      cutMissing(draft);
      return false;
    case 'marker-due':
      markerMissing(draft);
      return false;
    case 'shuffling':
      if (draft.state.prep.shuffledBy.length > 0) dealerMissing(draft);
      else shuffleMissing(draft);
      return false;
    case 'count-due':
      uncounted(draft);
      return false;
    case 'closed':
    case 'opening':
    case 'shuffle-due':
    case 'reshuffle-due':
    case 'idle-spread':
    case 'dispute':
    case 'fault':
    case 'burn':
    case 'ready':
    case 'round':
    case 'stub-due':
      shuffleMissing(draft);
      return false;
  }
};

const uncounted = (draft: Draft): void => {
  raise(draft, 'count.required', {
    cite: draft.procedure.count.cite,
    expected: `${draft.expected} cards counted after the shuffle`,
    observed: 'the machine gave no number',
    remedy: 'COUNT THE CARDS: machine again, or two people',
    batch: draft.state.prep.batch,
  });
};

/** Cards without an unspent shuffle token: loaded, drawn or bet on. */
export const shuffleMissing = (draft: Draft): void => {
  const { batch } = draft.state.prep;
  const explained = draft.state.findings.some(
    ({ severity, lifespan, batch: about, device: other }) =>
      severity === 'stop' && lifespan === 'batch' && (about === batch || other === batch),
  );
  // A wrong count or mode says already why there is no token.
  if (explained) return;
  raise(draft, 'shuffle.missing', {
    cite: draft.procedure.shuffle.cite,
    expected: 'a completed shuffle of these cards since they were last dealt',
    observed: 'these cards have NOT BEEN SHUFFLED',
    remedy: 'Take the cards out and shuffle them',
    batch,
  });
};
