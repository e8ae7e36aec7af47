import type { CheckpointMessage } from '../contract/messages.js';
import { AskedWrong } from './http/query.js';
import type { FloorStore, StoredFinding } from './store/floor-store.js';
import type { HeldDocument } from './store/proof-store.js';
import type { HeldRow } from './store/row-store.js';
import type { TableRecord } from './tile.js';

/** Rows one file is made from, at most. */
const ROWS_MAX = 50_000;
/** Rows taken along before what was asked for, so that rounds and counts can be told. */
const BEFORE_ROWS = 2000;

export type EvidenceWanted =
  | { readonly kind: 'finding'; readonly name: string }
  | { readonly kind: 'round'; readonly name: string }
  | { readonly kind: 'span'; readonly from: string; readonly to: string };

/** What a maker of evidence files is given: a run of rows with all that proves them. */
export interface EvidenceInput {
  /** `site/pit/table`. */
  readonly table: string;
  readonly wanted: EvidenceWanted;
  readonly rows: readonly Pick<HeldRow, 'seq' | 'prev' | 'hash' | 'body'>[];
  readonly documents: readonly HeldDocument[];
  readonly keys: readonly { readonly name: string; readonly publicKey: string }[];
  readonly checkpoints: readonly CheckpointMessage[];
  readonly nowMs: number;
}

export interface EvidenceFile {
  readonly name: string;
  readonly about: string;
  readonly text: string;
}

export interface EvidenceQuery {
  readonly finding?: string | undefined;
  readonly round?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export interface EvidenceDeskParts {
  readonly store: FloorStore;
  /** Makes the file's text. @throws Error in plain words where the rows do not give it. */
  readonly make: (input: EvidenceInput) => string;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Evidence files out of the historian's rows; `cutcard evidence verify` checks them. */
export class EvidenceDesk {
  readonly #parts: EvidenceDeskParts;

  constructor(parts: EvidenceDeskParts) {
    this.#parts = parts;
  }

  /** @throws AskedWrong naming what is missing. */
  async make(record: TableRecord, query: EvidenceQuery): Promise<EvidenceFile> {
    const { store } = this.#parts;
    const { wanted, span } = await this.#wanted(record, query);
    const place = await store.rows.placeOf(record.key);
    const [low, high] = await store.proofs.around(place, span.from - BEFORE_ROWS, span.to);
    const first = record.firstSeq;
    const from = Math.max(first, low > 0 ? low : span.from - BEFORE_ROWS);
    const to = high > 0 ? Math.min(high, record.seq) : Math.min(span.to, record.seq);
    if (to - from >= ROWS_MAX) {
      throw new AskedWrong(`${to - from} rows are more than one file takes (${ROWS_MAX}).`);
    }
    const rows = await store.rows.rows(record.key, from, to, ROWS_MAX);
    if (rows.length !== to - from + 1) {
      throw new AskedWrong(
        `Of rows ${from} to ${to} only ${rows.length} are held: wait until the table has sent ` +
          'the rest, or export at the table.',
        409,
      );
    }
    const text = this.#make({
      table: record.key,
      wanted,
      rows,
      documents: await this.#documents(rows, place),
      keys: await store.proofs.keys(),
      checkpoints: await store.proofs.checkpoints(place, from, to),
      nowMs: Date.now(),
    });
    const about = wanted.kind === 'span' ? `${wanted.from} to ${wanted.to}` : wanted.name;
    const safe = `${record.key}-${wanted.kind}-${about}`.replaceAll(/[^\w.-]+/g, '-');
    return { name: `evidence-${safe}.html`, about: `${wanted.kind} ${about}`, text };
  }

  #make(input: EvidenceInput): string {
    try {
      return this.#parts.make(input);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new AskedWrong(`No evidence can be made: ${why}.`, 409);
    }
  }

  async #wanted(
    record: TableRecord,
    { finding, round, from, to }: EvidenceQuery,
  ): Promise<{ readonly wanted: EvidenceWanted; readonly span: Span }> {
    if (finding !== undefined) {
      const span = await this.#spanOfFinding(record, finding);
      return { wanted: { kind: 'finding', name: finding }, span };
    }
    if (round !== undefined) {
      return { wanted: { kind: 'round', name: round }, span: await this.#round(record, round) };
    }
    if (from === undefined || to === undefined) {
      throw new AskedWrong('Evidence takes ?finding=, ?round=shoe.round, or ?from= and ?to=.');
    }
    return { wanted: { kind: 'span', from, to }, span: await this.#span(record, from, to) };
  }

  async #spanOfFinding(record: TableRecord, id: string): Promise<Span> {
    const query = { table: record.key, id, limit: 1 };
    const [found]: readonly StoredFinding[] = await this.#parts.store.findings(query);
    if (found === undefined) throw new AskedWrong(`There is no finding ${id}.`, 404);
    const { raisedSeq, cleared, shoe } = found.life;
    const life = shoe === null ? null : await this.#parts.store.shoe(record.key, shoe);
    const from = life === null ? raisedSeq : Math.min(life.fromSeq, raisedSeq);
    if (cleared === null) return { from, to: record.seq };
    // The row that cleared it is looked for where its time says.
    const ends = await this.#parts.store.rows.seqsBetween(
      record.key,
      cleared.atMs,
      cleared.atMs + 1,
    );
    return { from, to: Math.max(raisedSeq, ends?.to ?? record.seq) };
  }

  async #round(record: TableRecord, name: string): Promise<Span> {
    const [, shoe, round] = /^(\d{1,9})\.(\d{1,6})$/.exec(name) ?? [];
    if (shoe === undefined || round === undefined) {
      throw new AskedWrong(`\`${name}\` is not a shoe and a round, as 3.17.`);
    }
    const life = await this.#parts.store.round(record.key, Number(shoe), Number(round));
    if (life === null) throw new AskedWrong(`There is no round ${round} in shoe ${shoe}.`, 404);
    const whole = await this.#parts.store.shoe(record.key, Number(shoe));
    return { from: whole?.fromSeq ?? life.fromSeq, to: life.toSeq };
  }

  async #span(record: TableRecord, from: string, to: string): Promise<Span> {
    const isRows = [from, to].every((end) => /^\d{1,15}$/.test(end));
    if (isRows) {
      const [first, last] = [Number(from), Number(to)];
      if (first < 1 || last < first || first > record.seq) {
        throw new AskedWrong(`Rows ${from} to ${to}: give rows in order, from 1 to ${record.seq}.`);
      }
      return { from: first, to: Math.min(last, record.seq) };
    }
    const [low, high] = [Date.parse(from), Date.parse(to)];
    const ends =
      Number.isFinite(low) && Number.isFinite(high)
        ? await this.#parts.store.rows.seqsBetween(record.key, low, high)
        : null;
    if (ends === null) throw new AskedWrong(`No row lies between ${from} and ${to}.`, 404);
    return ends;
  }

  /** Documents that a start among the rows may name, and those in force. */
  async #documents(rows: EvidenceInput['rows'], place: number): Promise<readonly HeldDocument[]> {
    const hashes = new Set<string>();
    for (const { body } of rows) {
      if (!body.includes('"kind":"power.boot"')) continue;
      for (const [, hash] of body.matchAll(/"(?:procedure|table)":"([0-9a-f]{64})"/g)) {
        if (hash !== undefined) hashes.add(hash);
      }
    }
    const { proofs } = this.#parts.store;
    const seqs = rows.map(({ seq }) => seq);
    const [first = 0, last = 0] = [seqs[0], seqs.at(-1)];
    for (const { procedure, table } of await proofs.checkpoints(place, first, last)) {
      for (const hash of [procedure, table]) if (hash !== null) hashes.add(hash);
    }
    const documents: HeldDocument[] = [];
    for (const hash of hashes) {
      const document = await proofs.document(hash);
      if (document !== null) documents.push(document);
    }
    return documents;
  }
}
