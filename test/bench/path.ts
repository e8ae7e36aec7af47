import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { count, median } from './median.js';
import { wordIn, wordOf } from './path-lines.js';
import { installNodeRed, nodeRedArgs } from './path-node-red.js';
import {
  BenchBroker,
  childFile,
  Children,
  cpuS,
  freePort,
  type Heard,
  Listener,
  missingPrograms,
  serialPair,
  until,
} from './path-rig.js';
import type { Figure } from './storage.js';

const ROUNDS = 3;
/** Lines a second; 0: all at once. */
const RATES = [50, 500, 0] as const;
type Rate = (typeof RATES)[number];
const RATE_WORDS: Readonly<Record<string, Rate>> = { '50': 50, '500': 500, burst: 0 };
const PACED_S = 4;
const BURST = 4000;
/** Lines before the first that counts, the same for all: a table runs for months, compiled. */
const WARM = 4000;
/** What the broker of a floor takes at once (surveillance/broker/mosquitto.ts), for all alike. */
const BROKER = ['allow_anonymous true', 'max_inflight_messages 32'];
/** Nothing more comes after so much silence. */
const SILENCE_MS = 8000;
const START_MS = 60_000;
const QUIET_MS = 1000;

const SUBJECTS = ['bare', 'node-red', 'node-red-tuned', 'cutcard'] as const;
type Subject = (typeof SUBJECTS)[number];

interface Run {
  readonly perS: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly lost: number;
  readonly repeated: number;
  readonly disordered: number;
  readonly cpuUs: number;
}

const linesAt = (rate: Rate): number => (rate === 0 ? BURST : rate * PACED_S);

const seqIn = (payload: string): number =>
  Number(/^\{"seq":(\d+)/.exec(payload)?.[1] ?? Number.NaN);

interface Row {
  readonly atMs: number;
  readonly seq: number;
  readonly word: string;
}

/** What the lines of this run became, in order of arrival. */
const rowsOf = (heard: readonly Heard[], from: number): readonly Row[] =>
  heard.slice(from).flatMap(({ atMs, topic, payload }) => {
    const word = topic.endsWith('/event') ? wordIn(payload) : null;
    return word === null ? [] : [{ atMs, seq: seqIn(payload), word }];
  });

/** Holds what arrived against what was written: every line once, in its place. */
const judge = (rows: readonly Row[], written: readonly number[], cpu: number): Run => {
  const first = new Map<number, Row>();
  let [high, repeated, disordered] = [0, 0, 0];
  for (const row of rows) {
    if (first.has(row.seq)) repeated += 1;
    else first.set(row.seq, row);
    if (row.seq < high) disordered += 1;
    high = Math.max(high, row.seq);
  }
  const inOrder = [...first.values()].sort((a, b) => a.seq - b.seq);
  const wrong = inOrder.findIndex(({ word }, k) => word !== wordOf(k));
  if (wrong >= 0 && inOrder.length === written.length) {
    throw new Error(`line ${wrong} came out as \`${inOrder[wrong]?.word ?? 'nothing'}\``);
  }
  const delays = inOrder.map(({ atMs }, k) => atMs - (written[k] ?? 0)).sort((a, b) => a - b);
  const at = (share: number): number =>
    delays[Math.min(delays.length - 1, Math.floor(delays.length * share))] ?? Number.NaN;
  const lastMs = rows.reduce((most, { atMs }) => Math.max(most, atMs), 0);
  return {
    perS: (inOrder.length * 1000) / (lastMs - (written[0] ?? 0)),
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    lost: written.length - inOrder.length,
    repeated,
    disordered,
    cpuUs: (cpu * 1e6) / written.length,
  };
};

/** One subject on one line and one broker, through all rates. */
class Path {
  readonly #subject: Subject;
  readonly #peers: string | null;
  readonly #folder = mkdtempSync(join(tmpdir(), 'cutcard-path-'));
  readonly #children = new Children();

  constructor(subject: Subject, peers: string | null) {
    this.#subject = subject;
    this.#peers = peers;
  }

  async run(rates: readonly Rate[]): Promise<ReadonlyMap<Rate, Run>> {
    try {
      const { machine, table } = await serialPair(this.#children, this.#folder);
      const { port } = await BenchBroker.start(this.#children, this.#folder, BROKER);
      const topics = ['-t', 'bench/#', '-t', 'cutcard/v1/#'];
      const listener = await Listener.start(this.#children, this.#folder, [
        ...['-p', `${port}`],
        ...topics,
      ]);
      const pid = await this.#start(table, port, listener);
      const runs = new Map<Rate, Run>();
      const measure = (rate: Rate, lines: number): Promise<Run> =>
        this.#measure(rate, lines, machine, listener, pid);
      await measure(0, WARM);
      for (const rate of rates) runs.set(rate, await measure(rate, linesAt(rate)));
      return runs;
    } finally {
      await this.#children.stop();
      rmSync(this.#folder, { recursive: true, force: true });
    }
  }

  async #start(table: string, port: number, listener: Listener): Promise<number> {
    const args = await this.#args(table, port);
    const child = this.#children.start(process.execPath, args, join(this.#folder, 'subject'));
    const isReady = (): boolean => {
      this.#children.check();
      return listener
        .all()
        .some(({ topic, payload }) =>
          this.#subject === 'cutcard'
            ? payload.includes('"kind":"link.up"') && topic.endsWith('/event')
            : topic === 'bench/ready',
        );
    };
    await until(`${this.#subject} ready`, isReady, START_MS);
    await sleep(QUIET_MS);
    return child.pid ?? 0;
  }

  async #args(table: string, port: number): Promise<readonly string[]> {
    const broker = `mqtt://127.0.0.1:${port}`;
    const database = join(this.#folder, 'peer.db');
    if (this.#subject === 'cutcard') {
      return [childFile('path-table'), table, broker, this.#folder];
    }
    if (this.#subject === 'bare') return [childFile('path-bare'), table, broker, database];
    return nodeRedArgs(this.#peers ?? '', join(this.#folder, 'node-red'), {
      serial: table,
      brokerPort: port,
      database,
      tuned: this.#subject === 'node-red-tuned',
      uiPort: await freePort(),
    });
  }

  async #measure(
    rate: Rate,
    lines: number,
    machine: string,
    listener: Listener,
    pid: number,
  ): Promise<Run> {
    const before = listener.all().length;
    const cpuBefore = cpuS(pid);
    const file = join(this.#folder, `written-${rate}`);
    const writer = this.#children.start(
      process.execPath,
      [childFile('path-line'), machine, `${lines}`, `${rate}`],
      file,
    );
    let [bytes, sinceMs] = [listener.bytes, performance.now()];
    const isOver = (): boolean => {
      const now = listener.bytes;
      if (now !== bytes || writer.exitCode === null) {
        [bytes, sinceMs] = [now, performance.now()];
        return false;
      }
      const quietMs = performance.now() - sinceMs;
      if (quietMs < QUIET_MS) return false;
      return quietMs > SILENCE_MS || rowsOf(listener.all(), before).length >= lines;
    };
    await until('the end of the lines', isOver, 180_000);
    const cpu = cpuS(pid) - cpuBefore;
    const written: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (!isNumbers(written)) throw new Error('the machine did not say what it wrote');
    return judge(rowsOf(listener.all(), before), written, cpu);
  }
}

const isNumbers = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'number');

const NAMES: Readonly<Record<Subject, string>> = {
  bare: 'bare script',
  'node-red': 'Node-RED',
  'node-red-tuned': 'Node-RED WAL+FULL',
  cutcard: 'cutcard',
};

type Runs = Readonly<Record<Subject, readonly ReadonlyMap<Rate, Run>[]>>;

const of = (runs: Runs, subject: Subject, rate: Rate, field: keyof Run): readonly number[] =>
  runs[subject].map((round) => round.get(rate)?.[field] ?? Number.NaN);

/** Median of the rounds' own ratios: what disturbed one round disturbed both sides of it. */
const ratio = (runs: Runs, peer: Subject, rate: Rate, field: keyof Run): string => {
  const theirs = of(runs, peer, rate, field);
  const ours = of(runs, 'cutcard', rate, field);
  return median(ours.map((n, i) => n / (theirs[i] ?? Number.NaN))).toFixed(2);
};

const integrity = (runs: Runs, subject: Subject, rate: Rate): string =>
  (['lost', 'repeated', 'disordered'] as const)
    .map((field) => `${of(runs, subject, rate, field).reduce((a, b) => a + b, 0)} ${field}`)
    .join(', ');

const burstFigure = (runs: Runs, peer: Subject, goal: string): Figure => {
  const said = (subject: Subject): string =>
    `${count(median(of(runs, subject, 0, 'perS')))}/s, ${integrity(runs, subject, 0)}, ` +
    `${count(median(of(runs, subject, 0, 'cpuUs')))} us CPU each`;
  return {
    what: `line to PUBACK, burst of ${count(BURST)}`,
    subject: said('cutcard'),
    peer: `${NAMES[peer]} ${said(peer)}`,
    ratio: ratio(runs, peer, 0, 'perS'),
    goal,
  };
};

const delayFigure = (runs: Runs, peer: Subject, rate: 50 | 500, goal: string): Figure => {
  const ms = (subject: Subject): string =>
    (['p50Ms', 'p99Ms'] as const)
      .map((field) => median(of(runs, subject, rate, field)).toFixed(1))
      .join(' / ');
  return {
    what: `line to PUBACK at ${rate}/s, p50 / p99`,
    subject: `${ms('cutcard')} ms, ${integrity(runs, 'cutcard', rate)}`,
    peer: `${NAMES[peer]} ${ms(peer)} ms, ${integrity(runs, peer, rate)}`,
    ratio: ratio(runs, peer, rate, 'p99Ms'),
    goal,
  };
};

const skipped = (why: string): Figure => ({
  what: 'line to PUBACK',
  subject: `not measured: ${why}`,
  peer: '-',
  ratio: '-',
  goal: '-',
});

/** One subject by itself, where there is nothing to hold it against. */
const loneFigures = (runs: Runs, subject: Subject, rates: readonly Rate[]): readonly Figure[] =>
  rates.map((rate) => ({
    what: `line to PUBACK, ${rate === 0 ? `burst of ${count(BURST)}` : `${rate}/s`}`,
    subject:
      `${NAMES[subject]} ${count(median(of(runs, subject, rate, 'perS')))}/s, ` +
      `${integrity(runs, subject, rate)}, p50 / p99 ` +
      `${median(of(runs, subject, rate, 'p50Ms')).toFixed(1)} / ` +
      `${median(of(runs, subject, rate, 'p99Ms')).toFixed(1)} ms, ` +
      `${count(median(of(runs, subject, rate, 'cpuUs')))} us CPU each`,
    peer: '-',
    ratio: '-',
    goal: '-',
  }));

const BURST_GOALS: Readonly<Partial<Record<Subject, string>>> = {
  bare: '>= 0.9 of the bare script',
  'node-red': '>= 10 x',
  'node-red-tuned': '>= 2.5 x',
};

const figuresOf = (
  runs: Runs,
  subjects: readonly Subject[],
  rates: readonly Rate[],
): readonly Figure[] => {
  const peers = subjects.filter((name) => name !== 'cutcard');
  if (peers.length === subjects.length || peers.length === 0) {
    return subjects.flatMap((subject) => loneFigures(runs, subject, rates));
  }
  const burst = rates.includes(0)
    ? peers.map((peer) => burstFigure(runs, peer, BURST_GOALS[peer] ?? '-'))
    : [];
  const paced = ([50, 500] as const).filter((rate) => rates.includes(rate));
  const delays = paced.flatMap((rate) =>
    peers.map((peer) =>
      delayFigure(runs, peer, rate, peer === 'bare' ? '<= 1.2 of the bare script' : '-'),
    ),
  );
  return [...burst, ...delays];
};

export interface PathAsked {
  /** One round. */
  readonly quick: boolean;
  /** `bare,cutcard`: these only; all where it is left out. */
  readonly subjects?: string;
  /** `50,500,burst`: these only. */
  readonly rates?: string;
}

const wordsOf = (asked: string | undefined): readonly string[] | null =>
  asked === undefined ? null : asked.split(',');

/**
 * A serial line's way to an acknowledged message, beside a bare script and Node-RED as it comes
 * and tuned, turn by turn on the same machine.
 */
export const pathFigures = async (asked: PathAsked): Promise<readonly Figure[]> => {
  const missing = missingPrograms(['socat', 'mosquitto', 'mosquitto_sub', 'npm']);
  if (missing !== null) return [skipped(missing)];
  const named = wordsOf(asked.subjects);
  const wanted = SUBJECTS.filter((name) => named?.includes(name) ?? true);
  const rates = wordsOf(asked.rates)?.flatMap((word) => RATE_WORDS[word] ?? []) ?? RATES;
  const notes: Figure[] = [];
  const peers = wanted.some((name) => name.startsWith('node-red'))
    ? await installNodeRed().catch((cause: unknown) => {
        const why = cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : 'unknown cause';
        notes.push(skipped(`Node-RED could not be installed: ${why}`));
        return null;
      })
    : null;
  const subjects = wanted.filter((name) => peers !== null || !name.startsWith('node-red'));
  const all: Record<Subject, ReadonlyMap<Rate, Run>[]> = {
    bare: [],
    'node-red': [],
    'node-red-tuned': [],
    cutcard: [],
  };
  for (let round = 0; round < (asked.quick ? 1 : ROUNDS); round += 1) {
    for (const subject of subjects) all[subject].push(await new Path(subject, peers).run(rates));
  }
  return [...figuresOf(all, subjects, rates), ...notes];
};
