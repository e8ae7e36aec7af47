import { basename } from 'node:path';
import { canonicalJson, hashText } from './canonical.js';
import { type DeviceKey, readPublicKey } from './checkpoint.js';
import {
  dataLines,
  documentsLacking,
  digestOf,
  documentsNamed,
  type Evidence,
  EVIDENCE_FORMAT,
  type EvidenceHead,
  type Flaw,
  flawIn,
  type Seal,
  sealedText,
  stepsOf,
} from './evidence.js';
import { playedBefore } from './evidence-before.js';
import { parseData } from './evidence-parse.js';
import { reportAround } from './evidence-report.js';
import { selectRows, type Wanted } from './evidence-select.js';
import { JournalFault } from './fault.js';
import type { EvidenceSource } from './reader.js';
import type { StoredMark } from './rebuilt.js';

/** Most rows in one file; a year's journal is exported as rows, not as evidence. */
export const MAX_EVIDENCE_ROWS = 100_000;
const OPEN = '<script type="application/json" id="evidence">\n';
const CLOSE = '\n</script>';

export interface EvidenceOptions {
  readonly wanted: Wanted;
  /** Program version and wall time, told in the heading. */
  readonly version: string;
  readonly nowMs: number;
  /** Marks of a journal that was rebuilt (`marksOf`). */
  readonly rebuilt?: readonly StoredMark[];
  /** Seals the whole file; without it only rows, documents and checkpoints are provable. */
  readonly key?: DeviceKey;
}

/** A `<` would end the data early in a browser. */
const inScript = (line: string): string => line.replaceAll('<', '\\u003c');

const collect = (reader: EvidenceSource, options: EvidenceOptions): Evidence => {
  const about = selectRows(reader, options.wanted);
  const [start] = reader.checkpointsBackFrom(about.fromSeq, 1);
  const [end] = reader.checkpoints(about.toSeq, 1);
  const fromSeq = Math.max(start?.seq ?? 0, reader.firstSeq());
  const toSeq = end?.seq ?? reader.lastSeq();
  const count = toSeq - fromSeq + 1;
  if (count > MAX_EVIDENCE_ROWS) {
    const what = `${count} rows are more than evidence takes (${MAX_EVIDENCE_ROWS})`;
    throw new JournalFault(
      'asked',
      `journal ${reader.path}: ${what}; name fewer with --from, --to`,
    );
  }
  const rows = reader.rows(fromSeq - 1, count);
  const checkpoints = reader.checkpoints(fromSeq, count).filter(({ seq }) => seq <= toSeq);
  const named = documentsNamed(checkpoints, stepsOf(rows));
  const publicKeys = new Map(reader.keys());
  if (options.key !== undefined) publicKeys.set(options.key.name, options.key.publicKey);
  const head: EvidenceHead = {
    format: EVIDENCE_FORMAT,
    about,
    journal: basename(reader.path),
    exportedMs: options.nowMs,
    version: options.version,
    prev: rows[0]?.prev ?? '',
    startSigned: start?.seq === fromSeq,
    endSigned: end !== undefined,
    before: playedBefore(reader, fromSeq),
    report: '',
  };
  return {
    head,
    rebuilt: options.rebuilt ?? [],
    keys: [...publicKeys].map(([name, publicKey]) => ({ name, publicKey })),
    documents: reader.documents().filter(({ hash }) => named.has(hash)),
    checkpoints,
    rows,
  };
};

/** The evidence file's text. @throws JournalFault where nothing fits what is wanted */
export const makeEvidence = (reader: EvidenceSource, options: EvidenceOptions): string => {
  const collected = collect(reader, options);
  const [before, after] = reportAround(collected);
  const head = { ...collected.head, report: hashText(before + after) };
  const lines = dataLines({ ...collected, head });
  const digest = digestOf(lines);
  const signature = options.key?.sign(Buffer.from(sealedText(digest))).toString('base64') ?? null;
  const seal: Seal = { digest, key: options.key?.name ?? null, signature };
  const data = [...lines, canonicalJson({ seal })].map(inScript).join('\n');
  return before + OPEN + data + CLOSE + after;
};

export interface EvidenceVerdict {
  readonly flaw: Flaw | null;
  readonly head: EvidenceHead | null;
  readonly rows: number;
  readonly checkpoints: number;
  readonly keys: readonly string[];
  /** Last row that a checked signature covers; 0 where none does. */
  readonly signedSeq: number;
  readonly lastSeq: number;
  /** The seal's signature is there and right (of the demanded key, where one was given). */
  readonly sealed: boolean;
  /** Name of the key that sealed it; null where it is not sealed. */
  readonly sealKey: string | null;
  /** What was not there when the journal was rebuilt, in plain words: not all is proved then. */
  readonly unproved: readonly string[];
  /** False where another version wrote the report: then only its seal vouches for it. */
  readonly reportCompared: boolean;
}

const NOTHING: Omit<EvidenceVerdict, 'flaw'> = {
  head: null,
  rows: 0,
  checkpoints: 0,
  keys: [],
  signedSeq: 0,
  lastSeq: 0,
  sealed: false,
  sealKey: null,
  unproved: [],
  reportCompared: false,
};

/** First line in which two texts differ, from 1. */
const differingLine = (a: string, b: string): number => {
  const [left, right] = [a.split('\n'), b.split('\n')];
  const at = left.findIndex((line, i) => line !== right[i]);
  return at === -1 ? left.length + 1 : at + 1;
};

/**
 * Checks an evidence file with nothing but its text and, where given, the device's public key.
 * @param keyText PEM or base64; without it any key is taken, and its name told
 */
export const verifyEvidence = (
  text: string,
  version: string,
  keyText: string | null = null,
): EvidenceVerdict => {
  const demanded = keyText === null ? null : readPublicKey(keyText, 'the key');
  const from = text.indexOf(OPEN);
  const to = text.indexOf(CLOSE, from);
  if (from < 0 || to < 0) {
    return { ...NOTHING, flaw: { where: 'file', what: 'it holds no evidence data' } };
  }
  const written = text.slice(from + OPEN.length, to);
  const firstLine = text.slice(0, from + OPEN.length).split('\n').length;
  const parsed = parseData(written.split('\n'), firstLine);
  if (!parsed.ok) return { ...NOTHING, flaw: parsed.flaw };
  const { evidence, seal, lines } = parsed;
  const [before, after] = [text.slice(0, from), text.slice(to + CLOSE.length)];
  const isSameVersion = evidence.head.version === version;
  const again = [...lines, canonicalJson({ seal })].map(inScript).join('\n');
  const flaw =
    flawIn(evidence, seal, lines, demanded) ??
    flawInWriting(written, again, firstLine) ??
    flawInReport(evidence, before, after, isSameVersion) ??
    flawInUnsealed(evidence, seal, version);
  const isSealed = flaw === null && seal.signature !== null;
  return {
    flaw,
    head: evidence.head,
    rows: evidence.rows.length,
    checkpoints: evidence.checkpoints.length,
    keys: evidence.keys.map(({ name }) => name),
    signedSeq: flaw === null ? Math.max(0, ...evidence.checkpoints.map(({ seq }) => seq)) : 0,
    lastSeq: evidence.rows.at(-1)?.seq ?? 0,
    sealed: isSealed,
    sealKey: isSealed ? seal.key : null,
    unproved: flaw === null ? lackingTexts(evidence) : [],
    reportCompared: isSameVersion,
  };
};

/** Documents that were not there when the journal was rebuilt, in plain words. */
const lackingTexts = (evidence: Evidence): readonly string[] =>
  documentsLacking(evidence).map(
    ({ hash, seq }) =>
      `the document ${hash} that row ${seq} names was not there when the journal was rebuilt: ` +
      'what was decided by it cannot be derived again',
  );

/** Whoever changes an unsealed report can work out its hash anew: only making it again tells. */
const flawInUnsealed = ({ head }: Evidence, seal: Seal, version: string): Flaw | null =>
  seal.signature !== null || head.version === version
    ? null
    : {
        where: 'report',
        what:
          `it is not sealed, and version ${head.version} wrote it: this program (${version}) ` +
          'cannot make it again and compare. The rows are whole; check it with that version',
      };

/** Data that mean the same but are written otherwise were touched too. */
const flawInWriting = (written: string, again: string, firstLine: number): Flaw | null =>
  written === again
    ? null
    : {
        where: `line ${firstLine + differingLine(written, again) - 1}`,
        what: 'it is not written as the program writes it',
      };

const flawInReport = (
  evidence: Evidence,
  before: string,
  after: string,
  isSameVersion: boolean,
): Flaw | null => {
  if (isSameVersion) {
    const [ours, end] = reportAround(evidence);
    if (before !== ours) {
      const where = `report, line ${differingLine(before, ours)}`;
      return { where, what: 'it does not say what the rows say' };
    }
    if (after !== end) return { where: 'report, behind the data', what: 'it was changed' };
  }
  return hashText(before + after) === evidence.head.report
    ? null
    : { where: 'report', what: 'it was changed' };
};
