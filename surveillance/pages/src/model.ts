import type { PageBeat, PageState } from '../../table-page/message.js';
import type { StepLine } from '../../table-page/source.js';

/** Lines a page keeps to show. */
const LINES_SHOWN = 200;

/**
 * `waiting`: nothing was heard yet · `live` · `lost`: what is shown may be wrong.
 */
export type Link = 'waiting' | 'live' | 'lost';

/** What a page knows. Times ending in `LocalMs` are this browser's `performance.now()`. */
export interface PageModel {
  readonly link: Link;
  readonly state: PageState | null;
  readonly lines: readonly StepLine[];
  /** The lines begin after a hole that only the journal fills. */
  readonly linesMissed: boolean;
  /** When something was last heard. */
  readonly heardLocalMs: number;
  /** The table's clocks as they were at `heardLocalMs`. */
  readonly watchedNs: number;
  readonly wallMs: number;
}

export const emptyModel: PageModel = {
  link: 'waiting',
  state: null,
  lines: [],
  linesMissed: false,
  heardLocalMs: 0,
  watchedNs: 0,
  wallMs: 0,
};

const clocksOf = ({ watchedNs, wallMs }: PageBeat | PageState, localMs: number) => ({
  link: 'live' as const,
  heardLocalMs: localMs,
  watchedNs,
  wallMs,
});

/** A message with the table's whole state and the lines since the last one. */
export const withState = (model: PageModel, state: PageState, localMs: number): PageModel => {
  const lastSeq = model.lines.at(-1)?.seq ?? 0;
  // A row count that went back is another journal; missed lines leave a hole nobody may overlook.
  const isOther = state.view.seq < (model.state?.view.seq ?? 0);
  const kept = isOther || state.linesMissed ? [] : model.lines;
  const fresh = kept.length === 0 ? state.lines : state.lines.filter(({ seq }) => seq > lastSeq);
  const lines = fresh.length === 0 ? kept : [...kept, ...fresh].slice(-LINES_SHOWN);
  const linesMissed = state.linesMissed || (!isOther && model.linesMissed);
  return { ...clocksOf(state, localMs), state, lines, linesMissed };
};

/** A sign of life: the clocks go on. */
export const withBeat = (model: PageModel, beat: PageBeat, localMs: number): PageModel =>
  model.state === null ? model : { ...model, ...clocksOf(beat, localMs) };

export const withLoss = (model: PageModel): PageModel =>
  model.link === 'lost' || model.state === null ? model : { ...model, link: 'lost' };

/** Watched time now, ns; it stands still while the line is lost. */
export const watchedNow = (model: PageModel, localMs: number): number =>
  model.link === 'live'
    ? model.watchedNs + Math.max(0, localMs - model.heardLocalMs) * 1e6
    : model.watchedNs;

export const wallNow = (model: PageModel, localMs: number): number =>
  model.link === 'live' ? model.wallMs + Math.max(0, localMs - model.heardLocalMs) : model.wallMs;
