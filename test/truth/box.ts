import { redact, type Rules, step } from '../../controller/core/decide.js';
import type { Finding } from '../../controller/core/finding.js';
import type { Happening, Observation } from '../../controller/core/observation.js';
import { SimulatedClock } from '../../controller/core/simulated-clock.js';
import { initialState, type TableState } from '../../controller/core/state.js';
import { type TableView, viewOf } from '../../controller/core/view.js';
import { Outputs } from '../../controller/runtime/outputs.js';
import { Timers } from '../../controller/runtime/timers.js';
import type { Hands, VirtualTable } from '../../firmware-bridge/virtual/hands.js';
import type { NoiseModel } from '../../firmware-bridge/virtual/noise.js';
import { createVirtualTable, READY_NS } from '../../firmware-bridge/virtual/table.js';

export interface BoxOptions {
  readonly rules: Rules;
  readonly seed: number;
  readonly noise: number;
  readonly model: NoiseModel;
}

/**
 * The system under trial, in one process and on a simulated clock: virtual lines, registers and
 * bytes, the devices, the signal path, the rules, the outputs. Only the journal is left out: a row
 * is durable at once. What a trial may look at is what leaves the box: `raised` and `view`.
 */
export class Box {
  readonly clock = new SimulatedClock();
  readonly hands: Hands;
  /** Findings as the box publishes them (`alert`), in order. */
  readonly raised: Finding[] = [];
  readonly #rules: Rules;
  readonly #table: VirtualTable;
  readonly #timers: Timers;
  readonly #outputs: Outputs;
  readonly #inbox: { readonly happening: Happening; readonly atNs: number }[] = [];
  #state: TableState;
  #offsetNs = 0;
  #busy = false;

  constructor({ rules, seed, noise, model }: BoxOptions) {
    this.#rules = rules;
    this.#state = initialState(rules.table);
    this.#table = createVirtualTable(this.clock, { seed, noise, model, table: rules.table });
    this.hands = this.#table.hands;
    this.#timers = new Timers(this.clock, (timer) => {
      this.#tell({ kind: 'timer', timer }, this.clock.nowNs());
    });
    this.#outputs = new Outputs({
      locks: rules.table.enforcement === 'lock',
      perform: (directive) => {
        this.#table.bridge.perform(directive);
      },
      failed: (output, reason) => {
        this.#tell({ kind: 'link.down', device: output, reason }, this.clock.nowNs());
      },
    });
  }

  async start(): Promise<void> {
    await this.#boot(false);
    this.run(this.clock.nowNs() + 2 * READY_NS);
  }

  /** Lets the table's time run. */
  run(untilNs: number): void {
    this.clock.runUntil(Math.ceil(untilNs));
  }

  /** What the box shows to people and to MQTT `state`. */
  view(): TableView {
    return viewOf(this.#state);
  }

  /** Power away without warning; `meanwhile` happens in the dark. Same table afterwards. */
  async powerCut(offMs: number, meanwhile: () => number): Promise<void> {
    this.#timers.clear();
    this.#inbox.length = 0;
    await this.#table.bridge.stop();
    this.run(Math.max(meanwhile(), this.clock.nowNs() + offMs * 1e6));
    this.#offsetNs = this.#state.atNs - this.clock.nowNs();
    for (const [timer, dueNs] of Object.entries(this.#state.timers)) {
      this.#timers.set(timer, dueNs - this.#offsetNs);
    }
    await this.#boot(true);
    this.run(this.clock.nowNs() + 2 * READY_NS);
  }

  async close(): Promise<void> {
    this.#timers.clear();
    await this.#table.close();
  }

  async #boot(unclean: boolean): Promise<void> {
    this.#outputs.lockFirst();
    const boot = this.#state.house.boot + 1;
    this.#tell({ kind: 'power.boot', unclean, boot }, this.clock.nowNs());
    await this.#table.bridge.start((happening, atNs) => {
      this.#tell(happening, atNs);
    });
    this.#outputs.assert(this.#state.outputs);
  }

  #tell(happening: Happening, atNs: number): void {
    this.#inbox.push({ happening, atNs });
    if (this.#busy) return;
    this.#busy = true;
    for (let next = this.#inbox.shift(); next !== undefined; next = this.#inbox.shift()) {
      this.#decide(next.happening, next.atNs);
    }
    this.#busy = false;
  }

  #decide(told: Happening, atNs: number): void {
    const before = this.#state;
    const observation: Observation = {
      seq: before.seq + 1,
      atNs: Math.max(before.atNs, Math.round(atNs + this.#offsetNs)),
      wallMs: this.clock.wallMs(),
      wallTrusted: this.clock.wallTrusted(),
      ...redact(before, told, this.#rules),
    };
    const { decisions, state } = step(before, observation, this.#rules);
    this.#state = state;
    const locked = state.outputs.gateLocked;
    for (const decision of decisions) {
      if (decision.do === 'raised') this.raised.push(decision.finding);
      else if (decision.do === 'timer') {
        const { dueNs, timer } = decision;
        this.#timers.set(timer, dueNs === null ? null : dueNs - this.#offsetNs);
      } else if (decision.do === 'direct') this.#outputs.perform(decision.directive, locked);
    }
    if (observation.kind === 'link.up') this.#outputs.assert(state.outputs);
  }
}
