import type { Role } from './cards.js';
import type { Batch } from './observation.js';

/** `stop`: no card may leave · `hold`: a step is missing · `warn` · `info` (told, never open). */
export const SEVERITIES = ['stop', 'hold', 'warn', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

export const FINDING_CODES = [
  'shuffle.missing',
  'shuffle.dealer-missing',
  'shuffle.mode',
  'count.wrong',
  'count.required',
  'count.stale',
  'count.disagree',
  'batch.migrated',
  'batch.foreign-back',
  'batch.same',
  'deck.aged',
  'cut.missing',
  'cut.order',
  'cut.shallow',
  'recut.window',
  'recut.authority',
  'recut.same-person',
  'marker.missing',
  'marker.misplaced',
  'marker.in-burn',
  'burn.rank-unknown',
  'burn.short',
  'burn.over',
  'burn.dealer-missing',
  'bets.open',
  'round.overdrawn',
  'round.short',
  'draw.third-card',
  'counts.not-called',
  'cover.extra-round',
  'cover.last-hand-not-called',
  'cover.early-shuffle',
  'cover.exhausted',
  'cover.never-seen',
  'card.back',
  'card.double',
  'card.locked',
  'card.jam',
  'stub.overdue',
  'stub.wrong',
  'hand.manual-shuffle',
  'exemption.lapsed',
  'idle.spread-due',
  'gap.unwatched',
  'sensor.fault',
  'shuffler.lost',
  'tamper.lid',
  'clock.untrusted',
  'journal.fault',
  'dwell.cut',
  'dwell.load',
  'press.authority',
  'replace.mismatch',
] as const;
export type FindingCode = (typeof FINDING_CODES)[number];

/**
 * How long a finding that nobody clears stays open.
 * `step`: until the missing step is done · `round`: ends with the round · `shoe`: ends when the
 * next stack is shuffled · `batch`: ends when the batch leaves the table · `condition`: ends with
 * what caused it (a link, a clock) · `person`: only a person ends it.
 */
export type Lifespan = 'step' | 'round' | 'shoe' | 'batch' | 'condition' | 'person';

/** A departure from a clause. `id` is `<seq of the raising row>.<n>`. */
export interface Finding {
  readonly id: string;
  readonly code: FindingCode;
  /** The paragraph as printed in the Code (`631a.5(f)`), or `policy:<name>`. */
  readonly clause: string;
  readonly severity: Severity;
  readonly lifespan: Lifespan;
  /** What the clause asks for and what was seen, in plain words with numbers. */
  readonly expected: string;
  readonly observed: string;
  /** What puts it right, as an instruction to the person at the table. */
  readonly remedy: string;
  /** Lowest role that may clear it. */
  readonly authority: Role;
  /** How many cards, rounds or people it is out by, where that is a number. */
  readonly by?: number;
  readonly batch?: Batch;
  readonly device?: string;
  readonly raisedSeq: number;
  readonly raisedNs: number;
  readonly raisedWallMs: number;
  readonly acknowledged?: Actor;
  /** Stops only: cards out while this stop was open, and ns from the stop to the last of them. */
  readonly cardsAfterWarning?: number;
  readonly timeToStopNs?: number;
  /** 0 dealer, 1 floor, 2 surveillance and shift: how loud it has grown while ignored. */
  readonly level?: number;
  /** How often the same thing was found again while this one stood open. */
  readonly repeats?: number;
}

export interface Actor {
  readonly role: Role | 'system';
  readonly badge?: string;
}
