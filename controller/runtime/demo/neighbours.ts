import { DeviceKey } from '../../../storage/checkpoint.js';
import { MemoryJournal } from '../../../storage/memory.js';
import type { AllowedKey } from '../../../surveillance/mqtt/command-guard.js';
import type { BrokerAddress } from '../../../surveillance/mqtt/mqtt-transport.js';
import { LightTable } from '../load/light-table.js';
import { RealScheduler } from '../real-scheduler.js';
import { mistakeOf } from './mistakes.js';
import { demoRules } from './table.js';

/** Further tables beside the demo's own, so that the wall has something to show. */
const NEIGHBOURS = [
  { pit: 'pit-1', table: 'table-2', procedure: 'pa/631a-baccarat', mistake: null },
  { pit: 'pit-1', table: 'table-3', procedure: 'pa/633a-blackjack', mistake: 'burn.short' },
  { pit: 'pit-1', table: 'table-4', procedure: 'pa/651a-casino-war', mistake: null },
  { pit: 'pit-2', table: 'table-5', procedure: 'pa/627a-minibaccarat', mistake: 'card.back' },
  { pit: 'pit-2', table: 'table-6', procedure: 'pa/635a-spanish-21', mistake: null },
  { pit: 'pit-2', table: 'table-7', procedure: 'pa/629a-midibaccarat', mistake: null },
] as const;
/** However fast the demo's own table goes. */
const SPEED_MAX = 20;

export interface NeighbourParts {
  readonly site: string;
  readonly address: BrokerAddress;
  readonly consumer: string;
  readonly keys: readonly AllowedKey[];
  readonly version: string;
  readonly seed: number;
  readonly speed: number;
  readonly human: boolean;
}

/** Tables without hardware, played beside the demo's own. */
export class Neighbours {
  readonly #scheduler = new RealScheduler();
  readonly #tables: readonly LightTable[];

  constructor(parts: NeighbourParts) {
    const { site, address, consumer, keys, version, seed, human } = parts;
    const speed = Math.min(parts.speed, SPEED_MAX);
    this.#scheduler.trust(true);
    this.#tables = NEIGHBOURS.map(({ pit, table, procedure, mistake }, i) => {
      const rules = demoRules(procedure);
      const known = mistake === null ? null : mistakeOf(mistake);
      return new LightTable({
        place: { site, pit, table },
        rules,
        journal: new MemoryJournal(),
        scheduler: this.#scheduler,
        address,
        consumers: [consumer],
        keys,
        // Made anew with each demo, like their rows: the public half goes to the floor with them.
        key: DeviceKey.generate(),
        version,
        seed: seed + i + 1,
        mistakes: human && known?.fits(rules) === true ? [known] : [],
        human,
        pace: (tookMs) => tookMs / speed,
      });
    });
  }

  get size(): number {
    return this.#tables.length;
  }

  async start(): Promise<void> {
    for (const table of this.#tables) {
      await table.start();
      table.play();
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#tables.map((table) => table.stop()));
    this.#scheduler.close();
  }
}
