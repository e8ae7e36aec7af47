import type { RunningTable } from '../main.js';
import { ownName } from '../own-name.js';
import { type Line, lineText } from '../story.js';
import { type RunSummary, RunTally } from '../summary.js';
import type { DemoView } from './demo.js';
import type { DeskKey } from './desk-key.js';

interface Out {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

const QUIET_TONES: readonly Line['tone'][] = ['stop', 'hold', 'warn', 'info', 'cleared'];

export interface ScreenMode {
  /** Findings only. */
  readonly quiet: boolean;
  /** Nothing at all: the summary is what was asked for. */
  readonly silent: boolean;
}

/** The demo on a terminal: the page's address first, then what happens, line by line. */
export class DemoScreen implements DemoView {
  readonly #out: Out;
  readonly #mode: ScreenMode;
  readonly #colour: boolean;
  readonly #tally = new RunTally();
  #table: RunningTable | null = null;

  constructor(out: Out, mode: ScreenMode) {
    this.#out = out;
    this.#mode = mode;
    this.#colour = out.isTTY === true && process.env['NO_COLOR'] === undefined;
  }

  opened(parts: {
    readonly page: string;
    readonly wall: string | null;
    readonly broker: string;
    readonly journal: string;
    readonly desk: DeskKey;
    readonly table: string;
    /** The folder stays when the demo ends. */
    readonly kept: boolean;
  }): void {
    if (this.#mode.silent) return;
    const { desk } = parts;
    const { port } = new URL(parts.broker);

    this.#print(`Table page:  ${parts.page}`);
    this.#print(
      '             keys at /dealer and /floor, the inside at /technician; while /floor is',
    );
    this.#print('             open, a finding waits 30 s for you, then the demo settles it');
    if (parts.wall !== null) this.#print(`Floor's wall: ${parts.wall}`);
    this.#print(`MQTT broker: ${parts.broker}  (MQTT 3.1.1)`);
    this.#print(`             mosquitto_sub -p ${port} -t 'cutcard/v1/#' -v`);
    this.#print(
      `An order:    ${ownName()} command mark hello --table ${parts.table} --mqtt 3.1.1 \\`,
    );
    this.#print(`               --broker ${parts.broker} --sign-name ${desk.allowed.name} \\`);
    this.#print(`               --sign-key ${desk.file}`);
    this.#print(`Journal:     ${parts.journal}`);
    this.#print('             its public key, for --key, is device.pub beside it');
    if (!parts.kept) this.#print('             removed at the end; --data FOLDER keeps it');
    this.#print('Times are simulated and run at the speed asked for.');
    this.#print('Ctrl-C ends.');
    this.#print('');
  }

  running(running: RunningTable): void {
    this.#table = running;
    running.table.loop.onStep((step) => this.#tally.add(step));
    running.lines.onLine((line, wallMs) => this.#line(line, wallMs));
  }

  mistake(story: string, wallMs: number): void {
    if (!this.#mode.quiet) this.#line({ tone: 'quiet', text: `(mistake: ${story})` }, wallMs);
  }

  /** What was played, once everything is stopped. */
  end(): RunSummary | null {
    if (this.#table === null) return null;
    const { table, rules } = this.#table;
    const state = table.loop.state();
    const summary = this.#tally.summary(rules.procedure.id, state);
    if (this.#mode.silent) return summary;
    const { rows, cards, rounds, raised } = summary;
    const found = Object.entries(raised).map(([code, n]) => `${code} ${n}`);
    this.#print('');
    this.#print(`${rows} journal rows, ${cards} cards, ${rounds} rounds, ${state.shoe.no} shoes`);
    this.#print(found.length === 0 ? 'no findings' : `findings: ${found.join(', ')}`);
    return summary;
  }

  #line(line: Line, wallMs: number): void {
    if (this.#mode.silent) return;
    if (this.#mode.quiet && !QUIET_TONES.includes(line.tone)) return;
    this.#print(lineText(line, wallMs, this.#colour));
  }

  #print(text: string): void {
    this.#out.write(`${text}\n`);
  }
}
