import type { Draft } from './draft.js';
import { clearCodes, openFinding, raise, stopOpen } from './findings.js';
import type { CoverConsequence } from './procedure.js';
import { handDealt, load } from './stack.js';

/** Cards a round may take at most; null where it depends on the players. */
const mostCards = (draft: Draft): number | null => draft.procedure.round.cards.max;

const left = (draft: Draft): number | null => {
  const { shoe } = draft.state;
  return shoe.outKnown ? shoe.loaded - shoe.out : null;
};

/** A cover card came out of the mouth. */
export const coverOut = (draft: Draft): void => {
  // Like a card, it proves that the stack is in the shoe, whatever was pressed.
  if (draft.state.phase === 'load-due' && !stopOpen(draft.state) && !handDealt(draft.table)) {
    load(draft, 'sensed', 'the cover card left the shoe');
  }
  const { phase, shoe } = draft.state;
  if (!shoe.isLoaded) return;
  draft.note('shoe', { coversOut: shoe.coversOut + 1 });
  clearCodes(draft, ['cover.never-seen'], 'cover card seen');
  if (isBottom(draft)) {
    exhausted(draft);
    return;
  }
  if (phase === 'burn') {
    inBurn(draft);
    return;
  }
  judgeMarker(draft);
  if (phase === 'round') inRound(draft);
  else if (phase === 'ready') betweenRounds(draft);
};

/** The marker is the first to come out where one is placed; the next lies at the bottom. */
const isBottom = (draft: Draft): boolean => {
  const { marker, cover } = draft.procedure;
  const before = draft.state.shoe.coversOut - 1;
  return before >= 1 || (marker === null && cover === null);
};

const exhausted = (draft: Draft): void => {
  const { marker, cut, cover } = draft.procedure;
  raise(draft, 'cover.exhausted', {
    cite: marker?.cite ?? cut?.depthCite ?? cover?.cite ?? 'policy:cover-card',
    expected: 'the shoe ends before its bottom cover card',
    observed: 'the BOTTOM COVER CARD came out: no cards are left',
    remedy: 'Call the floor. Collect and reshuffle',
  });
};

/** Were enough cards behind the marker? Unknown counts are not judged. */
const judgeMarker = (draft: Draft): void => {
  const rule = draft.procedure.marker;
  const behind = left(draft);
  draft.note('shoe', { behind });
  if (rule === null || behind === null) return;
  const least = rule.minBehind ?? 0;
  const enough = behind >= least;
  draft.duty('marker', rule.cite, {
    status: enough ? 'met' : 'not-met',
    evidence: 'sensed',
    detail: `${behind} cards behind it`,
  });
  if (enough) return;
  raise(draft, 'marker.misplaced', {
    cite: rule.cite,
    expected: `at least ${least} cards behind the cover card`,
    observed: `${behind} cards behind it`,
    remedy: 'Call the floor. Last hand at once if the cards could run out',
    by: least - behind,
  });
};

const inBurn = (draft: Draft): void => {
  const cite = draft.procedure.marker?.cite ?? draft.procedure.cover?.cite ?? 'policy:cover-card';
  raise(draft, 'marker.in-burn', {
    cite,
    expected: 'the cover card near the bottom of the stack',
    observed: 'the COVER CARD came out in the burn',
    remedy: 'Call the floor. Collect, shuffle and place the cover card again',
  });
};

/** Seen in a round: the round is finished, then as many more as the game allows. */
const inRound = (draft: Draft): void => {
  const rule = draft.procedure.cover;
  draft.note('round', { coverSeen: true });
  if (rule === null) return;
  const most = mostCards(draft);
  const behind = left(draft);
  let rounds = rule.mid.roundsAfter;
  if (most !== null && behind !== null) {
    const afterThis = behind - Math.max(0, most - draft.state.round.cards);
    while (rounds > 0 && afterThis < rounds * most) rounds -= 1;
  }
  draft.note('cover', { roundsLeft: rounds });
  if (rounds === 0 && rule.mid.roundsAfter > 0) announceLast(draft, true);
};

/** Seen between rounds: it belongs to the round that begins next. */
const betweenRounds = (draft: Draft): void => {
  const rule = draft.procedure.cover;
  if (rule === null) return;
  if (rule.first.shuffleNow) {
    draft.note('cover', { roundsLeft: 0 });
    draft.move('reshuffle-due');
    return;
  }
  const rounds = roundsThatFit(draft, rule.first);
  draft.note('cover', { roundsLeft: rounds, waiting: true });
  if (rounds === 0) draft.move('reshuffle-due');
  else if (rounds === 1 && rule.first.roundsAfter > 0) announceLast(draft, false);
};

/** The cover round and those after it, fewer where the cards behind could run out. */
const roundsThatFit = (draft: Draft, rule: CoverConsequence): number => {
  const most = mostCards(draft);
  const behind = left(draft);
  let rounds = 1 + rule.roundsAfter;
  if (most === null || behind === null) return rounds;
  while (rounds > 0 && behind < rounds * most) rounds -= 1;
  return rounds;
};

const announceLast = (draft: Draft, inLastHand: boolean): void => {
  draft.note('cover', { lastHandDue: !inLastHand, inLastHand });
  draft.direct({ to: 'announce', text: 'last hand' });
};

/** A round begins: the cover card's rounds are used up one by one. */
export const coverAtRoundStart = (draft: Draft): void => {
  const { cover } = draft.state;
  const rule = draft.procedure.cover;
  if (cover.roundsLeft === null || rule === null) return;
  const waiting = cover.waiting;
  draft.note('cover', {
    roundsLeft: Math.max(0, cover.roundsLeft - 1),
    waiting: false,
    lastHandDue: false,
    inLastHand: cover.lastHandDue,
  });
  if (waiting) draft.note('round', { coverSeen: true });
  const announce = rule.mid.announce || rule.first.announce;
  if (cover.lastHandDue && announce && !cover.lastHandCalled) {
    raise(draft, 'cover.last-hand-not-called', {
      cite: rule.cite,
      expected: '"last hand" announced before it begins',
      observed: 'the last hand began unannounced',
      remedy: 'Announce the last hand now',
    });
  }
};

/** A round is over: true when no further round may begin in this shoe. */
export const shoeOver = (draft: Draft): boolean => {
  const { cover } = draft.state;
  const rule = draft.procedure.cover;
  if (cover.roundsLeft === null || rule === null) return false;
  if (cover.roundsLeft === 0) return true;
  if (cover.roundsLeft === 1 && (rule.mid.announce || rule.first.announce)) {
    announceLast(draft, false);
  }
  return false;
};

export const lastHandCalled = (draft: Draft): void => {
  const rule = draft.procedure.cover;
  const { lastHandDue, inLastHand } = draft.state.cover;
  if (rule === null || !(lastHandDue || inLastHand)) {
    draft.refuse(rule?.cite ?? 'policy:cover-card', 'this is not the last hand yet');
    return;
  }
  draft.note('cover', { lastHandCalled: true });
  draft.duty('last-hand', rule.cite, {
    status: 'met',
    evidence: 'attested',
    detail: 'announced',
  });
};

/** A card left the shoe after the last permitted round. */
export const extraRound = (draft: Draft): void => {
  const rule = draft.procedure.cover;
  const open = openFinding(draft.state, 'cover.extra-round');
  if (rule === null || open !== undefined) return;
  raise(draft, 'cover.extra-round', {
    cite: rule.cite,
    expected: 'the cards are reshuffled after the last hand',
    observed: 'a card was drawn for a further round',
    remedy: 'THE SHOE IS OVER. Collect and reshuffle',
  });
};

/** So few cards are left that the cover card must have been missed. */
export const judgeNeverSeen = (draft: Draft): void => {
  const { marker } = draft.procedure;
  const { shoe } = draft.state;
  if (marker?.minBehind == null || shoe.coversOut > 0 || !shoe.outKnown) return;
  const remaining = shoe.loaded - shoe.out;
  if (remaining >= marker.minBehind) return;
  if (openFinding(draft.state, 'cover.never-seen') !== undefined) return;
  raise(draft, 'cover.never-seen', {
    cite: marker.cite,
    expected: `the cover card before the last ${marker.minBehind} cards`,
    observed: `${remaining} cards left and no cover card`,
    remedy: 'Call the floor. Finish this hand, then collect and reshuffle',
  });
};
