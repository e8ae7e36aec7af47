import type { Lamp, Sensed } from '../../controller/core/observation.js';
import type { Cancel, Scheduler } from '../../controller/core/ports.js';
import { reasonOf } from '../bus/errors.js';
import type { GpioBus, InputLine, LineSpec } from '../bus/gpio.js';
import { Debounce, NEVER } from '../signal/debounce.js';
import { LampClassifier } from '../signal/lamp.js';
import type { Device, DeviceStatus } from './device.js';
import { Link, type Tell } from './link.js';

/** A lid or a shoe that moves bounces far longer than a beam, ns. */
export const SWITCH_STABLE_NS = 50_000_000;

export interface SwitchParts {
  readonly name: string;
  readonly scheduler: Scheduler;
  readonly gpio: GpioBus;
}

/** What watches lines of its own and decides later: the timer of a switch and of a lamp tap. */
abstract class LineWatcher implements Device {
  readonly name: string;
  protected tell: Tell = () => undefined;
  protected readonly scheduler: Scheduler;
  readonly #gpio: GpioBus;
  readonly #specs: readonly LineSpec[];
  #lines: InputLine[] = [];
  #link: Link | null = null;
  #cancel: Cancel | null = null;

  constructor(parts: SwitchParts, specs: readonly LineSpec[]) {
    this.name = parts.name;
    this.scheduler = parts.scheduler;
    this.#gpio = parts.gpio;
    this.#specs = specs;
  }

  start(tell: Tell): void {
    this.tell = tell;
    this.#link ??= new Link({
      device: this.name,
      scheduler: this.scheduler,
      tell,
      silenceNs: null,
      open: () => this.#open(),
      shut: () => {
        this.#cancel?.();
        for (const line of this.#lines) line.close();
        this.#lines = [];
      },
    });
    this.#link.start();
  }

  stop(): void {
    this.#link?.stop();
    this.#link = null;
  }

  status(): DeviceStatus {
    return {
      state: this.#link?.state ?? 'closed',
      identity: null,
      reason: this.#link?.lastReason ?? null,
      counts: {},
      readings: null,
    };
  }

  /** Levels of the lines when they were opened. */
  protected abstract begin(levels: readonly boolean[]): void;
  protected abstract edge(index: number, active: boolean, atNs: number): void;
  protected abstract settle(nowNs: number): void;
  protected abstract dueNs(): number;

  #open(): void {
    try {
      this.#lines = this.#specs.map((spec, i) =>
        this.#gpio.input(spec, {
          edge: (active, atNs) => {
            this.edge(i, active, atNs);
            this.#arm();
          },
          fault: (error) => this.#link?.down(error.message),
        }),
      );
      const levels = this.#lines.map((line) => line.read());
      this.#link?.up();
      this.begin(levels);
      this.#arm();
    } catch (thrown) {
      this.#link?.down(reasonOf(thrown));
    }
  }

  #arm(): void {
    this.#cancel?.();
    const due = this.dueNs();
    if (due === NEVER) return;
    this.#cancel = this.scheduler.at(due, () => {
      this.settle(this.scheduler.nowNs());
      this.#arm();
    });
  }
}

/** What a switch tells when its line goes active and when it goes back. */
export interface SwitchWords {
  readonly active: Sensed;
  readonly inactive: Sensed;
  /** Told at the start when the switch is found active: an open lid, not a shoe in its place. */
  readonly tellAtStart: boolean;
}

export const LID: SwitchWords = {
  active: { kind: 'lid.open' },
  inactive: { kind: 'lid.closed' },
  tellAtStart: true,
};
export const SHOE: SwitchWords = {
  active: { kind: 'shoe.loaded' },
  inactive: { kind: 'shoe.empty' },
  tellAtStart: false,
};

/** A lid or shoe-present switch. */
export class Switch extends LineWatcher {
  readonly #words: SwitchWords;
  #debounce = new Debounce(false, SWITCH_STABLE_NS);
  /** Survives a lost link: only a true change is told again. */
  #told: boolean | null = null;

  constructor(parts: SwitchParts, line: LineSpec, words: SwitchWords) {
    super(parts, [line]);
    this.#words = words;
  }

  protected begin(levels: readonly boolean[]): void {
    const level = levels[0] ?? false;
    this.#debounce.reset(level);
    const before = this.#told ?? (this.#words.tellAtStart ? false : level);
    this.#told = level;
    if (level !== before) this.#say(level, this.scheduler.nowNs());
  }

  protected edge(_index: number, active: boolean, atNs: number): void {
    this.settle(atNs);
    this.#debounce.edge(active, atNs);
  }

  protected settle(nowNs: number): void {
    if (!this.#debounce.settle(nowNs)) return;
    this.#told = this.#debounce.level;
    this.#say(this.#debounce.level, this.#debounce.changedNs);
  }

  protected dueNs(): number {
    return this.#debounce.dueNs();
  }

  #say(active: boolean, atNs: number): void {
    this.tell(active ? this.#words.active : this.#words.inactive, atNs);
  }
}

/**
 * A photodiode or contact on the shuffler's light, for machines that speak no protocol.
 * Lines: green, red.
 */
export class LampTap extends LineWatcher {
  #classifier: LampClassifier | null = null;
  #told: Lamp | null = null;

  protected begin(levels: readonly boolean[]): void {
    const now = this.scheduler.nowNs();
    this.#classifier = new LampClassifier(levels[0] ?? false, levels[1] ?? false, now);
  }

  protected edge(index: number, active: boolean, atNs: number): void {
    this.#classifier?.edge(index === 0 ? 0 : 1, active, atNs);
    this.#report(atNs);
  }

  protected settle(nowNs: number): void {
    this.#classifier?.settle(nowNs);
    this.#report(nowNs);
  }

  protected dueNs(): number {
    return this.#classifier?.dueNs() ?? NEVER;
  }

  #report(atNs: number): void {
    const state = this.#classifier?.state ?? 'unknown';
    if (state === 'unknown' || state === this.#told) return;
    // What the light showed when the program came up is not news.
    const isNews = this.#told !== null;
    this.#told = state;
    if (isNews) this.tell({ kind: 'shuffler.lamp', lamp: state }, atNs);
  }
}
