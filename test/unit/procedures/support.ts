import { createHash } from 'node:crypto';
import { type CompiledPack, compilePack } from '../../../controller/procedures/compile.js';
import { PackError, type Problem } from '../../../controller/procedures/problem.js';
import type { Choices } from '../../../controller/procedures/resolve.js';

export const sha256 = (text: string): string =>
  createHash('sha256').update(text, 'utf8').digest('hex');

/** Burn values of 631a.5(f). */
export const VALUES =
  '{ A: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 7, 8: 8, 9: 9, T: 10, J: 10, Q: 10, K: 10 }';

/** A whole, sound pack: baccarat-like, every block there, short. */
export const SOUND = `pack: 1
id: test/sound
title: Sound
jurisdiction: Nowhere
version: 1.2.3
maxSeats: 7
sources:
  law: the text of the law
deck:
  clause: "1.3"
  verified: true
  source: law
  composition: standard
  decks: { min: 1, max: 8 }
  batches: { count: 2, alternate: false }
  maxAge: { hours: 24, handHours: 4 }
dealing: { value: [shoe, hand, auto-shoe], clause: "1.4" }
autoShoe: { stack: 5, clause: "1.4" }
shuffle:
  clause: "1.5(a)"
  when: shoe-end
  sources: [hand, machine, preshuffled]
  wash: true
  eachDealer: true
count: { onWrong: recount, clause: policy:shuffler-count }
cut:
  clause: "1.5(b)"
  cutter: players
  requiredAfter: [hand, machine, preshuffled]
  minFromTop: { value: 10, clause: "1.5(c)" }
  minFromBottom: 10
  coverToBottom: true
  recut: { authority: floor, until: load, by: next-entitled, clause: "1.5(e)" }
marker:
  clause: "1.5(d)"
  minBehind: 14
  share: { min: 0.1, max: 0.5 }
  bottomCover: true
burn:
  clause: "1.5(f)"
  kind: first-card-value
  values: ${VALUES}
  to: bucket
dealerBurn: { cards: 1, secret: true, clause: "1.6" }
deadGameBurn: { cards: 1, secret: false, clause: "1.6" }
cover:
  clause: "1.9(e)"
  first: { roundsAfter: 1, announce: true }
  mid: { roundsAfter: 1, announce: true }
round:
  clause: "1.9(d)"
  noMoreBets: { value: true, clause: "1.8" }
  cards: { min: 4, max: 6 }
  faceUp: true
  countsCalled: { after: 4, clause: "1.9(a)" }
  tableau:
    clause: "1.9(b)"
    kind: baccarat
    order: { value: player-first, clause: "1.9(c)" }
stub:
  clause: "1.9(g)"
  everyRounds: 5
  dealing: [hand]
  perHand: 2
  dealerHand: true
  community: 5
  burns: 0
  exemptIfCounting: true
  onGood: { value: to-rack, clause: "1.9(h)" }
  onWrong: { value: misdeal-tree, clause: "1.9(i)" }
handDealing: { needsMachineShuffle: true, clause: "1.9(a)(1)" }
idle: { minutes: 10, inspectors: 2, clause: "1.5(h)" }
exemption: { lifts: [cut, count, idle, stub], clause: "1.5(g)" }
unseen:
  - { duty: same-hand, text: The deck stays in one hand, clause: "1.9(a)(2)" }
options:
  idleMinutes: { asks: Minutes without play, clause: "1.5(h)", sets: idle.minutes, min: 1, max: 60 }
  lie:
    asks: How the cards lie
    clause: "1.8"
    default: face-up
    choices:
      face-up: { says: Face up }
      face-down:
        says: Face down
        clause: "1.8(2)"
        verified: true
        source: law
        set: { round: { faceUp: false, tableau: none } }
`;

/** Replaces a passage that must be there exactly once. */
export const edited = (text: string, was: string, is: string): string => {
  const parts = text.split(was);
  if (parts.length !== 2) throw new Error(`"${was}" is there ${parts.length - 1} times`);
  return parts.join(is);
};

export interface Compiling {
  readonly packs?: Readonly<Record<string, string>>;
  readonly choose?: Choices;
}

export const compiled = (text: string, { packs = {}, choose }: Compiling = {}): CompiledPack =>
  compilePack(text, {
    file: 'own.yaml',
    sha256,
    resolve: (id) => (packs[id] === undefined ? null : { file: `${id}.yaml`, text: packs[id] }),
    ...(choose === undefined ? {} : { choose }),
  });

/** What is wrong with a pack; empty when it compiles. */
export const problemsOf = (text: string, options: Compiling = {}): readonly Problem[] => {
  try {
    compiled(text, options);
    return [];
  } catch (error) {
    if (error instanceof PackError) return error.problems;
    throw error;
  }
};

/** Line of a passage in a text, from 1. */
export const lineOf = (text: string, passage: string): number =>
  text.slice(0, text.indexOf(passage)).split('\n').length;
