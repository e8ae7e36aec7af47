import type { Rules } from '../core/decide.js';
import type { TableStep } from '../core/ports.js';
import type { TableState } from '../core/state.js';
import type { Finding } from '../core/finding.js';
import { type PermittedKey, permittedKeys } from '../core/permitted.js';
import { type TableView, viewOf } from '../core/view.js';
import { RecentLines } from '../../surveillance/table-page/recent-lines.js';
import type { TablePageSource } from '../../surveillance/table-page/source.js';
import type { Scheduler } from '../core/ports.js';
import type { TableLoop } from './loop.js';
import { FAULT_DISPLAY } from './outputs.js';
import { RUNBOOK } from './runbook/runbook.js';
import { type Line, storyOf } from './story.js';

export type LineListener = (line: Line, wallMs: number) => void;

/** Turns durable steps into lines of the live log, for the terminal and for the table's page. */
export class LiveLines {
  readonly #recent = new RecentLines();
  readonly #listeners = new Set<LineListener>();
  #before: TableState | null = null;

  /** From the restored state on, each step in order. */
  follow(loop: TableLoop): void {
    this.#before = loop.state();
    loop.onStep((step, state) => this.#add(step, state));
  }

  /** A line of our own between the table's. */
  say(line: Line, wallMs: number): void {
    for (const listener of this.#listeners) listener(line, wallMs);
  }

  onLine(listener: LineListener): void {
    this.#listeners.add(listener);
  }

  newest(limit: number): ReturnType<RecentLines['newest']> {
    return this.#recent.newest(limit);
  }

  #add(step: TableStep, state: TableState): void {
    const { seq, atNs, wallMs } = step.observation;
    for (const line of storyOf(step, this.#before ?? state, state)) {
      this.#recent.add({ seq, atNs, wallMs, ...line });
      this.say(line, wallMs);
    }
    this.#before = state;
  }
}

/**
 * The table as it stands; with a journal that cannot be written, that comes first. The fault has
 * no row of its own, so it is laid over the last durable state.
 */
const shown = (loop: TableLoop): TableView => {
  const view = viewOf(loop.state());
  const reason = loop.fault();
  if (reason === null) return view;
  const finding: Finding = {
    id: 'now',
    code: 'journal.fault',
    clause: 'policy:journal',
    severity: 'stop',
    lifespan: 'condition',
    expected: 'every step written down',
    observed: reason,
    remedy: 'No new round. Call the technician',
    authority: 'floor',
    raisedSeq: view.seq,
    raisedNs: loop.watchedNs(),
    raisedWallMs: loop.state().wallMs,
    cardsAfterWarning: 0,
  };
  return {
    ...view,
    gate: 'locked',
    tower: { to: 'tower', colour: 'red', light: 'blink' },
    display: FAULT_DISPLAY,
    findings: [finding, ...view.findings],
  };
};

/** The keys that would be taken now, worked out once for each row that somebody looks at. */
const keysFor = (loop: TableLoop, rules: Rules): (() => readonly PermittedKey[]) => {
  let seen: TableState | null = null;
  let keys: readonly PermittedKey[] = [];
  return () => {
    const state = loop.state();
    if (loop.mode !== 'run') return [];
    if (state !== seen) keys = permittedKeys(state, rules);
    seen = state;
    return keys;
  };
};

/** What the table's own page reads. */
export const pageSource = (
  loop: TableLoop,
  parts: {
    readonly table: string;
    readonly rules: Rules;
    readonly scheduler: Scheduler;
    readonly isSimulated?: boolean;
    readonly lines: LiveLines;
    /** Whether a page may press at all: else no keys are worked out. */
    readonly mayPress: boolean;
  },
): TablePageSource => ({
  table: parts.table,
  procedure: { id: parts.rules.procedure.id, title: parts.rules.procedure.title },
  unseen: parts.rules.procedure.unseen,
  view: () => shown(loop),
  floorTask: (code) => RUNBOOK[code].floor,
  keys: parts.mayPress ? keysFor(loop, parts.rules) : () => [],
  watchedNs: () => loop.watchedNs(),
  wall: () => ({
    ms: parts.scheduler.wallMs(),
    trusted: parts.scheduler.wallTrusted(),
    simulated: parts.isSimulated === true,
  }),
  recent: (limit) => parts.lines.newest(limit),
  subscribe: (listener) => {
    const stopSteps = loop.onStep(listener);
    const stopFaults = loop.onFault(listener);
    return () => {
      stopSteps();
      stopFaults();
    };
  },
});
