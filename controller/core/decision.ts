import type { Role } from './cards.js';
import type { Directive } from './directive.js';
import type { Duty } from './duty.js';
import type { Actor, Finding } from './finding.js';
import type { Phase, StateParts } from './state.js';

/** New values for some fields of one part of the state. */
export type Noted = {
  [P in keyof StateParts]: {
    readonly do: 'noted';
    readonly part: P;
    readonly set: Partial<StateParts[P]>;
  };
}[keyof StateParts];

/**
 * What follows from an observation. Decisions are recorded beside their observation in one journal
 * row, and folding them (`evolve`) is the only way the state changes.
 */
export type Decision =
  | Noted
  | { readonly do: 'moved'; readonly phase: Phase }
  /** One duty's new standing; `duties` starts the list of a new stack. */
  | { readonly do: 'duty'; readonly duty: Duty }
  | { readonly do: 'duties'; readonly duties: readonly Duty[] }
  | { readonly do: 'raised'; readonly finding: Finding }
  | { readonly do: 'changed'; readonly finding: Finding }
  | { readonly do: 'acknowledged'; readonly id: string; readonly by: Actor }
  | {
      readonly do: 'cleared';
      readonly id: string;
      readonly code: string;
      readonly by: Actor;
      /** `remedied`, `floor`, `round over`, `shoe over`, `batch removed`, `explained by …`. */
      readonly how: string;
    }
  /** A command from a person that was not taken; the clause says why. */
  | {
      readonly do: 'refused';
      readonly key: string;
      readonly clause: string;
      readonly reason: string;
      readonly needs?: Role;
    }
  /** Wake the rules at `dueNs` (same axis as `atNs`) with a `timer` observation; null cancels. */
  | { readonly do: 'timer'; readonly timer: string; readonly dueNs: number | null }
  | { readonly do: 'direct'; readonly directive: Directive };

/** One journal row: the observation and everything decided from it. */
export interface Step<O> {
  readonly observation: O;
  readonly decisions: readonly Decision[];
}
