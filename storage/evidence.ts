import type { JournalRow, TableStep } from '../controller/core/ports.js';
import { canonicalJson, hashRow, hashText } from './canonical.js';
import { wrongCheckpoint } from './check.js';
import { isSigned, keyName, readCheckpoint } from './checkpoint.js';
import { decodeStep } from './decode.js';
import type { Selection } from './evidence-select.js';
import type { StoredDocument } from './reader.js';
import {
  readMark,
  type Rebuilt,
  type StoredMark,
  wasMissing,
  wrongMarkSignature,
} from './rebuilt.js';
import type { SignedCheckpoint } from './store.js';

/** First line of the data in an evidence file. */
export interface EvidenceHead {
  readonly format: typeof EVIDENCE_FORMAT;
  readonly about: Selection;
  /** Name of the journal it was taken from. */
  readonly journal: string;
  readonly exportedMs: number;
  /** Program version that wrote the report. */
  readonly version: string;
  /** Hash of the row before the first one here, hex. */
  readonly prev: string;
  /** Whether the first and the last row here carry a signed checkpoint. */
  readonly startSigned: boolean;
  readonly endSigned: boolean;
  /** What was played before the first row here; not in files of older programs. */
  readonly before?: PlayedBefore;
  /** SHA-256 of the report: everything in the file but the data. */
  readonly report: string;
}

/** What the rows before the first one here say of it. */
export interface PlayedBefore {
  /** The shoe in play; null where no row says so. */
  readonly shoe: number | null;
  /** Row of the last count that proved the deck; 0 where none was found. */
  readonly countSeq: number;
  /** First row that was looked at for it. */
  readonly lookedFrom: number;
  /** Rounds begun since that count, or since that row, before the first row here. */
  readonly rounds: number;
}

export const EVIDENCE_FORMAT = 'cutcard-evidence-1';

/** What an evidence file holds besides its report. */
export interface Evidence {
  readonly head: EvidenceHead;
  /** Where the journal was rebuilt: what was put back then, and what was not. */
  readonly rebuilt: readonly StoredMark[];
  readonly keys: readonly { readonly name: string; readonly publicKey: string }[];
  readonly documents: readonly StoredDocument[];
  readonly checkpoints: readonly SignedCheckpoint[];
  readonly rows: readonly JournalRow[];
}

/** Signature of the device over the digest of all data lines. */
export interface Seal {
  readonly digest: string;
  /** Name of the key and signature, base64; null where the export had no device key. */
  readonly key: string | null;
  readonly signature: string | null;
}

/** What is wrong and where: `row 417`, `document 9f…`, `report line 12`. */
export interface Flaw {
  readonly where: string;
  readonly what: string;
}

/** The steps of the rows. @throws never: a row that is no step is a flaw found before */
export const stepsOf = (rows: readonly JournalRow[]): readonly TableStep[] =>
  rows.flatMap(({ body }) => {
    const decoded = decodeStep(body);
    return decoded.ok ? [decoded.step] : [];
  });

const flawInRows = ({ head, rows }: Evidence): Flaw | null => {
  let prev = head.prev;
  let seq = (rows[0]?.seq ?? 1) - 1;
  for (const row of rows) {
    const where = `row ${row.seq}`;
    if (row.seq !== seq + 1) return { where: `row ${seq + 1}`, what: 'it is not there' };
    if (row.prev !== prev) return { where, what: 'it does not follow from the row before' };
    if (hashRow(prev, row.body) !== row.hash) {
      return { where, what: 'its text does not give its hash' };
    }
    const decoded = decodeStep(row.body);
    if (!decoded.ok) return { where, what: decoded.why };
    if (decoded.step.observation.seq !== row.seq) {
      return { where, what: `its text is that of row ${decoded.step.observation.seq}` };
    }
    prev = row.hash;
    seq = row.seq;
  }
  return rows.length === 0 ? { where: 'rows', what: 'there are none' } : null;
};

const flawInCheckpoints = (evidence: Evidence, demanded: string | null): Flaw | null => {
  const { head, rows, checkpoints } = evidence;
  const hashes = new Map(rows.map(({ seq, hash }) => [seq, hash]));
  const keys = new Map(evidence.keys.map(({ name, publicKey }) => [name, publicKey]));
  for (const checkpoint of checkpoints) {
    const rowsHere = { hashAt: (seq: number): string | null => hashes.get(seq) ?? null };
    const what = wrongCheckpoint(rowsHere, keys, checkpoint, demanded);
    if (what !== null) return { where: `checkpoint at row ${checkpoint.seq}`, what };
  }
  // A key was named to learn whose rows these are: without a signature nothing answers that.
  if (demanded !== null && checkpoints.length === 0) {
    return { where: 'checkpoints', what: `none is signed with the key ${keyName(demanded)}` };
  }
  const signed = new Set(checkpoints.map(({ seq }) => seq));
  const ends: readonly (readonly [boolean, number | undefined])[] = [
    [head.startSigned, rows[0]?.seq],
    [head.endSigned, rows.at(-1)?.seq],
  ];
  for (const [isClaimed, seq] of ends) {
    if (isClaimed && !signed.has(seq ?? 0)) {
      return { where: `checkpoint at row ${seq ?? 0}`, what: 'it is not there' };
    }
  }
  return null;
};

/** Documents that the checkpoints and the starts here name. */
export const documentsNamed = (
  checkpoints: readonly SignedCheckpoint[],
  steps: readonly TableStep[],
): ReadonlySet<string> => {
  const named = new Set<string>();
  const add = (hash: string | null | undefined): void => {
    if (hash !== null && hash !== undefined) named.add(hash);
  };
  for (const { body } of checkpoints) {
    const said = readCheckpoint(body);
    add(said?.procedure);
    add(said?.table);
  }
  for (const { observation } of steps) {
    if (observation.kind !== 'power.boot') continue;
    add(observation.procedure);
    add(observation.table);
  }
  return named;
};

/** Rows of the starts and checkpoints here that name a document which is not here. */
export const documentsLacking = ({
  documents,
  checkpoints,
  rows,
}: Evidence): readonly Lacking[] => {
  const here = new Set(documents.map(({ hash }) => hash));
  const lacking = new Map<string, Lacking>();
  const look = (seq: number, hashes: Iterable<string>): void => {
    for (const hash of hashes) {
      const known = lacking.get(hash)?.seq ?? 0;
      if (!here.has(hash)) lacking.set(hash, { hash, seq: Math.max(seq, known) });
    }
  };
  for (const one of checkpoints) look(one.seq, documentsNamed([one], []));
  for (const step of stepsOf(rows)) {
    if (step.observation.kind !== 'power.boot') continue;
    look(step.observation.seq, documentsNamed([], [step]));
  }
  return [...lacking.values()];
};

export interface Lacking {
  readonly hash: string;
  /** The last row here that names it. */
  readonly seq: number;
}

/** What the marks say, where their signatures are right. */
export const marksIn = ({ rebuilt }: Evidence): readonly Rebuilt[] =>
  rebuilt.flatMap(({ body }) => readMark(body) ?? []);

const flawInMarks = (evidence: Evidence, demanded: string | null): Flaw | null => {
  const keys = new Map(evidence.keys.map(({ name, publicKey }) => [name, publicKey]));
  const hashes = new Map(evidence.rows.map(({ seq, hash }) => [seq, hash]));
  for (const mark of evidence.rebuilt) {
    const where = 'mark of the rebuilt journal';
    const said = readMark(mark.body);
    if (said === null) return { where, what: 'it is not one of this program' };
    const what = wrongMarkSignature(mark, keys, demanded);
    if (what !== null) return { where, what };
    const hash = hashes.get(said.seq) ?? said.hash;
    if (hash !== said.hash) return { where, what: 'it speaks of another row' };
    const isStartSigned = evidence.checkpoints.some(({ seq }) => seq === said.seq + 1);
    if (mark.signature !== null || !isStartSigned) continue;
    return { where, what: 'the start behind it is signed, and the mark is not' };
  }
  return null;
};

const flawInDocuments = (evidence: Evidence): Flaw | null => {
  const { documents } = evidence;
  for (const { hash, text, kind } of documents) {
    if (hashText(text) !== hash) return { where: `${kind} ${hash}`, what: 'its text was changed' };
  }
  const marks = marksIn(evidence);
  for (const { hash, seq } of documentsLacking(evidence)) {
    if (!wasMissing(marks, hash, seq)) {
      return { where: `document ${hash}`, what: 'it is not there' };
    }
  }
  return null;
};

const flawInSeal = (
  evidence: Evidence,
  seal: Seal,
  lines: readonly string[],
  demanded: string | null,
): Flaw | null => {
  if (digestOf(lines) !== seal.digest) {
    return { where: 'heading or seal', what: 'the data do not give their digest' };
  }
  if (seal.key === null && seal.signature === null) return null;
  if (seal.key === null || seal.signature === null) {
    return { where: 'seal', what: 'its key or its signature is not there' };
  }
  if (demanded !== null && seal.key !== keyName(demanded)) {
    const what = `it is of the key ${seal.key}, not of the device's ${keyName(demanded)}`;
    return { where: 'seal', what };
  }
  const key = evidence.keys.find(({ name }) => name === seal.key);
  if (key === undefined || keyName(key.publicKey) !== seal.key) {
    return { where: 'seal', what: `its key ${seal.key} is not there` };
  }
  return isSigned(sealedText(seal.digest), seal.signature, key.publicKey)
    ? null
    : { where: 'seal', what: 'the signature is not that of the digest' };
};

/** The first flaw in the data; null when they are whole. */
export const flawIn = (
  evidence: Evidence,
  seal: Seal,
  lines: readonly string[],
  demandedKey: string | null,
): Flaw | null =>
  flawInRows(evidence) ??
  flawInMarks(evidence, demandedKey) ??
  flawInDocuments(evidence) ??
  flawInCheckpoints(evidence, demandedKey) ??
  flawInSeal(evidence, seal, lines, demandedKey);

/** The data as lines of JSON: heading, keys, documents, checkpoints, rows. */
export const dataLines = ({
  head,
  rebuilt,
  keys,
  documents,
  checkpoints,
  rows,
}: Evidence): readonly string[] => [
  canonicalJson({ head }),
  ...rebuilt.map((mark) => canonicalJson({ rebuilt: mark })),
  ...keys.map((key) => canonicalJson({ key })),
  ...documents.map((document) => canonicalJson({ document })),
  ...checkpoints.map((checkpoint) => canonicalJson({ checkpoint })),
  ...rows.map((row) => canonicalJson({ row })),
];

export const digestOf = (lines: readonly string[]): string => hashText(lines.join('\n'));
/** What the seal signs; the words keep it from meaning anything else. */
export const sealedText = (digest: string): string => `${EVIDENCE_FORMAT} ${digest}`;
