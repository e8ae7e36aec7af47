import { Debounce, GLITCH_NS, NEVER } from './debounce.js';
import { BLOCKED_NS, Transit } from './transit.js';

/** Told as the mouth's two beams are understood. The transit's fields hold until the next one. */
export interface MouthSink {
  /** A card from the inside covers both beams since `atNs`: its colour can be read from now. */
  leaving(atNs: number): void;
  /** Something from the outside covers beam B alone: a finger, or a card that A does not see. */
  outside?(atNs: number): void;
  transit(transit: Transit): void;
  blocked(atNs: number): void;
  clear(atNs: number): void;
}

/**
 * Two filtered beams joined in order of time. A change of one line waits while the other line has
 * an older burst that is not settled yet: noise must not swap who came first.
 */
export class BeamPair {
  readonly transit: Transit;
  readonly #a: Debounce;
  readonly #b: Debounce;
  readonly #sink: MouthSink;
  readonly #blockedNs: number;
  #readyA = NEVER;
  #readyB = NEVER;
  #blocked = false;

  constructor(
    spacingMm: number,
    sink: MouthSink,
    blockedNs: number = BLOCKED_NS,
    glitchNs: number = GLITCH_NS,
  ) {
    this.transit = new Transit(spacingMm);
    this.#a = new Debounce(false, glitchNs);
    this.#b = new Debounce(false, glitchNs);
    this.#sink = sink;
    this.#blockedNs = blockedNs;
  }

  edge(beam: 0 | 1, covered: boolean, atNs: number): void {
    this.settle(atNs);
    (beam === 0 ? this.#a : this.#b).edge(covered, atNs);
  }

  /** Decides what can be decided at `nowNs`. */
  settle(nowNs: number): void {
    if (this.#a.settle(nowNs)) this.#ready(0);
    if (this.#b.settle(nowNs)) this.#ready(1);
    this.#release();
    const since = this.transit.startNs;
    if (!this.#blocked && since !== NEVER && nowNs - since >= this.#blockedNs) {
      this.#blocked = true;
      this.#sink.blocked(since + this.#blockedNs);
    }
  }

  /** When to call `settle` next, ns; NEVER while nothing is open. */
  dueNs(): number {
    let due = this.#a.dueNs();
    const b = this.#b.dueNs();
    if (b !== NEVER && (due === NEVER || b < due)) due = b;
    if (!this.#blocked && this.transit.startNs !== NEVER) {
      const blocked = this.transit.startNs + this.#blockedNs;
      if (due === NEVER || blocked < due) due = blocked;
    }
    return due;
  }

  /** Last edge's level of a beam: what the line must still read when `settle` is due. */
  rawLevel(beam: 0 | 1): boolean {
    return (beam === 0 ? this.#a : this.#b).raw;
  }

  /** After lost edges: takes the levels as read; what was passing is not judged. */
  reset(a: boolean, b: boolean, atNs: number): void {
    this.#a.reset(a);
    this.#b.reset(b);
    this.#readyA = NEVER;
    this.#readyB = NEVER;
    this.transit.reset(a, b, atNs);
    if (this.#blocked && !a && !b) this.#unblock(atNs);
  }

  #ready(beam: 0 | 1): void {
    if (beam === 0) {
      if (this.#readyA !== NEVER) this.#deliver(0, !this.#a.level, this.#readyA);
      this.#readyA = this.#a.changedNs;
    } else {
      if (this.#readyB !== NEVER) this.#deliver(1, !this.#b.level, this.#readyB);
      this.#readyB = this.#b.changedNs;
    }
  }

  #release(): void {
    for (;;) {
      const first = this.#first();
      if (first === null) return;
      if (first === 0) {
        const at = this.#readyA;
        if (this.#mayPrecede(this.#b, this.#readyB, at)) return;
        this.#readyA = NEVER;
        this.#deliver(0, this.#a.level, at);
      } else {
        const at = this.#readyB;
        if (this.#mayPrecede(this.#a, this.#readyA, at)) return;
        this.#readyB = NEVER;
        this.#deliver(1, this.#b.level, at);
      }
    }
  }

  #first(): 0 | 1 | null {
    if (this.#readyA === NEVER) return this.#readyB === NEVER ? null : 1;
    return this.#readyB !== NEVER && this.#readyB < this.#readyA ? 1 : 0;
  }

  #mayPrecede(other: Debounce, ready: number, atNs: number): boolean {
    return ready === NEVER && other.pendingNs !== NEVER && other.pendingNs < atNs;
  }

  #deliver(beam: 0 | 1, covered: boolean, atNs: number): void {
    const wasLeaving = this.transit.leaving();
    const over = this.transit.step(beam, covered, atNs);
    if (!wasLeaving && this.transit.leaving()) this.#sink.leaving(atNs);
    if (this.transit.outside()) this.#sink.outside?.(atNs);
    if (!over) return;
    this.#sink.transit(this.transit);
    if (this.#blocked) this.#unblock(atNs);
  }

  #unblock(atNs: number): void {
    this.#blocked = false;
    this.#sink.clear(atNs);
  }
}
