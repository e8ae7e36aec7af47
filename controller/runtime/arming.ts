import type { Board } from '../../firmware-bridge/boards/load.js';
import { OUTPUT_DRIVERS } from '../../firmware-bridge/boards/schema.js';
import { BoardBridge } from '../../firmware-bridge/bridge.js';
import type { Observation } from '../core/observation.js';
import type { Bridge, Cancel, Scheduler } from '../core/ports.js';
import type { Log } from './log-port.js';
import type { TableLoop } from './loop.js';

/** A device that has not answered so long after the start is told as away, ms. */
export const ANSWER_MS = 5000;
/** Broker and page wait so long for the word at most: loading them would delay it, ms. */
const PATIENCE_MS = 300;
/** Devices that show and move things; all others see or hear. */
const SHOW_OR_MOVE: readonly string[] = [...OUTPUT_DRIVERS, 'display'];

export interface ArmingParts {
  readonly loop: Pick<TableLoop, 'onStep'>;
  readonly bridge: Bridge;
  /** Real time, even where the table's own is simulated. */
  readonly scheduler: Scheduler;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** Behind the first word: what is still to come. */
  readonly next: () => string;
  /** Once, with the first word: `null` for a table that is watched, else what is away. */
  readonly said: (away: string | null) => void;
}

/**
 * Says in the log what a start came to: `armed: the table is watched` only once every device of
 * the board was reached, else what is not; and each device that is lost or comes back, by name.
 */
export class Arming {
  readonly #p: ArmingParts;
  readonly #board: Board | null;
  readonly #up = new Set<string>();
  /** Why it is away, by device. */
  readonly #away = new Map<string, string>();
  #cancels: readonly Cancel[] = [];
  #goOn: () => void = () => undefined;
  #state: 'starting' | 'asked' | 'whole' | 'lacking' = 'starting';

  constructor(parts: ArmingParts) {
    this.#p = parts;
    this.#board = parts.bridge instanceof BoardBridge ? parts.bridge.board : null;
  }

  /** Before the table starts: what its devices answer first is not to be missed. */
  listen(): void {
    this.#cancels = [this.#p.loop.onStep(({ observation }) => this.#hear(observation))];
  }

  /**
   * The rules run and the hardware is being opened: the word comes once all have answered.
   * Resolves with it, or after some patience without.
   */
  ask(): Promise<void> {
    const { scheduler } = this.#p;
    this.#state = 'asked';
    const after = (ms: number, task: () => void): Cancel =>
      scheduler.at(scheduler.nowNs() + ms * 1e6, task);
    return new Promise((resolve) => {
      this.#goOn = resolve;
      this.#cancels = [
        ...this.#cancels,
        after(PATIENCE_MS, resolve),
        after(ANSWER_MS, () => this.#say()),
      ];
      this.#settle();
    });
  }

  stop(): void {
    for (const cancel of this.#cancels) cancel();
    this.#cancels = [];
    this.#goOn();
  }

  #hear(observation: Observation): void {
    const { log } = this.#p;
    switch (observation.kind) {
      case 'link.down': {
        const { device, reason = 'no reason given' } = observation;
        this.#lose(device, reason);
        log.warn({ device }, `${device}: no connection: ${reason}`);
        break;
      }
      case 'device.stale':
        this.#lose(observation.device, 'silent for too long');
        log.warn({ device: observation.device }, `${observation.device}: silent for too long`);
        break;
      case 'link.up': {
        const { device } = observation;
        this.#up.add(device);
        if (this.#away.delete(device)) log.info({ device }, `${device}: connected again`);
        break;
      }
      default:
        return;
    }
    this.#settle();
  }

  #lose(device: string, reason: string): void {
    this.#up.delete(device);
    this.#away.set(device, reason);
  }

  #settle(): void {
    const open = this.#devices().filter((name) => !this.#up.has(name));
    if (this.#state === 'asked' && open.some((name) => !this.#away.has(name))) return;
    if (this.#state === 'asked' || (this.#state === 'lacking' && open.length === 0)) this.#say();
  }

  #say(): void {
    const isFirst = this.#state === 'asked';
    const away = this.#lacking();
    if (!isFirst && (this.#state !== 'lacking' || away !== null)) return;
    this.#state = away === null ? 'whole' : 'lacking';
    const { log, next, said } = this.#p;
    const behind = isFirst ? next() : '';
    const fields = { ms: Math.round(performance.now()) };
    if (away === null) log.info(fields, `armed: the table is watched${behind}`);
    else log.warn(fields, `armed, but ${away}${behind}`);
    if (isFirst) said(away);
    this.#goOn();
  }

  #devices(): readonly string[] {
    return this.#board === null ? [] : Object.keys(this.#board.devices);
  }

  /** `not watched: mouth, lid; out of reach: gate`; null where nothing is away. */
  #lacking(): string | null {
    const away = this.#devices().filter((name) => !this.#up.has(name));
    const isOutput = (name: string): boolean =>
      SHOW_OR_MOVE.includes(this.#board?.devices[name]?.driver ?? '');
    const named = (what: string, names: readonly string[]): readonly string[] =>
      names.length === 0 ? [] : [`${what}: ${names.map((name) => this.#why(name)).join(', ')}`];
    const parts = [
      ...named(
        'not watched',
        away.filter((name) => !isOutput(name)),
      ),
      ...named('out of reach', away.filter(isOutput)),
    ];
    return parts.length === 0 ? null : parts.join('; ');
  }

  /** The reason stands in the device's own line; one that never answered has none. */
  #why(name: string): string {
    return this.#away.has(name) ? name : `${name} (no answer in ${ANSWER_MS / 1000} s)`;
  }
}
