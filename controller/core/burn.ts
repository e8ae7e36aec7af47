import type { Rank } from './cards.js';
import type { Draft } from './draft.js';
import { clearCodes, openFinding, raise, reword } from './findings.js';
import type { Press } from './press.js';
import type { BurnRule } from './procedure.js';
import { handDealt } from './stack.js';

type ByValue = Extract<BurnRule, { kind: 'first-card-value' }>;

/** A card left the shoe in the opening burn: by definition a burn card. */
export const burnCard = (draft: Draft, rank: Rank | undefined): void => {
  const rule = draft.procedure.burn;
  if (rule === null) return;
  draft.note('burn', { done: draft.state.burn.done + 1 });
  const { done } = draft.state.burn;
  if (rule.kind === 'first-card-value') {
    if (done === 1 && rank !== undefined) setRank(draft, rule, rank, 'sensed');
    if (done > 1 && draft.state.burn.required === null) rankUnknown(draft, rule);
    overAnyway(draft, rule);
  }
  settle(draft);
};

/** Cards the floor accepts as burned while nothing watched. */
export const burnedUnseen = (draft: Draft, cards: number): void => {
  const { done, stated } = draft.state.burn;
  draft.note('burn', { done: done + cards, stated: stated + cards });
  const rule = draft.procedure.burn;
  if (rule?.kind === 'first-card-value' && draft.state.burn.required === null) {
    rankUnknown(draft, rule);
    overAnyway(draft, rule);
    return;
  }
  settle(draft);
  followShort(draft);
};

/** A card went back into the shoe during the burn. */
export const unburnCard = (draft: Draft): void => {
  draft.note('burn', { done: Math.max(0, draft.state.burn.done - 1) });
};

const setRank = (
  draft: Draft,
  rule: ByValue,
  rank: Rank,
  rankFrom: 'sensed' | 'attested',
): void => {
  draft.note('burn', { rank, rankFrom, required: 1 + rule.values[rank] });
  clearCodes(draft, ['burn.rank-unknown'], 'step done', draft.actor);
  draft.duty('burn-rank', rule.cite, {
    status: 'met',
    evidence: rankFrom,
    detail: `first card ${rank}: ${rule.values[rank]} more`,
  });
};

const rankUnknown = (draft: Draft, rule: BurnRule): void => {
  raise(draft, 'burn.rank-unknown', {
    cite: rule.cite,
    expected: 'the first card exposed: its value says how many more are burned',
    observed: 'nobody gave its rank',
    remedy: 'BURN: KEY IN THE FIRST CARD',
  });
};

/** The burn is complete, or one card too many is out: the opening burn ends either way. */
const settle = (draft: Draft): void => {
  const rule = draft.procedure.burn;
  const { done, required, stated } = draft.state.burn;
  if (rule === null || required === null || done < required) return;
  clearCodes(draft, ['burn.short', 'burn.rank-unknown']);
  draft.duty('burn', rule.cite, {
    status: done === required ? 'met' : 'not-met',
    // The whole is known no better than its worst part.
    evidence: stated > 0 ? 'attested' : 'sensed',
    detail: `${done} of ${required} cards${stated > 0 ? `, ${stated} of them stated` : ''}`,
  });
  draft.move('ready');
  if (done > required) overBurned(draft, done - required);
};

/** More cards are out than any first card asks for: too many, whatever its rank was. */
const overAnyway = (draft: Draft, rule: ByValue): void => {
  const { done, required } = draft.state.burn;
  const most = 1 + Math.max(...Object.values(rule.values));
  if (required === null && done > most) overBurned(draft, done - most);
};

const overBurned = (draft: Draft, by: number): void => {
  const rule = draft.procedure.burn;
  if (rule === null) return;
  const { required } = draft.state.burn;
  raise(draft, 'burn.over', {
    cite: rule.cite,
    expected: `${required ?? 'the burn'} cards burned, then "no more bets"`,
    observed: `${by} TOO MANY BURNED`,
    remedy: 'Call the floor. Keep the card where it is. Floor: clear, or order a reshuffle',
    by,
  });
};

/** A card after the opening burn and before the shoe's first "no more bets". */
export const cardAfterBurn = (draft: Draft): void => {
  draft.note('burn', { done: draft.state.burn.done + 1 });
  settle(draft);
};

export const firstCard = (draft: Draft, press: Extract<Press, { key: 'first-card' }>): void => {
  const rule = draft.procedure.burn;
  const { phase, shoe, burn } = draft.state;
  if (rule?.kind !== 'first-card-value') {
    draft.refuse(rule?.cite ?? 'policy:burn', 'this burn does not depend on the first card');
    return;
  }
  // Cards burned on it, or a shoe that read it, stand against another rank.
  const relied = phase === 'ready' || burn.done > 1 || burn.rankFrom === 'sensed';
  const correcting = burn.rank !== null && relied;
  if (phase !== 'burn' && !(phase === 'ready' && !shoe.played)) {
    draft.refuse(rule.cite, 'the first card is keyed during the burn');
    return;
  }
  if (press.rank === '0') {
    if (burn.rank === null) rankUnknown(draft, rule);
    draft.refuse(rule.cite, 'TEN-VALUE CARDS BURN TEN, not zero: key 10, J, Q or K');
    return;
  }
  if (press.rank === burn.rank) return;
  if (correcting && press.role === 'dealer') {
    draft.refuse(rule.cite, 'the floor corrects a rank that was read or burned on');
    return;
  }
  setRank(draft, rule, press.rank, 'attested');
  resettle(draft);
};

/** A corrected rank may re-open the burn or show that it went too far. */
const resettle = (draft: Draft): void => {
  const { done, required } = draft.state.burn;
  if (required === null) return;
  if (done < required) {
    clearCodes(draft, ['burn.over'], 'rank corrected', draft.actor);
    draft.move('burn');
    return;
  }
  if (done === required) clearCodes(draft, ['burn.over'], 'rank corrected', draft.actor);
  settle(draft);
};

/** Raises what the burn still owes; true when it owes nothing. */
export const burnSettled = (draft: Draft): boolean => {
  const rule = draft.procedure.burn;
  const { done, required } = draft.state.burn;
  if (rule === null || draft.state.phase !== 'burn') return true;
  if (required === null && done > 0) {
    rankUnknown(draft, rule);
    return false;
  }
  const due = required === null ? null : required - done;
  raise(draft, 'burn.short', {
    cite: rule.cite,
    expected: required === null ? 'the first card, and as many as its value' : `${required} cards`,
    observed: `${done} burned`,
    remedy: due === null ? 'BURN the first card and show it' : `BURN ${due} more`,
    ...(due === null ? {} : { by: due }),
  });
  return false;
};

/** Keeps an open `burn.short` in step with the cards that follow. */
export const followShort = (draft: Draft): void => {
  const { done, required } = draft.state.burn;
  if (required === null || openFinding(draft.state, 'burn.short') === undefined) return;
  reword(draft, 'burn.short', {
    observed: `${done} burned`,
    remedy: `BURN ${required - done} more`,
    by: required - done,
  });
};

export const burnDone = (draft: Draft): void => {
  const { phase, burn } = draft.state;
  if (phase === 'burn') {
    if (burnStated(draft) || burnSettled(draft)) return;
    draft.refuse(draft.procedure.burn?.cite ?? 'policy:burn', 'the burn is not complete');
    return;
  }
  if (phase !== 'ready' || burn.dealerOwed <= 0) return;
  if (handDealt(draft.table)) dealerBurned(draft, 'attested');
  else dealerBurnMissing(draft);
};

/** Dealt from the hand nothing senses a burn: the dealer's word is all there is, and said so. */
const burnStated = (draft: Draft): boolean => {
  const { done, required } = draft.state.burn;
  if (!handDealt(draft.table) || required === null) return false;
  draft.note('burn', { done: required, stated: required - done });
  settle(draft);
  return true;
};

export const dealerIn = (draft: Draft, press: Extract<Press, { key: 'dealer-in' }>): void => {
  const rule = draft.procedure.dealerBurn;
  const dealer = press.dealer ?? press.badge ?? null;
  const known = draft.state.house.dealer;
  const same = dealer !== null && dealer === known;
  draft.note('house', { dealer });
  const { phase, shoe } = draft.state;
  const dealing = shoe.isLoaded && (phase === 'ready' || phase === 'round');
  if (rule === null || same || !dealing) return;
  draft.note('burn', { dealerOwed: rule.cards });
  draft.duty('dealer-burn', rule.cite, {
    status: 'due',
    evidence: 'unseen',
    detail: dealer === null ? 'new dealer' : `new dealer ${dealer}`,
  });
};

/** A new dealer's burn card is out. Its rank is nobody's business. */
export const dealerBurnCard = (draft: Draft): void => {
  const rule = draft.procedure.dealerBurn;
  draft.note('burn', { dealerOwed: draft.state.burn.dealerOwed - 1 });
  if (rule === null || draft.state.burn.dealerOwed > 0) return;
  dealerBurned(draft, 'sensed');
};

const dealerBurned = (draft: Draft, evidence: 'sensed' | 'attested'): void => {
  const rule = draft.procedure.dealerBurn;
  if (rule === null) return;
  draft.note('burn', { dealerOwed: 0 });
  clearCodes(draft, ['burn.dealer-missing']);
  draft.duty('dealer-burn', rule.cite, { status: 'met', evidence, detail: 'burned' });
};

export const dealerBurnMissing = (draft: Draft): void => {
  const rule = draft.procedure.dealerBurn;
  if (rule === null) return;
  const n = draft.state.burn.dealerOwed;
  raise(draft, 'burn.dealer-missing', {
    cite: rule.cite,
    expected: `each new dealer burns ${rule.cards} card${rule.cards === 1 ? '' : 's'} unseen`,
    observed: 'not burned',
    remedy: `BURN ${n} card${n === 1 ? '' : 's'}, face down`,
    by: n,
  });
};
