import type { Role } from './cards.js';
import type { FindingCode, Lifespan, Severity } from './finding.js';

interface FindingRule {
  readonly severity: Severity;
  readonly lifespan: Lifespan;
  /** Lowest role that may clear it. */
  readonly authority: Role;
  /** Each occurrence is a finding of its own even while one stands open. */
  readonly each?: true;
}

const stop = (lifespan: Lifespan): FindingRule => ({
  severity: 'stop',
  lifespan,
  authority: 'floor',
});
const hold: FindingRule = { severity: 'hold', lifespan: 'step', authority: 'dealer' };
const warn = (lifespan: Lifespan, authority: Role = 'dealer'): FindingRule => ({
  severity: 'warn',
  lifespan,
  authority,
});
const info: FindingRule = {
  severity: 'info',
  lifespan: 'person',
  authority: 'dealer',
  each: true,
};

/** Severity, life and authority of each finding. Source: docs/CONTRACT.md, "Findings". */
export const FINDING_RULES: Readonly<Record<FindingCode, FindingRule>> = {
  'shuffle.missing': stop('shoe'),
  'shuffle.dealer-missing': hold,
  'shuffle.mode': stop('batch'),
  'count.wrong': stop('batch'),
  'count.required': stop('batch'),
  'count.stale': warn('shoe'),
  'count.disagree': stop('batch'),
  'batch.migrated': stop('batch'),
  'batch.foreign-back': stop('shoe'),
  'batch.same': warn('shoe'),
  'deck.aged': warn('batch'),
  'cut.missing': hold,
  'cut.order': hold,
  'cut.shallow': hold,
  'recut.window': { ...warn('shoe'), each: true },
  'recut.authority': { ...warn('shoe'), each: true },
  'recut.same-person': { ...warn('shoe'), each: true },
  'marker.missing': hold,
  'marker.misplaced': warn('shoe'),
  'marker.in-burn': stop('shoe'),
  'burn.rank-unknown': hold,
  'burn.short': hold,
  'burn.over': stop('shoe'),
  'burn.dealer-missing': hold,
  'bets.open': warn('round'),
  'round.overdrawn': stop('round'),
  'round.short': warn('shoe'),
  'draw.third-card': stop('round'),
  'counts.not-called': warn('round'),
  'cover.extra-round': stop('shoe'),
  'cover.last-hand-not-called': warn('shoe'),
  'cover.early-shuffle': warn('shoe'),
  'cover.exhausted': stop('shoe'),
  'cover.never-seen': warn('shoe'),
  'card.back': stop('shoe'),
  'card.double': warn('shoe'),
  'card.locked': info,
  'card.jam': warn('condition'),
  'stub.overdue': hold,
  'stub.wrong': stop('batch'),
  'hand.manual-shuffle': stop('shoe'),
  'exemption.lapsed': warn('shoe'),
  'idle.spread-due': warn('step'),
  'gap.unwatched': stop('shoe'),
  'sensor.fault': stop('condition'),
  'shuffler.lost': warn('condition'),
  'tamper.lid': warn('person'),
  'clock.untrusted': warn('condition'),
  'journal.fault': stop('condition'),
  'dwell.cut': info,
  'dwell.load': info,
  'press.authority': info,
  'replace.mismatch': stop('batch'),
};

/** The roles whose presses count as the floor's. */
const FLOOR: readonly Role[] = ['floor'];

/** Whether `role` may do what `needed` asks for. Surveillance watches; it does not act. */
export const mayAct = (role: Role, needed: Role): boolean =>
  needed === 'dealer' || role === needed || (needed !== 'surveillance' && FLOOR.includes(role));
