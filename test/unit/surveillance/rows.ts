import { createHash } from 'node:crypto';
import type { Decision } from '../../../controller/core/decision.js';
import type { Finding } from '../../../controller/core/finding.js';
import type { Happening } from '../../../controller/core/observation.js';
import type {
  DocumentKind,
  Journal,
  JournalRow,
  Snapshot,
  TableStep,
} from '../../../controller/core/ports.js';
import { SimulatedClock } from '../../../controller/core/simulated-clock.js';
import { DEFAULT_POLICY, type Table } from '../../../controller/core/procedure.js';
import { initialState, type TableState } from '../../../controller/core/state.js';
import { evolve } from '../../../controller/core/evolve.js';
import type { TopicKind } from '../../../surveillance/contract/topics.js';
import { ownMessageFault } from '../../../surveillance/contract/validate.js';
import { FakeTransport } from '../../../surveillance/mqtt/fake-transport.js';
import { Publisher, type PublisherParts } from '../../../surveillance/mqtt/publisher.js';
import type { PublisherFault } from '../../../surveillance/mqtt/publisher-parts.js';
import type { Transport } from '../../../surveillance/mqtt/transport.js';

export const NAME = { site: 'north', pit: 'p1', table: 'bac-04' };
export const ROOT = 'cutcard/v1/north/p1/bac-04';

export const tableOf = (): Table => ({
  decks: 8,
  crew: 1,
  seats: 7,
  dealing: 'shoe',
  shuffler: 'none',
  reader: 'none',
  batches: ['red'],
  enforcement: 'lock',
  policy: DEFAULT_POLICY,
});

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
};

export const hashOf = (prev: string, body: string): string =>
  createHash('sha256')
    .update(prev + body)
    .digest('hex');

const NO_HASH = '0'.repeat(64);

/** A journal in memory with a true chain. */
export class MemoryJournal implements Journal {
  readonly rows: JournalRow[] = [];
  readonly cursors = new Map<string, number>();
  readonly moves: [string, number][] = [];
  reads = 0;
  failing: string | null = null;

  head(): { seq: number; hash: string } {
    const last = this.rows.at(-1);
    return { seq: last?.seq ?? 0, hash: last?.hash ?? NO_HASH };
  }

  append(steps: readonly TableStep[]): Promise<void> {
    for (const { observation, decisions } of steps) {
      const prev = this.head().hash;
      const body = JSON.stringify(sorted({ decisions, observation }));
      this.rows.push({ seq: observation.seq, prev, hash: hashOf(prev, body), body });
    }
    return Promise.resolve();
  }

  read(afterSeq: number, limit: number): Promise<readonly JournalRow[]> {
    this.reads += 1;
    if (this.failing !== null) return Promise.reject(new Error(this.failing));
    const first = this.rows[0]?.seq ?? 1;
    const from = Math.max(0, afterSeq - first + 1);
    return Promise.resolve(this.rows.slice(from, from + limit));
  }

  cursor(consumer: string): number {
    return this.cursors.get(consumer) ?? 0;
  }

  moveCursor(consumer: string, seq: number): void {
    this.cursors.set(consumer, seq);
    this.moves.push([consumer, seq]);
  }

  snapshot(): Promise<Snapshot | null> {
    return Promise.resolve(null);
  }

  saveSnapshot(): void {
    // The tests here never start from one.
  }

  putDocument(_kind: DocumentKind, _hash: string, _text: string): Promise<void> {
    return Promise.resolve();
  }

  document(): Promise<string | null> {
    return Promise.resolve(null);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

export const findingOf = (id: string, more: Partial<Finding> = {}): Finding => ({
  id,
  code: 'burn.short',
  clause: '631a.5(f)',
  severity: 'hold',
  lifespan: 'step',
  expected: '8 cards burned',
  observed: '7 cards burned',
  remedy: 'Burn 1 more',
  authority: 'dealer',
  raisedSeq: 1,
  raisedNs: 1,
  raisedWallMs: 1,
  ...more,
});

export const card: Happening = { kind: 'card.out', lengthMm: 88.2, speedMmS: 610 };

export interface Bench {
  readonly journal: MemoryJournal;
  readonly clock: SimulatedClock;
  readonly transport: FakeTransport;
  readonly publisher: Publisher;
  readonly faults: [PublisherFault, string][];
  readonly told: Happening[];
  state: TableState;
  /** Makes one row durable and tells the publisher. */
  commit(happening: Happening, decisions?: readonly Decision[]): Promise<void>;
  /** Lets `ms` pass, with whatever promises come up on the way. */
  pass(ms: number): Promise<void>;
  /** Payloads the broker took on one topic of the table, oldest first. */
  got(kind: string): unknown[];
}

/** Lets settled promises run. */
const settle = async (): Promise<void> => {
  for (let i = 0; i < 8; i += 1) await Promise.resolve();
};

export const benchOf = (
  more: Partial<PublisherParts> & {
    readonly journal?: MemoryJournal;
    readonly transport?: Transport & FakeTransport;
    readonly clock?: SimulatedClock;
  } = {},
): Bench => {
  const clock = more.clock ?? new SimulatedClock();
  const journal = more.journal ?? new MemoryJournal();
  const transport = more.transport ?? new FakeTransport({ scheduler: clock });
  const faults: [PublisherFault, string][] = [];
  const told: Happening[] = [];
  const publisher = new Publisher({
    table: NAME,
    version: '0.1.0',
    mqtt: '5',
    cameras: [],
    consumers: ['historian'],
    keys: [],
    scheduler: clock,
    random: () => 0.5,
    tell: (happening) => told.push(happening),
    report: (kind, text) => faults.push([kind, text]),
    inspect: inspectOwn,
    ...more,
    journal,
    transport,
  });
  const bench: Bench = {
    journal,
    clock,
    transport,
    publisher,
    faults,
    told,
    state: initialState(tableOf()),
    commit: async (happening, decisions = []) => {
      const seq = journal.head().seq + 1;
      const stamp = {
        seq,
        atNs: clock.nowNs(),
        wallMs: clock.wallMs(),
        wallTrusted: clock.wallTrusted(),
      };
      const step: TableStep = { observation: { ...stamp, ...happening }, decisions };
      await journal.append([step]);
      bench.state = evolve(bench.state, stamp, decisions);
      publisher.committed(step, bench.state);
    },
    pass: async (ms) => {
      const until = clock.nowNs() + ms * 1e6;
      await settle();
      for (;;) {
        if (!clock.runNext(until)) break;
        await settle();
      }
      clock.runUntil(until);
      await settle();
    },
    got: (kind) =>
      transport.published
        .filter((message) => message.topic === `${ROOT}/${kind}`)
        .map((message): unknown => JSON.parse(message.payload)),
  };
  return bench;
};

/** Each message is held against the contract, field by field. */
export const inspectOwn = (kind: TopicKind, payload: string): void => {
  const fault = ownMessageFault(kind, payload);
  if (fault !== null) throw new Error(`${kind}: ${fault}`);
};

/** Number field of a message, for checks of order. */
export const seqsOf = (messages: readonly unknown[]): number[] =>
  messages.map((message) =>
    typeof message === 'object' && message !== null && 'seq' in message
      ? Number(message.seq)
      : Number.NaN,
  );
