import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { Decision } from '../../controller/core/decision.js';
import { evolve } from '../../controller/core/evolve.js';
import type { TableStep } from '../../controller/core/ports.js';
import { SimulatedClock } from '../../controller/core/simulated-clock.js';
import { initialState, type TableState } from '../../controller/core/state.js';
import { openJournal, type SqliteJournal } from '../../storage/journal.js';
import { Conformance } from '../../surveillance/contract/conformance.js';
import { FakeTransport } from '../../surveillance/mqtt/fake-transport.js';
import { Publisher } from '../../surveillance/mqtt/publisher.js';
import { card, findingOf, inspectOwn, NAME, ROOT, tableOf } from '../unit/surveillance/rows.js';

vi.setConfig({ testTimeout: 240_000 });

const HOURS = 7 * 24;
const ROWS_AN_HOUR = 40;
const HOUR_MS = 3_600_000;
const STOP_MS = 5000;
const ROWS = HOURS * ROWS_AN_HOUR;
/** What a row may take on the disk, bytes; the rows here are short ones. */
const BYTES_A_ROW = 400;
const EMPTY_BYTES = 600_000;

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const seen = z.object({ seq: z.number(), historical: z.literal(true).optional() });

/** A table on a real journal, a simulated clock and a network that can be cut. */
class Table {
  readonly clock = new SimulatedClock();
  readonly transport = new FakeTransport({ scheduler: this.clock });
  readonly #path: string;
  #journal: SqliteJournal | null = null;
  #publisher: Publisher | null = null;
  #state: TableState = initialState(tableOf());

  constructor(path: string) {
    this.#path = path;
  }

  get journal(): SqliteJournal {
    if (this.#journal === null) throw new Error('the table is not started');
    return this.#journal;
  }

  get publisher(): Publisher {
    if (this.#publisher === null) throw new Error('the table is not started');
    return this.#publisher;
  }

  async start(): Promise<void> {
    this.#journal = await openJournal(this.#path, { writer: 'inline' });
    this.#publisher = new Publisher({
      mqtt: '5',
      ...{ table: NAME, version: '0.1.0', cameras: [], consumers: [], keys: [] },
      ...{ journal: this.journal, scheduler: this.clock, transport: this.transport },
      random: () => 0.5,
      tell: () => undefined,
      report: () => undefined,
      inspect: inspectOwn,
    });
    this.publisher.start(this.#state);
  }

  async stop(): Promise<void> {
    // A good-bye takes its time on this clock too.
    const stopped = this.publisher.stop();
    await this.pass(STOP_MS);
    await stopped;
    await this.journal.close();
  }

  /** Rows of one moment, durable together. */
  async commit(rows: readonly (readonly Decision[])[]): Promise<void> {
    const { clock, journal } = this;
    const steps: TableStep[] = rows.map((decisions, i) => ({
      observation: {
        seq: journal.head().seq + 1 + i,
        ...{ atNs: clock.nowNs(), wallMs: clock.wallMs(), wallTrusted: true },
        ...card,
      },
      decisions,
    }));
    await journal.append(steps);
    for (const step of steps) {
      this.#state = evolve(this.#state, step.observation, step.decisions);
      this.publisher.committed(step, this.#state);
    }
  }

  async pass(ms: number): Promise<void> {
    const untilNs = this.clock.nowNs() + ms * 1e6;
    await settle();
    while (this.clock.runNext(untilNs)) await settle();
    this.clock.runUntil(untilNs);
    await settle();
  }

  got(kind: string): z.output<typeof seen>[] {
    return this.transport.published
      .filter(({ topic }) => topic === `${ROOT}/${kind}`)
      .map(({ payload }) => seen.parse(JSON.parse(payload)));
  }
}

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cutcard-week-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Plays a week with the cable cut: a finding each day, and one restart on the way. */
const playWeek = async (table: Table): Promise<void> => {
  const by = { role: 'floor' } as const;
  for (let hour = 0; hour < HOURS; hour += 1) {
    const rows = Array.from({ length: ROWS_AN_HOUR }, (): readonly Decision[] => []);
    const id = `day-${Math.floor(hour / 24)}`;
    if (hour % 24 === 10) rows[5] = [{ do: 'raised', finding: findingOf(id) }];
    if (hour % 24 === 20) {
      rows[5] = [{ do: 'cleared', id, code: 'burn.short', by, how: 'remedied' }];
    }
    await table.commit(rows);
    await table.pass(HOUR_MS);
    expect(table.publisher.stats()).toMatchObject({ isUp: false, outstanding: 0 });
    if (hour !== HOURS / 2) continue;
    await table.stop();
    await table.start();
  }
};

it('a week without a network: the disk holds it, it drains in order, a stop first', async () => {
  const table = new Table(join(folder, 'table.journal'));
  await table.start();
  table.transport.network(false);
  await playWeek(table);
  expect(table.publisher.stats().queued).toBe(ROWS);
  expect(table.got('event')).toEqual([]);
  const bytes = readdirSync(folder).reduce((sum, f) => sum + statSync(join(folder, f)).size, 0);
  expect(bytes).toBeLessThan(EMPTY_BYTES + ROWS * BYTES_A_ROW);

  table.transport.network(true);
  while (!table.publisher.stats().isUp) await table.pass(100);
  const stop = findingOf('now', { severity: 'stop', code: 'shuffle.missing' });
  await table.commit([[{ do: 'raised', finding: stop }]]);
  while (table.got('alert').every(({ historical }) => historical)) await table.pass(1);
  // Said while most of the week still waits, and not as something of the past.
  expect(table.got('alert').find(({ historical }) => historical !== true)?.seq).toBe(ROWS + 1);
  expect(table.publisher.stats().queued).toBeGreaterThan(ROWS / 2);

  while (table.publisher.stats().queued > 0) await table.pass(1000);
  const events = table.got('event');
  expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: ROWS + 1 }, (_, i) => i + 1));
  expect(events.every(({ historical }, i) => historical === true || i === ROWS)).toBe(true);
  const late = table.got('alert').filter(({ historical }) => historical);
  expect(late).toHaveLength(14);
  expect(late.map(({ seq }) => seq)).toEqual(late.map(({ seq }) => seq).sort((a, b) => a - b));
  const book = new Conformance();
  for (const { topic, payload } of table.transport.published) book.message(topic, payload, false);
  expect(book.report(true).faults).toEqual([]);
  await table.stop();
});
