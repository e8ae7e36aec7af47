import type { Evidence } from '../core/duty.js';
import type { Cite } from '../core/procedure.js';

/** One rule in plain words, with how far its keeping can be known. */
export interface Statement {
  /** Steady name, for comparing packs: `cut.depth`, `burn`, `cover.mid`. */
  readonly about: string;
  readonly clause: string;
  readonly verified: boolean;
  readonly text: string;
  /** The best grade a table can reach, and what it takes. */
  readonly evidence: Evidence;
  readonly how: string;
}

export interface Grade {
  readonly evidence: Evidence;
  readonly how: string;
}

export const say = (about: string, cite: Cite, text: string, grade: Grade): Statement => ({
  about,
  clause: cite.clause,
  verified: cite.verified,
  text,
  ...grade,
});

const sensed = (how: string): Grade => ({ evidence: 'sensed', how });
const attested = (how: string): Grade => ({ evidence: 'attested', how });

/** How far each kind of duty can be known: docs/CONTRACT.md, `evidence`. */
export const GRADES = {
  count: sensed('a counting shuffler gives the number; without one, a hand count by two people'),
  age: attested('the floor presses deck-in; the time since then is measured'),
  alternate: sensed('the shuffler names the batch, or a colour sensor sees the backs'),
  dealing: sensed('each card leaving the mouth of a shoe; nothing sees hand dealing'),
  handShuffle: attested('a press by each dealer; no sensor sees a hand shuffle'),
  machineShuffle: sensed('the shuffler reports a completed shuffle'),
  shuffleChoice: sensed('a machine reports its shuffle; a hand shuffle is only attested'),
  wash: attested('a press'),
  cutOrder: attested('the dealer presses who cut'),
  cutDepth: attested('the dealer keys the depth; where he does not, nobody can tell'),
  cutRequired: attested('the dealer presses cut; loading without it is seen'),
  recut: attested('the floor presses recut; the end of the window is sensed at the shoe'),
  marker: sensed('attested when it is put in; counted when it comes out of the shoe'),
  bottomCover: sensed('the cover card is seen when it comes out'),
  burn: sensed('each card leaving the shoe is counted'),
  burnValue: sensed('cards are counted; the first rank is read by a reading shoe or keyed in'),
  dealerBurn: sensed('the card is counted; that a dealer came is attested'),
  secret: sensed('the rank is dropped before anything is shown, kept or sent'),
  cover: sensed('the cover card is seen at the mouth, rounds by press and card'),
  announce: attested('the dealer presses last-hand-called'),
  bets: attested('the dealer presses no-more-bets; a card before it is sensed'),
  cards: sensed('each card leaving the shoe is counted'),
  calls: attested('the dealer presses counts-called'),
  tableau: sensed('only with a reading shoe; without one nobody can tell'),
  faces: sensed('only with a reading shoe'),
  stub: attested('the dealer keys the number counted'),
  handNeeds: sensed('the shuffler reports a completed shuffle'),
  idle: attested('the time without play is measured; the spread is pressed'),
  exemption: attested('the floor approves the device; a change of its identity is sensed'),
  none: { evidence: 'unseen', how: 'no device can see it; surveillance only' },
} as const satisfies Record<string, Grade>;
