import type { Rank, Role, Suit } from '../../core/cards.js';
import type { Evidence } from '../../core/duty.js';
import type { FindingCode, Severity } from '../../core/finding.js';
import type { Batch, DeviceName, Sensed } from '../../core/observation.js';
import type { Press, PressKey } from '../../core/press.js';
import type { Policy, Table } from '../../core/procedure.js';
import type { Phase } from '../../core/state.js';

/**
 * A scenario file after it was read and checked: docs/SCENARIOS.md. Every entry remembers where it
 * stands in its file, because a failure names file and line.
 */
export interface Scenario {
  /** As given on the command line. */
  readonly file: string;
  readonly title: string;
  readonly procedure: ProcedureRef;
  /** What the file says of the table; the rest comes from the defaults of the contract. */
  readonly table: TableGiven;
  readonly timeline: readonly Entry[];
}

export interface Place {
  /** From 1. */
  readonly line: number;
  readonly column: number;
}

export type ProcedureRef = Place &
  ({ readonly kind: 'id'; readonly id: string } | { readonly kind: 'file'; readonly path: string });

export type TableGiven = Place &
  Partial<Omit<Table, 'policy'>> & { readonly policy: Partial<Policy> };

export interface Entry extends Place {
  readonly act: Act;
  /** The entry as one short line, for the list of steps before a failure. */
  readonly said: string;
}

/** One card at the mouth of the shoe; what is absent was not read. */
export interface CardOut {
  readonly back?: Batch;
  readonly rank?: Rank;
  readonly suit?: Suit;
}

export interface OpenAct {
  readonly do: 'open';
  readonly until: Phase;
  readonly firstCard: Rank;
}

export interface RoundAct {
  readonly do: 'round';
  /** Cards out; null where nothing is sensed (hand dealing). */
  readonly cards: readonly CardOut[] | null;
  readonly hands: number | null;
  readonly times: number;
}

export type LinkState = 'up' | 'down';

export type Act =
  | OpenAct
  | RoundAct
  | { readonly do: 'press'; readonly press: Press }
  | { readonly do: 'cards'; readonly cards: readonly CardOut[] }
  | { readonly do: 'cover'; readonly n: number }
  | { readonly do: 'back'; readonly n: number }
  | { readonly do: 'double'; readonly n: number }
  | { readonly do: 'block'; readonly ms: number }
  | { readonly do: 'shuffler'; readonly message: ShufflerMessage }
  /** One character is one byte (0-255). */
  | { readonly do: 'serial'; readonly bytes: string }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'after'; readonly ms: number }
  | {
      readonly do: 'link';
      readonly state: LinkState;
      readonly device: DeviceName;
      readonly identity?: string;
    }
  | { readonly do: 'power'; readonly offMs: number; readonly clean: boolean }
  | { readonly do: 'network'; readonly set: 'up' | 'down' }
  | { readonly do: 'network-off'; readonly offMs: number }
  | { readonly do: 'lid'; readonly open: boolean }
  | { readonly do: 'shoe'; readonly loaded: boolean }
  | { readonly do: 'rack'; readonly n: number }
  | { readonly do: 'clock'; readonly stepMs: number; readonly trusted: boolean | null }
  | { readonly do: 'expect'; readonly checks: readonly Check[] };

/** What a person, a machine or the surroundings do; the rest is for the runner. */
export type HandAct = Exclude<Act, { do: 'open' | 'round' | 'wait' | 'after' | 'expect' }>;

export type ShufflerMessage = Extract<Sensed, { kind: `shuffler.${string}` }>;

/** A pattern (`/…/`) or a piece of text that must occur. */
export type Wording =
  | { readonly kind: 'pattern'; readonly pattern: RegExp; readonly said: string }
  | { readonly kind: 'text'; readonly text: string };

/** Fields of the table's view that are compared by value. */
export type ViewField =
  | 'out'
  | 'loaded'
  | 'left'
  | 'behind'
  | 'due'
  | 'shoe'
  | 'round'
  | 'cardsThisRound'
  | 'cardsAfterWarning'
  | 'roundsSinceCount'
  | 'batch'
  | 'dealer'
  | 'countRequired'
  | 'gap'
  | 'coverSeen'
  | 'lastHand'
  | 'dealerBurnDue';

export interface FindingWanted {
  readonly code: FindingCode;
  readonly open?: boolean;
  readonly clause?: string;
  readonly severity?: Severity;
  readonly by?: number;
  readonly level?: number;
  readonly batch?: Batch;
  readonly device?: DeviceName;
  readonly repeats?: number;
  readonly authority?: Role;
  readonly acknowledged?: boolean;
  readonly observed?: Wording;
  readonly expected?: Wording;
  readonly remedy?: Wording;
}

export interface DutyWanted {
  readonly duty: string;
  readonly evidence?: Evidence;
  readonly status?: 'due' | 'met' | 'not-met' | 'waived';
  readonly clause?: string;
}

export type Check = Place &
  (
    | { readonly is: 'phase'; readonly phase: Phase }
    | {
        readonly is: 'field';
        readonly field: ViewField;
        readonly value: number | string | boolean | null;
      }
    | { readonly is: 'gate'; readonly gate: 'open' | 'locked' }
    | {
        readonly is: 'tower';
        readonly colour: 'green' | 'amber' | 'red';
        readonly light?: 'steady' | 'blink';
      }
    | { readonly is: 'display'; readonly wording: Wording }
    | { readonly is: 'announced'; readonly wording: Wording }
    | { readonly is: 'finding'; readonly wanted: FindingWanted }
    | { readonly is: 'no-finding'; readonly codes: readonly FindingCode[] }
    | { readonly is: 'findings'; readonly codes: readonly FindingCode[] }
    | { readonly is: 'raised'; readonly counts: readonly (readonly [FindingCode, number])[] }
    | { readonly is: 'duty'; readonly wanted: DutyWanted }
    | { readonly is: 'refused'; readonly key: PressKey; readonly clause?: string }
    | { readonly is: 'quarantined'; readonly batches: readonly Batch[] }
  );

/** What a scenario file may hold at most: a file beyond these is refused, never cut short. */
export const LIMITS = {
  fileBytes: 1_000_000,
  entries: 10_000,
  cardsPerEntry: 5_000,
  cardsPerFile: 500_000,
  times: 10_000,
  waitMs: 400 * 24 * 3600 * 1000,
  patternChars: 200,
  textChars: 400,
  serialBytes: 4_096,
  problems: 20,
} as const;
