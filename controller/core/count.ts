import type { Draft } from './draft.js';
import { exempt } from './exemption.js';
import { clearWhere, openFinding, raise } from './findings.js';
import type { Batch } from './observation.js';
import type { Cite } from './procedure.js';

const POLICY_COUNT = 'policy:shuffler-count';
const POLICY_REQUIRED = 'policy:count-required';
const POLICY_LEDGER = 'policy:conservation-ledger';
const POLICY_WITNESS = 'policy:two-witnesses';
const POLICY_STALE = 'policy:count-age';
const MINUTE_NS = 60e9;

/** The paragraph a wrong count falls under: the game's own, unless an exemption lifts it. */
const countCite = (draft: Draft): Cite | string =>
  exempt(draft.state, draft.procedure, 'count') ? POLICY_COUNT : draft.procedure.count.cite;

/** A guess at why, where the arithmetic gives one away (a guess is said to be one). */
export const whyWrong = (draft: Draft, count: number): string => {
  const { expected, table, procedure } = draft;
  const over = count - expected;
  const { cardsPerDeck } = procedure.deck;
  if (over === 4 * table.decks && cardsPerDeck === 48) return 'tens not removed?';
  if (over === -4 * table.decks) return 'one rank missing from every deck?';
  if (over === table.decks) return 'jokers not removed?';
  if (over !== 0 && over % cardsPerDeck === 0) {
    return over > 0 ? 'a whole deck too many?' : 'a whole deck missing?';
  }
  return '';
};

const missing = (by: number): string =>
  by < 0
    ? `${-by} CARD${by === -1 ? '' : 'S'} MISSING`
    : `${by} CARD${by === 1 ? '' : 'S'} TOO MANY`;

/** Rounds and minutes count anew from `atNs`: the cards were counted right, or are new. */
export const verified = (draft: Draft, atNs: number): void => {
  draft.note('counting', { roundsSince: 0, sinceNs: atNs });
};

/** A batch was counted right by a machine or by two people. */
export const countedRight = (
  draft: Draft,
  batch: Batch,
  by: 'shuffler' | 'hand' | 'stub',
): void => {
  draft.noteBatch(batch, {
    lastCount: draft.expected,
    countedBy: by,
    countRequired: null,
    wrongInRow: 0,
  });
  const { shoe, prep } = draft.state;
  // A count of the other batch says nothing about the cards in play.
  if (batch === (shoe.batch ?? prep.batch)) verified(draft, draft.state.atNs);
  clearWhere(draft, (finding) => finding.code === 'count.stale', 'counted', draft.actor);
};

/** A batch was counted wrong: nobody may deal from it. `count` null where only a light said so. */
export const countedWrong = (
  draft: Draft,
  batch: Batch,
  count: number | null,
  by: 'shuffler' | 'hand',
): void => {
  const { expected, procedure } = draft;
  const known = draft.batch(batch);
  draft.noteBatch(batch, {
    lastCount: count,
    countedBy: by,
    quarantined: true,
    token: null,
    wrongInRow: known.wrongInRow + 1,
  });
  if (count !== null && migrated(draft, batch, count)) return;
  const diff = count === null ? null : count - expected;
  const why = count === null ? '' : whyWrong(draft, count);
  const guess = why === '' ? '' : `, ${why}`;
  const again = known.wrongInRow > 0 ? `, ${known.wrongInRow + 1} counts in error` : '';
  const removes = procedure.count.onWrong === 'remove-deck';
  const lifted = exempt(draft.state, procedure, 'count');
  raise(draft, 'count.wrong', {
    cite: countCite(draft),
    expected: `${expected} cards`,
    observed:
      diff === null
        ? `red light, number not known (${batch})${again}`
        : `${missing(diff)}: ${expected + diff} of ${expected} (${batch})${guess}${again}`,
    remedy:
      removes && !lifted
        ? `REMOVE THE ${batch.toUpperCase()} DECK from the table`
        : 'Do not deal. Search the machine, count again',
    batch,
    ...(diff === null ? {} : { by: Math.abs(diff) }),
  });
};

/** One batch n short and the other n over is one finding, and the cards are in the other batch. */
const migrated = (draft: Draft, batch: Batch, count: number): boolean => {
  const diff = count - draft.expected;
  const partner = Object.keys(draft.state.batches).find((other) => {
    const known = draft.batch(other);
    return (
      other !== batch &&
      known.onTable &&
      known.lastCount !== null &&
      known.lastCount - draft.expected === -diff
    );
  });
  if (partner === undefined) return false;
  const [short, over] = diff < 0 ? [batch, partner] : [partner, batch];
  const n = Math.abs(diff);
  const where = `${n} ${n === 1 ? 'card is' : 'cards are'} probably in ${over}`;
  raise(draft, 'batch.migrated', {
    cite: POLICY_LEDGER,
    expected: `${draft.expected} cards in each batch`,
    observed: `${short} ${draft.expected - n}, ${over} ${draft.expected + n}: ${where}`,
    remedy: `Take ${short} and ${over} off the table, or sort them out and count both again`,
    by: n,
    batch: short,
    device: over,
  });
  clearWhere(
    draft,
    ({ code, batch: about }) => code === 'count.wrong' && (about === short || about === over),
    'explained by batch.migrated',
  );
  return true;
};

/** Two independent counts of the same batch are not equal. */
export const countsDisagree = (draft: Draft, batch: Batch, first: string, second: string): void => {
  raise(draft, 'count.disagree', {
    cite: POLICY_WITNESS,
    expected: 'two counts of the same cards agree',
    observed: `${first}, ${second} (${batch})`,
    remedy: 'Do not deal. Two people count the cards by hand',
    batch,
  });
};

/** Something happened to the cards that only a count can put right. */
export const requireCount = (draft: Draft, batch: Batch, why: string): void => {
  draft.noteBatch(batch, { countRequired: why });
};

/** Play is about to go on with this batch: was it counted when it had to be? False stops play. */
export const countedIfRequired = (draft: Draft, batch: Batch): boolean => {
  const why = draft.batch(batch).countRequired;
  if (why === null) return true;
  raise(draft, 'count.required', {
    cite: POLICY_REQUIRED,
    expected: `${draft.expected} cards counted before play goes on`,
    observed: why,
    remedy: `COUNT THE CARDS: machine or two people (${batch})`,
    batch,
  });
  return false;
};

/** Too many rounds or minutes since a verified count. */
export const judgeCountAge = (draft: Draft): void => {
  const { counting, atNs } = draft.state;
  const { countStaleRounds, countStaleMinutes } = draft.table.policy;
  if (openFinding(draft.state, 'count.stale') !== undefined) return;
  const minutes = Math.floor((atNs - counting.sinceNs) / MINUTE_NS);
  const late =
    (countStaleRounds !== null && counting.roundsSince > countStaleRounds) ||
    (countStaleMinutes !== null && minutes >= countStaleMinutes);
  if (!late) return;
  const limits = [
    countStaleRounds === null ? [] : [`${countStaleRounds} rounds`],
    countStaleMinutes === null ? [] : [`${countStaleMinutes} min`],
  ].flat();
  raise(draft, 'count.stale', {
    cite: POLICY_STALE,
    expected: `a verified count within ${limits.join(' or ')}`,
    observed: `${counting.roundsSince} rounds, ${minutes} min`,
    remedy: 'Count the cards at the next shuffle',
  });
};
