import type { Happening } from '../../controller/core/observation.js';
import type { Cancel, Scheduler } from '../../controller/core/ports.js';

export type Tell = (happening: Happening, atNs: number) => void;

/** First pause before a lost device is opened again, ns; doubles up to the longest. */
export const REOPEN_MIN_NS = 250_000_000;
export const REOPEN_MAX_NS = 10_000_000_000;
/** Open this long, a device is stable and the pause starts small again, ns. */
export const STABLE_NS = 30_000_000_000;
/** Longest reason kept of a lost link, characters. */
export const REASON_MAX = 200;

export interface LinkOptions {
  readonly device: string;
  readonly scheduler: Scheduler;
  readonly tell: Tell;
  /** Silence after which the device is stale, ns; null where it may be quiet for ever. */
  readonly silenceNs: number | null;
  /** Starts opening; ends in `up` or `down`. */
  readonly open: () => void;
  /** Lets go of whatever `open` took. */
  readonly shut: () => void;
}

/**
 * Life of one device's connection, told to the rules.
 *
 *   closed -> opening -> up <-> stale
 *                ^        |       |
 *                +- lost <+-------+       pause doubles, from 0.25 to 10 s
 */
export class Link {
  state: 'closed' | 'opening' | 'up' | 'stale' | 'lost' = 'closed';
  identity: string | null = null;
  lastReason: string | null = null;
  readonly #o: LinkOptions;
  #pauseNs = REOPEN_MIN_NS;
  #upNs = 0;
  #heardNs = 0;
  /** Lost is told once, however often opening fails. */
  #toldDown = false;
  #cancelReopen: Cancel | null = null;
  #cancelSilence: Cancel | null = null;

  constructor(options: LinkOptions) {
    this.#o = options;
  }

  start(): void {
    if (this.state !== 'closed') return;
    this.#toldDown = false;
    this.#open();
  }

  stop(): void {
    if (this.state === 'closed') return;
    this.state = 'closed';
    this.#cancelReopen?.();
    this.#cancelSilence?.();
    this.#o.shut();
  }

  /** The device answered and is configured. */
  up(identity?: string): void {
    // An answer to an attempt that was given up comes too late.
    if (this.state === 'closed' || this.state === 'lost') return;
    const now = this.#o.scheduler.nowNs();
    if (identity !== undefined) this.identity = identity;
    if (this.state === 'up') {
      if (identity !== undefined) this.#tellUp(now);
      return;
    }
    this.state = 'up';
    this.#upNs = now;
    this.#heardNs = now;
    this.#toldDown = false;
    this.#tellUp(now);
    this.#armSilence(now);
  }

  /** Something came from the device. Cheap: called for every chunk. */
  heard(atNs: number): void {
    this.#heardNs = atNs;
    if (this.state === 'stale') this.up();
  }

  /** The device is gone, or answers garbage; it will be opened again. */
  down(reason: string): void {
    if (this.state === 'closed' || this.state === 'lost') return;
    const now = this.#o.scheduler.nowNs();
    if (this.state !== 'opening' && now - this.#upNs >= STABLE_NS) this.#pauseNs = REOPEN_MIN_NS;
    this.state = 'lost';
    this.lastReason = reason.slice(0, REASON_MAX);
    this.#cancelSilence?.();
    this.#o.shut();
    if (!this.#toldDown) {
      this.#toldDown = true;
      const { device } = this.#o;
      this.#o.tell({ kind: 'link.down', device, reason: this.lastReason }, now);
    }
    this.#cancelReopen = this.#o.scheduler.at(now + this.#pauseNs, () => this.#open());
    this.#pauseNs = Math.min(2 * this.#pauseNs, REOPEN_MAX_NS);
  }

  /** Something was missed, and all is well again: told as down and up at once. */
  interrupted(reason: string): void {
    if (this.state !== 'up') return;
    const now = this.#o.scheduler.nowNs();
    this.lastReason = reason.slice(0, REASON_MAX);
    this.#o.tell({ kind: 'link.down', device: this.#o.device, reason: this.lastReason }, now);
    this.#tellUp(now);
  }

  #open(): void {
    if (this.state !== 'closed' && this.state !== 'lost') return;
    this.state = 'opening';
    this.#o.open();
  }

  #tellUp(now: number): void {
    const { device, tell } = this.#o;
    const { identity } = this;
    tell(
      identity === null ? { kind: 'link.up', device } : { kind: 'link.up', device, identity },
      now,
    );
  }

  #armSilence(now: number): void {
    this.#cancelSilence?.();
    const limit = this.#o.silenceNs;
    if (limit === null) return;
    const due = Math.max(this.#heardNs, now - limit) + limit;
    this.#cancelSilence = this.#o.scheduler.at(due, () => this.#checkSilence(limit));
  }

  #checkSilence(limit: number): void {
    if (this.state !== 'up') return;
    const now = this.#o.scheduler.nowNs();
    // The same sum as in `#armSilence`: a difference may be rounded to the other side, for ever.
    if (now < this.#heardNs + limit) {
      this.#armSilence(now);
      return;
    }
    this.state = 'stale';
    this.#o.tell({ kind: 'device.stale', device: this.#o.device }, now);
  }
}
