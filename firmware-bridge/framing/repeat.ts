/** Messages remembered against repeats; a machine repeats one or two, never dozens. */
export const REPEATS_KEPT = 16;

/** Knows a message that was sent again. */
export class RepeatFilter {
  readonly #windowNs: number;
  readonly #keys: string[] = new Array<string>(REPEATS_KEPT).fill('');
  readonly #times = new Float64Array(REPEATS_KEPT).fill(-1);
  #next = 0;

  constructor(windowMs: number) {
    this.#windowNs = windowMs * 1e6;
  }

  /** True when the same key was seen within the window. */
  isRepeat(key: string, atNs: number): boolean {
    for (let i = 0; i < REPEATS_KEPT; i += 1) {
      const seenNs = this.#times[i] ?? -1;
      if (seenNs < 0 || this.#keys[i] !== key || atNs - seenNs > this.#windowNs) continue;
      this.#times[i] = atNs;
      return true;
    }
    this.#keys[this.#next] = key;
    this.#times[this.#next] = atNs;
    this.#next = (this.#next + 1) % REPEATS_KEPT;
    return false;
  }
}
