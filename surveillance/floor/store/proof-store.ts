import { createHash } from 'node:crypto';
import type { CheckpointMessage, DocumentsMessage } from '../../contract/messages.js';
import { checkpointSchema } from '../../contract/messages.js';
import { type Db, numberIn, textIn } from './db.js';

/** Checkpoints given out at once. */
const CHECKPOINTS_MAX = 5000;

export interface HeldDocument {
  readonly hash: string;
  readonly kind: string;
  readonly text: string;
}

/** What proves the rows: documents, public keys, signed checkpoints. */
export class ProofStore {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /**
   * Keeps what a table sent; a document whose text does not give its hash is not kept.
   * @returns hashes of those that were refused.
   */
  async keep(place: number, { documents, key }: DocumentsMessage): Promise<readonly string[]> {
    const isRight = ({ hash, text }: HeldDocument): boolean =>
      createHash('sha256').update(text).digest('hex') === hash;
    const right = documents.filter(isRight);
    await this.#db.transaction(async (db) => {
      await db.runMany(
        'INSERT INTO document (hash, kind, text) VALUES (?, ?, ?) ON CONFLICT (hash) DO NOTHING',
        right.map(({ hash, kind, text }) => [hash, kind, text]),
      );
      await db.runMany(
        `INSERT INTO place_document (place, kind, hash) VALUES (?, ?, ?)
         ON CONFLICT (place, kind) DO UPDATE SET hash = excluded.hash`,
        right.map(({ hash, kind }) => [place, kind, hash]),
      );
      if (key === null) return;
      await db.run(
        `INSERT INTO device_key (name, public_key) VALUES (?, ?)
         ON CONFLICT (name) DO NOTHING`,
        [key.name, key.publicKey],
      );
    });
    return documents.filter((one) => !isRight(one)).map(({ hash }) => hash);
  }

  /** The document of a kind in force at each table. */
  async inForce(
    kind: 'procedure' | 'table',
  ): Promise<readonly { readonly table: string; readonly text: string }[]> {
    const rows = await this.#db.all(
      `SELECT p.key, d.text FROM place_document pd
       JOIN place p ON p.id = pd.place JOIN document d ON d.hash = pd.hash WHERE pd.kind = ?`,
      [kind],
    );
    return rows.map((row) => ({ table: textIn(row, 'key'), text: textIn(row, 'text') }));
  }

  async document(hash: string): Promise<HeldDocument | null> {
    const [row] = await this.#db.all('SELECT hash, kind, text FROM document WHERE hash = ?', [
      hash,
    ]);
    if (row === undefined) return null;
    return { hash: textIn(row, 'hash'), kind: textIn(row, 'kind'), text: textIn(row, 'text') };
  }

  async keys(): Promise<readonly { readonly name: string; readonly publicKey: string }[]> {
    const rows = await this.#db.all('SELECT name, public_key FROM device_key');
    return rows.map((row) => ({
      name: textIn(row, 'name'),
      publicKey: textIn(row, 'public_key'),
    }));
  }

  async addCheckpoint(place: number, message: CheckpointMessage): Promise<void> {
    await this.#db.run(
      `INSERT INTO checkpoint (place, seq, message) VALUES (?, ?, ?)
       ON CONFLICT (place, seq) DO NOTHING`,
      [place, message.seq, JSON.stringify(message)],
    );
  }

  /** Checkpoints at rows `from` to `to`, oldest first. */
  async checkpoints(
    place: number,
    from: number,
    to: number,
  ): Promise<readonly CheckpointMessage[]> {
    const rows = await this.#db.all(
      `SELECT message FROM checkpoint WHERE place = ? AND seq >= ? AND seq <= ?
       ORDER BY seq LIMIT ${CHECKPOINTS_MAX}`,
      [place, from, to],
    );
    return rows.map((row) => checkpointSchema.parse(JSON.parse(textIn(row, 'message'))));
  }

  /** Nearest checkpoint at or before, and at or after; 0 where there is none. */
  async around(place: number, from: number, to: number): Promise<readonly [number, number]> {
    const [row] = await this.#db.all(
      `SELECT coalesce((SELECT max(seq) FROM checkpoint WHERE place = ? AND seq <= ?), 0) AS low,
              coalesce((SELECT min(seq) FROM checkpoint WHERE place = ? AND seq >= ?), 0) AS high`,
      [place, from, place, to],
    );
    return row === undefined ? [0, 0] : [numberIn(row, 'low'), numberIn(row, 'high')];
  }
}
