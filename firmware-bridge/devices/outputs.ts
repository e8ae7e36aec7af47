import type { Directive } from '../../controller/core/directive.js';
import type { Cancel, Scheduler } from '../../controller/core/ports.js';
import { reasonOf } from '../bus/errors.js';
import type { GpioBus, LineSpec, OutputLine } from '../bus/gpio.js';
import type { Device, DeviceStatus } from './device.js';
import { Link, type Tell } from './link.js';

/** Half a period of a blinking tower light, ns. */
export const BLINK_NS = 500_000_000;

/** Output lines with a safe state: kept while the program runs, set when it stops. */
class OutputGroup {
  readonly link: Link;
  readonly #gpio: GpioBus;
  readonly #specs: readonly LineSpec[];
  readonly #levels: boolean[];
  #lines: OutputLine[] = [];

  constructor(
    parts: OutputParts,
    specs: readonly LineSpec[],
    levels: readonly boolean[],
    tell: Tell,
  ) {
    this.#gpio = parts.gpio;
    this.#specs = specs;
    this.#levels = [...levels];
    this.link = new Link({
      device: parts.name,
      scheduler: parts.scheduler,
      tell,
      silenceNs: null,
      open: () => this.#open(),
      shut: () => this.#shut(),
    });
  }

  set(index: number, active: boolean): void {
    this.#levels[index] = active;
    try {
      this.#lines[index]?.set(active);
    } catch (thrown) {
      this.link.down(reasonOf(thrown));
    }
  }

  #open(): void {
    try {
      this.#lines = [];
      for (const [i, spec] of this.#specs.entries()) {
        this.#lines.push(this.#gpio.output(spec, this.#levels[i] ?? false));
      }
    } catch (thrown) {
      this.link.down(reasonOf(thrown));
      return;
    }
    this.link.up();
  }

  #shut(): void {
    for (const line of this.#lines) line.close();
    this.#lines = [];
  }
}

export interface OutputParts {
  readonly name: string;
  readonly scheduler: Scheduler;
  readonly gpio: GpioBus;
}

const statusOf = (group: OutputGroup | null): DeviceStatus => ({
  state: group?.link.state ?? 'closed',
  identity: null,
  reason: group?.link.lastReason ?? null,
  counts: {},
  readings: null,
});

/** The shoe's lock. Active line: locked. */
export class Gate implements Device {
  readonly name: string;
  readonly #parts: OutputParts;
  readonly #line: LineSpec;
  /** State on start before the first directive, on stop and in a crash handler. */
  readonly #safeLocked: boolean;
  #group: OutputGroup | null = null;

  constructor(parts: OutputParts, line: LineSpec, safeLocked: boolean) {
    this.name = parts.name;
    this.#parts = parts;
    this.#line = line;
    this.#safeLocked = safeLocked;
  }

  start(tell: Tell): void {
    this.#group ??= new OutputGroup(this.#parts, [this.#line], [this.#safeLocked], tell);
    this.#group.link.start();
  }

  stop(): void {
    this.#group?.set(0, this.#safeLocked);
    this.#group?.link.stop();
    this.#group = null;
  }

  perform(directive: Directive): void {
    if (directive.to === 'gate') this.#group?.set(0, directive.locked);
  }

  status(): DeviceStatus {
    return statusOf(this.#group);
  }
}

const COLOURS = ['green', 'amber', 'red'] as const;

/** The light tower: a line a colour, one colour at a time, steady or blinking. Safe state: dark. */
export class Tower implements Device {
  readonly name: string;
  readonly #parts: OutputParts;
  readonly #lines: readonly LineSpec[];
  #group: OutputGroup | null = null;
  #cancel: Cancel | null = null;
  #index = -1;
  #blinking = false;
  #lit = false;

  /** `lines`: green, amber, red. */
  constructor(parts: OutputParts, lines: readonly [LineSpec, LineSpec, LineSpec]) {
    this.name = parts.name;
    this.#parts = parts;
    this.#lines = lines;
  }

  start(tell: Tell): void {
    this.#group ??= new OutputGroup(this.#parts, this.#lines, [false, false, false], tell);
    this.#group.link.start();
  }

  stop(): void {
    this.#cancel?.();
    for (const i of COLOURS.keys()) this.#group?.set(i, false);
    this.#group?.link.stop();
    this.#group = null;
    this.#index = -1;
  }

  perform(directive: Directive): void {
    if (directive.to !== 'tower') return;
    this.#cancel?.();
    this.#index = COLOURS.indexOf(directive.colour);
    this.#blinking = directive.light === 'blink';
    this.#lit = true;
    this.#show();
    if (this.#blinking) this.#arm();
  }

  status(): DeviceStatus {
    return statusOf(this.#group);
  }

  #arm(): void {
    this.#cancel = this.#parts.scheduler.at(this.#parts.scheduler.nowNs() + BLINK_NS, () => {
      this.#lit = !this.#lit;
      this.#show();
      this.#arm();
    });
  }

  #show(): void {
    for (const i of COLOURS.keys()) this.#group?.set(i, this.#lit && i === this.#index);
  }
}

/** Beeps per pattern: lengths on and off in turn, ms. */
const PATTERNS = {
  stop: [600, 200, 600, 200, 600],
  hold: [200, 150, 200],
  notice: [80],
  escalate: [150, 80, 150, 80, 150, 80, 150],
} as const;

/** A buzzer on one line. Safe state: quiet. */
export class Sounder implements Device {
  readonly name: string;
  readonly #parts: OutputParts;
  readonly #line: LineSpec;
  #group: OutputGroup | null = null;
  #cancel: Cancel | null = null;

  constructor(parts: OutputParts, line: LineSpec) {
    this.name = parts.name;
    this.#parts = parts;
    this.#line = line;
  }

  start(tell: Tell): void {
    this.#group ??= new OutputGroup(this.#parts, [this.#line], [false], tell);
    this.#group.link.start();
  }

  stop(): void {
    this.#cancel?.();
    this.#group?.set(0, false);
    this.#group?.link.stop();
    this.#group = null;
  }

  perform(directive: Directive): void {
    if (directive.to !== 'sound') return;
    this.#cancel?.();
    this.#play(PATTERNS[directive.pattern], 0);
  }

  status(): DeviceStatus {
    return statusOf(this.#group);
  }

  #play(lengthsMs: readonly number[], at: number): void {
    const length = lengthsMs[at];
    this.#group?.set(0, length !== undefined && at % 2 === 0);
    if (length === undefined) return;
    const { scheduler } = this.#parts;
    this.#cancel = scheduler.at(scheduler.nowNs() + length * 1e6, () =>
      this.#play(lengthsMs, at + 1),
    );
  }
}
