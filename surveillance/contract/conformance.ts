import { createHash } from 'node:crypto';
import { z } from 'zod';
import { parseTopic, tablePath } from './topics.js';
import { messageFault } from './validate.js';

/** Faults kept in full; the rest is counted. */
const FAULTS_MAX = 200;
/** Rows whose hashes are kept a table, to tell a repeat from a fork. */
const ROWS_KEPT = 100_000;
const GAPS_MAX = 1000;
const TABLES_MAX = 2000;

export type Rule =
  | 'json'
  | 'schema'
  | 'topic'
  | 'hash'
  | 'chain'
  | 'order'
  | 'fork'
  | 'gap'
  | 'retain'
  | 'repeat';

export interface ConformanceFault {
  readonly table: string;
  readonly topic: string;
  readonly rule: Rule;
  readonly text: string;
}

export interface TableReport {
  readonly table: string;
  readonly messages: Readonly<Record<string, number>>;
  readonly firstSeq: number | null;
  readonly lastSeq: number | null;
  readonly rows: number;
  /** Rows that came more than once, each time the same. */
  readonly repeats: number;
  readonly historical: number;
  readonly gaps: readonly { readonly from: number; readonly to: number }[];
}

export interface ConformanceReport {
  readonly tables: readonly TableReport[];
  readonly faults: readonly ConformanceFault[];
  /** Faults beyond those listed. */
  readonly moreFaults: number;
}

interface Gap {
  from: number;
  to: number;
}

interface TableBook {
  readonly name: string;
  readonly messages: Map<string, number>;
  readonly hashes: Map<number, string>;
  first: number | null;
  last: number | null;
  rows: number;
  repeats: number;
  historical: number;
  gaps: Gap[];
}

const rowSchema = z.object({
  seq: z.int().min(1),
  prev: z.string(),
  hash: z.string(),
  historical: z.literal(true).optional(),
});
type Row = z.output<typeof rowSchema>;

const hashOf = (prev: string, body: string): string =>
  createHash('sha256')
    .update(prev + body)
    .digest('hex');

/**
 * Listens as an independent consumer would and holds everything against the contract: schema,
 * chain, order, gaps, repeats. It shares the schemas with the product and none of its code for
 * sending or storing.
 */
export class Conformance {
  readonly #tables = new Map<string, TableBook>();
  readonly #faults: ConformanceFault[] = [];
  #more = 0;

  /** `retain`: the broker sent it because it was kept, not because it was just published. */
  message(topic: string, payload: string, retain: boolean): void {
    const parsed = parseTopic(topic);
    if (parsed === null) {
      if (/\/cmd\/reply\//.test(topic)) return;
      this.#fault('', topic, 'topic', 'no topic of the contract');
      return;
    }
    const book = this.#bookOf(tablePath(parsed.name));
    if (book === null) return;
    book.messages.set(parsed.kind, (book.messages.get(parsed.kind) ?? 0) + 1);
    const message = jsonOf(payload);
    if (message === undefined) {
      // What others write on `cmd` is the table's to refuse, not a fault of the table.
      if (parsed.kind !== 'cmd' && parsed.kind !== 'ack') {
        this.#fault(book.name, topic, 'json', 'the payload is not JSON');
      }
      return;
    }
    const fault = messageFault(parsed.kind, message);
    if (fault !== null && parsed.kind !== 'cmd') {
      this.#fault(book.name, topic, 'schema', fault);
    }
    if (retain && ['event', 'alert', 'mark', 'cmd', 'cmd/reply'].includes(parsed.kind)) {
      this.#fault(book.name, topic, 'retain', `\`${parsed.kind}\` must not be retained`);
    }
    const row = parsed.kind === 'event' ? rowSchema.safeParse(message) : null;
    if (row?.success === true) this.#row(book, topic, row.data, payload);
  }

  /** `isStrict`: rows that came more than once are faults too. */
  report(isStrict = false): ConformanceReport {
    const faults = [...this.#faults];
    for (const book of this.#tables.values()) {
      const topic = `${book.name}/event`;
      for (const { from, to } of book.gaps) {
        const text = from === to ? `row ${from} never came` : `rows ${from} to ${to} never came`;
        faults.push({ table: book.name, topic, rule: 'gap', text });
      }
      if (isStrict && book.repeats > 0) {
        const text = `${book.repeats} rows came more than once`;
        faults.push({ table: book.name, topic, rule: 'repeat', text });
      }
    }
    return {
      tables: [...this.#tables.values()].map(reportOf),
      faults: faults.slice(0, FAULTS_MAX),
      moreFaults: this.#more + Math.max(0, faults.length - FAULTS_MAX),
    };
  }

  #row(book: TableBook, topic: string, row: Row, payload: string): void {
    const { seq, prev, hash } = row;
    if (row.historical === true) book.historical += 1;
    const known = book.hashes.get(seq);
    if (known !== undefined) {
      book.repeats += 1;
      if (known !== hash) {
        this.#fault(book.name, topic, 'fork', `row ${seq} came with two hashes: ${known}, ${hash}`);
      }
      return;
    }
    const at = payload.indexOf('"decisions":');
    if (at < 0 || hashOf(prev, `{${payload.slice(at)}`) !== hash) {
      this.#fault(book.name, topic, 'hash', `row ${seq} does not have the hash it claims`);
    }
    this.#chain(book, topic, row);
    this.#place(book, topic, row);
    book.rows += 1;
    book.hashes.set(seq, hash);
    if (book.hashes.size > ROWS_KEPT) {
      const [oldest] = book.hashes.keys();
      if (oldest !== undefined) book.hashes.delete(oldest);
    }
  }

  #chain(book: TableBook, topic: string, { seq, prev }: Row): void {
    const before = book.hashes.get(seq - 1);
    if (before !== undefined && before !== prev) {
      this.#fault(book.name, topic, 'chain', `row ${seq} does not follow row ${seq - 1}`);
    }
    if (seq === 1 && prev !== '0'.repeat(64)) {
      this.#fault(book.name, topic, 'chain', 'row 1 names a row before it');
    }
  }

  /** Where the row stands among those that came: next, ahead over a gap, or into a gap. */
  #place(book: TableBook, topic: string, { seq, historical }: Row): void {
    if (book.last === null) {
      book.first = seq;
      book.last = seq;
      return;
    }
    if (seq > book.last) {
      if (seq > book.last + 1) this.#openGap(book, book.last + 1, seq - 1);
      book.last = seq;
      return;
    }
    if (book.first !== null && seq < book.first) {
      book.first = seq;
      if (historical !== true) this.#late(book, topic, seq);
      return;
    }
    fillGap(book, seq);
    if (historical !== true) this.#late(book, topic, seq);
  }

  #late(book: TableBook, topic: string, seq: number): void {
    const text = `row ${seq} came after row ${book.last ?? 0} and does not say \`historical\``;
    this.#fault(book.name, topic, 'order', text);
  }

  #openGap(book: TableBook, from: number, to: number): void {
    if (book.gaps.length < GAPS_MAX) book.gaps.push({ from, to });
    else this.#more += 1;
  }

  #bookOf(name: string): TableBook | null {
    const known = this.#tables.get(name);
    if (known !== undefined) return known;
    if (this.#tables.size >= TABLES_MAX) return null;
    const book: TableBook = {
      name,
      messages: new Map(),
      hashes: new Map(),
      first: null,
      last: null,
      rows: 0,
      repeats: 0,
      historical: 0,
      gaps: [],
    };
    this.#tables.set(name, book);
    return book;
  }

  #fault(table: string, topic: string, rule: Rule, text: string): void {
    if (this.#faults.length < FAULTS_MAX) this.#faults.push({ table, topic, rule, text });
    else this.#more += 1;
  }
}

const fillGap = (book: TableBook, seq: number): void => {
  const at = book.gaps.findIndex(({ from, to }) => from <= seq && seq <= to);
  const gap = book.gaps[at];
  if (gap === undefined) return;
  const rest = [
    { from: gap.from, to: seq - 1 },
    { from: seq + 1, to: gap.to },
  ].filter(({ from, to }) => from <= to);
  book.gaps.splice(at, 1, ...rest);
};

const reportOf = (book: TableBook): TableReport => ({
  table: book.name,
  messages: Object.fromEntries(book.messages),
  firstSeq: book.first,
  lastSeq: book.last,
  rows: book.rows,
  repeats: book.repeats,
  historical: book.historical,
  gaps: book.gaps,
});

/** Undefined where it is no JSON. */
const jsonOf = (payload: string): unknown => {
  try {
    return JSON.parse(payload);
  } catch {
    return undefined;
  }
};
