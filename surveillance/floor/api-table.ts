import type { FindingCode, Severity } from '../../controller/core/finding.js';
import type { Phase } from '../../controller/core/state.js';
import type { RowRange, TableId, Tile } from './api.js';

/** What the floor service says of one table: detail, shoes, strip, steps, voids. See api.ts. */

export interface TableDetail {
  readonly tile: Tile;
  /** Duties of the shoe in play. */
  readonly duties: readonly {
    readonly duty: string;
    readonly clause: string;
    readonly status: 'due' | 'met' | 'not-met' | 'waived';
    readonly evidence: 'sensed' | 'attested' | 'unseen';
    readonly detail: string | null;
  }[];
  readonly health: {
    readonly wallMs: number;
    readonly queued: number;
    readonly undelivered: number | null;
    readonly uptimeS: number;
    readonly rssBytes: number;
    readonly diskFreeBytes: number | null;
    readonly temperatureC: number | null;
    readonly devices: Readonly<Record<string, { readonly up: boolean; readonly stale: boolean }>>;
  } | null;
  readonly version: string | null;
  readonly boot: number | null;
  /** First row held; 0 where none is. */
  readonly firstSeq: number;
  readonly checkpoint: {
    readonly seq: number;
    readonly atMs: number;
    /** Whether the hash in the checkpoint is that of the stored row; null: not stored yet. */
    readonly agrees: boolean | null;
  } | null;
  /** A row that came with two hashes: both are kept. */
  readonly forks: readonly { readonly seq: number; readonly hashes: readonly string[] }[];
}

export interface ShoeSummary {
  readonly shoe: number;
  readonly batch: string | null;
  readonly loaded: number;
  readonly out: number;
  readonly rounds: number;
  readonly findings: number;
  readonly stops: number;
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly fromMs: number;
  readonly toMs: number;
  /** The shoe in play. */
  readonly isOpen: boolean;
}

interface MarkAt {
  readonly seq: number;
  readonly atMs: number;
  /** Cards out of the shoe after this row; the place on the strip. */
  readonly out: number;
}

/** One tick, line or flag on the strip. */
export type StripMark = MarkAt &
  (
    | { readonly kind: 'card'; readonly use: 'burn' | 'round' | 'other'; readonly round: number }
    | { readonly kind: 'card-back' | 'double' | 'cover' | 'loaded' | 'ended' }
    | { readonly kind: 'round-begin' | 'round-end' | 'round-void'; readonly round: number }
    | { readonly kind: 'press'; readonly key: string; readonly by: string; readonly taken: boolean }
    | {
        readonly kind: 'raised';
        readonly id: string;
        readonly code: FindingCode;
        readonly severity: Severity;
        readonly clause: string;
      }
    | { readonly kind: 'cleared'; readonly id: string; readonly code: string; readonly how: string }
    | { readonly kind: 'gate'; readonly locked: boolean }
    /** Rows between are missing here: what lies in them is not known. */
    | { readonly kind: 'gap'; readonly to: number }
  );

export interface Strip {
  readonly table: TableId;
  readonly shoe: number;
  readonly loaded: number;
  /** Marks after row `after` of the question, oldest first. */
  readonly marks: readonly StripMark[];
  /** Ask for the next ones with `?after=` this. */
  readonly lastSeq: number;
  readonly isOpen: boolean;
}

/**
 * What a role saw after a row; null where a row before is not held or is no sound step, so nobody
 * can tell.
 */
export interface SeenState {
  readonly phase: Phase;
  readonly shoe: number;
  readonly round: number;
  readonly out: number;
  readonly left: number | null;
  readonly dealer: {
    readonly line1: string;
    readonly line2: string;
    readonly clause: string;
    readonly step: string;
  } | null;
  readonly gate: 'open' | 'locked';
  readonly tower: Tile['tower'];
  readonly floor: readonly {
    readonly id: string;
    readonly code: FindingCode;
    readonly severity: Severity;
    readonly clause: string;
    readonly observed: string;
    readonly remedy: string;
    readonly cardsAfterWarning: number;
    readonly acknowledgedAtTable: string | null;
  }[];
  /** What this row told surveillance: changes in findings, marks. */
  readonly surveillance: readonly string[];
}

export interface SeenStep {
  readonly seq: number;
  readonly atMs: number;
  readonly wallTrusted: boolean;
  /** Watched time, ns. */
  readonly atNs: number;
  /** Kind of the observation; `unsound`: the row is no step, `text` says why. */
  readonly kind: string;
  /** In words: `a card came out`, `dealer pressed "burn done"`. */
  readonly text: string;
  readonly historical: boolean;
  readonly state: SeenState | null;
}

export interface StepPage {
  readonly table: TableId;
  readonly steps: readonly SeenStep[];
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Rows of the question that are not held. */
  readonly gaps: readonly RowRange[];
}

export interface VoidedRound {
  readonly seq: number;
  readonly atMs: number;
  readonly shoe: number;
  readonly round: number;
  readonly cards: number;
  readonly by: string;
  readonly findings: readonly { readonly id: string; readonly code: string }[];
}
