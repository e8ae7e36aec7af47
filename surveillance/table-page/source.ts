import type { FindingCode, Severity } from '../../controller/core/finding.js';
import type { PermittedKey } from '../../controller/core/permitted.js';
import type { TableView } from '../../controller/core/view.js';

/** One line of what happened, in the trade's words; never a rank. A step may give several. */
export interface StepLine {
  /** Journal row the line tells of. */
  readonly seq: number;
  /** Watched time of the row, ns. */
  readonly atNs: number;
  /** Wall time of the row, ms since the epoch. */
  readonly wallMs: number;
  /** How it is shown: a finding by its severity, the rest by what it is about. */
  readonly tone: Severity | 'cleared' | 'plain' | 'quiet';
  readonly text: string;
}

/** The table as its page sees it. Whoever runs the table provides it. */
export interface TablePageSource {
  /** The table's name on the floor: `BAC-07`. */
  readonly table: string;
  readonly procedure: { readonly id: string; readonly title: string };
  /** Duties no device of this table can see, with what they ask for. */
  readonly unseen: readonly { readonly duty: string; readonly text: string }[];
  /** What the table shows after the newest durable row. */
  view(): TableView;
  /** What the runbook has the floor do about a finding; empty where that is nothing. */
  readonly floorTask: (code: FindingCode) => string;
  /** The keys that would be taken after that row; none where nobody may press on a page. */
  keys(): readonly PermittedKey[];
  /** Watched time now, ns, on the axis of `Stamp.atNs`: the ages of findings count on it. */
  watchedNs(): number;
  /**
   * The table's wall clock now, ms since the epoch, whether it is synchronised, and whether it is
   * that of a simulation.
   */
  wall(): { readonly ms: number; readonly trusted: boolean; readonly simulated?: boolean };
  /** The newest lines, oldest first, at most `limit`. */
  recent(limit: number): readonly StepLine[];
  /** Calls back after each durable row; may be called often, so the listener must be cheap. */
  subscribe(listener: () => void): () => void;
}
