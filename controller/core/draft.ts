import type { Decision, Noted } from './decision.js';
import type { Directive } from './directive.js';
import type { Duty } from './duty.js';
import { apply, open, type Working } from './evolve.js';
import type { Actor } from './finding.js';
import type { Observation } from './observation.js';
import type { Cite, Procedure, Table } from './procedure.js';
import { expectedCount } from './procedure.js';
import type { BatchState, Phase, StateParts, TableState } from './state.js';
import { freshBatch } from './state.js';

/** What a table is judged by. */
export interface Rules {
  readonly procedure: Procedure;
  readonly table: Table;
}

/**
 * A step being decided. Each decision is folded at once, so that what is decided next sees it;
 * folding the finished list over the old state gives the same new state.
 */
export class Draft {
  readonly #state: Working;
  readonly decisions: Decision[] = [];
  readonly observation: Observation;
  readonly rules: Rules;

  constructor(state: TableState, observation: Observation, rules: Rules) {
    this.#state = open(state, observation);
    this.observation = observation;
    this.rules = rules;
  }

  get state(): TableState {
    return this.#state;
  }

  get procedure(): Procedure {
    return this.rules.procedure;
  }

  get table(): Table {
    return this.rules.table;
  }

  /** Cards in a full stack of this table. */
  get expected(): number {
    return expectedCount(this.rules.procedure, this.rules.table);
  }

  /** The person behind a press; the box itself otherwise. */
  get actor(): Actor {
    const { observation } = this;
    if (observation.kind !== 'press') return { role: 'system' };
    return observation.badge === undefined
      ? { role: observation.role }
      : { role: observation.role, badge: observation.badge };
  }

  add(decision: Decision): void {
    this.decisions.push(decision);
    apply(this.#state, decision);
  }

  note<P extends keyof StateParts>(part: P, set: Partial<StateParts[P]>): void {
    // The signature ties `set` to its part; the compiler cannot follow that into the union.
    this.add({ do: 'noted', part, set } as Noted);
  }

  /** Changes what is known of one batch. */
  noteBatch(batch: string, set: Partial<BatchState>): void {
    this.note('batches', { [batch]: { ...this.batch(batch), ...set } });
  }

  batch(batch: string): BatchState {
    return this.state.batches[batch] ?? freshBatch;
  }

  move(phase: Phase): void {
    if (this.state.phase !== phase) this.add({ do: 'moved', phase });
  }

  direct(directive: Directive): void {
    this.add({ do: 'direct', directive });
  }

  refuse(cite: Cite | string, reason: string): void {
    const { observation } = this;
    const key = observation.kind === 'press' ? observation.key : observation.kind;
    const clause = typeof cite === 'string' ? cite : cite.clause;
    this.add({ do: 'refused', key, clause, reason });
  }

  /** Sets a timer `inNs` from now, or cancels it. */
  timer(timer: string, inNs: number | null): void {
    if (inNs === null && this.state.timers[timer] === undefined) return;
    this.add({ do: 'timer', timer, dueNs: inNs === null ? null : this.state.atNs + inNs });
  }

  duty(duty: string, cite: Cite, rest: Pick<Duty, 'status' | 'evidence' | 'detail'>): void {
    const { seq, atNs } = this.state;
    this.add({ do: 'duty', duty: { duty, clause: cite.clause, ...rest, seq, atNs } });
  }
}
