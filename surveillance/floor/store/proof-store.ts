import { createHash } from 'node:crypto';
import type { CheckpointMessage, DocumentsMessage } from '../../contract/messages.js';
import { checkpointSchema } from '../../contract/messages.js';
import { type Named, namedBy } from './boots.js';
import { type Db, numberIn, textIn } from './db.js';

/** Checkpoints given out at once. */
const CHECKPOINTS_MAX = 5000;

export interface HeldDocument {
  readonly hash: string;
  readonly kind: string;
  readonly text: string;
}

export type DocumentKind = 'procedure' | 'table';

export interface DocumentInForce {
  readonly table: string;
  readonly hash: string;
  readonly text: string;
}

export interface PlacedCheckpoint {
  readonly place: number;
  readonly message: CheckpointMessage;
}

/** A device key's name is the SHA-256 of its 32 bytes: nobody takes another's name. */
const isOwnName = ({ name, publicKey }: NonNullable<DocumentsMessage['key']>): boolean =>
  createHash('sha256').update(Buffer.from(publicKey, 'base64')).digest('hex') === name;

/** What proves the rows: documents, public keys, signed checkpoints. */
export class ProofStore {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /**
   * Keeps what a table sent; a document whose text does not give its hash is not kept, nor a key
   * that its name is not the hash of. Nothing is in force by being sent: the rows say what is.
   * @returns hashes of those that were refused.
   */
  async keep({ documents, key }: DocumentsMessage): Promise<readonly string[]> {
    const isRight = ({ hash, text }: HeldDocument): boolean =>
      createHash('sha256').update(text).digest('hex') === hash;
    const right = documents.filter(isRight);
    await this.#db.transaction(async (db) => {
      await db.runMany(
        'INSERT INTO document (hash, kind, text) VALUES (?, ?, ?) ON CONFLICT (hash) DO NOTHING',
        right.map(({ hash, kind, text }) => [hash, kind, text]),
      );
      if (key === null || !isOwnName(key)) return;
      await db.run(
        `INSERT INTO device_key (name, public_key) VALUES (?, ?)
         ON CONFLICT (name) DO NOTHING`,
        [key.name, key.publicKey],
      );
    });
    const wrongKey = key === null || isOwnName(key) ? [] : [key.name];
    return [...documents.filter((one) => !isRight(one)).map(({ hash }) => hash), ...wrongKey];
  }

  /** What the newest start of a table names, or of every table. */
  named(table: string | null): Promise<readonly Named[]> {
    return namedBy(this.#db, table);
  }

  /** Puts a document that is held in force at a table; null: none is. */
  async putInForce(place: number, kind: DocumentKind, hash: string | null): Promise<void> {
    await (hash === null
      ? this.#db.run('DELETE FROM place_document WHERE place = ? AND kind = ?', [place, kind])
      : this.#db.run(
          `INSERT INTO place_document (place, kind, hash) VALUES (?, ?, ?)
           ON CONFLICT (place, kind) DO UPDATE SET hash = excluded.hash`,
          [place, kind, hash],
        ));
  }

  /** The document of a kind in force at each table. */
  async inForce(kind: DocumentKind): Promise<readonly DocumentInForce[]> {
    const rows = await this.#db.all(
      `SELECT p.key, d.hash, d.text FROM place_document pd
       JOIN place p ON p.id = pd.place JOIN document d ON d.hash = pd.hash WHERE pd.kind = ?`,
      [kind],
    );
    return rows.map((row) => ({
      table: textIn(row, 'key'),
      hash: textIn(row, 'hash'),
      text: textIn(row, 'text'),
    }));
  }

  /** The configuration that a start at a row names; null where none does, or it is not held. */
  async configurationAt(place: number, seq: number): Promise<string | null> {
    const [row] = await this.#db.all(
      `SELECT d.text FROM boot b JOIN document d ON d.hash = b.configuration
       JOIN journal_row r ON r.place = b.place AND r.seq = b.seq AND r.hash = b.hash
       WHERE b.place = ? AND b.seq = ?`,
      [place, seq],
    );
    return row === undefined ? null : textIn(row, 'text');
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

  /** In one transaction: each by itself would be a sync to the disk. */
  async addCheckpoints(all: readonly PlacedCheckpoint[]): Promise<void> {
    const lists = all.map(({ place, message }) => [place, message.seq, JSON.stringify(message)]);
    await this.#db.transaction((db) =>
      db.runMany(
        `INSERT INTO checkpoint (place, seq, message) VALUES (?, ?, ?)
         ON CONFLICT (place, seq) DO NOTHING`,
        lists,
      ),
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
