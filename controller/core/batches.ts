import { countedRight, countedWrong, countsDisagree, requireCount, verified } from './count.js';
import type { Draft } from './draft.js';
import type { Finding } from './finding.js';
import { clearWhere, openFinding, raise } from './findings.js';
import type { Press } from './press.js';
import { afterShuffle, startStack } from './stack.js';
import { freshBatch } from './state.js';

type Act<K extends Press['key']> = Extract<Press, { key: K }>;

const POLICY_BATCHES = 'policy:batches';
const POLICY_REPLACE = 'policy:card-replacement';
const POLICY_COUNT = 'policy:hand-count';
const HOUR_NS = 3600e9;

const known = (draft: Draft, batch: string): boolean => {
  const there = draft.state.batches[batch] !== undefined;
  if (!there) draft.refuse(POLICY_BATCHES, `this table has ${draft.table.batches.join(', ')}`);
  return there;
};

/** The floor takes a batch off the table: what was found about it ends there. */
export const deckRemoved = (draft: Draft, { batch }: Act<'deck-removed'>): void => {
  if (!known(draft, batch)) return;
  const inPlay = draft.state.shoe.isLoaded && draft.state.shoe.batch === batch;
  draft.noteBatch(batch, { ...freshBatch, onTable: false });
  draft.timer(`age:${batch}`, null);
  clearWhere(
    draft,
    (finding) => finding.batch === batch && finding.device === undefined,
    `${batch} taken off the table`,
    draft.actor,
  );
  halve(draft, batch);
  if (inPlay) clearWhere(draft, isAboutStack, `${batch} taken off the table`, draft.actor);
  if (inPlay || draft.state.prep.batch === batch) restack(draft);
};

/** Stops about the stack in the shoe go with its cards. */
const isAboutStack = ({ severity, lifespan }: Finding): boolean =>
  severity === 'stop' && (lifespan === 'shoe' || lifespan === 'round');

/** Another deck at a table that is not shuffling yet changes nothing of where the table stands. */
const restack = (draft: Draft, batch: string | null = null): void => {
  const { phase } = draft.state;
  startStack(draft, batch);
  if (phase === 'closed' || phase === 'opening' || phase === 'idle-spread') draft.move(phase);
};

/** Half of a migration is gone: what is left of it is about the other batch alone. */
const halve = (draft: Draft, batch: string): void => {
  const found = openFinding(draft.state, 'batch.migrated');
  if (found?.batch === undefined || found.device === undefined) return;
  if (found.batch !== batch && found.device !== batch) return;
  const { device: _gone, ...rest } = found;
  const left = found.batch === batch ? found.device : found.batch;
  const remedy = `Take ${left} off the table as well, or count it`;
  draft.add({ do: 'changed', finding: { ...rest, batch: left, remedy } });
};

/** A new deck with its own number comes to the table. */
export const deckIn = (draft: Draft, { batch, id }: Act<'deck-in'>): void => {
  if (!known(draft, batch)) return;
  if (draft.batch(batch).onTable && draft.batch(batch).id !== null) {
    draft.refuse(POLICY_BATCHES, `${batch} is on the table already: remove it first`);
    return;
  }
  draft.noteBatch(batch, { ...freshBatch, id, inUseSinceNs: draft.state.atNs });
  startAge(draft, batch);
  const current = draft.batch(draft.state.prep.batch);
  if (!draft.state.shoe.isLoaded && !current.onTable) restack(draft, batch);
  // Rounds dealt from the deck that left say nothing about this one, which is as new as at opening.
  const { shoe, prep, atNs } = draft.state;
  if (!shoe.isLoaded && prep.batch === batch) verified(draft, atNs);
};

/** Hours a deck may stay in use at this table; null where nothing limits it. */
const maxAgeHours = ({ procedure: { deck }, table }: Draft): number | null =>
  table.dealing === 'hand' ? (deck.maxAgeHandHours ?? deck.maxAgeHours) : deck.maxAgeHours;

/** A deck comes into use: its age counts from the first time. */
export const startAge = (draft: Draft, batch: string): void => {
  const hours = maxAgeHours(draft);
  if (hours === null || draft.state.timers[`age:${batch}`] !== undefined) return;
  if (draft.batch(batch).onTable) draft.timer(`age:${batch}`, hours * HOUR_NS);
};

/** A deck has been in use for as long as the rule allows. */
export const deckAged = (draft: Draft, batch: string): void => {
  draft.timer(`age:${batch}`, null);
  const { deck } = draft.procedure;
  raise(draft, 'deck.aged', {
    cite: deck.maxAgeCite,
    expected: `a deck in use no longer than ${maxAgeHours(draft) ?? 0} hours`,
    observed: `${batch} is older`,
    remedy: 'Change the cards at the next shuffle',
    batch,
  });
};

/** Two people with two badges counted a batch by hand. */
export const handCount = (draft: Draft, press: Act<'hand-count'>): void => {
  const { batch, n } = press;
  if (!known(draft, batch)) return;
  if (press.badge === undefined || press.badge === press.second) {
    draft.refuse(POLICY_COUNT, 'a hand count takes two people: two different badges');
    return;
  }
  const before = draft.batch(batch);
  if (n !== draft.expected) {
    countedWrong(draft, batch, n, 'hand');
    if (before.countedBy === 'shuffler' && before.lastCount === draft.expected) {
      countsDisagree(draft, batch, `shuffler ${before.lastCount}`, `by hand ${n}`);
    }
    return;
  }
  countedRight(draft, batch, 'hand');
  clearWhere(
    draft,
    (finding) =>
      finding.batch === batch &&
      (finding.code === 'count.required' || finding.code === 'count.disagree'),
    `counted by hand: ${n}`,
    draft.actor,
  );
  if (draft.state.phase === 'count-due' && batch === draft.state.prep.batch) {
    draft.noteBatch(batch, { token: { source: 'machine', batch, atNs: draft.state.atNs } });
    draft.duty('shuffle', draft.procedure.shuffle.cite, {
      status: 'met',
      evidence: 'sensed',
      detail: `machine; ${n} cards counted by hand`,
    });
    afterShuffle(draft);
  }
};

const inUse = (draft: Draft): string => draft.state.shoe.batch ?? draft.state.prep.batch;

/** Cards were dropped: nobody knows that all came back until they are counted. */
export const spill = (draft: Draft): void => {
  requireCount(draft, inUse(draft), 'cards were dropped');
};

/**
 * A damaged card is replaced: two people, and the same face out and in. Where one person says so
 * the form is refused, but cards were handled all the same: they have to be counted.
 */
export const replace = (draft: Draft, press: Act<'replace'>): void => {
  const batch = inUse(draft);
  requireCount(draft, batch, 'a card was replaced');
  if (press.badge === undefined || press.second === undefined || press.badge === press.second) {
    draft.refuse(POLICY_REPLACE, 'replacing a card takes two people: two different badges');
    return;
  }
  if (press.out.toLowerCase() === press.in.toLowerCase()) return;
  raise(draft, 'replace.mismatch', {
    cite: POLICY_REPLACE,
    expected: 'the same card out and in',
    observed: 'two different cards were entered',
    remedy: 'Enter the card that replaces the one taken out',
    batch,
  });
};
