import type { Rank, Suit } from './cards.js';
import { countedIfRequired, judgeCountAge } from './count.js';
import { coverAtRoundStart, judgeNeverSeen, shoeOver } from './cover.js';
import type { Draft } from './draft.js';
import { clearLifespan, openFinding, raise } from './findings.js';
import { freshRound } from './state.js';
import { startStack } from './stack.js';
import { stubOwed } from './stub.js';
import { type Tableau, tableauOf } from './tableau.js';

/** Opens the next round. A card that opens it came before the bets were closed. */
export const beginRound = (draft: Draft, betsClosed: boolean, hands: number | null): void => {
  const { round, shoe, counting } = draft.state;
  draft.note('round', { ...freshRound, no: round.no + 1, betsClosed, hands });
  draft.note('shoe', { rounds: shoe.rounds + 1, played: true });
  draft.note('counting', { roundsSince: counting.roundsSince + 1, stub: null });
  draft.move('round');
  coverAtRoundStart(draft);
  judgeCountAge(draft);
};

/** A card drawn for a round before "no more bets": it opens the round all the same. */
export const cardBeforeBets = (draft: Draft): void => {
  const { bets } = draft.procedure.round;
  beginRound(draft, false, null);
  mayBegin(draft);
  if (bets === null) return;
  raise(draft, 'bets.open', {
    cite: bets,
    expected: '"no more bets" before the first card',
    observed: 'a card was drawn with the bets open',
    remedy: 'Announce "no more bets"',
  });
};

/** A card left the shoe in an open round. */
export const roundCard = (draft: Draft, rank: Rank | undefined, suit: Suit | undefined): void => {
  const { round } = draft.procedure;
  const before = draft.state.round;
  const cards = before.cards + 1;
  if (round.tableau === null || draft.table.reader === 'none') {
    draft.note('round', { cards });
  } else {
    const face = { rank: rank ?? null, suit: suit ?? null };
    draft.note('round', { cards, faces: [...before.faces, face] });
  }
  if (round.countsCalled !== null && cards > round.countsCalled.after && !before.countsCalled) {
    countsNotCalled(draft);
  }
  if (!judgeOverdrawn(draft) && round.tableau !== null && draft.table.reader !== 'none') {
    judgeTableau(draft, round.tableau.cite.clause);
  }
  if (draft.state.shoe.loaded - draft.state.shoe.out < NEAR_END_CARDS) judgeNeverSeen(draft);
};

/** Below this many cards the end of the shoe is looked at; no marker lies deeper than a deck. */
const NEAR_END_CARDS = 60;

/** A card went back into the shoe during a round. */
export const roundCardBack = (draft: Draft): void => {
  const { cards, faces } = draft.state.round;
  draft.note('round', { cards: Math.max(0, cards - 1), faces: faces.slice(0, -1) });
};

const countsNotCalled = (draft: Draft): void => {
  const rule = draft.procedure.round.countsCalled;
  if (rule === null || openFinding(draft.state, 'counts.not-called') !== undefined) return;
  raise(draft, 'counts.not-called', {
    cite: rule.cite,
    expected: `both point counts called after ${rule.after} cards`,
    observed: 'a third card was drawn first',
    remedy: 'Call the point counts',
  });
};

/** More cards than the game allows are out, seen or stated by the floor? Says so, and true. */
export const judgeOverdrawn = (draft: Draft): boolean => {
  const { round } = draft.procedure;
  const { cards } = draft.state.round;
  const { max } = round.cards;
  if (max === null || cards <= max) return false;
  raise(draft, 'round.overdrawn', {
    cite: round.cards.cite,
    expected: `at most ${max} cards in a round`,
    observed: `${cards} CARDS in this round`,
    remedy: 'Call the floor. Keep the card where it is. Floor: void-round, or rule and clear',
    by: cards - max,
  });
  return true;
};

/** The latest card against the tableau, where every card it depends on was read. */
const judgeTableau = (draft: Draft, clause: string): void => {
  const { faces, cards } = draft.state.round;
  if (cards <= 4) return;
  const tableau = tableauOf(faces);
  if (tableau === null) return;
  const wrong = drawnAgainst(tableau, cards);
  if (wrong === null) return;
  raise(draft, 'draw.third-card', {
    cite: clause,
    expected: wrong,
    observed: `card ${cards} was drawn (player ${tableau.player}, banker ${tableau.banker})`,
    remedy: 'Call the floor. Keep the card where it is. Floor: void-round, or rule and clear',
  });
};

const drawnAgainst = (tableau: Tableau, cards: number): string | null => {
  const drawers = (tableau.playerDraws ? 1 : 0) + (tableau.bankerDraws === true ? 1 : 0);
  if (cards === 5 && !tableau.playerDraws && tableau.bankerDraws === false) {
    return 'both hands stand: no third card';
  }
  if (cards === 6 && tableau.bankerDraws !== null && drawers < 2) {
    return tableau.playerDraws ? 'the banker stands' : 'the player stands';
  }
  return null;
};

export const countsCalled = (draft: Draft): void => {
  const rule = draft.procedure.round.countsCalled;
  if (rule === null || draft.state.phase !== 'round') {
    draft.refuse(rule?.cite ?? 'policy:round', 'there is no round whose counts could be called');
    return;
  }
  const { round, shoe } = draft.state;
  if (shoe.outKnown && round.cards < rule.after) {
    draft.refuse(rule.cite, `the counts are called after ${rule.after} cards, ${round.cards} out`);
    return;
  }
  draft.note('round', { countsCalled: true });
};

/** The dealer says that the round is over. */
export const roundEnd = (draft: Draft): void => {
  const { phase } = draft.state;
  if (phase !== 'round' && phase !== 'stub-due') {
    draft.refuse('policy:round', 'no round is open');
    return;
  }
  if (stubOwed(draft)) return;
  judgeShort(draft);
  closeRound(draft, 'round over');
};

const judgeShort = (draft: Draft): void => {
  const { round } = draft.procedure;
  const { cards, faces } = draft.state.round;
  if (draft.table.dealing === 'hand' || !draft.state.shoe.outKnown) return;
  // A round without a single card is a shoe that is not being counted.
  const least = round.cards.min ?? 1;
  if (cards < least) {
    raise(draft, 'round.short', {
      cite: round.cards.cite,
      expected: `at least ${least} card${least === 1 ? '' : 's'} in a round`,
      observed: `${cards} cards`,
      remedy:
        cards === 0
          ? 'Call the floor: pressed before a card came out, or the shoe does not count'
          : 'Call the floor: pressed too early, or a card was not counted',
      by: least - cards,
    });
    return;
  }
  const tableau = round.tableau === null ? null : tableauOf(faces);
  if (round.tableau === null || tableau === null) return;
  // A player's third card that was never dealt leaves the banker's open, but is missing itself.
  const due = tableau.cards ?? (tableau.playerDraws ? 5 : 0);
  if (cards >= due) return;
  const exactly = tableau.cards === null ? 'at least ' : '';
  raise(draft, 'draw.third-card', {
    cite: round.tableau.cite,
    expected: `${exactly}${due} cards (player ${tableau.player}, banker ${tableau.banker})`,
    observed: `the round ended with ${cards}`,
    remedy: 'Call the floor before the wagers are settled',
    by: due - cards,
  });
};

/** Ends the round, whatever came of it, and says what the table does next. */
export const closeRound = (draft: Draft, how: string): void => {
  clearLifespan(draft, 'round', how);
  if (draft.procedure.shuffle.when === 'each-round') {
    startStack(draft);
    return;
  }
  draft.move(shoeOver(draft) ? 'reshuffle-due' : 'ready');
};

/** Is anything in the way of a new round? Raises it and says false. */
export const mayBegin = (draft: Draft): boolean =>
  countedIfRequired(draft, draft.state.shoe.batch ?? draft.state.prep.batch);
