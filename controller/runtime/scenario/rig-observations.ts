import type { Rules } from '../../core/decide.js';
import type { Happening } from '../../core/observation.js';
import type { Bridge, Journal } from '../../core/ports.js';
import type { SimulatedClock } from '../../core/simulated-clock.js';
import type { TableState } from '../../core/state.js';
import type { Board } from '../../../firmware-bridge/boards/load.js';
import { keysFor } from '../../../firmware-bridge/devices/keypad-codec.js';
import { MemoryJournal, memoryStore } from '../../../storage/memory.js';
import { hashRow, NO_HASH } from '../../../storage/canonical.js';
import { boardOf, pluggable } from './board.js';
import { noShuffler, Rig, type StepSeen, type Store, type TableAct, type Way } from './rig.js';
import type { CardOut } from './schema.js';
import { SerialLine } from './serial-line.js';

const MS = 1e6;
/** A poker-size card pulled across its short side at an easy pace. */
const CARD_LENGTH_MM = 63;
const CARD_SPEED_MM_S = 600;
const DOUBLE_LENGTH_MM = 80;
/** From one card to the next of the same deal. */
const CARD_GAP_MS = 900;

/** The device an act is seen or heard through; null where it needs none. */
const deviceOf = (act: TableAct): string | null => {
  switch (act.do) {
    case 'cards':
    case 'cover':
    case 'back':
    case 'double':
    case 'block':
      return 'mouth';
    case 'press':
      return keysFor(act.press) === null ? 'panel' : 'keypad';
    case 'shuffler':
    case 'serial':
      return 'shuffler';
    case 'lid':
    case 'shoe':
      return act.do;
    case 'link':
    case 'rack':
      return null;
  }
};

/** Happenings as the rules get them, without any hardware: the fast depth. */
class ObservationWay implements Way {
  readonly bridge: Bridge;
  readonly startNs = 0;
  readonly devices: readonly string[];
  readonly #clock: SimulatedClock;
  readonly #rules: Rules;
  readonly #board: Board;
  /** Nothing is heard of a device whose cable is out. */
  readonly #unplugged = new Set<string>();
  #tell: ((happening: Happening, atNs: number) => void) | null = null;
  /** The shuffler's line since it was last opened; null before its first byte. */
  #line: SerialLine | null = null;

  constructor(clock: SimulatedClock, rules: Rules) {
    this.#clock = clock;
    this.#rules = rules;
    this.#board = boardOf(rules.table);
    this.devices = pluggable(this.#board);
    this.bridge = {
      start: (tell) => {
        this.#tell = tell;
        this.#line = null;
        for (const device of Object.keys(this.#board.devices)) {
          if (this.#unplugged.has(device)) this.#goesDown(device);
          else this.#comesUp(device);
        }
        return Promise.resolve();
      },
      perform: () => undefined,
      stop: () => {
        this.#tell = null;
        return Promise.resolve();
      },
    };
  }

  act(act: TableAct, state: TableState): number {
    const through = deviceOf(act);
    if (through === 'shuffler' && this.#rules.table.shuffler === 'none') throw noShuffler(act.do);
    if (through !== null && this.#unplugged.has(through)) return this.#clock.nowNs();
    switch (act.do) {
      case 'cards':
        return this.#each(act.cards.map((card) => () => this.#say(this.#cardOut(card, state))));
      case 'cover':
        return this.#times(act.n, { kind: 'cover.out' });
      case 'back':
        return this.#times(act.n, { kind: 'card.back' });
      case 'double':
        return this.#times(act.n, { kind: 'card.double', lengthMm: DOUBLE_LENGTH_MM });
      case 'block':
        return this.#block(act.ms);
      case 'press':
        return this.#now(act.press);
      case 'shuffler':
        return this.#now(act.message);
      case 'serial':
        return this.#serial(act.bytes);
      case 'link':
        return this.#link(act);
      case 'lid':
        return this.#now({ kind: act.open ? 'lid.open' : 'lid.closed' });
      case 'shoe':
        return this.#now({ kind: act.loaded ? 'shoe.loaded' : 'shoe.empty' });
      case 'rack':
        return this.#now({ kind: 'rack.count', n: act.n });
    }
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  shown(): null {
    return null;
  }

  #say(happening: Happening): void {
    this.#tell?.(happening, this.#clock.nowNs());
  }

  #now(happening: Happening): number {
    this.#say(happening);
    return this.#clock.nowNs();
  }

  #each(tasks: readonly (() => void)[]): number {
    let atNs = this.#clock.nowNs();
    for (const [i, task] of tasks.entries()) {
      if (i > 0) atNs += CARD_GAP_MS * MS;
      this.#clock.at(atNs, task);
    }
    return atNs;
  }

  #times(n: number, happening: Happening): number {
    return this.#each(Array.from({ length: n }, () => () => this.#say(happening)));
  }

  /** What the colour sensor and, where there is one, the rank reader see of a card. */
  #cardOut({ back, rank, suit }: CardOut, { shoe, prep }: TableState): Happening {
    const reads = this.#rules.table.reader === 'rank' && !this.#unplugged.has('reader');
    const seen = back ?? shoe.batch ?? prep.batch;
    const { colours } = this.#board.calibrations['mouth'] ?? { colours: [] };
    // A colour the sensor was not taught is not named: it stays unread.
    const isTaught = colours.some(({ kind, name }) => kind === 'back' && name === seen);
    const isKnown = isTaught && !this.#unplugged.has('colour');
    return {
      kind: 'card.out',
      ...(isKnown ? { back: seen } : {}),
      ...(reads && rank !== undefined ? { rank } : {}),
      ...(reads && suit !== undefined ? { suit } : {}),
      lengthMm: CARD_LENGTH_MM,
      speedMmS: CARD_SPEED_MM_S,
    };
  }

  /** The mouth says `blocked` only when something has lain in it for a while. */
  #block(ms: number): number {
    const startNs = this.#clock.nowNs();
    const endNs = startNs + ms * MS;
    const { blockedMs } = this.#rules.table.policy;
    if (ms >= blockedMs) {
      this.#clock.at(startNs + blockedMs * MS, () => this.#say({ kind: 'mouth.blocked' }));
      this.#clock.at(endNs, () => this.#say({ kind: 'mouth.clear' }));
    }
    return endNs;
  }

  /** Bytes through the declared driver's own framing and words, without a line under them. */
  #serial(bytes: string): number {
    const profile = this.#board.profiles['shuffler'];
    if (profile === undefined) throw noShuffler('serial');
    const nowNs = this.#clock.nowNs();
    this.#line ??= new SerialLine(profile, (says) => {
      if (says.say === 'observation') this.#say(says.happening);
      if (says.say === 'identity') this.#comesUp('shuffler', says.identity);
    });
    this.#line.push(bytes, nowNs);
    return nowNs;
  }

  #goesDown(device: string): void {
    this.#say({ kind: 'link.down', device, reason: 'no connection' });
  }

  /** A device that can be told from another of its kind says who it is. */
  #comesUp(device: string, identity?: string): void {
    const spec = this.#board.devices[device];
    const own = spec !== undefined && 'stream' in spec ? `virtual-${device}/1` : undefined;
    const name = identity ?? own;
    this.#say({ kind: 'link.up', device, ...(name === undefined ? {} : { identity: name }) });
  }

  #link({ state, device, identity }: Extract<TableAct, { do: 'link' }>): number {
    if (state === 'down') {
      this.#unplugged.add(device);
      this.#goesDown(device);
      return this.#clock.nowNs();
    }
    this.#unplugged.delete(device);
    if (device === 'shuffler') this.#line?.clear();
    this.#comesUp(device, identity);
    return this.#clock.nowNs();
  }
}

/** A journal that outlives the process in memory, as a disk would. */
const memoryPlace = (): Store => {
  const store = memoryStore();
  let journal: MemoryJournal | null = null;
  return {
    open: (): Promise<Journal> => {
      journal = new MemoryJournal(store);
      return Promise.resolve(journal);
    },
    cut: () => {
      journal?.kill();
      return Promise.resolve();
    },
    verify: () => {
      let prev = NO_HASH;
      for (const [i, row] of store.rows.entries()) {
        if (row.seq !== i + 1 || row.prev !== prev || row.hash !== hashRow(prev, row.body)) {
          return Promise.resolve([`journal: the chain is broken at row ${i + 1}`]);
        }
        prev = row.hash;
      }
      return Promise.resolve([]);
    },
    dispose: () => Promise.resolve(),
  };
};

/**
 * The rules, the loop, a journal and the outbox; no hardware.
 * @param store where its journal lies; by default in memory
 */
export const observationsRig = (rules: Rules, seen: StepSeen, store: Store = memoryPlace()): Rig =>
  new Rig({
    rules,
    way: (clock) => new ObservationWay(clock, rules),
    store,
    seen,
  });
