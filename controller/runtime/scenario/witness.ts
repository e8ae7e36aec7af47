import type { Finding } from '../../core/finding.js';
import type { TableStep } from '../../core/ports.js';
import type { TableState } from '../../core/state.js';
import { stepWords } from './step-words.js';

/** Steps kept for the list before a failure. */
export const RECENT_STEPS = 10;
const MAX_FINDINGS = 100_000;
const MAX_ANNOUNCED = 1_000;

/** What an expectation may ask about that the state no longer shows. */
export class Witness {
  readonly #findings = new Map<string, Finding>();
  readonly #pressed = new Map<string, string | null>();
  readonly #announced: string[] = [];
  readonly #recent: { readonly step: TableStep; readonly phase: string }[] = [];
  steps = 0;

  see(step: TableStep, state: TableState): void {
    this.steps += 1;
    this.#recent.push({ step, phase: state.phase });
    if (this.#recent.length > RECENT_STEPS) this.#recent.shift();
    const { observation } = step;
    let refused: string | null = null;
    for (const decision of step.decisions) {
      if (decision.do === 'raised' || decision.do === 'changed') {
        if (this.#findings.size < MAX_FINDINGS || this.#findings.has(decision.finding.id)) {
          this.#findings.set(decision.finding.id, decision.finding);
        }
      } else if (decision.do === 'acknowledged') this.#acknowledge(decision.id, decision.by);
      else if (decision.do === 'refused') refused = decision.clause;
      else if (decision.do === 'direct' && decision.directive.to === 'announce') {
        if (this.#announced.length < MAX_ANNOUNCED) this.#announced.push(decision.directive.text);
      }
    }
    if (observation.kind === 'press') this.#pressed.set(observation.key, refused);
  }

  #acknowledge(id: string, by: NonNullable<Finding['acknowledged']>): void {
    const finding = this.#findings.get(id);
    if (finding !== undefined) this.#findings.set(id, { ...finding, acknowledged: by });
  }

  /** Every finding of a code since the start, as it last was. */
  findings(code: string): readonly Finding[] {
    return [...this.#findings.values()].filter((finding) => finding.code === code);
  }

  /** Clause with which the last press of this key was refused; null when it was taken. */
  lastRefusal(key: string): string | null | undefined {
    return this.#pressed.get(key);
  }

  get announced(): readonly string[] {
    return this.#announced;
  }

  /** The last steps in words, oldest first. */
  recent(): readonly string[] {
    return this.#recent.map(({ step, phase }) => stepWords(step, phase));
  }
}
