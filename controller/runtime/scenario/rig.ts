import type { Rules } from '../../core/decide.js';
import type { Directive } from '../../core/directive.js';
import type { Bridge, Journal, JournalRow, TableStep } from '../../core/ports.js';
import { SimulatedClock } from '../../core/simulated-clock.js';
import type { Table } from '../../core/procedure.js';
import type { TableState } from '../../core/state.js';
import { Publisher } from '../../../surveillance/mqtt/publisher.js';
import { FakeTransport } from '../../../surveillance/mqtt/fake-transport.js';
import type { OutMessage } from '../../../surveillance/mqtt/transport.js';
import { topicOf } from '../../../surveillance/contract/topics.js';
import { CardTable } from '../card-table.js';
import { ClockWatch } from '../clock-watch.js';
import { silentLog } from '../log-port.js';
import { shownFault } from '../outputs.js';
import { boardOf, pluggable } from './board.js';
import { ProcessLife } from './life.js';
import { checkOutbox } from './outbox-check.js';
import type { Act, HandAct } from './schema.js';

/** How deep a scenario goes into the box. */
export type Depth = 'observations' | 'signals';

/** Acts the hands do at the table; the rest (power, network, clock) happens to the box. */
export type TableAct = Exclude<HandAct, { do: 'power' | 'network' | 'network-off' | 'clock' }>;

/** The hardware of one depth, and the hands that move it. */
export interface Way {
  readonly bridge: Bridge;
  /**
   * Makes it happen, from now on the simulated clock. Returns the time in ns by which everything
   * it leads to has been told. Throws `CannotAct` where this table has nothing to do it with.
   */
  act(act: TableAct, state: TableState): number;
  /** Whose cables can be pulled. */
  readonly devices: readonly string[];
  /** How long the hardware takes to open after a start, ns. */
  readonly startNs: number;
  /** What the outputs really show; null at a depth without any. */
  shown(): Shown | null;
  /** Once, at the very end. */
  close(): Promise<void>;
}

/** Lock and lights as they are on the wire. */
export interface Shown {
  readonly gate: 'open' | 'locked';
  readonly tower: { readonly colour: string; readonly light: string };
}

/** Where the journal of one depth lies. */
export interface Store {
  open(): Promise<Journal>;
  /** The power goes: what was acknowledged stays, nothing else is promised. */
  cut(): Promise<void>;
  /** Every fault found in the finished journal, in words; empty when it is sound. */
  verify(): Promise<readonly string[]>;
  dispose(): Promise<void>;
}

/** What a scenario asks for and this table cannot do. */
export class CannotAct extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CannotAct';
  }
}

export const noShuffler = (entry: string): CannotAct =>
  new CannotAct(
    `\`${entry}\`: this table has no shuffler; write \`shuffler: counting\` or ` +
      '`not-counting` under `table`',
  );

const noCable = (device: string, known: readonly string[]): CannotAct =>
  new CannotAct(
    `\`link\`: nothing here would notice the cable of \`${device}\`; it takes ${known.join(', ')}`,
  );

/** What a table cannot do whatever happens before, so that a file can be refused unplayed. */
export const cannotAct = (act: Act, table: Table): CannotAct | null => {
  if ((act.do === 'shuffler' || act.do === 'serial') && table.shuffler === 'none') {
    return noShuffler(act.do);
  }
  if (act.do !== 'link') return null;
  const known = pluggable(boardOf(table));
  return known.includes(act.device) ? null : noCable(act.device, known);
};

export type StepSeen = (step: TableStep, state: TableState) => void;

const MS = 1e6;
const TABLE = { site: 'scenario', pit: 'pit', table: 'table' } as const;
/** Longest the outbox may take to empty after a run, simulated. */
const DRAIN_MS = 30 * 60 * 1000;
const DRAIN_STEP_MS = 1000;
/** For the jitter of the back-off: the same in every run. */
const JITTER = 0.5;
const READ_ROWS = 5_000;
const VERSION = 'scenario';

/**
 * A whole controller on a simulated clock: bridge, loop, journal, outbox, clock watch, wired as in
 * the product. It can lose its power and its network at any time.
 */
export class Rig {
  readonly clock = new SimulatedClock();
  readonly rules: Rules;
  readonly #way: Way;
  readonly #store: Store;
  readonly #seen: StepSeen;
  readonly #transport: FakeTransport;
  #table: CardTable | null = null;
  #journal: Journal | null = null;
  #publisher: Publisher | null = null;
  #watch: ClockWatch | null = null;
  #life: ProcessLife;
  #trusted = true;
  /** Devices whose cable is out. */
  readonly #unplugged = new Set<string>();
  #last: TableState | null = null;
  #performed: (directive: Directive) => void = () => undefined;

  constructor(parts: {
    readonly rules: Rules;
    readonly way: (clock: SimulatedClock) => Way;
    readonly store: Store;
    readonly seen: StepSeen;
  }) {
    this.rules = parts.rules;
    this.#way = parts.way(this.clock);
    this.#store = parts.store;
    this.#seen = parts.seen;
    this.#life = new ProcessLife(this.clock);
    this.#transport = new FakeTransport({ scheduler: this.clock });
  }

  async start(): Promise<void> {
    const journal = await this.#store.open();
    this.#life = new ProcessLife(this.clock);
    const table = new CardTable({
      rules: this.rules,
      journal,
      scheduler: this.#life,
      bridge: this.#watched(),
      log: silentLog,
      version: VERSION,
    });
    this.#journal = journal;
    this.#table = table;
    table.loop.onStep(this.#seen);
    await table.restore();
    this.#publish(table, journal);
    await this.#settling(table.start());
    this.#watch = new ClockWatch({
      scheduler: this.#life,
      tell: (happening) => {
        table.loop.tell(happening);
      },
      askTrust: () => Promise.resolve(this.#trusted),
      setTrust: () => undefined,
    });
    await this.#watch.start();
    await this.#runTo(this.clock.nowNs() + this.#way.startNs);
  }

  /** Told each directive just before the hardware gets it. */
  onPerform(listener: (directive: Directive) => void): void {
    this.#performed = listener;
  }

  /** Why the table writes nothing any more; null while all is well, or while none is on. */
  journalFault(): string | null {
    return this.#table?.loop.fault() ?? null;
  }

  /** What the broker took so far, oldest first. */
  published(): readonly OutMessage[] {
    return this.#transport.published;
  }

  /** Whether a table is on, in whatever state: one that could not start at all is not. */
  get isOn(): boolean {
    return this.#table !== null;
  }

  #watched(): Bridge {
    const { bridge } = this.#way;
    return {
      start: (tell) => bridge.start(tell),
      perform: (directive) => {
        this.#performed(directive);
        bridge.perform(directive);
      },
      stop: () => bridge.stop(),
    };
  }

  /** Lock and lights as they are on the wire; null where there is no hardware. */
  shown(): Shown | null {
    return this.#way.shown();
  }

  #publish(table: CardTable, journal: Journal): void {
    const publisher = new Publisher({
      table: TABLE,
      version: VERSION,
      mqtt: '5',
      cameras: [],
      consumers: [],
      keys: [],
      journal,
      scheduler: this.#life,
      transport: this.#transport,
      random: () => JITTER,
      tell: (happening) => {
        table.loop.tell(happening);
      },
      report: () => undefined,
    });
    this.#publisher = publisher;
    publisher.start(table.loop.state());
    table.loop.onStep((step, state) => publisher.committed(step, state));
    table.loop.onFault((reason) => {
      publisher.journalFault(shownFault(reason, table.loop.state(), this.rules));
    });
  }

  state(): TableState {
    const state = this.#table?.loop.state() ?? this.#last;
    if (state === null) throw new Error('the rig was not started');
    return state;
  }

  /** Moves the clock and everything on it; no instant is passed before its rows are durable. */
  async advance(ms: number): Promise<void> {
    await this.#runTo(this.clock.nowNs() + ms * MS);
  }

  async #runTo(untilNs: number): Promise<void> {
    await this.#table?.loop.settled();
    while (this.clock.runNext(untilNs)) await this.#table?.loop.settled();
    this.clock.runUntil(untilNs);
    await this.#table?.loop.settled();
  }

  /** Lets the clock run while something that waits on it (a device coming up) comes to an end. */
  async #settling(work: Promise<void>): Promise<void> {
    const open = new Set([work]);
    const finished = work.finally(() => open.clear());
    // It may fail long before it is waited for below.
    finished.catch(() => undefined);
    while (open.size > 0) {
      await new Promise((resolve) => setImmediate(resolve));
      if (open.size > 0) this.clock.runNext(this.clock.nowNs() + DRAIN_STEP_MS * MS);
    }
    await finished;
  }

  /** Does one thing and waits until all that follows from it at once is durable. */
  async act(act: HandAct): Promise<void> {
    switch (act.do) {
      case 'power':
        return this.#power(act.offMs, act.clean);
      case 'network':
        this.#transport.network(act.set === 'up');
        return;
      case 'network-off':
        this.#transport.network(false);
        await this.advance(act.offMs);
        this.#transport.network(true);
        return;
      case 'clock':
        return this.#moveWall(act.stepMs, act.trusted);
      case 'link':
        if (this.#changes(act)) await this.#runTo(this.#way.act(act, this.state()));
        return;
      default:
        await this.#runTo(this.#way.act(act, this.state()));
    }
  }

  /** A cable that is in cannot be put in, nor one that is out pulled. */
  #changes({ state, device, identity }: Extract<HandAct, { do: 'link' }>): boolean {
    const { devices } = this.#way;
    if (!devices.includes(device)) throw noCable(device, devices);
    const wasOut = this.#unplugged.has(device);
    if (state === 'down') this.#unplugged.add(device);
    else this.#unplugged.delete(device);
    return identity !== undefined || wasOut !== (state === 'down');
  }

  /** The wall clock jumps, or its trust changes; the watch sees it as it would in the product. */
  async #moveWall(stepMs: number, trusted: boolean | null): Promise<void> {
    if (trusted !== null) this.#trusted = trusted;
    this.clock.stepWall(stepMs, this.#trusted);
    await this.#watch?.check();
    await this.#table?.loop.settled();
  }

  /** Without warning, or stopped as a service manager would; then the same store again. */
  async #power(offMs: number, clean: boolean): Promise<void> {
    const table = this.#table;
    if (table === null) return;
    await table.loop.settled();
    this.#last = table.loop.state();
    this.#watch?.stop();
    if (clean) {
      await this.#settling(this.#publisher?.stop() ?? Promise.resolve());
      await this.#settling(table.stop());
    } else {
      table.loop.abandon();
      this.#life.end();
      this.#transport.end({ kind: 'lost', reason: 'the power is off' });
      await this.#store.cut();
      await this.#way.bridge.stop();
    }
    this.#table = null;
    this.#publisher = null;
    await this.advance(offMs);
    await this.start();
  }

  /**
   * Ends the run: lets the outbox empty, closes everything and checks what was left behind.
   * Returns every fault found in journal and outbox, in words.
   */
  async finish(): Promise<readonly string[]> {
    const faults: string[] = [];
    await this.#runTo(this.clock.nowNs());
    this.#transport.network(true);
    await this.#drain(faults);
    const head = this.#journal?.head() ?? { seq: 0, hash: '' };
    const rows = await this.#rows(head.seq);
    this.#last = this.state();
    this.#watch?.stop();
    await this.#settling(this.#publisher?.stop() ?? Promise.resolve());
    await this.#settling(this.#table?.stop() ?? Promise.resolve());
    faults.push(...checkOutbox(this.#transport.published, topicOf(TABLE, 'event'), rows));
    faults.push(...(await this.#store.verify()));
    return faults;
  }

  async #rows(headSeq: number): Promise<readonly JournalRow[]> {
    const rows: JournalRow[] = [];
    while (rows.length < headSeq) {
      const more = (await this.#journal?.read(rows.length, READ_ROWS)) ?? [];
      if (more.length === 0) break;
      rows.push(...more);
    }
    return rows;
  }

  async #drain(faults: string[]): Promise<void> {
    for (let ms = 0; ms < DRAIN_MS; ms += DRAIN_STEP_MS) {
      const stats = this.#publisher?.stats();
      if (stats === undefined || stats.queued === 0) return;
      await this.advance(DRAIN_STEP_MS);
    }
    faults.push(`the outbox did not empty within ${DRAIN_MS / 60_000} minutes of network`);
  }

  async dispose(): Promise<void> {
    this.#watch?.stop();
    this.#table?.loop.abandon();
    await this.#way.bridge.stop();
    await this.#way.close();
    await this.#store.dispose();
  }
}
