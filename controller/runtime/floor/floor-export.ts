import { existsSync } from 'node:fs';
import { canonicalJson, hashRow } from '../../../storage/canonical.js';
import { wrongCheckpoint } from '../../../storage/check.js';
import { CHECKPOINT_TYPE } from '../../../storage/checkpoint.js';
import { jsonLine } from '../../../storage/export.js';
import type { SignedCheckpoint } from '../../../storage/store.js';
import { proofLine, WHOLE_FORMAT } from '../../../storage/whole-lines.js';
import type { CheckpointMessage } from '../../../surveillance/contract/messages.js';
import { documentsOf } from '../../../surveillance/floor/store/boots.js';
import { StoreError } from '../../../surveillance/floor/store/db.js';
import { FloorStore } from '../../../surveillance/floor/store/floor-store.js';
import type { HeldRow, Mark } from '../../../surveillance/floor/store/row-store.js';
import { EXIT, Refusal } from '../exit.js';
import { isPostgres } from './start-floor.js';

const ROWS_AT_A_TIME = 1000;
/** Things said one by one; the rest are counted. */
const MAX_SAID = 20;

export interface FloorExportOptions {
  /** A file, or `postgres://…`. */
  readonly store: string;
  /** `site/pit/table`. */
  readonly table: string;
  readonly from?: number;
  readonly to?: number;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * What the floor holds of a table, as the lines `cutcard journal rebuild` takes: rows, and before
 * each start the documents it names, behind each row its signed checkpoint. A page of rows is in
 * memory at a time; the service may run beside it.
 */
export class FloorExport {
  readonly #store: FloorStore;
  readonly #table: string;
  readonly #span: Span;
  readonly #place: number;
  readonly #keys: ReadonlyMap<string, string>;
  readonly #given = new Set<string>();
  readonly #said: string[] = [];
  #unsaid = 0;

  private constructor(
    store: FloorStore,
    table: string,
    at: { readonly span: Span; readonly place: number; readonly keys: ReadonlyMap<string, string> },
  ) {
    this.#store = store;
    this.#table = table;
    this.#span = at.span;
    this.#place = at.place;
    this.#keys = at.keys;
  }

  /** @throws Refusal: no such store, table or rows */
  static async open({ store: place, table, from, to }: FloorExportOptions): Promise<FloorExport> {
    if (!isPostgres(place) && !existsSync(place)) {
      throw new Refusal(EXIT.usage, `there is no store ${place}; look at \`store:\``);
    }
    const store = await FloorStore.open(place).catch((cause: unknown) => {
      if (cause instanceof StoreError) throw new Refusal(EXIT.usage, cause.message, cause);
      throw cause;
    });
    try {
      const marks = await store.rows.marks();
      const mark = marks.find((one) => one.table === table);
      if (mark === undefined) throw unknownTable(table, marks);
      const span = spanOf(mark, from, to);
      const keys = new Map((await store.proofs.keys()).map((key) => [key.name, key.publicKey]));
      const at = { span, keys, place: await store.rows.placeOf(table) };
      const made = new FloorExport(store, table, at);
      await made.#sayGaps(mark, from, to);
      return made;
    } catch (cause) {
      await store.close();
      throw cause;
    }
  }

  get span(): Span {
    return this.#span;
  }

  /** What is missing, forked or was left out; nothing where all that was asked for is there. */
  get said(): readonly string[] {
    const rest = this.#unsaid === 0 ? [] : [`and ${this.#unsaid} more of the kind`];
    return [...this.#said, ...rest];
  }

  /** @throws Refusal, exit code 1, where a row is not what its hash says or is gone meanwhile */
  async *lines(): AsyncGenerator<string> {
    const { from, to } = this.#span;
    const [last] = await this.#store.rows.rows(this.#table, to, to, 1);
    const hash = last?.hash ?? '';
    yield proofLine({ whole: { format: WHOLE_FORMAT, fromSeq: from, toSeq: to, hash } });
    let prev: string | null = null;
    for (let next = from; next <= to; next += ROWS_AT_A_TIME) {
      const end = Math.min(to, next + ROWS_AT_A_TIME - 1);
      const rows = await this.#store.rows.rows(this.#table, next, end, ROWS_AT_A_TIME);
      const signed = await this.#store.proofs.checkpoints(this.#place, next, end);
      const bySeq = new Map(signed.map((one) => [one.seq, one]));
      for (let seq = next; seq <= end; seq += 1) {
        const row = rows[seq - next];
        if (row?.seq !== seq) throw this.#broken(seq, 'it is not there');
        if (prev !== null && row.prev !== prev) {
          throw this.#broken(seq, 'it does not follow from the row before');
        }
        if (hashRow(row.prev, row.body) !== row.hash) {
          throw this.#broken(seq, 'its text does not give its hash');
        }
        prev = row.hash;
        yield* this.#linesOf(row, bySeq.get(seq));
      }
    }
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  async *#linesOf(row: HeldRow, signed: CheckpointMessage | undefined): AsyncGenerator<string> {
    yield* this.#documents(row);
    yield jsonLine(row);
    if (signed === undefined) return;
    const { signature, ...said } = signed;
    const body = canonicalJson({ ...said, type: CHECKPOINT_TYPE });
    const checkpoint: SignedCheckpoint = { seq: row.seq, body, signature };
    const here = { hashAt: (seq: number): string | null => (seq === row.seq ? row.hash : null) };
    const wrong = wrongCheckpoint(here, this.#keys, checkpoint, null);
    if (wrong !== null) {
      this.#say(`the checkpoint held of row ${row.seq} is left out: ${wrong}`);
      return;
    }
    const publicKey = this.#keys.get(said.key);
    if (publicKey !== undefined && !this.#given.has(said.key)) {
      this.#given.add(said.key);
      yield proofLine({ key: { name: said.key, publicKey } });
    }
    yield proofLine({ checkpoint });
  }

  async *#documents(row: HeldRow): AsyncGenerator<string> {
    const named = documentsOf(row);
    for (const hash of named === null ? [] : [named.procedure, named.table]) {
      if (hash === null || this.#given.has(hash)) continue;
      this.#given.add(hash);
      const document = await this.#store.proofs.document(hash);
      if (document === null) {
        this.#say(`the document ${hash} that the start at row ${row.seq} names is not held`);
      } else yield proofLine({ document });
    }
  }

  async #sayGaps(mark: Mark, from: number | undefined, to: number | undefined): Promise<void> {
    const first = from ?? 1;
    const last = to ?? mark.top;
    if (first < mark.firstSeq) {
      this.#say(`rows ${first} to ${mark.firstSeq - 1} are not held: the table had let them go`);
    }
    if (last > mark.seq) {
      const held = mark.top > mark.seq ? `; beyond the gap rows up to ${mark.top} are` : '';
      this.#say(`rows from ${mark.seq + 1} on are not held without a gap (asked: ${last})${held}`);
    }
    if (this.#span.from > 1) {
      this.#say(
        `the lines begin at row ${this.#span.from}: they prove those rows, but no journal can be ` +
          'rebuilt from them',
      );
    }
    for (const { seq } of await this.#store.rows.forks(this.#table)) {
      if (seq < this.#span.from || seq > this.#span.to) continue;
      this.#say(
        `row ${seq} came with two hashes; the one that follows from row ${seq - 1} is here`,
      );
    }
  }

  #say(text: string): void {
    if (this.#said.length < MAX_SAID) this.#said.push(text);
    else this.#unsaid += 1;
  }

  #broken(seq: number, why: string): Refusal {
    return new Refusal(
      EXIT.found,
      `the floor's store, table ${this.#table}: row ${seq}: ${why}; the lines end before it`,
    );
  }
}

const unknownTable = (table: string, marks: readonly Mark[]): Refusal => {
  const known = marks.slice(0, MAX_SAID).map((mark) => mark.table);
  return new Refusal(
    EXIT.usage,
    `--table ${table}: the store holds nothing of it; it holds ${known.join(', ') || 'no table'}`,
  );
};

const spanOf = (mark: Mark, from: number | undefined, to: number | undefined): Span => {
  const span = { from: Math.max(from ?? 1, mark.firstSeq), to: Math.min(to ?? mark.seq, mark.seq) };
  if (span.from <= span.to) return span;
  const held =
    mark.seq < mark.firstSeq ? 'no rows are held' : `rows ${mark.firstSeq} to ${mark.seq} are held`;
  throw new Refusal(
    mark.seq < mark.firstSeq ? EXIT.found : EXIT.usage,
    `${mark.table}: no such rows (${from ?? 1} to ${to ?? 'the last'}): ${held}`,
  );
};
