import type { Actor, Finding } from '../core/finding.js';
import type { TableStep } from '../core/ports.js';
import type { TableState } from '../core/state.js';

/** Findings kept one by one; beyond it they are only counted. */
const FINDINGS_MAX = 10_000;

/** One finding's life in a run. */
export interface FindingLife {
  readonly id: string;
  readonly code: string;
  readonly clause: string;
  readonly severity: string;
  readonly expected: string;
  readonly observed: string;
  readonly remedy: string;
  readonly authority: string;
  readonly by: number | null;
  readonly raisedSeq: number;
  readonly raisedNs: number;
  readonly cardsAfterWarning: number | null;
  readonly timeToStopNs: number | null;
  readonly cleared: {
    readonly seq: number;
    readonly atNs: number;
    readonly by: Actor;
    readonly how: string;
  } | null;
}

/** What a run comes to. Depends on the observations alone: the same trace gives the same bytes. */
export interface RunSummary {
  readonly procedure: string;
  readonly rows: number;
  readonly cards: number;
  readonly rounds: number;
  readonly shoes: number;
  readonly phase: string;
  readonly open: readonly string[];
  readonly raised: Readonly<Record<string, number>>;
  readonly refused: number;
  readonly findings: readonly FindingLife[];
  readonly notListed: number;
}

const lifeOf = (finding: Finding, cleared: FindingLife['cleared']): FindingLife => ({
  id: finding.id,
  code: finding.code,
  clause: finding.clause,
  severity: finding.severity,
  expected: finding.expected,
  observed: finding.observed,
  remedy: finding.remedy,
  authority: finding.authority,
  by: finding.by ?? null,
  raisedSeq: finding.raisedSeq,
  raisedNs: finding.raisedNs,
  cardsAfterWarning: finding.cardsAfterWarning ?? null,
  timeToStopNs: finding.timeToStopNs ?? null,
  cleared,
});

/** Adds up a run, step by step. */
export class RunTally {
  readonly #lives = new Map<string, FindingLife>();
  readonly #raised = new Map<string, number>();
  #rows = 0;
  #cards = 0;
  #rounds = 0;
  #refused = 0;
  #notListed = 0;

  add({ observation, decisions }: TableStep): void {
    this.#rows += 1;
    if (observation.kind === 'card.out') this.#cards += 1;
    if (observation.kind === 'card.double') this.#cards += 2;
    for (const decision of decisions) {
      if (decision.do === 'refused') this.#refused += 1;
      if (decision.do === 'moved' && decision.phase === 'round') this.#rounds += 1;
      if (decision.do === 'raised') this.#raise(decision.finding);
      if (decision.do === 'changed' && this.#lives.has(decision.finding.id)) {
        this.#lives.set(decision.finding.id, lifeOf(decision.finding, null));
      }
      if (decision.do === 'cleared') {
        const life = this.#lives.get(decision.id);
        const { by, how } = decision;
        const { seq, atNs } = observation;
        if (life !== undefined) {
          this.#lives.set(decision.id, { ...life, cleared: { seq, atNs, by, how } });
        }
      }
    }
  }

  summary(procedure: string, state: TableState): RunSummary {
    return {
      procedure,
      rows: this.#rows,
      cards: this.#cards,
      rounds: this.#rounds,
      shoes: state.shoe.no,
      phase: state.phase,
      open: state.findings.map((finding) => finding.code),
      raised: Object.fromEntries([...this.#raised].sort(([a], [b]) => (a < b ? -1 : 1))),
      refused: this.#refused,
      findings: [...this.#lives.values()],
      notListed: this.#notListed,
    };
  }

  #raise(finding: Finding): void {
    this.#raised.set(finding.code, (this.#raised.get(finding.code) ?? 0) + 1);
    if (this.#lives.size >= FINDINGS_MAX) this.#notListed += 1;
    else this.#lives.set(finding.id, lifeOf(finding, null));
  }
}

const seconds = (ns: number): string => `${(ns / 1e9).toFixed(1)} s`;

/** The summary for people, one finding a line. */
export const summaryText = (summary: RunSummary): string => {
  const lines = [
    `${summary.procedure}: ${summary.rows} rows, ${summary.cards} cards, ` +
      `${summary.rounds} rounds, ${summary.shoes} shoes; ended in phase ${summary.phase}`,
  ];
  for (const life of summary.findings) {
    const end =
      life.cleared === null
        ? 'open'
        : `cleared after ${seconds(life.cleared.atNs - life.raisedNs)}: ${life.cleared.how}`;
    lines.push(
      `  ${seconds(life.raisedNs)}  ${life.severity}  ${life.code}  ${life.clause}  ` +
        `expected ${life.expected}; observed ${life.observed}  (${end})`,
    );
  }
  if (summary.notListed > 0) lines.push(`  and ${summary.notListed} more findings`);
  if (summary.findings.length === 0) lines.push('  no findings');
  return lines.join('\n');
};
