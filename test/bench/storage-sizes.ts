import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { evolve } from '../../controller/core/evolve.js';
import type { TableStep } from '../../controller/core/ports.js';
import { initialState, type TableState } from '../../controller/core/state.js';
import { canonicalJson, hashText } from '../../storage/canonical.js';
import { openJournal, type SqliteJournal } from '../../storage/journal.js';
import { JournalReader } from '../../storage/reader.js';
import { replayJournal } from '../../storage/replay.js';
import { restore } from '../../storage/restore.js';
import { verifyChain } from '../../storage/verify.js';
import { count, median } from './median.js';
import { benchRules, shoeSteps } from './shoe-steps.js';
import type { Figure } from './storage.js';

const GROUP = 250;
/** Groups on their way at once. */
const GROUPS_OUT = 4;
/** Rows between two saved states; what a table does in a few weeks. */
const SAVED_ROWS = 100_000;
/** Journals larger than this are checked and replayed once. */
const REPEATED_ROWS = 500_000;
const REPEATS = 3;

/** Plays a table into a journal and keeps its state, as the loop does. */
class Filler {
  readonly #steps: Generator<TableStep, never>;
  #state: TableState = initialState(benchRules.table);
  #rows = 0;

  private constructor(steps: Generator<TableStep, never>) {
    this.#steps = steps;
  }

  /** Begins as a start does: with the documents its rows are judged by. */
  static async begin(path: string): Promise<Filler> {
    const journal = await openJournal(path, { writer: 'worker' });
    const [procedureText, tableText] = [
      canonicalJson(benchRules.procedure),
      canonicalJson(benchRules.table),
    ];
    const [procedure, table] = [hashText(procedureText), hashText(tableText)];
    await journal.putDocument('procedure', procedure, procedureText);
    await journal.putDocument('table', table, tableText);
    await journal.close();
    const start = { kind: 'power.boot', unclean: false, boot: 1, procedure, table } as const;
    return new Filler(shoeSteps(benchRules, [start]));
  }

  /** Appends until there are so many rows; rows a second. */
  async fill(path: string, rows: number): Promise<number> {
    const journal = await openJournal(path, { writer: 'worker' });
    const added = rows - this.#rows;
    const startMs = performance.now();
    const out: Promise<void>[] = [];
    while (this.#rows < rows) {
      out.push(journal.append(this.#take(Math.min(GROUP, rows - this.#rows))));
      if (out.length >= GROUPS_OUT) await out.shift();
      if (this.#rows % SAVED_ROWS === 0) await this.#save(journal, out.splice(0));
    }
    await this.#save(journal, out);
    const perSecond = (added * 1000) / (performance.now() - startMs);
    await journal.close();
    return perSecond;
  }

  #take(rows: number): readonly TableStep[] {
    const steps: TableStep[] = [];
    for (let i = 0; i < rows; i += 1) {
      const step = this.#steps.next().value;
      steps.push(step);
      this.#state = evolve(this.#state, step.observation, step.decisions);
    }
    this.#rows += rows;
    return steps;
  }

  async #save(journal: SqliteJournal, out: readonly Promise<void>[]): Promise<void> {
    await Promise.all(out);
    journal.saveSnapshot({ ...journal.head(), state: this.#state });
  }
}

const times = async (rows: number, once: () => Promise<number>): Promise<number> => {
  const values: number[] = [];
  for (let i = 0; i < (rows > REPEATED_ROWS ? 1 : REPEATS); i += 1) values.push(await once());
  return median(values);
};

const openOnce = async (path: string): Promise<number> => {
  const startMs = performance.now();
  const journal = await openJournal(path, { writer: 'worker' });
  await restore(journal, initialState(benchRules.table));
  const tookMs = performance.now() - startMs;
  await journal.close();
  return tookMs;
};

const verifyOnce = async (path: string): Promise<number> => {
  const startMs = performance.now();
  const { damage } = await verifyChain(path);
  if (damage !== null) throw new Error(`the bench's own journal is damaged: ${damage.what}`);
  return performance.now() - startMs;
};

const replayOnce = (path: string): number => {
  const reader = JournalReader.open(path);
  try {
    const startMs = performance.now();
    const { different } = replayJournal(reader);
    if (different > 0) throw new Error(`${different} rows of the bench's own are replayed unlike`);
    return performance.now() - startMs;
  } finally {
    reader.close();
  }
};

/** Open, check the tail, restore: what a start costs as the journal grows; check; replay. */
export const sizeFigures = async (
  folder: string,
  sizes: readonly number[],
): Promise<readonly Figure[]> => {
  const path = join(folder, 'ours.db');
  const filler = await Filler.begin(path);
  const figures: Figure[] = [];
  const say = (what: string, subject: string, peer: string, goal: string): void => {
    figures.push({ what, subject, peer, ratio: '-', goal });
  };
  for (const rows of sizes) {
    const label = `${count(rows)} rows`;
    const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;
    const rate = (ms: number): string => `${count((rows * 1000) / ms)}/s`;
    const perSecond = await filler.fill(path, rows);
    say(`append up to ${label}, groups of ${GROUP}`, `${count(perSecond)}/s`, '-', 'flat');
    const openMs = await times(0, () => openOnce(path));
    say(`open and restore, ${label}`, `${openMs.toFixed(0)} ms`, '-', 'flat');
    const verifyMs = await times(rows, () => verifyOnce(path));
    say(`verify the chain, ${label}`, seconds(verifyMs), rate(verifyMs), '3,000,000 in <= 10 s');
    const replayMs = await times(rows, () => Promise.resolve(replayOnce(path)));
    say(`replay, ${label}`, seconds(replayMs), rate(replayMs), '3,000,000 in <= 15 s');
  }
  return figures;
};
