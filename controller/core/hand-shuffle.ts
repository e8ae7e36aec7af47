import type { Draft } from './draft.js';
import { clearCodes, openFinding, raise } from './findings.js';
import type { Press } from './press.js';
import { handDealt, afterShuffle } from './stack.js';

type Act<K extends Press['key']> = Extract<Press, { key: K }>;

const preparing = (draft: Draft): boolean => {
  const { phase } = draft.state;
  return phase === 'opening' || phase === 'shuffle-due' || phase === 'shuffling';
};

/** A deck that was taken off the table waits for a new one. */
const cardsThere = (draft: Draft): boolean => draft.batch(draft.state.prep.batch).onTable;

export const washed = (draft: Draft): void => {
  const { shuffle } = draft.procedure;
  if (!preparing(draft) || !cardsThere(draft)) {
    draft.refuse(shuffle.cite, 'there are no cards to wash now');
    return;
  }
  draft.note('prep', { washed: true });
  draft.move('shuffling');
};

/** How many dealers' shuffles the clause asks for. */
export const shufflesNeeded = (draft: Draft): number =>
  draft.procedure.shuffle.eachDealer ? draft.table.crew : 1;

export const shuffledByHand = (draft: Draft, press: Act<'shuffled'>): void => {
  const { shuffle, handDealing } = draft.procedure;
  if (!preparing(draft) || !cardsThere(draft)) {
    draft.refuse(shuffle.cite, 'there are no cards to shuffle now');
    return;
  }
  if (handDealt(draft.table) && handDealing?.needsMachineShuffle === true) {
    raise(draft, 'hand.manual-shuffle', {
      cite: handDealing.cite,
      expected: 'a machine shuffle before cards are dealt from the hand',
      observed: 'SHUFFLED BY HAND',
      remedy: 'Do not deal. Put the deck through the machine',
    });
    return;
  }
  if (draft.table.policy.handShuffle === 'stop' && draft.table.shuffler !== 'none') {
    raise(draft, 'hand.manual-shuffle', {
      cite: 'policy:machine-shuffle',
      expected: 'the machine shuffles at this table',
      observed: 'SHUFFLED BY HAND',
      remedy: 'Do not deal. Put the cards through the machine',
    });
    return;
  }
  if (!shuffle.sources.includes('hand')) {
    draft.refuse(shuffle.cite, 'this game does not take a hand shuffle');
    return;
  }
  const { shuffledBy, batch } = draft.state.prep;
  if (press.badge !== undefined && shuffledBy.includes(press.badge)) {
    draft.refuse(shuffle.cite, `${press.badge} has shuffled already: each dealer on his own`);
    return;
  }
  const by = [...shuffledBy, press.badge ?? `dealer ${shuffledBy.length + 1}`];
  draft.note('prep', { shuffledBy: by });
  draft.move('shuffling');
  const needed = shufflesNeeded(draft);
  if (by.length < needed) {
    if (openFinding(draft.state, 'shuffle.dealer-missing') !== undefined) dealerMissing(draft);
    return;
  }
  clearCodes(draft, ['shuffle.dealer-missing'], 'step done', draft.actor);
  const wash = draft.state.prep.washed ? 'washed' : 'wash not attested';
  draft.duty('shuffle', shuffle.cite, {
    status: 'met',
    evidence: 'attested',
    detail: `by hand, ${by.length} of ${needed} dealers, ${wash}`,
  });
  draft.noteBatch(batch, { token: { source: 'hand', batch, atNs: draft.state.atNs } });
  afterShuffle(draft);
};

/** Somebody went on although not every dealer of the crew has shuffled. */
export const dealerMissing = (draft: Draft): void => {
  const done = draft.state.prep.shuffledBy.length;
  const needed = shufflesNeeded(draft);
  raise(draft, 'shuffle.dealer-missing', {
    cite: draft.procedure.shuffle.cite,
    expected: `${needed} dealers shuffle, each on his own`,
    observed: `${done} of ${needed}`,
    remedy: `SHUFFLE: ${needed - done} more dealer${needed - done === 1 ? '' : 's'}`,
    by: needed - done,
  });
};

export const preshuffled = (draft: Draft, press: Act<'preshuffled'>): void => {
  const { shuffle } = draft.procedure;
  if (!preparing(draft) || !cardsThere(draft) || !shuffle.sources.includes('preshuffled')) {
    draft.refuse(shuffle.cite, 'preshuffled cards are not taken here now');
    return;
  }
  const { batch } = draft.state.prep;
  draft.noteBatch(batch, { token: { source: 'preshuffled', batch, atNs: draft.state.atNs } });
  draft.duty('shuffle', shuffle.cite, {
    status: 'waived',
    evidence: 'attested',
    detail: `preshuffled, package ${press.package}: nothing at this table verified it`,
  });
  afterShuffle(draft);
};
