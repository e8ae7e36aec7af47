import type { JournalRow } from '../controller/core/ports.js';
import { canonicalJson } from './canonical.js';
import {
  type Evidence,
  EVIDENCE_FORMAT,
  type EvidenceHead,
  type Flaw,
  type Seal,
} from './evidence.js';
import type { StoredDocument } from './reader.js';
import type { StoredMark } from './rebuilt.js';
import type { SignedCheckpoint } from './store.js';
import { isMap } from './fields.js';

export type ParsedData =
  | {
      readonly ok: true;
      readonly evidence: Evidence;
      readonly seal: Seal;
      /** The data lines without the seal, as they are hashed. */
      readonly lines: readonly string[];
    }
  | { readonly ok: false; readonly flaw: Flaw };

const has = (value: unknown, strings: readonly string[], numbers: readonly string[]): boolean =>
  isMap(value) &&
  strings.every((field) => typeof value[field] === 'string') &&
  numbers.every((field) => typeof value[field] === 'number');

const isHead = (value: unknown): value is EvidenceHead =>
  isMap(value) &&
  value['format'] === EVIDENCE_FORMAT &&
  has(value, ['journal', 'version', 'prev', 'report'], ['exportedMs']) &&
  has(value['about'], ['kind', 'name'], ['fromSeq', 'toSeq']) &&
  typeof value['startSigned'] === 'boolean' &&
  typeof value['endSigned'] === 'boolean' &&
  (value['before'] === undefined || isBefore(value['before']));
const isBefore = (value: unknown): boolean =>
  has(value, [], ['countSeq', 'lookedFrom', 'rounds']) &&
  isMap(value) &&
  (value['shoe'] === null || typeof value['shoe'] === 'number');
const isMark = (value: unknown): value is StoredMark =>
  has(value, ['body'], []) &&
  isMap(value) &&
  [value['key'], value['signature']].every((part) => part === null || typeof part === 'string');
type Key = Evidence['keys'][number];
const isKey = (value: unknown): value is Key => has(value, ['name', 'publicKey'], []);
const isDocument = (value: unknown): value is StoredDocument =>
  has(value, ['hash', 'kind', 'text'], []);
const isCheckpoint = (value: unknown): value is SignedCheckpoint =>
  has(value, ['body', 'signature'], ['seq']);
const isRow = (value: unknown): value is JournalRow =>
  has(value, ['prev', 'hash', 'body'], ['seq']);
const isSeal = (value: unknown): value is Seal =>
  isMap(value) &&
  typeof value['digest'] === 'string' &&
  [value['key'], value['signature']].every((part) => part === null || typeof part === 'string');

const parseLine = (line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
};

/** Reads the data lines strictly. `firstLine`: line of the file the first one stands in. */
export const parseData = (written: readonly string[], firstLine: number): ParsedData => {
  let head: EvidenceHead | null = null;
  let seal: Seal | null = null;
  const rebuilt: StoredMark[] = [];
  const keys: Key[] = [];
  const documents: StoredDocument[] = [];
  const checkpoints: SignedCheckpoint[] = [];
  const rows: JournalRow[] = [];
  const lines: string[] = [];
  for (const [i, text] of written.entries()) {
    const line = parseLine(text);
    const part = isMap(line) ? line : {};
    if (isHead(part['head'])) head = part['head'];
    else if (isMark(part['rebuilt'])) rebuilt.push(part['rebuilt']);
    else if (isKey(part['key'])) keys.push(part['key']);
    else if (isDocument(part['document'])) documents.push(part['document']);
    else if (isCheckpoint(part['checkpoint'])) checkpoints.push(part['checkpoint']);
    else if (isRow(part['row'])) rows.push(part['row']);
    else if (isSeal(part['seal'])) seal = part['seal'];
    else {
      const last = rows.at(-1);
      const near = last === undefined ? '' : ` (behind row ${last.seq})`;
      const where = `line ${firstLine + i}${near}`;
      return { ok: false, flaw: { where, what: 'it cannot be read' } };
    }
    if (!isSeal(part['seal'])) lines.push(canonicalJson(line));
  }
  if (head === null) return { ok: false, flaw: { where: 'heading', what: 'it is not there' } };
  if (seal === null) return { ok: false, flaw: { where: 'seal', what: 'it is not there' } };
  return { ok: true, evidence: { head, rebuilt, keys, documents, checkpoints, rows }, seal, lines };
};
