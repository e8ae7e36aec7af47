import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bridge, Journal, TableStep } from '../../../controller/core/ports.js';
import type { Table } from '../../../controller/core/procedure.js';
import type { SimulatedClock } from '../../../controller/core/simulated-clock.js';
import { unmet } from '../../../controller/runtime/scenario/expectations.js';
import { Player } from '../../../controller/runtime/scenario/player.js';
import {
  CannotAct,
  Rig,
  type Shown,
  type Store,
  type TableAct,
  type Way,
} from '../../../controller/runtime/scenario/rig.js';
import type { Scenario } from '../../../controller/runtime/scenario/schema.js';
import { rulesOf } from '../../../controller/runtime/scenario/table.js';
import { Witness } from '../../../controller/runtime/scenario/witness.js';
import { fitBoard, lineSpec, loadBoard, type Board } from '../../../firmware-bridge/boards/load.js';
import { BoardBridge } from '../../../firmware-bridge/bridge.js';
import type { LineSpec } from '../../../firmware-bridge/bus/gpio.js';
import { VirtualGpio } from '../../../firmware-bridge/bus/virtual-gpio.js';
import { VirtualStream } from '../../../firmware-bridge/bus/virtual-stream.js';
import { rawPressOf } from '../../../firmware-bridge/devices/panel-codec.js';
import { Machine } from '../../../firmware-bridge/virtual/machines.js';
import { MouthModel } from '../../../firmware-bridge/virtual/mouth-model.js';
import { Random } from '../../../firmware-bridge/virtual/random.js';
import { openJournal, type SqliteJournal } from '../../../storage/journal.js';
import { verifyChain } from '../../../storage/verify.js';
import { canonicalRow, isStory, renamed } from '../canonical.js';
import type { Scene, SerialName, Story } from '../words.js';

const MS = 1e6;
const SEED = 1;
const READY_NS = 300 * MS;
/** Filter of the mouth, of a switch, and a message on its way, ns. */
const TOLD_NS = 200 * MS;

/** What was done at the table, in wires and bytes; who watches it counts the rows. */
class Notes {
  readonly scenes: Scene[] = [];
  rows = 0;
  #edges: string[] = [];
  #startNs = 0;

  /** Edges from here on are one act. */
  begin(): void {
    this.#edges = [];
    this.#startNs = -1;
  }

  edge(offset: number, high: boolean, atNs: number): void {
    if (this.#startNs < 0) {
      this.#startNs = atNs;
      this.scenes.push({ rows: this.rows, act: { play: '' } });
    }
    const atUs = Math.round((atNs - this.#startNs) / 1000);
    this.#edges.push(`${offset}:${high ? 1 : 0}:${atUs}`);
    const last = this.scenes.pop();
    const act = { play: this.#edges.join(' ') };
    this.scenes.push({ rows: last?.rows ?? this.rows, act });
  }

  bytes(to: SerialName, sent: Uint8Array): void {
    const send = Buffer.from(sent).toString('hex');
    this.scenes.push({ rows: this.rows, act: { send, to } });
  }
}

/** Virtual lines that note every wire that is moved from outside. */
class NotedGpio extends VirtualGpio {
  notes: Notes | null = null;

  override drive(line: LineSpec, active: boolean, atNs: number): void {
    this.notes?.edge(line.offset, active !== line.activeLow, atNs);
    super.drive(line, active, atNs);
  }
}

class NotedStream extends VirtualStream {
  notes: Notes | null = null;
  channel: SerialName = 'serial';

  override say(bytes: Uint8Array, startNs: number, splitAt = 0): number {
    this.notes?.bytes(this.channel, bytes);
    return super.say(bytes, startNs, splitAt);
  }
}

const CHANNELS: Readonly<Record<string, SerialName>> = { shuffler: 'serial', panel: 'panel' };

/** The rig's board with everything in memory: the same lines and bytes as in a guest. */
class RigWay implements Way {
  readonly bridge: Bridge;
  readonly startNs = READY_NS;
  readonly devices: readonly string[] = [];
  readonly #clock: SimulatedClock;
  readonly #notes: Notes;
  readonly #gpio = new NotedGpio();
  readonly #streams: Record<string, NotedStream> = {};
  readonly #machines = new Map<string, Machine>();
  readonly #mouth: MouthModel;
  readonly #board: Board;

  constructor(clock: SimulatedClock, board: Board, notes: Notes) {
    this.#clock = clock;
    this.#board = board;
    this.#notes = notes;
    for (const [device, spec] of Object.entries(board.devices)) {
      const profile = board.profiles[device];
      if (!('stream' in spec) || profile === undefined) continue;
      const stream = new NotedStream(clock, profile.line.baud);
      stream.channel = CHANNELS[spec.stream] ?? 'serial';
      this.#streams[spec.stream] = stream;
      this.#machines.set(device, new Machine(clock, stream, profile, `rig-${device}/1`));
    }
    const calibration = board.calibrations['mouth'];
    if (calibration === undefined) throw new Error('the board has no mouth calibration');
    const random = new Random(SEED);
    const [beamA, beamB] = [lineSpec(board, 'beam-a'), lineSpec(board, 'beam-b')];
    const { spacingMm } = calibration;
    const parts = { scheduler: clock, gpio: this.#gpio, beamA, beamB, spacingMm };
    this.#mouth = new MouthModel({ ...parts, random, noise: 0 });
    const buses = { gpio: this.#gpio, i2c: {}, streams: this.#streams };
    const inner = new BoardBridge(board, buses, clock);
    this.bridge = {
      start: (tell) => {
        return inner.start(tell);
      },
      perform: (directive) => inner.perform(directive),
      stop: () => inner.stop(),
    };
  }

  act(act: TableAct): number {
    this.#notes.begin();
    this.#gpio.notes = this.#notes;
    for (const stream of Object.values(this.#streams)) stream.notes = this.#notes;
    try {
      return this.#do(act) + TOLD_NS;
    } finally {
      // What a machine says of itself, that it lives, is no part of the story.
      for (const stream of Object.values(this.#streams)) stream.notes = null;
    }
  }

  shown(): Shown | null {
    return null;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #do(act: TableAct): number {
    const now = this.#clock.nowNs();
    switch (act.do) {
      case 'cards': {
        let end = now;
        for (const _card of act.cards) end = this.#mouth.pull(this.#cardMm(), []);
        return end;
      }
      case 'press':
        return this.#machine('panel').press(rawPressOf(act.press), now);
      case 'shuffler': {
        const { kind, ...values } = act.message;
        return this.#machine('shuffler').say({ observe: kind, values: { ...values } }, now) ?? now;
      }
      case 'serial': {
        const bytes = Uint8Array.from(act.bytes, (c) => c.charCodeAt(0) & 0xff);
        return this.#machine('shuffler').raw(bytes, now);
      }
      case 'lid':
      case 'shoe': {
        const line = lineSpec(this.#board, act.do);
        const active = act.do === 'lid' ? act.open : act.loaded;
        this.#gpio.drive(line, active, now);
        return now;
      }
      default:
        throw new CannotAct(`the rig's board cannot play \`${act.do}\``);
    }
  }

  #cardMm(): number {
    return this.#board.calibrations['mouth']?.cardMm ?? NaN;
  }

  #machine(name: string): Machine {
    const machine = this.#machines.get(name);
    if (machine === undefined) throw new CannotAct(`the rig's board has no ${name}`);
    return machine;
  }
}

class TempStore implements Store {
  readonly #folder = mkdtempSync(join(tmpdir(), 'cutcard-story-'));
  #journal: SqliteJournal | null = null;

  async open(): Promise<Journal> {
    this.#journal = await openJournal(join(this.#folder, 'journal.db'), { writer: 'inline' });
    return this.#journal;
  }

  cut(): Promise<void> {
    throw new CannotAct('the rig plays no power cut');
  }

  async verify(): Promise<readonly string[]> {
    const { damage } = await verifyChain(join(this.#folder, 'journal.db'), { deep: true });
    return damage === null ? [] : [`journal: ${JSON.stringify(damage)}`];
  }

  async dispose(): Promise<void> {
    await this.#journal?.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** A story and the journal, times apart, that virtual lines and simulated time made of it. */
export interface Told {
  readonly story: Story;
  readonly rows: readonly string[];
}

/** Fitted to the table as the product does it. */
export const rigBoard = (file: string, table: Table): Board =>
  fitBoard(loadBoard(file), {
    shuffler: table.shuffler !== 'none',
    reader: false,
    lampTap: false,
    blockedMs: table.policy.blockedMs,
  });

/** Plays a scenario on the rig's board in memory. Throws where an expectation is not met. */
export const tellStory = async (scenario: Scenario, boardFile: string): Promise<Told> => {
  const rules = rulesOf(scenario);
  const notes = new Notes();
  const witness = new Witness();
  const rows: string[] = [];
  const seen = (step: TableStep): void => {
    if (!isStory(step.observation.kind)) return;
    rows.push(canonicalRow({ observation: step.observation, decisions: step.decisions }));
    notes.rows = rows.length;
  };
  const rig = new Rig({
    rules,
    way: (clock) => new RigWay(clock, rigBoard(boardFile, rules.table), notes),
    store: new TempStore(),
    seen: (step, state) => {
      witness.see(step, state);
      seen(step);
    },
  });
  try {
    await rig.start();
    const player = new Player(rig);
    for (const { act, said, line } of scenario.timeline) {
      if (act.do !== 'expect') await player.play(act);
      else {
        const [failure] = unmet(act.checks, rig.state(), witness, rig.shown());
        if (failure === undefined) continue;
        const { expected, seen: was } = failure;
        throw new Error(`${scenario.file}:${line}: ${said}: expected ${expected}, seen ${was}`);
      }
    }
    const story = {
      procedure: rules.procedure.id,
      table: JSON.stringify(rules.table),
      scenes: notes.scenes,
      rows: rows.length,
    };
    const kept = renamed(rows);
    const faults = await rig.finish();
    if (faults.length > 0) throw new Error(faults.join('\n'));
    return { story, rows: kept };
  } finally {
    await rig.dispose();
  }
};
