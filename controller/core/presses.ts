import { deckIn, deckRemoved, handCount, replace, spill } from './batches.js';
import { burnDone, burnSettled, dealerBurnMissing, dealerIn, firstCard } from './burn.js';
import { lastHandCalled } from './cover.js';
import { cutDeclined, cutMade, cutOffered, markerPlaced, recut, recutAuthority } from './cut.js';
import { acceptGap } from './devices.js';
import type { Draft } from './draft.js';
import { mayAct } from './finding-rules.js';
import { raise, stopOpen } from './findings.js';
import { acknowledge, approveReshuffler, clear, reshuffle, voidRound } from './floor.js';
import { preshuffled, shuffledByHand, washed } from './hand-shuffle.js';
import { inspected, spread } from './idle.js';
import { loaded, owed } from './load.js';
import type { Press } from './press.js';
import { PRESS_ROLE } from './press-parse.js';
import { beginRound, countsCalled, mayBegin, roundEnd } from './round.js';
import { cardsInspected, closeTable, collected, openTable } from './table-life.js';
import { misdeal, stubCount } from './stub.js';

/** A key was pressed: nothing more than that is known to have happened. */
export const onPress = (draft: Draft, press: Press): void => {
  const needs = PRESS_ROLE[press.key];
  if (!mayAct(press.role, needs)) {
    refuseRole(draft, press, needs);
    return;
  }
  act(draft, press);
};

const refuseRole = (draft: Draft, press: Press, needs: (typeof PRESS_ROLE)[Press['key']]): void => {
  if (press.key === 'recut') recutAuthority(draft);
  else {
    raise(draft, 'press.authority', {
      cite: 'policy:authority',
      expected: `\`${press.key}\` by the ${needs}`,
      observed: `pressed by the ${press.role}`,
      remedy: `Call the ${needs}`,
    });
  }
  const clause =
    press.key === 'recut'
      ? (draft.procedure.cut?.recut?.cite.clause ?? 'policy:authority')
      : 'policy:authority';
  draft.add({
    do: 'refused',
    key: press.key,
    clause,
    reason: `this takes the ${needs}`,
    needs,
  });
};

const act = (draft: Draft, press: Press): void => {
  switch (press.key) {
    case 'open-table':
      return openTable(draft);
    case 'cards-inspected':
      return cardsInspected(draft);
    case 'washed':
      return washed(draft);
    case 'shuffled':
      return shuffledByHand(draft, press);
    case 'preshuffled':
      return preshuffled(draft, press);
    case 'cut-offered':
      return cutOffered(draft, press);
    case 'cut-declined':
      return cutDeclined(draft, press);
    case 'cut':
      return cutMade(draft, press);
    case 'marker-placed':
      return markerPlaced(draft);
    case 'loaded':
      return loaded(draft, 'attested', press.batch);
    case 'first-card':
      return firstCard(draft, press);
    case 'burn-done':
      return burnDone(draft);
    case 'no-more-bets':
      return noMoreBets(draft, press.hands ?? null);
    case 'counts-called':
      return countsCalled(draft);
    case 'last-hand-called':
      return lastHandCalled(draft);
    case 'round-end':
      return roundEnd(draft);
    case 'stub-count':
      return stubCount(draft, press);
    case 'dealer-in':
      return dealerIn(draft, press);
    default:
      return actOfFloor(draft, press);
  }
};

type OfFloor = Exclude<
  Press,
  {
    key:
      | 'open-table'
      | 'cards-inspected'
      | 'washed'
      | 'shuffled'
      | 'preshuffled'
      | 'cut-offered'
      | 'cut-declined'
      | 'cut'
      | 'marker-placed'
      | 'loaded'
      | 'first-card'
      | 'burn-done'
      | 'no-more-bets'
      | 'counts-called'
      | 'last-hand-called'
      | 'round-end'
      | 'stub-count'
      | 'dealer-in';
  }
>;

/** Irregularities, and what only the floor may order. */
const actOfFloor = (draft: Draft, press: OfFloor): void => {
  switch (press.key) {
    case 'spill':
      return spill(draft);
    case 'replace':
      return replace(draft, press);
    case 'spread':
      return spread(draft);
    case 'inspected':
      return inspected(draft);
    case 'collected':
      return collected(draft);
    case 'close-table':
      return closeTable(draft);
    case 'acknowledge':
      return acknowledge(draft, press);
    case 'recut':
      return recut(draft);
    case 'reshuffle':
      return reshuffle(draft);
    case 'void-round':
      return voidRound(draft);
    case 'misdeal':
      return misdeal(draft, press);
    case 'deck-removed':
      return deckRemoved(draft, press);
    case 'deck-in':
      return deckIn(draft, press);
    case 'clear':
      return clear(draft, press);
    case 'accept-gap':
      return acceptGap(draft, press.cards);
    case 'hand-count':
      return handCount(draft, press);
    case 'approve-reshuffler':
      return approveReshuffler(draft, press);
  }
};

/**
 * The bets are closed: a round begins, unless something is owed. What is owed is raised as a
 * hold, and the phase stays where it is.
 */
const noMoreBets = (draft: Draft, hands: number | null): void => {
  const cite = draft.procedure.round.bets ?? 'policy:round';
  const { phase, round } = draft.state;
  if (phase === 'round' || phase === 'stub-due') {
    const late = round.betsClosed && (hands === null || round.hands !== null);
    if (late) draft.refuse(cite, 'a round is open: end it first');
    else draft.note('round', { betsClosed: true, hands });
    return;
  }
  if (stopOpen(draft.state)) {
    draft.refuse(cite, 'a stop is open: the floor clears it first');
    return;
  }
  switch (phase) {
    case 'ready':
      break;
    case 'burn':
      burnSettled(draft);
      draft.refuse(cite, 'the burn is not complete');
      return;
    case 'shuffle-due':
    case 'shuffling':
    case 'count-due':
    case 'cut-due':
    case 'cut-made':
    case 'marker-due':
      owed(draft);
      draft.refuse(cite, 'the stack is not ready');
      return;
    default:
      draft.refuse(cite, `not in ${phase}`);
      return;
  }
  if (draft.state.burn.dealerOwed > 0) {
    dealerBurnMissing(draft);
    draft.refuse(cite, 'the new dealer has not burned');
    return;
  }
  if (!mayBegin(draft)) {
    draft.refuse(cite, 'the cards have to be counted first');
    return;
  }
  beginRound(draft, true, hands);
};
