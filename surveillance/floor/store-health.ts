import type { FloorLog } from './log.js';

/** The same trouble is said again after so long, ms: a full disk is not filled further by a log. */
const AGAIN_MS = 60_000;

export interface StoreTrouble {
  readonly why: string;
  readonly sinceMs: number;
}

interface Trouble extends StoreTrouble {
  saidMs: number;
  times: number;
}

export interface StoreHealthParts {
  readonly log: FloorLog;
  readonly nowMs: () => number;
}

/** What goes wrong with the store over and over: said at once, then now and then, and its end. */
export class StoreHealth {
  readonly #parts: StoreHealthParts;
  readonly #troubles = new Map<string, Trouble>();

  constructor(parts: StoreHealthParts) {
    this.#parts = parts;
  }

  /** The store refused `what`; null: it does not, or no longer. */
  trouble(what: string): StoreTrouble | null {
    return this.#troubles.get(what) ?? null;
  }

  failed(what: string, why: string): void {
    const { log, nowMs } = this.#parts;
    const now = nowMs();
    const known = this.#troubles.get(what);
    const times = (known?.times ?? 0) + 1;
    const isSaid = known === undefined || known.why !== why || now - known.saidMs >= AGAIN_MS;
    this.#troubles.set(what, {
      why,
      sinceMs: known?.sinceMs ?? now,
      saidMs: isSaid ? now : known.saidMs,
      times,
    });
    if (isSaid) log.error({ why, times }, `the store would not take ${what}; it is tried again`);
  }

  took(what: string): void {
    const known = this.#troubles.get(what);
    if (known === undefined) return;
    this.#troubles.delete(what);
    const { log, nowMs } = this.#parts;
    const forS = Math.round((nowMs() - known.sinceMs) / 1000);
    log.info({ forS, times: known.times }, `the store takes ${what} again`);
  }
}
