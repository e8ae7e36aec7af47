import type { Finding } from '../../core/finding.js';

/** How long a finding is left to whoever has the floor's page open, ms of real time. */
export const VISITOR_MS = 30_000;
/** And once somebody pressed Seen there: counting cards by hand takes its time. */
const SEEN_MS = 120_000;
/** Findings remembered; more than are ever open at once. */
const KEPT = 200;

/**
 * A person at the floor's page of the demo. However fast the table is played, what is found is left
 * to them for a while by our own clock; then the demo's own floorperson steps in.
 */
export class Visitor {
  readonly #isThere: () => boolean;
  readonly #nowMs: () => number;
  readonly #sinceMs = new Map<string, number>();

  constructor(isThere: () => boolean, nowMs: () => number = () => performance.now()) {
    this.#isThere = isThere;
    this.#nowMs = nowMs;
  }

  /** Of the open findings, those that are theirs now. */
  leaves(findings: readonly Finding[]): ReadonlySet<string> {
    const nowMs = this.#nowMs();
    if (!this.#isThere()) return new Set();
    if (this.#sinceMs.size > KEPT) this.#sinceMs.clear();
    const left = findings.filter(({ id, acknowledged }) => {
      const sinceMs = this.#sinceMs.get(id) ?? nowMs;
      this.#sinceMs.set(id, sinceMs);
      return nowMs - sinceMs < (acknowledged === undefined ? VISITOR_MS : SEEN_MS);
    });
    return new Set(left.map(({ id }) => id));
  }
}
