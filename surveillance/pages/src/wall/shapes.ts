import type {
  Alert,
  AlertPage,
  AuditPage,
  Handover,
  HandoverNote,
  SavedSearch,
  Trends,
} from '../../../floor/api-records.js';
import type {
  ShoeSummary,
  StepPage,
  Strip,
  TableDetail,
  VoidedRound,
} from '../../../floor/api-table.js';

/** Outlines of what the service answers; what is in them comes from a service of this version. */

const has = (value: unknown, keys: readonly string[]): boolean =>
  typeof value === 'object' && value !== null && keys.every((key) => key in value);

const isListOf = (value: unknown, keys: readonly string[]): boolean =>
  Array.isArray(value) && value.every((one) => has(one, keys));

export const isNothing = (value: unknown): value is null => value === null;

export const isAlert = (value: unknown): value is Alert =>
  has(value, ['table', 'id', 'code', 'severity', 'raisedMs', 'escalation']);

export const isAlertPage = (value: unknown): value is AlertPage => has(value, ['alerts', 'next']);

export const isAuditPage = (value: unknown): value is AuditPage => has(value, ['lines', 'next']);

const SEARCH_KEYS = ['id', 'by', 'title', 'query'];

export const isSearch = (value: unknown): value is SavedSearch => has(value, SEARCH_KEYS);

export const isSearches = (value: unknown): value is readonly SavedSearch[] =>
  isListOf(value, SEARCH_KEYS);

export const isNote = (value: unknown): value is HandoverNote => has(value, ['id', 'by', 'text']);

export const isHandover = (value: unknown): value is Handover =>
  has(value, ['sinceMs', 'open', 'dealtWith', 'notes', 'tablesNotHeard', 'tablesDegraded']);

export const isTrends = (value: unknown): value is Trends => has(value, ['days']);

export const isDetail = (value: unknown): value is TableDetail =>
  has(value, ['tile', 'duties', 'health', 'forks']);

export const isShoes = (value: unknown): value is readonly ShoeSummary[] =>
  isListOf(value, ['shoe', 'rounds', 'fromSeq', 'toSeq', 'isOpen']);

export const isStrip = (value: unknown): value is Strip =>
  has(value, ['shoe', 'loaded', 'marks', 'lastSeq', 'isOpen']);

export const isStepPage = (value: unknown): value is StepPage =>
  has(value, ['steps', 'firstSeq', 'lastSeq', 'gaps']);

export const isVoids = (value: unknown): value is readonly VoidedRound[] =>
  isListOf(value, ['seq', 'shoe', 'round', 'by']);
