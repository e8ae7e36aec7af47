import { Debounce, NEVER } from './debounce.js';

/** A lamp's level must hold this long, ns: mains flicker and a hand passing are shorter. */
export const LAMP_DEBOUNCE_NS = 200_000_000;
/** Steady or blinking is judged over this window, ns. */
export const LAMP_WINDOW_NS = 3_000_000_000;
/** Changes within the window that make it blink: on, off, on. */
export const BLINK_CHANGES = 3;

export type LampState = 'green' | 'red' | 'blink' | 'off' | 'unknown';

/** Steady, blinking or off, from two taps (green, red) on a shuffler's light. */
export class LampClassifier {
  state: LampState = 'unknown';
  readonly #green: Debounce;
  readonly #red: Debounce;
  /** Ring of the last changes of either lamp, ns. */
  readonly #changes = new Float64Array(BLINK_CHANGES).fill(NEVER);
  #next = 0;
  #lastChangeNs: number;

  constructor(green: boolean, red: boolean, nowNs: number) {
    this.#green = new Debounce(green, LAMP_DEBOUNCE_NS);
    this.#red = new Debounce(red, LAMP_DEBOUNCE_NS);
    this.#lastChangeNs = nowNs;
  }

  edge(lamp: 0 | 1, on: boolean, atNs: number): void {
    this.settle(atNs);
    (lamp === 0 ? this.#green : this.#red).edge(on, atNs);
  }

  /** True when `state` changed. */
  settle(nowNs: number): boolean {
    if (this.#green.settle(nowNs)) this.#changed(this.#green.changedNs);
    if (this.#red.settle(nowNs)) this.#changed(this.#red.changedNs);
    const state = this.#judge(nowNs);
    if (state === this.state) return false;
    this.state = state;
    return true;
  }

  dueNs(): number {
    let due = this.#lastChangeNs + LAMP_WINDOW_NS;
    const green = this.#green.dueNs();
    const red = this.#red.dueNs();
    if (this.#isSteadyAs(this.state)) due = NEVER;
    if (green !== NEVER && (due === NEVER || green < due)) due = green;
    if (red !== NEVER && (due === NEVER || red < due)) due = red;
    return due;
  }

  #changed(atNs: number): void {
    this.#changes[this.#next] = atNs;
    this.#next = (this.#next + 1) % BLINK_CHANGES;
    this.#lastChangeNs = atNs;
  }

  #steady(): LampState {
    if (this.#green.level) return this.#red.level ? 'unknown' : 'green';
    return this.#red.level ? 'red' : 'off';
  }

  #isSteadyAs(state: LampState): boolean {
    return state !== 'blink' && state === this.#steady();
  }

  #judge(nowNs: number): LampState {
    const oldest = this.#changes[this.#next] ?? NEVER;
    if (nowNs - this.#lastChangeNs >= LAMP_WINDOW_NS) return this.#steady();
    if (oldest !== NEVER && nowNs - oldest < LAMP_WINDOW_NS) return 'blink';
    return this.state;
  }
}
