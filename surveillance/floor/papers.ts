import { checkpointSchema, documentsSchema } from '../contract/messages.js';
import { tableIdOf } from './api.js';
import { Checkpoints } from './checkpoints.js';
import { gameOf } from './games.js';
import type { Named } from './store/boots.js';
import { isDataFault } from './store/db.js';
import type { FloorStore } from './store/floor-store.js';
import type { DocumentKind } from './store/proof-store.js';
import type { TableRecord } from './tile.js';
import type { WallBook } from './wall-book.js';
import { whyOf } from './why.js';

/** Tables whose documents are looked at again in one go. */
const LOOK_MAX = 200;
/** Messages with documents or checkpoints that wait for the store; beyond it the broker waits. */
const WAITING_MAX = 200;
/** A table may send its documents so long before or after the row that names them, ms. */
const APART_MS = 20_000;

export interface PapersParts {
  readonly store: FloorStore;
  readonly book: WallBook;
  readonly nowMs: () => number;
  readonly failed: (what: string, why: string) => void;
  /** There is room again. */
  readonly drained: () => void;
}

/** What a table sent last, by kind: hashes only, the texts are in the store. */
interface Said {
  readonly hashes: ReadonlyMap<DocumentKind, string>;
  readonly atMs: number;
  isTold: boolean;
}

const WORDS: Readonly<Record<DocumentKind, string>> = {
  procedure: 'procedure',
  table: 'configuration',
};

/**
 * Documents, keys and checkpoints of the tables. A document is in force once the newest start
 * among the table's stored rows names its hash; before that, and where the start names one that
 * nobody sent, what is played is not known.
 */
export class Papers {
  readonly #parts: PapersParts;
  readonly #inForce: Readonly<Record<DocumentKind, Map<string, string>>> = {
    procedure: new Map(),
    table: new Map(),
  };
  readonly #configurations = new Map<string, string>();
  readonly #said = new Map<string, Said>();
  /** Tables of which something is not settled, with the newest start heard of (0: none). */
  readonly #open = new Map<string, number>();
  /** One look at a time: what an earlier one read must not overtake a later one. */
  #turn: Promise<void> = Promise.resolve();

  readonly #checkpoints: Checkpoints;
  #waiting = 0;

  constructor(parts: PapersParts) {
    this.#parts = parts;
    this.#checkpoints = new Checkpoints(parts.store);
  }

  get hasRoom(): boolean {
    return this.#waiting < WAITING_MAX;
  }

  /** Canonical configuration of a table; null where none is proven. */
  configurationOf(table: string): string | null {
    return this.#configurations.get(table) ?? null;
  }

  /** Takes up what the store holds from before. */
  async recall(): Promise<void> {
    const { proofs } = this.#parts.store;
    for (const kind of ['procedure', 'table'] as const) {
      for (const { table, hash, text } of await proofs.inForce(kind)) {
        this.#show(table, kind, hash, text);
      }
    }
    for (const named of await proofs.named(null)) await this.#settle(named);
  }

  async checkpoint(record: TableRecord, message: unknown): Promise<void> {
    const parsed = checkpointSchema.safeParse(message);
    if (!parsed.success) return;
    const { data } = parsed;
    await this.#store(record, 'a checkpoint', () => this.#checkpoints.add(record.key, data));
  }

  async documents(record: TableRecord, message: unknown): Promise<void> {
    const parsed = documentsSchema.safeParse(message);
    if (!parsed.success) return;
    const { documents } = parsed.data;
    await this.#store(record, 'documents', async () => {
      const wrong = await this.#parts.store.proofs.keep(parsed.data);
      for (const hash of wrong) {
        this.#parts.book.schemaFault(record, `document ${hash}: its text does not give its hash`);
      }
      const right = documents.filter(({ hash }) => !wrong.includes(hash));
      this.#said.set(record.key, {
        hashes: new Map(right.map(({ kind, hash }) => [kind, hash])),
        atMs: this.#parts.nowMs(),
        isTold: false,
      });
      await this.prove(record.key);
    });
  }

  /** What the database cannot hold is the table's fault; all else is the store's. */
  async #store(record: TableRecord, what: string, work: () => Promise<void>): Promise<void> {
    const { book, failed, drained } = this.#parts;
    this.#waiting += 1;
    try {
      await work();
    } catch (cause) {
      if (isDataFault(cause)) {
        book.schemaFault(record, `${what} cannot be stored: ${whyOf(cause)}`.slice(0, 300));
      } else failed(what, whyOf(cause));
    }
    // Others have their turn before the broker goes on.
    await new Promise((resolve) => setImmediate(resolve));
    this.#waiting -= 1;
    drained();
  }

  /**
   * Something came that may settle what a table plays: its documents, or a start at row `bootSeq`,
   * which counts once no row before it is missing.
   */
  prove(table: string, bootSeq = 0): Promise<void> {
    const newest = Math.max(bootSeq, this.#open.get(table) ?? 0);
    // At the end of the list, so that every table has its turn.
    this.#open.delete(table);
    this.#open.set(table, newest);
    return this.#inTurn(() => this.#prove(table));
  }

  async #prove(table: string): Promise<void> {
    const [named] = await this.#parts.store.proofs.named(table);
    if (named === undefined) return;
    await this.#settle(named);
    const said = this.#said.get(table);
    if (said === undefined || this.#isAsNamed(said, named)) {
      if (named.seq >= (this.#open.get(table) ?? 0)) this.#open.delete(table);
      return;
    }
    if (said.isTold || this.#parts.nowMs() - said.atMs < APART_MS) return;
    said.isTold = true;
    const record = this.#parts.book.record(table);
    const kind = said.hashes.get('procedure') === named.procedure ? 'table' : 'procedure';
    const text = `documents: the ${WORDS[kind]} it sent is not the one that row ${named.seq} names`;
    if (record !== null) this.#parts.book.schemaFault(record, text);
  }

  /** Looks again at what is open; call it about once a second. */
  async tick(): Promise<void> {
    for (const table of [...this.#open.keys()].slice(0, LOOK_MAX)) await this.prove(table);
  }

  /** Rows may have come through other instances: looks at what all of them name. */
  look(): Promise<void> {
    return this.#inTurn(async () => {
      for (const named of await this.#parts.store.proofs.named(null)) await this.#settle(named);
    });
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const mine = this.#turn.then(work);
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  #isAsNamed({ hashes }: Said, { procedure, configuration }: Named): boolean {
    return hashes.get('procedure') === procedure && hashes.get('table') === configuration;
  }

  async #settle({ table, procedure, configuration }: Named): Promise<void> {
    await this.#put(table, 'procedure', procedure);
    await this.#put(table, 'table', configuration);
  }

  async #put(table: string, kind: DocumentKind, hash: string | null): Promise<void> {
    const known = this.#inForce[kind].get(table);
    if (known === (hash ?? undefined)) return;
    const { proofs, rows } = this.#parts.store;
    const document = hash === null ? null : await proofs.document(hash);
    if (known === document?.hash) return;
    await proofs.putInForce(await rows.placeOf(table), kind, document?.hash ?? null);
    this.#show(table, kind, document?.hash ?? null, document?.text ?? '');
  }

  #show(table: string, kind: DocumentKind, hash: string | null, text: string): void {
    const { book } = this.#parts;
    if (hash === null) this.#inForce[kind].delete(table);
    else this.#inForce[kind].set(table, hash);
    if (kind === 'table') {
      if (hash === null) this.#configurations.delete(table);
      else this.#configurations.set(table, text);
      return;
    }
    const id = tableIdOf(table);
    const record = id === null ? null : book.meet(id);
    const game = hash === null ? null : gameOf(text);
    if (record === null) return;
    book.game(
      record,
      game === null ? null : { id: game.id, title: game.title },
      game?.minBehind ?? null,
    );
  }
}
