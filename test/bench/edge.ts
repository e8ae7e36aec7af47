import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { GLITCH_NS } from '../../firmware-bridge/signal/debounce.js';
import { EdgeRecords, type PipeEdge, SET_ACTIVE } from '../fakes/pipe-chip.js';
import { BEAM_A, BEAM_B, nowNs, type Order, wordSchema } from './edge-words.js';
import { childFile } from './path-rig.js';
import { unitFlags } from './start.js';
import type { Figure } from './storage.js';

/** Edges of each kind in a run; the first ones are not counted, for code is compiled then. */
const EDGES = 300;
const QUICK_EDGES = 60;
const WARM = 30;
/** One in so many passages ends by the filter's own wait, the others by an edge after it. */
const WAITED_EVERY = 4;
/** Between two things the driver does, ms: the processor is at rest again. */
const REST_MS = 9;
/** An edge in the kernel's queue this long after the last one ends the filter's wait, ns. */
const AFTER_NS = GLITCH_NS + 100_000;
/** A gate that has not moved so long after its edge belongs to no edge, ns. */
const GATE_MAX_NS = 500e6;
const START_MAX_MS = 60_000;
const PLAYING_PER_S = 50;
/** What a pipe holds: more than the gate moves in a run. */
const PIPE_BYTES = 65_536;

interface Sample {
  readonly bareNs: number[];
  readonly gateNs: number[];
  readonly waitedNs: number[];
  missed: number;
}

/** A child on a pipe of its own. Edges are written with the time just before the write. */
class Subject {
  readonly #child: ChildProcess;
  readonly #fd: number;
  readonly #records = new EdgeRecords([BEAM_A, BEAM_B]);

  constructor(args: readonly string[], pipe: string) {
    this.#fd = openSync(pipe, 'r+');
    this.#child = spawn(process.execPath, [...args], {
      stdio: ['ignore', 'inherit', 'inherit', this.#fd, 'ipc'],
    });
  }

  async ready(): Promise<void> {
    await this.#word();
  }

  /** The time is taken last: what the writer does before it is in nobody's figure. */
  write(edges: readonly PipeEdge[], gapNs = 0): number {
    const records = this.#records.of(edges);
    const last = edges.length - 1;
    const atNs = nowNs();
    for (let i = 0; i <= last; i += 1) this.#records.stamp(i, atNs - (last - i) * gapNs);
    writeSync(this.#fd, records);
    return atNs;
  }

  order(order: Order): void {
    this.#child.send(order);
  }

  async report(): Promise<readonly number[]> {
    const answer = this.#word();
    this.order({ do: 'report' });
    return await answer;
  }

  end(): void {
    this.#child.kill('SIGKILL');
    closeSync(this.#fd);
  }

  #word(): Promise<readonly number[]> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error('a child said nothing')), START_MAX_MS);
      this.#child.once('exit', (code) => reject(new Error(`a child ended with ${code}`)));
      this.#child.once('message', (message) => {
        clearTimeout(late);
        const word = wordSchema.parse(message);
        resolve(word.say === 'report' ? word.times : []);
      });
    });
  }
}

const edge = (offset: number, active: boolean): PipeEdge => ({ offset, active });

/** A card goes back in. Its last edge is told twice, or the filter's time runs out instead. */
const cardBack = async (table: Subject, isWaited: boolean): Promise<number> => {
  for (const [offset, active] of [
    [BEAM_B, true],
    [BEAM_A, true],
    [BEAM_B, false],
  ] as const) {
    table.write([edge(offset, active)]);
    await sleep(REST_MS);
  }
  if (isWaited) return table.write([edge(BEAM_A, false)]);
  return table.write([edge(BEAM_A, false), edge(BEAM_A, false)], AFTER_NS);
};

/** Pairs each edge with the first time after it; null where none came before the next edge. */
const waits = (
  edgesNs: readonly number[],
  timesNs: readonly number[],
): readonly (number | null)[] => {
  let next = 0;
  return edgesNs.map((atNs, i) => {
    while ((timesNs[next] ?? Infinity) < atNs) next += 1;
    const until = Math.min(edgesNs[i + 1] ?? Infinity, atNs + GATE_MAX_NS);
    const time = timesNs[next];
    return time === undefined || time >= until ? null : time - atNs;
  });
};

const measure = async (bare: Subject, table: Subject, edges: number): Promise<Sample> => {
  const bareEdges: number[] = [];
  const tableEdges: number[] = [];
  for (let i = 0; i < edges + WARM; i += 1) {
    bareEdges.push(bare.write([edge(BEAM_A, i % 2 === 0)]));
    await sleep(REST_MS);
    tableEdges.push(await cardBack(table, i % WAITED_EVERY === 0));
    await sleep(2 * REST_MS);
  }
  await sleep(10 * REST_MS);
  const bareNs = waits(bareEdges, await bare.report()).slice(WARM);
  const tableNs = waits(tableEdges, await table.report()).slice(WARM);
  const sample: Sample = { bareNs: [], gateNs: [], waitedNs: [], missed: 0 };
  for (const ns of bareNs) if (ns !== null) sample.bareNs.push(ns);
  for (const [i, ns] of tableNs.entries()) {
    if (ns === null) sample.missed += 1;
    else if ((i + WARM) % WAITED_EVERY === 0) sample.waitedNs.push(ns - GLITCH_NS);
    else sample.gateNs.push(ns);
  }
  return sample;
};

const at = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? Number.NaN;

const us = (ns: number): string => (ns / 1000).toFixed(0);
const both = (ns: readonly number[]): string =>
  `p50 ${us(at(ns, 0.5))}, p99 ${us(at(ns, 0.99))} us`;

const figures = (when: string, { bareNs, gateNs, waitedNs, missed }: Sample): readonly Figure[] => {
  const ratio = (part: number): string => (at(gateNs, part) / at(bareNs, part)).toFixed(2);
  const load = `load ${(loadavg()[0] ?? 0).toFixed(1)}`;
  return [
    {
      what: `edge to gate output, ${when} (${gateNs.length} of ${gateNs.length + missed}, ${load})`,
      subject: both(gateNs),
      peer: `${both(bareNs)} bare callback`,
      ratio: `${ratio(0.5)}, p99 ${ratio(0.99)}`,
      goal: '<= 1.5 of a bare callback',
    },
    {
      what: `the same where the filter's ${GLITCH_NS / 1e6} ms run out: over them, ${when}`,
      subject: both(waitedNs),
      peer: '-',
      ratio: '-',
      goal: '-',
    },
  ];
};

/** The gate's pipe holds what was written to the gate. @throws where that is less than was timed */
const provesWrites = (gate: number, timed: number): void => {
  const bytes = Buffer.alloc(PIPE_BYTES);
  const locks = bytes
    .subarray(0, readSync(gate, bytes))
    .filter((byte) => byte === SET_ACTIVE).length;
  if (locks < timed) throw new Error(`the gate was locked ${locks} times, not ${timed}`);
};

/**
 * From an edge, by its kernel time, to the gate's output written, beside Node's bare callback of a
 * pipe, in turn: a card goes back into the shoe, which locks the gate. The machine needs no chip;
 * kernel and wire of one are not in the figures.
 */
export const edgeFigures = async (quick: boolean): Promise<readonly Figure[]> => {
  const folder = mkdtempSync(join(tmpdir(), 'cutcard-edge-'));
  const pipes = ['bare', 'edges', 'gate'].map((name) => join(folder, name));
  const [barePipe = '', edgesPipe = '', gatePipe = ''] = pipes;
  execFileSync('mkfifo', pipes);
  const gate = openSync(gatePipe, 'r+');
  const bare = new Subject([childFile('edge-bare')], barePipe);
  const table = new Subject(
    [...unitFlags(), childFile('edge-table'), edgesPipe, gatePipe, folder],
    edgesPipe,
  );
  try {
    await Promise.all([bare.ready(), table.ready()]);
    const edges = quick ? QUICK_EDGES : EDGES;
    const idle = await measure(bare, table, edges);
    table.order({ do: 'play', perS: PLAYING_PER_S });
    const playing = await measure(bare, table, edges);
    provesWrites(gate, idle.gateNs.length + playing.gateNs.length);
    return [...figures('idle', idle), ...figures(`playing at ${PLAYING_PER_S}/s`, playing)];
  } finally {
    bare.end();
    table.end();
    closeSync(gate);
    rmSync(folder, { recursive: true, force: true });
  }
};
