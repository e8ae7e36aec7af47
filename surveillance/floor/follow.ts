import { evolve } from '../../controller/core/evolve.js';
import type { Actor, Finding } from '../../controller/core/finding.js';
import type { TableStep } from '../../controller/core/ports.js';
import type { TableState } from '../../controller/core/state.js';
import type { FindingLife, LifeChanges, RoundLife, ShoeLife } from './store/life-store.js';

/** One table's history as it is followed row by row; saved, and taken up again after a restart. */
export interface Followed {
  readonly state: TableState;
  /** False where the rows before are not held: then the state is not known in full. */
  readonly isWhole: boolean;
  readonly shoe: ShoeLife | null;
  readonly round: RoundLife | null;
  /** Findings open now, as they stand in the store. */
  readonly open: Readonly<Record<string, FindingLife>>;
}

/** What to write down for a run of rows; the newest of each thing counts. */
export class Changes {
  readonly #findings = new Map<string, FindingLife>();
  readonly #shoes = new Map<number, ShoeLife>();
  readonly #rounds = new Map<string, RoundLife>();
  readonly #voids: LifeChanges['voids'][number][] = [];
  readonly #measures: LifeChanges['measures'][number][] = [];

  finding(life: FindingLife): void {
    this.#findings.set(life.id, life);
  }

  shoe(life: ShoeLife): void {
    this.#shoes.set(life.shoe, life);
  }

  round(life: RoundLife): void {
    this.#rounds.set(`${life.shoe}.${life.round}`, life);
  }

  voided(life: LifeChanges['voids'][number]): void {
    this.#voids.push(life);
  }

  measure(measure: LifeChanges['measures'][number]): void {
    this.#measures.push(measure);
  }

  /** Adds what a later row gave. */
  add(later: Changes): void {
    for (const life of later.#findings.values()) this.finding(life);
    for (const life of later.#shoes.values()) this.shoe(life);
    for (const life of later.#rounds.values()) this.round(life);
    this.#voids.push(...later.#voids);
    this.#measures.push(...later.#measures);
  }

  all(): LifeChanges {
    return {
      findings: [...this.#findings.values()],
      shoes: [...this.#shoes.values()],
      rounds: [...this.#rounds.values()],
      voids: this.#voids,
      measures: this.#measures,
    };
  }
}

export const actorText = ({ role, badge }: Actor): string =>
  badge === undefined ? role : `${role} ${badge}`;

const NS_PER_MS = 1e6;

const lifeOf = (finding: Finding, state: TableState, game: string | null): FindingLife => ({
  id: finding.id,
  code: finding.code,
  clause: finding.clause,
  severity: finding.severity,
  raisedSeq: finding.raisedSeq,
  raisedMs: finding.raisedWallMs,
  shoe: state.shoe.no,
  round: state.round.no,
  dealer: state.house.dealer,
  game,
  cleared: null,
  detail: {
    expected: finding.expected,
    observed: finding.observed,
    remedy: finding.remedy,
    authority: finding.authority,
    cardsAfterWarning: finding.cardsAfterWarning ?? 0,
    timeToStopMs: Math.round((finding.timeToStopNs ?? 0) / NS_PER_MS),
    acknowledgedAtTable:
      finding.acknowledged === undefined ? null : actorText(finding.acknowledged),
  },
});

type Open = Record<string, FindingLife>;

const changed = (life: FindingLife, finding: Finding): FindingLife => ({
  ...life,
  severity: finding.severity,
  detail: {
    ...life.detail,
    observed: finding.observed,
    remedy: finding.remedy,
    cardsAfterWarning: finding.cardsAfterWarning ?? life.detail.cardsAfterWarning,
    timeToStopMs:
      finding.timeToStopNs === undefined
        ? life.detail.timeToStopMs
        : Math.round(finding.timeToStopNs / NS_PER_MS),
    acknowledgedAtTable:
      finding.acknowledged === undefined
        ? life.detail.acknowledgedAtTable
        : actorText(finding.acknowledged),
  },
});

const followFindings = (
  open: Readonly<Open>,
  { observation, decisions }: TableStep,
  after: TableState,
  game: string | null,
  changes: Changes,
): Readonly<Open> => {
  let next = open;
  for (const decision of decisions) {
    if (decision.do === 'raised' || decision.do === 'changed') {
      const { finding } = decision;
      const known = next[finding.id];
      const life = known === undefined ? lifeOf(finding, after, game) : changed(known, finding);
      changes.finding(life);
      // What is only told never stands open: it is cleared as soon as it is said.
      if (finding.severity !== 'info') next = { ...next, [finding.id]: life };
      else changes.finding({ ...life, cleared: told(observation.wallMs) });
    }
    if (decision.do === 'acknowledged') {
      const known = next[decision.id];
      if (known === undefined) continue;
      const acknowledgedAtTable = actorText(decision.by);
      const life = { ...known, detail: { ...known.detail, acknowledgedAtTable } };
      changes.finding(life);
      next = { ...next, [decision.id]: life };
    }
    if (decision.do === 'cleared') {
      const { [decision.id]: known, ...others } = next;
      if (known === undefined) continue;
      const cleared = {
        atMs: observation.wallMs,
        by: actorText(decision.by),
        how: decision.how,
      };
      changes.finding({ ...known, cleared });
      const { cardsAfterWarning, timeToStopMs } = known.detail;
      if (known.severity === 'stop' && cardsAfterWarning > 0) {
        const { seq, wallMs: atMs } = observation;
        changes.measure({ seq, kind: 'time-to-stop', atMs, amount: timeToStopMs });
      }
      next = others;
    }
  }
  return next;
};

const told = (atMs: number): FindingLife['cleared'] => ({ atMs, by: 'system', how: 'told' });

const countRaised = ({ decisions }: TableStep, severity: string | null): number =>
  decisions.filter(
    (decision) =>
      decision.do === 'raised' && (severity === null || decision.finding.severity === severity),
  ).length;

/** A shoe begins when the table gives it its number. */
const followShoe = (
  shoe: ShoeLife | null,
  step: TableStep,
  after: TableState,
  changes: Changes,
): ShoeLife | null => {
  const { no, loaded, out, rounds, batch, isLoaded } = after.shoe;
  const { seq, wallMs } = step.observation;
  if (no === 0) return null;
  if (shoe !== null && shoe.shoe !== no) changes.shoe({ ...shoe, isOpen: false });
  const same = shoe?.shoe === no ? shoe : null;
  if (same !== null && !same.isOpen) return same;
  if (!isLoaded) return same === null ? null : ended(same, step, changes);
  const life: ShoeLife = {
    shoe: no,
    batch,
    loaded,
    out,
    rounds,
    findings: (same?.findings ?? 0) + countRaised(step, null),
    stops: (same?.stops ?? 0) + countRaised(step, 'stop'),
    fromSeq: same?.fromSeq ?? seq,
    toSeq: seq,
    fromMs: same?.fromMs ?? wallMs,
    toMs: wallMs,
    isOpen: true,
  };
  changes.shoe(life);
  return life;
};

/** The table empties its own figures with the shoe; the last ones are what the shoe came to. */
const ended = (shoe: ShoeLife, step: TableStep, changes: Changes): ShoeLife => {
  const { seq, wallMs } = step.observation;
  const life: ShoeLife = {
    ...shoe,
    findings: shoe.findings + countRaised(step, null),
    stops: shoe.stops + countRaised(step, 'stop'),
    toSeq: seq,
    toMs: wallMs,
    isOpen: false,
  };
  changes.shoe(life);
  return life;
};

const followRound = (
  round: RoundLife | null,
  { observation }: TableStep,
  after: TableState,
  changes: Changes,
): RoundLife | null => {
  const { no, cards } = after.round;
  const shoe = after.shoe.no;
  if (no === 0) return null;
  const same = round?.round === no && round.shoe === shoe ? round : null;
  if (same !== null && after.phase !== 'round' && same.cards === cards) return same;
  const life: RoundLife = {
    shoe,
    round: no,
    fromSeq: same?.fromSeq ?? observation.seq,
    toSeq: observation.seq,
    fromMs: same?.fromMs ?? observation.wallMs,
    cards,
    dealer: same?.dealer ?? after.house.dealer,
  };
  changes.round(life);
  return life;
};

/** What people did that ends a round without a result, or that is measured over the days. */
const followPress = (step: TableStep, before: TableState, changes: Changes): void => {
  const { observation, decisions } = step;
  if (observation.kind !== 'press' || decisions.some((one) => one.do === 'refused')) return;
  const { seq, wallMs: atMs } = observation;
  const isVoid =
    observation.key === 'void-round' || (observation.key === 'misdeal' && observation.yes);
  if (isVoid && before.round.no > 0) {
    changes.voided({
      seq,
      atMs,
      shoe: before.shoe.no,
      round: before.round.no,
      cards: before.round.cards,
      by: actorText(observation),
      findings: before.findings.map(({ id, code }) => ({ id, code })),
    });
  }
  const { cutDueNs } = before.prep;
  if (observation.key === 'cut' && cutDueNs !== null) {
    const amount = Math.max(0, Math.round((observation.atNs - cutDueNs) / NS_PER_MS));
    changes.measure({ seq, kind: 'cut-dwell', atMs, amount });
  }
};

const followCount = (step: TableStep, before: TableState, after: TableState, to: Changes): void => {
  const age = before.counting.roundsSince;
  if (age === 0 || after.counting.roundsSince !== 0) return;
  const { seq, wallMs: atMs } = step.observation;
  to.measure({ seq, kind: 'count-age', atMs, amount: age });
};

/** Takes the next row of a table. Rows come in order and without a gap. */
export const follow = (
  followed: Followed,
  step: TableStep,
  game: string | null,
  changes: Changes,
): Followed => {
  const before = followed.state;
  const state = evolve(before, step.observation, step.decisions);
  followPress(step, before, changes);
  followCount(step, before, state, changes);
  return {
    state,
    isWhole: followed.isWhole,
    shoe: followShoe(followed.shoe, step, state, changes),
    round: followRound(followed.round, step, state, changes),
    open: followFindings(followed.open, step, state, game, changes),
  };
};
