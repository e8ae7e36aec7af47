import type { PlayedBefore } from './evidence.js';
import { PlayFollower } from './play.js';
import type { EvidenceSource } from './reader.js';
import { walkSteps } from './walk.js';

/** Rows looked at first, and at most: a day of a busy table. */
const FIRST_LOOK = 2000;
const MAX_LOOK = 128_000;
const FACTOR = 4;

/**
 * What was played before row `fromSeq`: shoe, last proved count, rounds since. Looks back in
 * growing steps until both are known, and says how far it looked.
 */
export const playedBefore = (reader: EvidenceSource, fromSeq: number): PlayedBefore => {
  const first = reader.firstSeq();
  for (let rows = FIRST_LOOK; ; rows *= FACTOR) {
    const lookedFrom = Math.max(first, fromSeq - rows);
    const play = new PlayFollower();
    for (const { step } of walkSteps(reader, lookedFrom, fromSeq - 1)) play.follow(step);
    const { shoe, countSeq } = play;
    const isKnown = shoe !== null && countSeq > 0;
    if (!isKnown && lookedFrom > first && rows < MAX_LOOK) continue;
    return { shoe, countSeq, lookedFrom, rounds: play.roundsSinceCount().length };
  }
};
