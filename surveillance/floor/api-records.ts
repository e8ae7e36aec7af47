import type { FindingCode, Severity } from '../../controller/core/finding.js';
import type { Acknowledgement, TableId, Tile } from './api.js';

/**
 * Alerts, notes, audit and reports of the floor service. See api.ts; who is logged in:
 * surveillance/access/who-view.ts.
 */

/** A finding's whole life; `table` + `id` is the key. */
export interface Alert {
  readonly table: TableId;
  readonly id: string;
  readonly code: FindingCode;
  readonly clause: string;
  readonly severity: Severity;
  readonly expected: string;
  readonly observed: string;
  readonly remedy: string;
  readonly game: string | null;
  readonly shoe: number | null;
  readonly round: number | null;
  readonly dealer: string | null;
  readonly raisedSeq: number;
  readonly raisedMs: number;
  readonly cardsAfterWarning: number;
  readonly timeToStopMs: number;
  readonly acknowledged: Acknowledgement | null;
  readonly acknowledgedAtTable: string | null;
  /** Null while it is open. */
  readonly cleared: { readonly atMs: number; readonly by: string; readonly how: string } | null;
  readonly escalation: number;
  readonly cameras: readonly string[];
}

export interface AlertPage {
  readonly alerts: readonly Alert[];
  /** Ask on with `?before=` this; null at the end. */
  readonly next: string | null;
}

export interface AcknowledgeRequest {
  readonly table: string;
  readonly id: string;
  readonly note: string;
}

export interface NoteRequest {
  readonly text: string;
  readonly table?: string;
}

export interface HandoverNote {
  readonly id: number;
  readonly atMs: number;
  readonly by: string;
  readonly table: string | null;
  readonly text: string;
}

export interface AuditLine {
  readonly id: number;
  readonly atMs: number;
  readonly who: string;
  /** `login`, `acknowledge`, `evidence`, `search.save`, … */
  readonly what: string;
  readonly about: string;
}

export interface AuditPage {
  readonly lines: readonly AuditLine[];
  readonly next: number | null;
}

export interface SearchRequest {
  readonly title: string;
  /** The query of `PATHS.alerts`, as it stands after the `?`. */
  readonly query: string;
}

export type SavedSearch = SearchRequest & {
  readonly id: number;
  readonly by: string;
  readonly atMs: number;
};

export interface Handover {
  readonly sinceMs: number;
  readonly atMs: number;
  readonly open: readonly Alert[];
  /** Cleared or acknowledged since. */
  readonly dealtWith: readonly Alert[];
  readonly notes: readonly HandoverNote[];
  readonly tablesNotHeard: readonly Tile[];
  readonly tablesDegraded: readonly Tile[];
}

/* ---- reports ---- */

export const REPORTS = ['shoe', 'table', 'dealer', 'day'] as const;
export type ReportKind = (typeof REPORTS)[number];

export interface TrendDay {
  /** Gaming day, `2026-11-29`. */
  readonly day: string;
  readonly shoes: number;
  readonly rounds: number;
  readonly cards: number;
  readonly findings: number;
  readonly stops: number;
  /** `burn.short` and `burn.dealer-missing`. */
  readonly missedBurns: number;
  readonly cardsAfterWarning: number;
  /** Median and longest, s; null on a day without one. */
  readonly timeToStopS: { readonly median: number; readonly longest: number } | null;
  readonly cutDwellS: { readonly median: number; readonly longest: number } | null;
  /** Rounds since a verified count when the count came. */
  readonly countAgeRounds: { readonly median: number; readonly longest: number } | null;
}

export interface Trends {
  readonly days: readonly TrendDay[];
  /** Hour at which a gaming day begins, local time of the service. */
  readonly dayBeginsHour: number;
}

/** Every answer that is no success. */
export interface ApiError {
  /** In words: what, why and what to do. */
  readonly error: string;
}

export const isApiError = (value: unknown): value is ApiError =>
  typeof value === 'object' && value !== null && 'error' in value;

export interface LoginRequest {
  readonly name: string;
  readonly password: string;
}
