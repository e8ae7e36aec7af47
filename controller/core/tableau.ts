import type { Rank } from './cards.js';
import type { Face } from './state.js';

/** Point value in baccarat: NOT the burn value (a ten scores nothing and burns ten). */
export const POINTS: Readonly<Record<Rank, number>> = {
  A: 1,
  '2': 2,
  '3': 3,
  '4': 4,
  '5': 5,
  '6': 6,
  '7': 7,
  '8': 8,
  '9': 9,
  T: 0,
  J: 0,
  Q: 0,
  K: 0,
};

/** The banker's two-card total draws against these player third cards (point values). */
const BANKER_DRAWS: readonly (readonly number[])[] = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  [0, 1, 2, 3, 4, 5, 6, 7, 9],
  [2, 3, 4, 5, 6, 7],
  [4, 5, 6, 7],
  [6, 7],
  [],
];

const points = (face: Face | undefined): number | null =>
  face?.rank == null ? null : POINTS[face.rank];

const total = (a: Face | undefined, b: Face | undefined): number | null => {
  const [x, y] = [points(a), points(b)];
  return x === null || y === null ? null : (x + y) % 10;
};

/** What the tableau asks after the first four cards; null where an unread card leaves it open. */
export interface Tableau {
  readonly player: number;
  readonly banker: number;
  readonly playerDraws: boolean;
  /** Null while it depends on a third card that was not dealt or not read. */
  readonly bankerDraws: boolean | null;
  /** Cards the round takes; null while not known. */
  readonly cards: number | null;
}

/**
 * The drawing rule of baccarat. Cards 1 and 3 are the player's, 2 and 4 the banker's; a third
 * card goes to the player first. Source: 58 Pa. Code 631a.11 (table), 627a.9(b)(c).
 */
export const tableauOf = (faces: readonly Face[]): Tableau | null => {
  const player = total(faces[0], faces[2]);
  const banker = total(faces[1], faces[3]);
  if (player === null || banker === null) return null;
  if (player >= 8 || banker >= 8) {
    return { player, banker, playerDraws: false, bankerDraws: false, cards: 4 };
  }
  if (player >= 6) {
    const draws = banker <= 5;
    return { player, banker, playerDraws: false, bankerDraws: draws, cards: draws ? 5 : 4 };
  }
  const third = points(faces[4]);
  if (third === null) return { player, banker, playerDraws: true, bankerDraws: null, cards: null };
  const draws = BANKER_DRAWS[banker]?.includes(third) ?? false;
  return { player, banker, playerDraws: true, bankerDraws: draws, cards: draws ? 6 : 5 };
};
