import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig, rulesOf } from '../../controller/runtime/config-check.js';
import { type TableView, viewOf } from '../../controller/core/view.js';
import { CardTable } from '../../controller/runtime/card-table.js';
import { silentLog } from '../../controller/runtime/log-port.js';
import { Panel } from '../../controller/runtime/panel.js';
import { RealScheduler } from '../../controller/runtime/real-scheduler.js';
import { fitBoard, lineSpec, loadBoard } from '../../firmware-bridge/boards/load.js';
import { BoardBridge } from '../../firmware-bridge/bridge.js';
import { TcpStream } from '../../firmware-bridge/bus/tcp.js';
import { VirtualGpio } from '../../firmware-bridge/bus/virtual-gpio.js';
import { loadProfile, packageRoot } from '../../firmware-bridge/files.js';
import { openJournal } from '../../storage/journal.js';
import { commandsUnder } from '../appliance/documented.js';
import { type Hands, walk } from '../appliance/walk.js';

const LONG_MS = 20_000;
const PAGE = 'DEVBOARD';
const DEAL = 'Page 6 · Deal (2 min)';
/** Between one finger's movement and the next, ns. */
const FINGER_NS = 30_000_000;

const BOARD = fitBoard(loadBoard('dev-buttons'), {
  ...{ shuffler: false, reader: false, lampTap: false, blockedMs: 2000 },
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dev-board-'));
});
const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  rmSync(folder, { recursive: true });
});

/** The example as page 3 changes it. */
const configured = (): string => {
  const file = join(folder, 'cutcard.yaml');
  const example = readFileSync(join(packageRoot(), 'controller/config/example.yaml'), 'utf8');
  writeFileSync(file, example);
  const line = commandsUnder(PAGE, 'Page 3 · Tell it what it is (2 min)').find((one) =>
    one.startsWith('sudo sed '),
  );
  const here = line?.replace(/^sudo /, '').replace('/etc/cutcard/cutcard.yaml', file);
  execFileSync('sh', ['-c', here ?? 'false']);
  return file;
};

interface Terminal {
  readonly port: number;
  readonly types: Hands['types'];
  /** Until the table that was there is gone. */
  readonly left: () => Promise<void>;
}

/** The second terminal, and what is said there. */
const openPanel = async (): Promise<Terminal> => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let said = '';
  output.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const profile = loadProfile('panel', '.');
  const ended = new Panel({ profile, host: '127.0.0.1', port: 0, input, output }).run(
    new AbortController().signal,
  );
  closing.push(async () => {
    input.end();
    await ended;
  });
  await expect.poll(() => said, { timeout: LONG_MS }).toMatch(/waiting for the table on /);
  const port = Number(/waiting for the table on 127\.0\.0\.1:(\d+)/.exec(said)?.[1]);
  return {
    port,
    left: () => expect.poll(() => said, { timeout: LONG_MS }).toMatch(/went away/),
    types: async (line) => {
      const from = said.length;
      input.write(`${line}\n`);
      const key = line.replace(/^[a-z]+: /, '').split(' ')[0] ?? '';
      const answer = new RegExp(`^${key}: (.*)\n`, 'm');
      await expect.poll(() => said.slice(from), { timeout: LONG_MS }).toMatch(answer);
      expect(answer.exec(said.slice(from))?.[1]).toBe('taken');
    },
  };
};

/** The development board with wires in memory in place of its pins; all else is the table's own. */
class Bench {
  readonly #table: CardTable;
  readonly #panel: Terminal;
  readonly #gpio: VirtualGpio;
  readonly #scheduler: RealScheduler;

  private constructor(
    table: CardTable,
    panel: Terminal,
    gpio: VirtualGpio,
    scheduler: RealScheduler,
  ) {
    this.#table = table;
    this.#panel = panel;
    this.#gpio = gpio;
    this.#scheduler = scheduler;
  }

  static async on(config: string, journal: string, panel: Terminal): Promise<Bench> {
    const [scheduler, gpio] = [new RealScheduler(), new VirtualGpio()];
    const streams = { panel: new TcpStream('127.0.0.1', panel.port, scheduler) };
    const bridge = new BoardBridge(BOARD, { gpio, i2c: {}, streams }, scheduler);
    const table = new CardTable({
      rules: rulesOf(loadConfig(config)),
      journal: await openJournal(join(folder, journal), { writer: 'inline' }),
      scheduler,
      bridge,
      log: silentLog,
      version: 'test',
    });
    await table.restore();
    await table.start();
    const bench = new Bench(table, panel, gpio, scheduler);
    closing.push(() => bench.stop());
    return bench;
  }

  view(): TableView {
    return viewOf(this.#table.loop.state());
  }

  async stop(): Promise<void> {
    await this.#table.stop();
    this.#scheduler.close();
  }

  /** Findings that keep the table from going on: a slow machine adds others. */
  owed(): readonly string[] {
    const { findings } = this.view();
    return findings
      .filter(({ severity }) => severity === 'stop' || severity === 'hold')
      .map(({ code }) => code);
  }

  async sees(wanted: RegExp): Promise<void> {
    await expect.poll(() => this.view().display?.line1, { timeout: LONG_MS }).toMatch(wanted);
  }

  async finds(code: string): Promise<void> {
    const codes = (): readonly string[] => this.view().findings.map((finding) => finding.code);
    await expect.poll(codes, { timeout: LONG_MS }).toContain(code);
  }

  /** Page 6 to its end. */
  async plays(): Promise<void> {
    const deals = async (): Promise<void> => {
      const { out } = this.view();
      this.roll(CARD);
      await expect.poll(() => this.view().out, { timeout: LONG_MS }).toBe(out + 1);
    };
    const { types } = this.#panel;
    await walk(PAGE, DEAL, { sees: (wanted) => this.sees(wanted), deals, types });
    await this.sees(/^NO MORE BETS/);
  }

  press(button: 'lid', down: boolean): void {
    this.#gpio.drive(lineSpec(BOARD, button), down, this.#scheduler.nowNs());
  }

  /** The gate's LED, lit while the gate is locked. */
  async gateIs(locked: boolean): Promise<void> {
    const lit = (): boolean => this.#gpio.level(lineSpec(BOARD, 'gate'));
    await expect.poll(lit, { timeout: LONG_MS }).toBe(locked);
  }

  roll(beats: Beats): void {
    this.#rolls('beam-a', 'beam-b', beats);
  }

  rollBack(beats: Beats): void {
    this.#rolls('beam-b', 'beam-a', beats);
  }

  /** The kernel dates edges when they happen, whenever Node looks at them: these are just over. */
  #rolls(first: string, second: string, beats: Beats): void {
    const [one, two] = [lineSpec(BOARD, first), lineSpec(BOARD, second)];
    const fromNs = this.#scheduler.nowNs() - (beats[3] + 1) * FINGER_NS;
    const at = (beat: number): number => fromNs + beat * FINGER_NS;
    this.#gpio.drive(one, true, at(beats[0]));
    this.#gpio.drive(two, true, at(beats[1]));
    this.#gpio.drive(one, false, at(beats[2]));
    this.#gpio.drive(two, false, at(beats[3]));
  }
}

/** Beats of a roll: A down, B down, A up, B up. */
type Beats = readonly [number, number, number, number];
const CARD: Beats = [0, 1, 2, 3];
/** A stays pressed seven times as long as it took from A to B. */
const COVER: Beats = [0, 1, 7, 8];
const DOUBLE: Beats = [0, 1, 9, 10];

describe('the page of the development board', () => {
  it('leads from a closed table to a whole round by keys and fingers', async () => {
    const bench = await Bench.on(configured(), 'table.journal', await openPanel());
    await bench.plays();
    expect(bench.view()).toMatchObject({ phase: 'ready', out: 10, round: 1, gate: 'open' });
    expect(bench.owed()).toEqual([]);
    await bench.gateIs(false);
  });

  it('names the seat whose turn it is where another one cuts, and the step stays due', async () => {
    const panel = await openPanel();
    const bench = await Bench.on(configured(), 'table.journal', panel);
    for (const line of ['open-table', 'cards-inspected', 'washed', 'shuffled', 'cut seat 1']) {
      await panel.types(line);
    }
    await bench.finds('cut.order');
    expect(bench.view()).toMatchObject({ phase: 'cut-due' });
    await bench.sees(/^OFFER THE CUT to seat 14/);
  });

  it('knows back, cover card and two at once by the order and length of the fingers', async () => {
    const bench = await Bench.on(configured(), 'table.journal', await openPanel());
    await bench.plays();
    bench.roll(COVER);
    await expect.poll(() => bench.view().coverSeen, { timeout: LONG_MS }).toBe(true);
    bench.roll(DOUBLE);
    await bench.finds('card.double');
    bench.rollBack(CARD);
    await bench.finds('card.back');
    bench.press('lid', true);
    await bench.finds('tamper.lid');
  });

  it('comes up where it was after the plug was pulled, and says that nobody watched', async () => {
    const [config, panel] = [configured(), await openPanel()];
    const bench = await Bench.on(config, 'table.journal', panel);
    await bench.plays();
    const before = bench.view();
    // What the disk holds at this moment is what a machine without power is left with.
    for (const file of readdirSync(folder).filter((name) => /^table\.journal(-wal)?$/.test(name))) {
      cpSync(join(folder, file), join(folder, file.replace('table', 'after')));
    }
    // Two tables at one panel would take turns.
    await bench.stop();
    await panel.left();
    const after = await Bench.on(config, 'after.journal', panel);
    await after.finds('gap.unwatched');
    const { phase, round, out } = before;
    expect(after.view()).toMatchObject({ phase, round, out, gate: 'locked' });
    await after.gateIs(true);
    await panel.types('accept-gap 0');
    await after.sees(/^NO MORE BETS/);
    await after.gateIs(false);
    expect(after.view()).toMatchObject({ gap: false, phase, round, out });
    expect(after.owed()).toEqual([]);
  });
});
