import { checkpointSchema, documentsSchema } from '../contract/messages.js';
import { tableIdOf } from './api.js';
import { gameOf } from './games.js';
import type { FloorStore } from './store/floor-store.js';
import type { TableRecord } from './tile.js';
import type { WallBook } from './wall-book.js';

export interface PapersParts {
  readonly store: FloorStore;
  readonly book: WallBook;
  readonly failed: (what: string, why: string) => void;
}

const whyOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

/** Documents, keys and checkpoints of the tables: kept in the store, the newest also at hand. */
export class Papers {
  readonly #parts: PapersParts;
  readonly #configurations = new Map<string, string>();
  readonly #seen = new Map<string, string>();

  constructor(parts: PapersParts) {
    this.#parts = parts;
  }

  /** Canonical configuration of a table; null where it was not sent. */
  configurationOf(table: string): string | null {
    return this.#configurations.get(table) ?? null;
  }

  /** Takes up what the store holds from before. */
  async recall(): Promise<void> {
    const { proofs } = this.#parts.store;
    for (const { table, text } of await proofs.inForce('procedure')) this.#game(table, text);
    for (const { table, text } of await proofs.inForce('table')) {
      this.#configurations.set(table, text);
    }
  }

  async checkpoint(record: TableRecord, message: unknown): Promise<void> {
    const parsed = checkpointSchema.safeParse(message);
    if (!parsed.success) return;
    const { store, failed } = this.#parts;
    try {
      const place = await store.rows.placeOf(record.key);
      await store.proofs.addCheckpoint(place, parsed.data);
    } catch (cause) {
      failed('a checkpoint', whyOf(cause));
    }
  }

  async documents(record: TableRecord, message: unknown): Promise<void> {
    const parsed = documentsSchema.safeParse(message);
    if (!parsed.success) return;
    const text = JSON.stringify(parsed.data);
    if (this.#seen.get(record.key) === text) return;
    this.#seen.set(record.key, text);
    for (const { kind, text: document } of parsed.data.documents) {
      if (kind === 'procedure') this.#game(record.key, document);
      else this.#configurations.set(record.key, document);
    }
    try {
      const place = await this.#parts.store.rows.placeOf(record.key);
      const wrong = await this.#parts.store.proofs.keep(place, parsed.data);
      for (const hash of wrong) {
        this.#parts.book.schemaFault(record, `document ${hash}: its text does not give its hash`);
      }
    } catch (cause) {
      this.#seen.delete(record.key);
      this.#parts.failed('documents', whyOf(cause));
    }
  }

  #game(table: string, text: string): void {
    const id = tableIdOf(table);
    const record = id === null ? null : this.#parts.book.meet(id);
    const game = gameOf(text);
    if (record === null || game === null) return;
    this.#parts.book.game(record, { id: game.id, title: game.title }, game.minBehind);
  }
}
