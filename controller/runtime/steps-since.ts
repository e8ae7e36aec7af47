import type { Cancel, TableStep } from '../core/ports.js';
import type { TableState } from '../core/state.js';
import type { TableLoop } from './loop.js';

/** Steps kept for a listener that is still being loaded; it takes well under a second. */
const KEPT_MAX = 10_000;

/** Durable steps that happened before a listener was ready, and the state before them. */
export interface StepsSince {
  readonly before: TableState;
  readonly steps: readonly { readonly step: TableStep; readonly state: TableState }[];
}

/**
 * Keeps the steps of a restored table from now on, until they are handed over. Where more come
 * than are kept, the hand-over begins at a later state: the rows themselves are in the journal.
 */
export class StepKeeper {
  #before: TableState;
  #steps: { readonly step: TableStep; readonly state: TableState }[] = [];
  readonly #stop: Cancel;

  constructor(loop: TableLoop) {
    this.#before = loop.state();
    this.#stop = loop.onStep((step, state) => {
      if (this.#steps.length >= KEPT_MAX) {
        this.#before = this.#steps.at(-1)?.state ?? this.#before;
        this.#steps = [];
      }
      this.#steps.push({ step, state });
    });
  }

  /** Everything kept; after this nothing is kept any more. Subscribe in the same turn. */
  handOver(): StepsSince {
    this.#stop();
    return { before: this.#before, steps: this.#steps };
  }
}
