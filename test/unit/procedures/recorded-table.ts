import type { Step } from '../../../controller/core/decision.js';
import { type DutySheet, dutySheets } from '../../../controller/core/duty-sheet.js';
import type { Happening, Observation } from '../../../controller/core/observation.js';
import { CoreTable, rulesOf, type Setting } from '../core/table.js';

/** A table that keeps its journal. */
export class Recorded extends CoreTable {
  readonly steps: Step<Observation>[] = [];

  override see(happening: Happening): this {
    super.see(happening);
    const observation = this.seen.at(-1);
    if (observation !== undefined) this.steps.push({ observation, decisions: this.last });
    return this;
  }

  get sheets(): readonly DutySheet[] {
    const unseen = new Set(this.rules.procedure.unseen.map((rule) => rule.duty));
    return [...dutySheets(this.steps, () => unseen)];
  }
}

export const tableFor = (id: string, setting: Setting = {}): Recorded =>
  new Recorded(rulesOf(id, setting));
