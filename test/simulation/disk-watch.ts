import { isDeepStrictEqual } from 'node:util';
import type { Directive } from '../../controller/core/directive.js';
import type { TableStep } from '../../controller/core/ports.js';
import type { TableState } from '../../controller/core/state.js';
import { FAULT_DISPLAY } from '../../controller/runtime/outputs.js';
import type { Rig } from '../../controller/runtime/scenario/rig.js';
import { stepOfRow } from '../../storage/decode.js';
import type { SimulatedDisk } from './disk.js';

const SEQ = /^\{"seq":(\d+),/;
const MAX_FAULTS = 20;

/**
 * Stands beside a table and its disk and says where the table did, told or showed something that
 * no durable row stands behind, or hid that it cannot write.
 */
export class DiskWatch {
  readonly faults: string[] = [];
  readonly #disk: SimulatedDisk;
  readonly #rig: Rig;
  /** Messages already looked at. */
  #looked = 0;
  /** What durable rows order that was not performed yet. */
  #ordered: { readonly seq: number; readonly directive: Directive }[] = [];
  /** The state when the table stopped writing; null while it writes. */
  #stoppedAt: TableState | null = null;

  constructor(disk: SimulatedDisk, rig: Rig) {
    this.#disk = disk;
    this.#rig = rig;
    rig.onPerform((directive) => this.#performed(directive));
    disk.durable = (firstSeq, bodies) => this.#durable(firstSeq, bodies);
  }

  /** A step that was reported to whoever listens to the table. */
  see({ observation }: TableStep): void {
    if (observation.seq > this.#disk.acknowledged.seq) {
      this.#fault(`row ${observation.seq} was told of before it was durable`);
    }
    if (this.#rig.journalFault() !== null) this.#fault(`row ${observation.seq} behind the fault`);
    // What this row ordered was done before anybody was told of it.
    this.#ordered = this.#ordered.filter(({ seq }) => seq > observation.seq);
  }

  /** After each thing done to the table. */
  look(): void {
    const published = this.#rig.published();
    for (const { topic, payload } of published.slice(this.#looked)) {
      const seq = Number(topic.endsWith('/event') ? SEQ.exec(payload)?.[1] : Number.NaN);
      if (seq > this.#disk.acknowledged.seq) {
        this.#fault(`event ${seq} was published before its row was durable`);
      }
    }
    this.#looked = published.length;
    if (!this.#rig.isOn || this.#rig.journalFault() === null) {
      this.#stoppedAt = null;
      return;
    }
    const state = this.#rig.state();
    this.#stoppedAt ??= state;
    if (state !== this.#stoppedAt) this.#fault('the state moved on without the journal');
    const shown = this.#rig.shown();
    if (shown === null) return;
    const locks = this.#rig.rules.table.enforcement === 'lock';
    if (locks && shown.gate !== 'locked') this.#fault('a journal fault, and the gate is open');
    if (shown.tower.colour !== 'red')
      this.#fault(`a fault, and the tower is ${shown.tower.colour}`);
  }

  /** With network for a while, surveillance must have been told; before the table is restarted. */
  surveillanceKnows(): void {
    const reason = this.#rig.journalFault();
    if (reason === null) return;
    // Only over some time can an eye tell a blinking light from a steady one.
    const tower = this.#rig.shown()?.tower;
    if (tower !== undefined && (tower.colour !== 'red' || tower.light !== 'blink')) {
      this.#fault(`a journal fault, and the tower is ${JSON.stringify(tower)}`);
    }
    const last = (name: string): string =>
      this.#rig.published().findLast(({ topic }) => topic.endsWith(`/${name}`))?.payload ?? '';
    if (!last('state').includes(JSON.stringify(reason).slice(1, -1))) {
      this.#fault('surveillance was not told of the journal fault in `state`');
    }
    if (!last('status').includes('fault')) {
      this.#fault(
        `surveillance was not told of the journal fault in \`status\`: ${last('status')}`,
      );
    }
  }

  #durable(firstSeq: number, bodies: readonly string[]): void {
    for (const [i, body] of bodies.entries()) {
      const seq = firstSeq + i;
      for (const decision of stepOfRow(seq, body).decisions) {
        if (decision.do === 'direct') this.#ordered.push({ seq, directive: decision.directive });
      }
    }
  }

  #performed(directive: Directive): void {
    // The one thing that may come before its row.
    if (directive.to === 'gate' && directive.locked) return;
    const state = this.#rig.state();
    if (state.seq > this.#disk.acknowledged.seq) {
      this.#fault(`${JSON.stringify(directive)} before row ${state.seq} was durable`);
    }
    if (this.#rig.journalFault() !== null) {
      const isFault =
        isDeepStrictEqual(directive, FAULT_DISPLAY) ||
        (directive.to === 'tower' && directive.colour === 'red' && directive.light === 'blink');
      if (!isFault) this.#fault(`${JSON.stringify(directive)} while nothing is written`);
      return;
    }
    const ordered = this.#ordered.findIndex((one) => isDeepStrictEqual(one.directive, directive));
    if (ordered >= 0) this.#ordered.splice(ordered, 1);
    else if (!isLasting(directive, state)) {
      this.#fault(`${JSON.stringify(directive)}, and no durable row orders it`);
    }
  }

  #fault(what: string): void {
    if (this.faults.length < MAX_FAULTS) this.faults.push(what);
  }
}

/** A device that comes back is told again what the durable state shows. */
const isLasting = (directive: Directive, { outputs }: TableState): boolean => {
  if (directive.to === 'gate') return directive.locked === outputs.gateLocked;
  return (
    isDeepStrictEqual(directive, outputs.tower) || isDeepStrictEqual(directive, outputs.display)
  );
};
