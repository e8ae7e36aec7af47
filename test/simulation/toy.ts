/**
 * A whole shoe of minibaccarat by the letter of 627a.9 and 631a.5(d)(f): written from the text in
 * the plainest way, apart from the rules, so that the two can be held against each other.
 */
export type Toy = {
  loaded: number;
  out: number;
  /** Cards the burn takes: one and the first card's value; null until it is told. */
  burn: number | null;
  phase: 'burn' | 'between' | 'round' | 'over';
  inRound: number;
  hands: number;
  /** Hands that may still begin; null before the cover card. */
  handsLeft: number | null;
  behind: number | null;
  /** Says what was wrong, in the words of the findings. */
  wrong: string[];
};

const LEAST_BEHIND = 14;
const MOST_IN_A_HAND = 6;
const LEAST_IN_A_HAND = 4;

export const freshToy = (loaded: number): Toy => ({
  loaded,
  out: 0,
  burn: null,
  phase: 'burn',
  inRound: 0,
  hands: 0,
  handsLeft: null,
  behind: null,
  wrong: [],
});

/** Ten, jack, queen and king burn ten, an ace one. */
const burnValue = (rank: string): number => ('TJQK'.includes(rank) ? 10 : rank === 'A' ? 1 : +rank);

export const toyFirstCard = (toy: Toy, rank: string): void => {
  toy.burn = 1 + burnValue(rank);
  if (toy.out === toy.burn) toy.phase = 'between';
};

export const toyCard = (toy: Toy): void => {
  toy.out += 1;
  if (toy.phase === 'burn') {
    if (toy.burn === null && toy.out > 1) toy.wrong.push('burn.rank-unknown');
    if (toy.out === toy.burn) toy.phase = 'between';
    return;
  }
  if (toy.phase === 'over') {
    toy.wrong.push('cover.extra-round');
    return;
  }
  if (toy.phase === 'between' && toy.hands === 0) {
    toy.wrong.push('burn.over');
    return;
  }
  if (toy.phase === 'between') {
    toyBegin(toy);
    toy.wrong.push('bets.open');
  }
  toy.inRound += 1;
  if (toy.inRound === MOST_IN_A_HAND + 1) toy.wrong.push('round.overdrawn');
};

/** A hand begins: by "no more bets", or by its first card. */
export const toyBegin = (toy: Toy): void => {
  toy.phase = 'round';
  toy.inRound = 0;
  toy.hands += 1;
  if (toy.handsLeft !== null) toy.handsLeft -= 1;
};

export const toyEnd = (toy: Toy): void => {
  if (toy.inRound < LEAST_IN_A_HAND) toy.wrong.push('round.short');
  toy.phase = toy.handsLeft === 0 ? 'over' : 'between';
};

/** Put aside; the hand it belongs to is completed, then one more, while the cards suffice. */
export const toyCover = (toy: Toy): void => {
  toy.behind = toy.loaded - toy.out;
  if (toy.behind < LEAST_BEHIND) toy.wrong.push('marker.misplaced');
  const mid = toy.phase === 'round';
  const thisHand = mid ? Math.max(0, MOST_IN_A_HAND - toy.inRound) : 0;
  let hands = mid ? 1 : 2;
  while (hands > 0 && toy.behind - thisHand < hands * MOST_IN_A_HAND) hands -= 1;
  toy.handsLeft = hands;
  if (!mid && hands === 0) toy.phase = 'over';
};
