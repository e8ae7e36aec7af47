import type { Severity } from '../../controller/core/finding.js';
import type { Degraded, LinkState, TileFinding } from './api.js';

/** What a tile is weighed by. */
export interface Weighed {
  readonly link: LinkState;
  readonly findings: readonly TileFinding[];
  readonly degraded: readonly Degraded[];
  readonly lastHand: boolean;
  readonly isPlaying: boolean;
}

/** Open findings by severity; half of it once somebody in the room has acknowledged. */
const FINDING: Readonly<Record<Severity, number>> = {
  stop: 1000,
  hold: 300,
  warn: 80,
  info: 5,
};
/** A table that cannot be heard in the middle of play may hide a stop. */
const NOT_HEARD = { playing: 900, idle: 60 } as const;
const ESCALATION = 150;
const CARD_AFTER_WARNING = 20;
const CARDS_COUNTED = 20;
const DEGRADED: Readonly<Record<Degraded['kind'], number>> = {
  chain: 800,
  journal: 500,
  history: 300,
  rows: 120,
  device: 100,
  schema: 90,
  clock: 40,
};
const LAST_HAND = 10;

const findingWeight = (finding: TileFinding): number => {
  const base = FINDING[finding.severity] + finding.escalation * ESCALATION;
  const cards = Math.min(finding.cardsAfterWarning, CARDS_COUNTED) * CARD_AFTER_WARNING;
  return finding.acknowledged === null ? base + cards : base / 2 + cards;
};

/**
 * How much a table needs eyes: the sum of what is open and what is wrong with it, so that two
 * troubles count more than one. Age comes in by the escalation, not by itself: tiles do not wander.
 */
export const attentionOf = (weighed: Weighed): number => {
  const { link, findings, degraded, lastHand, isPlaying } = weighed;
  let sum = lastHand ? LAST_HAND : 0;
  for (const finding of findings) sum += findingWeight(finding);
  for (const { kind } of degraded) sum += DEGRADED[kind];
  if (link === 'silent' || link === 'offline') {
    sum += isPlaying ? NOT_HEARD.playing : NOT_HEARD.idle;
  }
  return Math.round(sum);
};
