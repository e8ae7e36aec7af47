interface Shown {
  readonly colour: 'green' | 'amber' | 'red' | 'off';
  readonly light: 'steady' | 'blink';
}

/** A lamp that was lit within this time still counts as the tower's colour while it blinks, ns. */
const REMEMBERED_NS = 1_200_000_000;

const COLOURS = ['green', 'amber', 'red'] as const;

/** What an eye makes of the tower's three lines over time. */
export class TowerModel {
  readonly #lit = [false, false, false];
  readonly #onNs = [-1, -1, -1];
  readonly #offNs = [-1, -1, -1];

  /** Takes an output by its board name: `tower-red`; other outputs are ignored. */
  set(line: string, active: boolean, atNs: number): void {
    const i = COLOURS.findIndex((colour) => line === `tower-${colour}`);
    if (i < 0 || this.#lit[i] === active) return;
    this.#lit[i] = active;
    (active ? this.#onNs : this.#offNs)[i] = atNs;
  }

  shows(nowNs: number): Shown {
    let colour: Shown['colour'] = 'off';
    let latestNs = -1;
    for (const [i, name] of COLOURS.entries()) {
      const at = this.#lit[i] === true ? Infinity : (this.#offNs[i] ?? -1);
      if (at <= latestNs || (at !== Infinity && nowNs - at > REMEMBERED_NS)) continue;
      latestNs = at;
      colour = name;
    }
    const i = COLOURS.findIndex((name) => name === colour);
    const offNs = this.#offNs[i] ?? -1;
    const onNs = this.#onNs[i] ?? -1;
    const dark = this.#lit[i] === false;
    const blinks = dark || (offNs >= 0 && onNs - offNs < REMEMBERED_NS && onNs > offNs);
    const recent = nowNs - Math.max(onNs, offNs) <= REMEMBERED_NS;
    return { colour, light: colour !== 'off' && blinks && recent ? 'blink' : 'steady' };
  }
}
