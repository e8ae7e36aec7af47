import type { StepLine } from './source.js';

/** Lines kept for a page that opens or comes back. */
export const LINES_KEPT = 200;

/** The newest lines of a table in a fixed amount of memory. */
export class RecentLines {
  readonly #ring: (StepLine | undefined)[];
  #next = 0;
  #size = 0;

  constructor(limit: number = LINES_KEPT) {
    this.#ring = new Array<StepLine | undefined>(limit);
  }

  add(line: StepLine): void {
    const limit = this.#ring.length;
    this.#ring[this.#next] = line;
    this.#next = (this.#next + 1) % limit;
    this.#size = Math.min(this.#size + 1, limit);
  }

  /** Oldest first, at most `limit`. */
  newest(limit: number): readonly StepLine[] {
    const length = this.#ring.length;
    const count = Math.min(limit, this.#size);
    const lines: StepLine[] = [];
    for (let i = count; i > 0; i -= 1) {
      const line = this.#ring[(this.#next - i + length) % length];
      if (line !== undefined) lines.push(line);
    }
    return lines;
  }
}
