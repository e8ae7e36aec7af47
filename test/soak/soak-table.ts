import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Rules } from '../../controller/core/decide.js';
import { SimulatedClock } from '../../controller/core/simulated-clock.js';
import { CardTable } from '../../controller/runtime/card-table.js';
import { ClockWatch } from '../../controller/runtime/clock-watch.js';
import { Player } from '../../controller/runtime/demo/player.js';
import { actWithHands } from '../../controller/runtime/hands-way.js';
import { silentLog } from '../../controller/runtime/log-port.js';
import { ProcessLife } from '../../controller/runtime/scenario/life.js';
import { Random } from '../../firmware-bridge/virtual/random.js';
import type { VirtualTable } from '../../firmware-bridge/virtual/hands.js';
import { createVirtualTable, READY_NS } from '../../firmware-bridge/virtual/table.js';
import { DeviceKey } from '../../storage/checkpoint.js';
import { openJournal, type SqliteJournal } from '../../storage/journal.js';
import { FakeTransport } from '../../surveillance/mqtt/fake-transport.js';
import { Publisher } from '../../surveillance/mqtt/publisher.js';
import { NOMINAL } from '../truth/params.js';

const NS_PER_MS = 1e6;
const HOUR_MS = 3_600_000;
/** Between two outages of the network, and how long one lasts, ms. */
const OUTAGE_EVERY_MS = [2 * HOUR_MS, 6 * HOUR_MS] as const;
const OUTAGE_MS = [60_000, 90 * 60_000] as const;
/** The program is stopped, or dies, this often, ms. */
const RESTART_EVERY_MS = [10 * HOUR_MS, 14 * HOUR_MS] as const;
/** Messages the fake broker keeps: nobody looks, and what is kept the collector must carry. */
const KEPT_MESSAGES = 1;
/** How far the clock runs at once while something waits on it, ms. */
const WAIT_STEP_MS = 1000;

/** One run of the program on the table's journal. */
interface Run {
  readonly table: CardTable;
  readonly journal: SqliteJournal;
  readonly publisher: Publisher;
  readonly watch: ClockWatch;
  readonly life: ProcessLife;
}

/**
 * A whole table as in the product, on a simulated clock: virtual hardware with noise, the real
 * loop, the real journal with its thread, the real publisher on a broker that goes away. People
 * make mistakes, the program is stopped and dies.
 */
export class SoakTable {
  readonly clock = new SimulatedClock();
  readonly path: string;
  steps = 0;
  restarts = 0;
  outages = 0;
  readonly #rules: Rules;
  readonly #random: Random;
  readonly #hardware: VirtualTable;
  readonly #transport: FakeTransport;
  readonly #player: Player;
  readonly #key: DeviceKey;
  #run: Run | null = null;
  #outageNs: number;
  #restartNs: number;

  constructor(rules: Rules, seed: number, folder: string) {
    mkdirSync(folder, { recursive: true });
    this.path = join(folder, 'table.journal');
    this.#rules = rules;
    this.#random = new Random(seed);
    this.#key = DeviceKey.create(join(folder, 'device.key'));
    this.#hardware = createVirtualTable(this.clock, {
      seed,
      noise: 1,
      model: NOMINAL.model,
      table: rules.table,
    });
    this.#transport = new FakeTransport({ scheduler: this.clock, keep: KEPT_MESSAGES });
    this.#player = new Player({ rules, seed, mistakes: [], human: true, shoes: null });
    this.#outageNs = this.#later(OUTAGE_EVERY_MS);
    this.#restartNs = this.#later(RESTART_EVERY_MS);
  }

  async start(): Promise<void> {
    const journal = await openJournal(this.path, { writer: 'worker', key: this.#key });
    const life = new ProcessLife(this.clock);
    const table = new CardTable({
      rules: this.#rules,
      journal,
      scheduler: life,
      bridge: this.#hardware.bridge,
      log: silentLog,
      version: 'soak',
    });
    await table.restore();
    const publisher = this.#publish(table, journal, life);
    table.loop.onStep((step, state) => {
      this.steps += 1;
      publisher.committed(step, state);
    });
    await this.#settling(table.start());
    const watch = new ClockWatch({
      scheduler: life,
      tell: (happening) => {
        table.loop.tell(happening);
      },
      askTrust: () => Promise.resolve(true),
      setTrust: () => undefined,
    });
    await watch.start();
    this.#run = { table, journal, publisher, watch, life };
    await this.#runTo(this.clock.nowNs() + 2 * READY_NS);
  }

  /** Plays on until so much simulated time is over. @throws where the table cannot go on. */
  async play(untilNs: number): Promise<void> {
    while (this.clock.nowNs() < untilNs) {
      await this.#surroundings();
      const turn = this.#player.next(this.#live().table.loop.state());
      if (turn.kind !== 'move') {
        throw new Error(turn.kind === 'stuck' ? turn.why : 'the player has ended');
      }
      const { act, tookMs } = turn.move;
      await this.#runTo(this.clock.nowNs() + tookMs * NS_PER_MS);
      const state = this.#live().table.loop.state();
      await this.#runTo(actWithHands(this.#hardware.hands, act, state));
    }
  }

  /** Bytes of the journal and of its write-ahead log. */
  sizes(): { readonly journal: number; readonly wal: number } {
    const size = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    return { journal: size(this.path), wal: size(`${this.path}-wal`) };
  }

  /** Rows that wait for the broker. */
  get queued(): number {
    return this.#run?.publisher.stats().queued ?? 0;
  }

  async stop(): Promise<void> {
    this.#transport.network(true);
    await this.#end(true);
    await this.#hardware.close();
  }

  #publish(table: CardTable, journal: SqliteJournal, scheduler: ProcessLife): Publisher {
    const publisher = new Publisher({
      table: { site: 'soak', pit: 'pit', table: 'table' },
      version: 'soak',
      mqtt: '5',
      cameras: [],
      consumers: [],
      keys: [],
      journal,
      scheduler,
      transport: this.#transport,
      random: () => this.#random.next(),
      tell: (happening) => {
        table.loop.tell(happening);
      },
      report: () => undefined,
    });
    publisher.start(table.loop.state());
    return publisher;
  }

  #live(): Run {
    if (this.#run === null) throw new Error('the table was not started');
    return this.#run;
  }

  #later(range: readonly [number, number]): number {
    return this.clock.nowNs() + this.#random.between(...range) * NS_PER_MS;
  }

  /** The network comes and goes, the program is stopped or dies. */
  async #surroundings(): Promise<void> {
    const now = this.clock.nowNs();
    if (now >= this.#outageNs) {
      this.outages += 1;
      this.#transport.network(this.#random.chance(0.5) ? false : 'silent');
      const untilNs = this.#later(OUTAGE_MS);
      this.clock.at(untilNs, () => {
        // A half-open link is first noticed, then made anew.
        this.#transport.network(false);
        this.#transport.network(true);
      });
      this.#outageNs = this.#later(OUTAGE_EVERY_MS);
    }
    if (now < this.#restartNs) return;
    this.#restartNs = this.#later(RESTART_EVERY_MS);
    this.restarts += 1;
    await this.#end(this.#random.chance(0.5));
    await this.start();
  }

  async #end(clean: boolean): Promise<void> {
    const { table, journal, publisher, watch, life } = this.#live();
    await table.loop.settled();
    watch.stop();
    this.#run = null;
    if (clean) {
      await this.#settling(publisher.stop());
      await this.#settling(table.stop());
      return;
    }
    table.loop.abandon();
    life.end();
    this.#transport.end({ kind: 'lost', reason: 'the program died' });
    await this.#hardware.bridge.stop();
    await journal.close();
  }

  async #runTo(untilNs: number): Promise<void> {
    const { loop } = this.#live().table;
    await loop.settled();
    while (this.clock.runNext(untilNs)) if (!loop.idle) await loop.settled();
    this.clock.runUntil(untilNs);
    await loop.settled();
  }

  /** Lets the clock run while something that waits on it comes to an end. */
  async #settling(work: Promise<void>): Promise<void> {
    const open = new Set([work]);
    const finished = work.finally(() => open.clear());
    while (open.size > 0) {
      await new Promise((resolve) => setImmediate(resolve));
      if (open.size > 0) this.clock.runNext(this.clock.nowNs() + WAIT_STEP_MS * NS_PER_MS);
    }
    await finished;
  }
}
