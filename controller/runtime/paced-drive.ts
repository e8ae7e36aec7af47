import type { SimulatedClock } from '../core/simulated-clock.js';

/** How often the simulated clock is brought up to date, real ms. */
const TURN_MS = 10;
/** Longest work without letting the rest of the process breathe, real ms. */
const WORK_MS = 25;

export interface PacedDriveParts {
  readonly clock: SimulatedClock;
  /** Simulated seconds per real second; Infinity: as fast as the table can follow. */
  readonly speed: number;
  /** Waits until everything told so far is durable and performed. */
  readonly settled: () => Promise<void>;
  readonly signal: AbortSignal;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Drives a simulated clock along the real one. The clock never passes an instant whose consequences
 * are not durable: a table that cannot follow goes slower instead of falling behind.
 * @returns when the signal aborts or, at unlimited speed, when no task waits any more.
 */
export const drivePaced = async (parts: PacedDriveParts): Promise<void> => {
  const { clock, speed, settled, signal } = parts;
  let realMs = performance.now();
  let targetNs = clock.nowNs();
  while (!signal.aborted) {
    const nowMs = performance.now();
    targetNs = Number.isFinite(speed)
      ? targetNs + (nowMs - realMs) * 1e6 * speed
      : Number.POSITIVE_INFINITY;
    realMs = nowMs;
    while (clock.runNext(targetNs)) {
      await settled();
      if (isAborted(signal) || performance.now() - nowMs > WORK_MS) break;
    }
    const nextNs = clock.nextDueNs();
    if (nextNs === null && !Number.isFinite(speed)) return;
    // Behind: the rest of the wish is given up, so that it does not come as a rush later.
    if (nextNs !== null && nextNs <= targetNs) targetNs = clock.nowNs();
    else if (Number.isFinite(targetNs)) clock.runUntil(targetNs);
    await pause(Number.isFinite(speed) ? TURN_MS : 0);
  }
};

const isAborted = (signal: AbortSignal): boolean => signal.aborted;
