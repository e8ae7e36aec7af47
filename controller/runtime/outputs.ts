import type { Rules } from '../core/decide.js';
import type { Directive } from '../core/directive.js';
import type { Outputs as Shown, TableState } from '../core/state.js';
import { viewOf } from '../core/view.js';
import type { ShownFault } from '../../surveillance/mqtt/publisher-parts.js';

type OutputName = Directive['to'];

/** What everybody is shown while nothing can be written down. */
export const FAULT_DISPLAY: Extract<Directive, { to: 'display' }> = {
  to: 'display',
  line1: 'JOURNAL FAULT',
  line2: 'no new round; call the technician',
  clause: 'policy:journal',
  step: 'JOURNAL FAULT, call the technician',
};

const FAULT_TOWER: Extract<Directive, { to: 'tower' }> = {
  to: 'tower',
  colour: 'red',
  light: 'blink',
};

/** What surveillance is told of a journal fault, beside the last durable state. */
export const shownFault = (fault: string, state: TableState, { table }: Rules): ShownFault => ({
  fault,
  gate: table.enforcement === 'lock' ? 'locked' : viewOf(state).gate,
  tower: { ...FAULT_TOWER },
  display: { ...FAULT_DISPLAY },
});

export interface OutputParts {
  /** False on a table that only advises: nothing here locks its gate. */
  readonly locks: boolean;
  readonly perform: (directive: Directive) => void;
  readonly failed: (output: OutputName, reason: string) => void;
}

/** The outputs as last told. A failing output is reported once, until it obeys again. */
export class Outputs {
  readonly #parts: OutputParts;
  readonly #broken = new Set<OutputName>();
  #gateLocked: boolean | null = null;

  constructor(parts: OutputParts) {
    this.#parts = parts;
  }

  /** `endsLocked`: an order to open the gate that is overtaken at once is left out. */
  perform(directive: Directive, endsLocked: boolean): void {
    if (directive.to === 'gate') {
      if (!directive.locked && endsLocked) return;
      if (directive.locked === this.#gateLocked) return;
      this.#gateLocked = directive.locked;
    }
    this.#tell(directive);
  }

  /** Locks the gate before the row is durable: the one thing that may come first. */
  lockFirst(): void {
    if (this.#parts.locks) this.perform({ to: 'gate', locked: true }, true);
  }

  /** Tells every lasting output again what it should be. */
  assert(shown: Shown): void {
    this.#gateLocked = shown.gateLocked;
    this.#tell({ to: 'gate', locked: shown.gateLocked });
    if (shown.tower !== null) this.#tell(shown.tower);
    if (shown.display !== null) this.#tell(shown.display);
  }

  showFault(): void {
    this.lockFirst();
    this.#tell(FAULT_TOWER);
    this.#tell(FAULT_DISPLAY);
  }

  #tell(directive: Directive): void {
    try {
      this.#parts.perform(directive);
      this.#broken.delete(directive.to);
    } catch (cause) {
      if (directive.to === 'gate') this.#gateLocked = null;
      if (this.#broken.has(directive.to)) return;
      this.#broken.add(directive.to);
      this.#parts.failed(directive.to, cause instanceof Error ? cause.message : String(cause));
    }
  }
}
