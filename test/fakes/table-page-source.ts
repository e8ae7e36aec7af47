import type { FindingCode } from '../../controller/core/finding.js';
import type { PermittedKey } from '../../controller/core/permitted.js';
import { DEFAULT_POLICY } from '../../controller/core/procedure.js';
import { initialState } from '../../controller/core/state.js';
import { type TableView, viewOf } from '../../controller/core/view.js';
import { RUNBOOK } from '../../controller/runtime/runbook/runbook.js';
import { RecentLines } from '../../surveillance/table-page/recent-lines.js';
import type { StepLine, TablePageSource } from '../../surveillance/table-page/source.js';

const START_WALL_MS = Date.UTC(2026, 0, 5, 14, 0, 0);

/** A table that shows what a test sets. */
export class FakeTable implements TablePageSource {
  readonly table = 'BAC-07';
  readonly procedure = { id: 'pa/631a-baccarat', title: 'Baccarat, shuffle and cut' };
  readonly unseen = [{ duty: 'cover-card-aside', text: 'The cover card is put to the side' }];
  readonly #listeners = new Set<() => void>();
  readonly #lines = new RecentLines();
  #view: TableView = viewOf(
    initialState({
      decks: 8,
      crew: 3,
      seats: 7,
      dealing: 'shoe',
      shuffler: 'counting',
      reader: 'none',
      batches: ['red'],
      enforcement: 'lock',
      policy: DEFAULT_POLICY,
    }),
  );
  #atNs = 0;
  #keys: readonly PermittedKey[] = [];

  view(): TableView {
    return this.#view;
  }

  floorTask = (code: FindingCode): string => RUNBOOK[code].floor;

  keys(): readonly PermittedKey[] {
    return this.#keys;
  }

  /** What may be pressed from the next step on. */
  permit(...keys: readonly PermittedKey[]): void {
    this.#keys = keys;
  }

  watchedNs(): number {
    return this.#atNs;
  }

  wall(): { ms: number; trusted: boolean } {
    return { ms: START_WALL_MS + Math.floor(this.#atNs / 1e6), trusted: true };
  }

  recent(limit: number): readonly StepLine[] {
    return this.#lines.newest(limit);
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  pass(seconds: number): void {
    this.#atNs += seconds * 1e9;
  }

  /** One durable row: the view changes and a line tells of it. */
  step(change: Partial<TableView>, text = 'a step', tone: StepLine['tone'] = 'plain'): void {
    const seq = this.#view.seq + 1;
    this.#view = { ...this.#view, ...change, seq };
    this.#lines.add({ seq, atNs: this.#atNs, wallMs: this.wall().ms, tone, text });
    for (const listener of this.#listeners) listener();
  }
}
