import type { Cancel, Scheduler } from './ports.js';

interface Task {
  readonly dueNs: number;
  readonly order: number;
  run: (() => void) | null;
}

const EPOCH_MS = Date.UTC(2026, 0, 5, 14, 0, 0);

/**
 * A clock somebody moves by hand: tasks run in order of time, ties in order of scheduling. The
 * wall clock follows the monotonic one from a fixed start, so that a run repeats byte for byte.
 */
export class SimulatedClock implements Scheduler {
  #now = 0;
  #order = 0;
  #wallOffsetMs: number;
  #trusted = true;
  readonly #heap: Task[] = [];

  constructor(wallStartMs: number = EPOCH_MS) {
    this.#wallOffsetMs = wallStartMs;
  }

  nowNs(): number {
    return this.#now;
  }

  wallMs(): number {
    return this.#wallOffsetMs + Math.floor(this.#now / 1e6);
  }

  wallTrusted(): boolean {
    return this.#trusted;
  }

  /** Moves the wall clock alone, as a time server or a person would. */
  stepWall(stepMs: number, trusted: boolean): void {
    this.#wallOffsetMs += stepMs;
    this.#trusted = trusted;
  }

  at(dueNs: number, run: () => void): Cancel {
    const task: Task = { dueNs: Math.max(dueNs, this.#now), order: this.#order++, run };
    this.#push(task);
    return () => {
      task.run = null;
    };
  }

  /** Tasks that wait and were not cancelled. */
  get waiting(): number {
    let live = 0;
    for (const { run } of this.#heap) if (run !== null) live += 1;
    return live;
  }

  /** When the next task is due; null when nothing waits. */
  nextDueNs(): number | null {
    while (this.#heap[0]?.run === null) this.#pop();
    return this.#heap[0]?.dueNs ?? null;
  }

  /** Runs the next task if it is due by `untilNs`; false when there is none. */
  runNext(untilNs: number): boolean {
    const due = this.nextDueNs();
    if (due === null || due > untilNs) return false;
    const task = this.#pop();
    this.#now = Math.max(this.#now, due);
    const run = task?.run;
    if (task !== undefined) task.run = null;
    run?.();
    return true;
  }

  /** Runs everything due by `untilNs` and leaves the clock there. */
  runUntil(untilNs: number): void {
    while (this.runNext(untilNs));
    this.#now = Math.max(this.#now, untilNs);
  }

  #before(a: Task, b: Task): boolean {
    return a.dueNs < b.dueNs || (a.dueNs === b.dueNs && a.order < b.order);
  }

  #push(task: Task): void {
    const heap = this.#heap;
    let i = heap.push(task) - 1;
    while (i > 0) {
      const up = (i - 1) >> 1;
      const parent = heap[up];
      if (parent === undefined || !this.#before(task, parent)) break;
      heap[i] = parent;
      i = up;
    }
    heap[i] = task;
  }

  #pop(): Task | undefined {
    const heap = this.#heap;
    const top = heap[0];
    const last = heap.pop();
    if (last === undefined || top === last) return top;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      const left = heap[child];
      if (left === undefined) break;
      const right = heap[child + 1];
      let least = left;
      if (right !== undefined && this.#before(right, left)) {
        child += 1;
        least = right;
      }
      if (!this.#before(least, last)) break;
      heap[i] = least;
      i = child;
    }
    heap[i] = last;
    return top;
  }
}
