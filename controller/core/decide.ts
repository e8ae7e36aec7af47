import type { Decision } from './decision.js';
import type { Happening, Observation } from './observation.js';
import type { Procedure, Table } from './procedure.js';
import type { TableState } from './state.js';

/** What a table is judged by. */
export interface Rules {
  readonly procedure: Procedure;
  readonly table: Table;
}

/** What follows from one observation. Pure: the same three arguments give the same decisions. */
export const decide = (
  _state: TableState,
  _observation: Observation,
  _rules: Rules,
): readonly Decision[] => [];

/**
 * Takes out of a happening what nobody may learn (the rank of a secret or face-down card), before
 * it is decided on or written down.
 */
export const redact = (_state: TableState, happening: Happening, _rules: Rules): Happening =>
  happening;
