export interface ControlSeen {
  readonly stretches: number;
  readonly longestMs: number;
  readonly totalMs: number;
  /** Stretches that took longer than the limit. */
  readonly over: number;
}

/** Rounds of one calibration, and how often: the shortest was not interrupted. */
const ROUNDS = 200_000;
const TRIES = 20;

/** A sum of whole numbers: no memory, no call, nothing to wait for. */
const spin = (rounds: number): number => {
  let x = 1;
  for (let i = 0; i < rounds; i += 1) x = (Math.imul(x, 1_664_525) + 1_013_904_223) | 0;
  return x;
};

/** Plain work of a known length, timed: it takes longer only when the machine interrupts it. */
export class Control {
  readonly #limitMs: number;
  readonly #roundsPerMs: number;
  #stretches = 0;
  #longestMs = 0;
  #totalMs = 0;
  #over = 0;
  /** What was computed, kept so that the engine cannot leave the work out. */
  result = 0;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
    let leastMs = Infinity;
    for (let i = 0; i < TRIES; i += 1) leastMs = Math.min(leastMs, this.#timed(ROUNDS));
    this.#roundsPerMs = ROUNDS / leastMs;
  }

  /** Works as long as `ms` of an undisturbed processor. */
  work(ms: number): void {
    const tookMs = this.#timed(Math.round(ms * this.#roundsPerMs));
    this.#stretches += 1;
    this.#totalMs += tookMs;
    this.#longestMs = Math.max(this.#longestMs, tookMs);
    if (tookMs > this.#limitMs) this.#over += 1;
  }

  seen(): ControlSeen {
    return {
      stretches: this.#stretches,
      longestMs: this.#longestMs,
      totalMs: this.#totalMs,
      over: this.#over,
    };
  }

  #timed(rounds: number): number {
    const startMs = performance.now();
    this.result ^= spin(rounds);
    return performance.now() - startMs;
  }
}
