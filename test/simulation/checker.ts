import { isDeepStrictEqual } from 'node:util';
import { decide, type Rules } from '../../controller/core/decide.js';
import { evolve } from '../../controller/core/evolve.js';
import type { Observation } from '../../controller/core/observation.js';
import type { TableStep } from '../../controller/core/ports.js';
import { initialState, type TableState } from '../../controller/core/state.js';

/**
 * Watches a table from outside, row by row, and says what should never have happened.
 * Sources: the invariants of the regulations (docs/PROCEDURES.md) and of the journal.
 */
export class Checker {
  readonly faults: string[] = [];
  readonly #rules: Rules;
  #before: TableState;

  constructor(rules: Rules) {
    this.#rules = rules;
    this.#before = initialState(rules.table);
  }

  see(step: TableStep, after: TableState): void {
    const before = this.#before;
    this.#before = after;
    this.#row(before, step, after);
    this.#gate(after);
    this.#roundBegin(before, step.observation, after);
    this.#cards(before, step.observation, after);
    this.#secrets(before, step.observation);
    this.#warnings(before, after);
  }

  #fault(seq: number, what: string): void {
    if (this.faults.length < 20) this.faults.push(`row ${seq}: ${what}`);
  }

  /**
   * The recorded decisions fold to the state, and deciding again gives the same ones. Over a
   * power cut this also proves that the restored state was exactly the last durable one.
   */
  #row(before: TableState, { observation, decisions }: TableStep, after: TableState): void {
    const { seq } = observation;
    if (seq !== before.seq + 1) this.#fault(seq, `does not follow ${before.seq}`);
    if (observation.atNs < before.atNs) this.#fault(seq, 'watched time ran back');
    if (!isDeepStrictEqual(evolve(before, observation, decisions), after)) {
      this.#fault(seq, 'its decisions do not fold to its state');
    }
    if (!isDeepStrictEqual(decide(before, observation, this.#rules), decisions)) {
      this.#fault(seq, 'deciding it again gives something else');
    }
  }

  #gate({ findings, outputs, seq }: TableState): void {
    const stopped = findings.some(({ severity }) => severity === 'stop');
    if (stopped && this.#rules.table.enforcement === 'lock' && !outputs.gateLocked) {
      this.#fault(seq, 'a stop is open and the gate is not locked');
    }
  }

  /** Invariant 1: no round on bets called while anything is owed. */
  #roundBegin(before: TableState, seen: Observation, after: TableState): void {
    if (seen.kind !== 'press' || seen.key !== 'no-more-bets') return;
    if (before.phase === 'round' || after.phase !== 'round') return;
    const { burn, prep, findings } = before;
    const owed =
      before.phase !== 'ready' ||
      burn.dealerOwed > 0 ||
      (burn.required !== null && burn.done < burn.required) ||
      findings.some(({ severity }) => severity === 'stop');
    if (owed) this.#fault(seen.seq, `a round began with something owed in ${before.phase}`);
    const batch = before.shoe.batch ?? prep.batch;
    if (before.batches[batch]?.countRequired != null) {
      this.#fault(seen.seq, 'a round began on cards that had to be counted');
    }
  }

  /** No card is lost from the count, and none appears in it. */
  #cards(before: TableState, seen: Observation, after: TableState): void {
    if (!before.shoe.isLoaded || !after.shoe.isLoaded || before.shoe.no !== after.shoe.no) return;
    const moved = after.shoe.out - before.shoe.out;
    if (moved !== this.#movedBy(before, seen, after)) {
      this.#fault(seen.seq, `${seen.kind} moved the count of cards out by ${moved}`);
    }
  }

  #movedBy(before: TableState, seen: Observation, after: TableState): number {
    switch (seen.kind) {
      case 'card.out':
        return 1;
      case 'card.double':
        return 2;
      case 'card.back':
        return before.shoe.out > 0 ? -1 : 0;
      case 'press':
        if (seen.key !== 'accept-gap') return 0;
        return !before.shoe.outKnown && after.shoe.outKnown ? seen.cards : 0;
      default:
        return 0;
    }
  }

  /** A face-down game's row holds no rank but the exposed first burn card's. */
  #secrets(before: TableState, seen: Observation): void {
    if (seen.kind !== 'card.out' || seen.rank === undefined) return;
    const { burn, round } = this.#rules.procedure;
    const exposed =
      before.phase === 'burn' && burn?.kind === 'first-card-value' && before.burn.done === 0;
    const open = round.faceUp && (before.phase === 'round' || before.phase === 'ready');
    if (!exposed && !open) this.#fault(seen.seq, 'a rank was written that nobody may know');
  }

  #warnings(before: TableState, after: TableState): void {
    const stopped = ({ findings }: TableState): boolean =>
      findings.some(({ severity }) => severity === 'stop');
    if (!stopped(before) || !stopped(after)) return;
    if (after.tally.cardsAfterWarning < before.tally.cardsAfterWarning) {
      this.#fault(after.seq, 'cards after the warning were forgotten');
    }
  }
}
