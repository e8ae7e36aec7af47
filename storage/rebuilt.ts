import Database from 'better-sqlite3';
import { canonicalJson } from './canonical.js';
import { type DeviceKey, isSigned, keyName } from './checkpoint.js';
import { wallText } from './describe.js';
import type { Damage } from './diagnose.js';
import { faultOf } from './fault.js';
import type { JournalReader } from './reader.js';
import { walkSteps } from './walk.js';
import { isMap } from './fields.js';

export const REBUILT_TYPE = 'cutcard-rebuilt-1';
/** Marks one journal can hold: a journal is rebuilt once in the life of a card. */
export const MAX_MARKS = 100;
/** Documents one mark can name as missing. */
export const MAX_MISSING = 1000;

/** What was put back when a journal was made anew, and what was not there to put back. */
export interface Rebuilt {
  readonly type: typeof REBUILT_TYPE;
  /** First and last row put back, and the hash of the last. */
  readonly firstSeq: number;
  readonly seq: number;
  readonly hash: string;
  readonly wallMs: number;
  /** Signed checkpoints put back, and the row of the last; 0 where there were none. */
  readonly checkpoints: number;
  readonly signedSeq: number;
  /** Documents that starts name and that were not among the lines: SHA-256, hex, in order. */
  readonly missing: readonly string[];
}

/** A mark as it is kept: text, and the device's signature once a start found it. */
export interface StoredMark {
  readonly body: string;
  /** Name of the key, and Ed25519 over the body, base64; both null until the next start. */
  readonly key: string | null;
  readonly signature: string | null;
}

const TABLE = `
  CREATE TABLE rebuilt (
    n INTEGER PRIMARY KEY,
    body TEXT NOT NULL,
    key TEXT,
    signature BLOB
  ) STRICT;
  CREATE TRIGGER rebuilt_no_update BEFORE UPDATE ON rebuilt WHEN OLD.signature IS NOT NULL
  BEGIN SELECT RAISE(ABORT, 'the journal is append-only: rebuilt'); END;
  CREATE TRIGGER rebuilt_no_delete BEFORE DELETE ON rebuilt
  BEGIN SELECT RAISE(ABORT, 'the journal is append-only: rebuilt'); END;
`;

type Db = Database.Database;
const isMark = (value: unknown): value is Rebuilt =>
  isMap(value) &&
  value['type'] === REBUILT_TYPE &&
  typeof value['hash'] === 'string' &&
  ['firstSeq', 'seq', 'wallMs', 'checkpoints', 'signedSeq'].every((field) =>
    Number.isSafeInteger(value[field]),
  ) &&
  Array.isArray(value['missing']) &&
  value['missing'].length <= MAX_MISSING &&
  value['missing'].every((hash) => typeof hash === 'string');

/** What a mark says; null where the text is none. */
export const readMark = (body: string): Rebuilt | null => {
  try {
    const value: unknown = JSON.parse(body);
    return isMark(value) && canonicalJson(value) === body ? value : null;
  } catch {
    return null;
  }
};

const hasTable = (db: Db): boolean =>
  db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'rebuilt'").get() !==
  undefined;

/** The marks of a journal, oldest first; none where it was never rebuilt. */
export const marksOf = ({ db }: Pick<JournalReader, 'db'>): readonly StoredMark[] => {
  if (!hasTable(db)) return [];
  const sql = 'SELECT body, key, signature FROM rebuilt ORDER BY n LIMIT ?';
  return db
    .prepare<[number], { body: string; key: string | null; signature: Buffer | null }>(sql)
    .all(MAX_MARKS)
    .map(({ body, key, signature }) => ({
      body,
      key,
      signature: signature?.toString('base64') ?? null,
    }));
};

/** Puts marks into a file that nobody has open. */
export const putMarks = (db: Db, marks: readonly StoredMark[]): void => {
  if (marks.length === 0) return;
  if (!hasTable(db)) db.exec(TABLE);
  const insert = db.prepare('INSERT INTO rebuilt (body, key, signature) VALUES (?, ?, ?)');
  for (const { body, key, signature } of marks) {
    insert.run(body, key, signature === null ? null : Buffer.from(signature, 'base64'));
  }
};

export const newMark = (of: Omit<Rebuilt, 'type'>): StoredMark => ({
  body: canonicalJson({ ...of, type: REBUILT_TYPE }),
  key: null,
  signature: null,
});

/**
 * The first start behind a rebuilt journal swears to its mark, before its first row: whoever puts
 * a mark there later, to explain away what he took out, cannot.
 * @returns marks signed. @throws JournalFault
 */
export const signMarks = (
  path: string,
  reader: JournalReader,
  head: { readonly seq: number; readonly hash: string },
  key: DeviceKey,
): readonly Rebuilt[] => {
  const open = marksOf(reader).flatMap(({ body, signature }) => {
    const said = signature === null ? readMark(body) : null;
    return said?.seq === head.seq && said.hash === head.hash ? [{ said, body }] : [];
  });
  if (open.length === 0) return [];
  const db = new Database(path, { fileMustExist: true });
  try {
    db.pragma('synchronous = FULL');
    db.transaction(() => {
      const known = 'INSERT OR IGNORE INTO key (name, public) VALUES (?, ?)';
      db.prepare(known).run(key.name, Buffer.from(key.publicKey, 'base64'));
      const sql = 'UPDATE rebuilt SET key = ?, signature = ? WHERE body = ? AND signature IS NULL';
      for (const { body } of open) db.prepare(sql).run(key.name, key.sign(Buffer.from(body)), body);
    }).immediate();
    return open.map(({ said }) => said);
  } catch (cause) {
    throw faultOf(path, 'signing that it was rebuilt', cause);
  } finally {
    db.close();
  }
};

/** Why the signature of a mark is not right; null where it is, or there is none. */
export const wrongMarkSignature = (
  { body, key, signature }: StoredMark,
  publicKeys: ReadonlyMap<string, string>,
  demanded: string | null,
): string | null => {
  if (key === null && signature === null) return null;
  if (key === null || signature === null) return 'its key or its signature is not there';
  if (demanded !== null && key !== keyName(demanded)) {
    return `it is signed with the key ${key}, not with the device's ${keyName(demanded)}`;
  }
  const publicKey = publicKeys.get(key);
  if (publicKey === undefined || keyName(publicKey) !== key) {
    return `its key ${key} is not there or was changed`;
  }
  return isSigned(body, signature, publicKey) ? null : 'the signature is not that of its text';
};

const isBoot = (reader: JournalReader, seq: number): boolean => {
  for (const { step } of walkSteps(reader, seq, seq)) return step.observation.kind === 'power.boot';
  return false;
};

/** Why a mark does not fit the journal it stands in; null where it does. */
const flawOfMark = (
  reader: JournalReader,
  mark: StoredMark,
  demanded: string | null,
): { readonly seq: number; readonly what: string } | null => {
  const said = readMark(mark.body);
  const first = reader.firstSeq();
  if (said === null) return { seq: first, what: 'the mark is not one of this program' };
  const { seq } = said;
  const signature = wrongMarkSignature(mark, reader.keys(), demanded);
  if (signature !== null) return { seq, what: signature };
  // What it speaks of was let go since; nothing there is left to compare.
  if (seq < first) return null;
  if (reader.hashAt(seq) !== said.hash) return { seq, what: 'it speaks of another row' };
  const isFollowed = reader.lastSeq() > seq;
  if (isFollowed && !isBoot(reader, seq + 1)) {
    return { seq: seq + 1, what: 'no start follows the rows it says were put back' };
  }
  const [behind] = reader.checkpoints(seq + 1, 1);
  if (mark.signature === null && behind?.seq === seq + 1) {
    const what =
      'the start behind the rows it says were put back is signed, and the mark is not: a device ' +
      'signs it before that row, so it was put there later';
    return { seq: seq + 1, what };
  }
  const count = 'SELECT count(*) FROM checkpoint WHERE seq BETWEEN ? AND ?';
  const held = reader.db.prepare<[number, number], number>(count).pluck().get(first, seq) ?? 0;
  if (first > said.firstSeq || held === said.checkpoints) return null;
  const what = `it says that ${said.checkpoints} checkpoints were put back, and ${held} are there`;
  return { seq, what };
};

/** What the marks of a journal say, and the first that does not fit. */
export const checkMarks = (
  reader: JournalReader,
  demanded: string | null,
): { readonly rebuilt: readonly Rebuilt[]; readonly damage: Damage | null } => {
  const rebuilt: Rebuilt[] = [];
  for (const mark of marksOf(reader)) {
    const flaw = flawOfMark(reader, mark, demanded);
    if (flaw !== null) return { rebuilt, damage: { kind: 'rebuilt', ...flaw } };
    const said = readMark(mark.body);
    if (said !== null) rebuilt.push(said);
  }
  return { rebuilt, damage: null };
};

/** Whether a document that row `seq` names was missing already when the journal was rebuilt. */
export const wasMissing = (rebuilt: readonly Rebuilt[], hash: string, seq: number): boolean =>
  rebuilt.some((mark) => seq <= mark.seq && mark.missing.includes(hash));

/** A mark in plain words. */
export const markText = ({ firstSeq, seq, wallMs, checkpoints, signedSeq, missing }: Rebuilt) => {
  const signed =
    checkpoints === 0
      ? 'without any signed checkpoint'
      : `with ${checkpoints} signed checkpoints up to row ${signedSeq}`;
  const papers =
    missing.length === 0
      ? 'with every document the starts name'
      : `without ${missing.length} of the documents the starts name`;
  return (
    `rows ${firstSeq} to ${seq} were put back from lines kept elsewhere on ` +
    `${wallText(wallMs, true)}, ${signed}, ${papers}`
  );
};
