import { createHash } from 'node:crypto';
import { z } from 'zod';
import { HASH_HEX } from '../contract/messages.js';
import { storeAround } from './around-faults.js';
import type { Appended, HeardRow } from './store/row-store.js';
import { whyOf } from './why.js';

/** Rows that wait for the store; beyond it the broker is made to wait. */
export const QUEUE_MAX = 20_000;
/** The same in UTF-16 units of their texts: a row may be some hundreds of them, or 250,000. */
export const QUEUE_UNITS_MAX = 64 * 1024 * 1024;
/** Rows of one transaction, and UTF-16 units of their texts. */
const BATCH_MAX = 1000;
const BATCH_UNITS_MAX = 8 * 1024 * 1024;
/** What comes within this time goes into one transaction, ms. */
const GATHER_MS = 10;
/** Wait before a store that failed is tried again, ms. */
const RETRY_MS = 1000;
/** Furthest wall time a date can have, ms from the epoch, before or after. */
export const WALL_MAX_MS = 8.64e15;

/** The head of an event; the rest of the row is taken as text, as it was hashed. */
const eventHead = z.object({
  seq: z.int().min(1),
  prev: z.string().regex(HASH_HEX),
  hash: z.string().regex(HASH_HEX),
  historical: z.literal(true).exactOptional(),
  observation: z.object({ seq: z.int(), wallMs: z.number() }),
});

const bodySchema = z.strictObject({ decisions: z.unknown(), observation: z.unknown() });

/**
 * Whether a text is a row by itself. Its hash alone does not say so: an event may hold the word
 * that the text begins with once more before it, inside a field that nobody knows.
 */
const isBody = (text: string): boolean => {
  try {
    return bodySchema.safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
};

export type ReadRow =
  | { readonly ok: true; readonly row: HeardRow }
  | { readonly ok: false; readonly why: string };

/** Takes a row out of an event: whole, with the hash it claims, or in words why not. */
export const rowOfEvent = (
  table: string,
  text: string,
  message: unknown,
  heardMs: number,
): ReadRow => {
  const head = eventHead.safeParse(message);
  if (!head.success) return { ok: false, why: 'it is no journal row' };
  const { seq, prev, hash, historical, observation } = head.data;
  const at = text.indexOf('"decisions":');
  const body = `{${text.slice(at)}`;
  if (
    at < 0 ||
    createHash('sha256')
      .update(prev + body)
      .digest('hex') !== hash
  ) {
    return { ok: false, why: `row ${seq} does not have the hash it claims` };
  }
  if (!isBody(body)) {
    return {
      ok: false,
      why: `row ${seq}: its text is not \`decisions\` and \`observation\` alone`,
    };
  }
  if (observation.seq !== seq) {
    return { ok: false, why: `row ${seq} says that it is row ${observation.seq}` };
  }
  const { wallMs } = observation;
  if (!Number.isFinite(wallMs) || Math.abs(wallMs) > WALL_MAX_MS) {
    return { ok: false, why: `row ${seq} has a wall time that no clock can show` };
  }
  const isHistorical = historical === true;
  return { ok: true, row: { table, seq, prev, hash, wallMs, heardMs, isHistorical, body } };
};

export interface IngestParts {
  readonly append: (rows: readonly HeardRow[]) => Promise<Appended>;
  /** After the commit. */
  readonly stored: (rows: readonly HeardRow[], appended: Appended, tookMs: number) => void;
  readonly failed: (why: string) => void;
  /** The store took a batch. */
  readonly took: () => void;
  /** The store cannot hold this row, however often it is tried. */
  readonly setAside: (row: HeardRow, why: string) => void;
  /** There is room again. */
  readonly drained: () => void;
}

/** Gathers rows and commits them together; what waits while a commit runs goes with the next. */
export class Ingest {
  readonly #parts: IngestParts;
  #queue: HeardRow[] = [];
  #units = 0;
  #work: Promise<void> | null = null;
  #isStopped = false;
  #isRefused = false;

  constructor(parts: IngestParts) {
    this.#parts = parts;
  }

  get queued(): number {
    return this.#queue.length;
  }

  /** The store would not take rows when it was last asked. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  get hasRoom(): boolean {
    return this.#queue.length < QUEUE_MAX && this.#units < QUEUE_UNITS_MAX;
  }

  add(row: HeardRow): void {
    if (this.#isStopped) return;
    this.#queue.push(row);
    this.#units += row.body.length;
    this.#work ??= this.#run();
  }

  /** Resolves when what was added is committed, or the store would not have it. Safe twice. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#work;
  }

  async #run(): Promise<void> {
    await pause(GATHER_MS);
    while (this.#queue.length > 0) {
      const batch = this.#nextBatch();
      try {
        await this.#commit(batch);
        this.#queue.splice(0, batch.length);
        this.#units -= unitsOf(batch);
        this.#isRefused = false;
        this.#parts.took();
      } catch (cause) {
        this.#isRefused = true;
        this.#parts.failed(whyOf(cause));
        if (this.#isStopped) break;
        await pause(RETRY_MS);
      }
      this.#parts.drained();
      if (this.#queue.length < BATCH_MAX) await pause(GATHER_MS);
    }
    this.#work = null;
  }

  #nextBatch(): readonly HeardRow[] {
    let units = 0;
    let rows = 0;
    for (const { body } of this.#queue) {
      units += body.length;
      if (rows === BATCH_MAX || (rows > 0 && units > BATCH_UNITS_MAX)) break;
      rows += 1;
    }
    return this.#queue.slice(0, rows);
  }

  /** @throws what the store threw, where trying again may help. */
  async #commit(batch: readonly HeardRow[]): Promise<void> {
    const { append, stored, setAside } = this.#parts;
    await storeAround(batch, {
      write: async (rows) => {
        const startedMs = performance.now();
        const appended = await append(rows);
        return { appended, tookMs: performance.now() - startedMs };
      },
      written: (rows, { appended, tookMs }) => stored(rows, appended, tookMs),
      setAside: (row, cause) => setAside(row, whyOf(cause)),
    });
  }
}

const unitsOf = (rows: readonly HeardRow[]): number =>
  rows.reduce((sum, { body }) => sum + body.length, 0);

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
