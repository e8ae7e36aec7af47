import type { DocumentKind, TableStep } from '../controller/core/ports.js';
import { canonicalJson, hashRow, hashText, NO_HASH } from './canonical.js';
import { wrongCheckpoint } from './check.js';
import { keyName, readCheckpoint } from './checkpoint.js';
import { decodeStep } from './decode.js';
import { JournalFault } from './fault.js';
import type { Pruning, StoredDocument } from './reader.js';
import { MAX_MARKS, MAX_MISSING, newMark, readMark, type StoredMark } from './rebuilt.js';
import { batchOf, chainSteps, type ChainEnd } from './rows.js';
import { flawOfSaved } from './snapshot.js';
import { type SavedState, type SignedCheckpoint, Store } from './store.js';
import { type NamedKey, type ProofLine, readProofLine, type WholeHead } from './whole-lines.js';
import { isMap } from './fields.js';

/** Longest line taken, characters: a document of a table has some 64,000 before it is quoted. */
export const MAX_LINE = 1_000_000;
/** Rows put in with one transaction. */
const GROUP_ROWS = 500;
const MAX_DOCUMENTS = 1000;
const MAX_KEYS = 1000;
const MAX_PRUNINGS = 100_000;
const MAX_STATES = 16;

const isKind = (kind: string): kind is DocumentKind => kind === 'procedure' || kind === 'table';

/** What a rebuilt journal holds. */
export interface RebuiltJournal {
  readonly seq: number;
  readonly hash: string;
  readonly firstSeq: number;
  readonly documents: number;
  readonly checkpoints: number;
  /** Row of the last signed checkpoint; 0 where none was among the lines. */
  readonly signedSeq: number;
  /** Documents the starts name and that were not among the lines. */
  readonly missing: readonly string[];
}

interface Line {
  readonly prev: string;
  readonly hash: string;
  readonly body: string;
}

/**
 * A row from one line: as `journal export` writes it (`{seq, prev, hash, step}`) or as the MQTT
 * `event` has it (`{seq, prev, hash, decisions, observation}`). Null where it is neither.
 */
const rowOf = (value: unknown): Line | null => {
  if (!isMap(value)) return null;
  const { prev, hash, step, decisions, observation } = value;
  if (typeof prev !== 'string' || typeof hash !== 'string') return null;
  return { prev, hash, body: canonicalJson(step ?? { decisions, observation }) };
};

const parse = (line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
};

/** Takes lines in their order, proves each, and writes it into a new journal. */
export class RowsBack {
  readonly prunings: Pruning[] = [];
  readonly marks: StoredMark[] = [];
  readonly #store: Store;
  readonly #path: string;
  readonly #keys = new Map<string, string>();
  readonly #documents = new Set<string>();
  /** Documents that the starts name. */
  readonly #named = new Set<string>();
  readonly #states: SavedState[] = [];
  #whole: WholeHead | null = null;
  /** The chain as read, and as written into the file. */
  #read: ChainEnd | null = null;
  #written: ChainEnd | null = null;
  #firstSeq = 1;
  #isFirstSigned = false;
  #hasState = false;
  #steps: TableStep[] = [];
  #checkpoints: SignedCheckpoint[] = [];
  #groupKey: NamedKey | null = null;
  #count = 0;
  #signedSeq = 0;

  constructor(path: string) {
    this.#path = path;
    this.#store = new Store(path);
    this.#store.open();
  }

  /** @throws JournalFault naming `where` (file and line) */
  take(line: string, where: string): void {
    const bad = (why: string): JournalFault => new JournalFault('asked', `${where}: ${why}`);
    if (line.length > MAX_LINE) throw bad(`the line is longer than ${MAX_LINE} characters`);
    const value = parse(line);
    const proof = readProofLine(value);
    if (proof === 'bad') throw bad('a field of this line is missing or of another type');
    const why = proof === null ? this.#takeRow(value) : this.#takeProof(proof);
    if (why !== null) throw bad(why);
  }

  /** All lines were taken. @throws JournalFault where rows or what they need is missing */
  end(file: string): void {
    const bad = (why: string): JournalFault => new JournalFault('asked', `${file}: ${why}`);
    if (this.#read === null) throw bad('there is no row in it');
    const { seq, hash } = this.#read;
    const whole = this.#whole;
    if (whole !== null && (whole.toSeq !== seq || whole.hash !== hash)) {
      throw bad(
        `its first line speaks of rows up to ${whole.toSeq}, and they end at row ${seq}: the ` +
          'file was cut short or is not one export',
      );
    }
    if (this.#firstSeq > 1 && !this.#isFirstSigned) {
      throw bad(`it begins at row ${this.#firstSeq}, and no signed checkpoint stands there`);
    }
    if (this.#firstSeq > 1 && !this.#hasState) {
      throw bad(
        `it begins at row ${this.#firstSeq}, and holds no state that was saved at one of its ` +
          'rows: no table could go on from it (the rows themselves are whole)',
      );
    }
    this.#flush();
    if (this.#written?.hash !== hash) {
      const what = `${this.#path}: the rows came out otherwise than they went in`;
      throw new JournalFault('order', what);
    }
  }

  close(): void {
    this.#store.close();
  }

  /** The mark of a journal that was rebuilt from these lines. */
  mark(wallMs: number): StoredMark {
    const { seq, hash, firstSeq, checkpoints, signedSeq, missing } = this.told();
    return newMark({ firstSeq, seq, hash, wallMs, checkpoints, signedSeq, missing });
  }

  told(): RebuiltJournal {
    return {
      seq: this.#read?.seq ?? 0,
      hash: this.#read?.hash ?? NO_HASH,
      firstSeq: this.#firstSeq,
      documents: this.#documents.size,
      checkpoints: this.#count,
      signedSeq: this.#signedSeq,
      missing: [...this.#named].filter((one) => !this.#documents.has(one)).sort(),
    };
  }

  /** @returns why the line cannot be taken; null where it was */
  #takeProof(line: ProofLine): string | null {
    if ('checkpoint' in line) return this.#takeCheckpoint(line.checkpoint);
    if ('key' in line) return this.#takeKey(line.key);
    if ('document' in line) return this.#takeDocument(line.document);
    if (this.#read !== null) return 'this line belongs before the first row';
    if ('rebuilt' in line) return this.#takeMark(line.rebuilt);
    if ('whole' in line) {
      if (this.#whole !== null) return 'this is the first line of a second export';
      this.#whole = line.whole;
      return null;
    }
    if ('state' in line) {
      if (this.#states.length >= MAX_STATES) return `more than ${MAX_STATES} saved states`;
      this.#states.push(line.state);
      return null;
    }
    if (this.prunings.length >= MAX_PRUNINGS) return `more than ${MAX_PRUNINGS} prunings`;
    if (!/^[0-9a-f]{64}$/.test(line.pruned.prev)) return 'its `prev` is no hash';
    if (line.pruned.seq <= (this.prunings.at(-1)?.seq ?? 1)) return 'prunings are not in order';
    this.prunings.push(line.pruned);
    return null;
  }

  #takeKey(key: NamedKey): string | null {
    if (keyName(key.publicKey) !== key.name) return `the key ${key.name}: its name is not its hash`;
    if (this.#keys.size >= MAX_KEYS) return `more than ${MAX_KEYS} keys`;
    this.#keys.set(key.name, key.publicKey);
    return null;
  }

  #takeDocument({ kind, hash, text }: StoredDocument): string | null {
    if (hashText(text) !== hash) return `the document ${hash}: its text is not its hash’s`;
    if (!isKind(kind)) return `the document ${hash} is neither a procedure nor a table`;
    if (this.#documents.size >= MAX_DOCUMENTS) return `more than ${MAX_DOCUMENTS} documents`;
    this.#store.putDocument(kind, hash, text);
    this.#documents.add(hash);
    return null;
  }

  #takeMark(mark: StoredMark): string | null {
    if (readMark(mark.body) === null) return 'this says of no journal that it was rebuilt';
    if (this.marks.length >= MAX_MARKS - 1) return `rebuilt more than ${MAX_MARKS} times`;
    this.marks.push(mark);
    return null;
  }

  #takeRow(value: unknown): string | null {
    const row = rowOf(value);
    if (row === null) return 'this is no row of a journal (see `cutcard journal export`)';
    const before = this.#read ?? this.#begin();
    const seq = before.seq + 1;
    const decoded = decodeStep(row.body);
    if (!decoded.ok) return `row ${seq}: ${decoded.why}`;
    const { observation } = decoded.step;
    if (observation.seq !== seq) return `row ${seq} is wanted here, this is row ${observation.seq}`;
    if (row.prev !== before.hash) return `row ${seq} does not follow from the row before`;
    if (hashRow(row.prev, row.body) !== row.hash) return `row ${seq}: its text is not its hash’s`;
    if (observation.atNs < before.atNs) return `row ${seq}: its time is before the row before it`;
    this.#read = { seq, hash: row.hash, atNs: observation.atNs };
    this.#steps.push(decoded.step);
    if (observation.kind === 'power.boot') {
      for (const hash of [observation.procedure, observation.table]) {
        if (hash !== undefined) this.#named.add(hash);
      }
    }
    if (this.#named.size > MAX_MISSING) return `more than ${MAX_MISSING} documents are named`;
    const state = this.#takeState(seq, row.hash);
    if (this.#steps.length >= GROUP_ROWS) this.#flush();
    return state;
  }

  /** Where the rows begin: at row 1, or where older ones were let go. */
  #begin(): ChainEnd {
    const pruning = this.prunings.at(-1);
    this.#firstSeq = pruning?.seq ?? 1;
    const start = { seq: this.#firstSeq - 1, hash: pruning?.prev ?? NO_HASH, atNs: 0 };
    this.#written = start;
    return start;
  }

  #takeState(seq: number, hash: string): string | null {
    for (const [i, saved] of this.#states.entries()) {
      if (saved.seq !== seq) continue;
      const flaw = flawOfSaved(saved, hash, null);
      if (flaw !== null) return `the state saved after row ${seq}: ${flaw}`;
      this.#flush();
      this.#store.saveState(saved);
      this.#store.flush();
      this.#states.splice(i, 1);
      this.#hasState = true;
    }
    return null;
  }

  #takeCheckpoint(signed: SignedCheckpoint): string | null {
    const end = this.#read;
    if (end?.seq !== signed.seq) {
      return `the checkpoint of row ${signed.seq} stands behind row ${end?.seq ?? 0}, not its own`;
    }
    if (signed.seq === this.#signedSeq) return `row ${signed.seq} has two checkpoints`;
    const here = { hashAt: (seq: number): string | null => (seq === end.seq ? end.hash : null) };
    const what = wrongCheckpoint(here, this.#keys, signed, null);
    if (what !== null) return `the checkpoint of row ${signed.seq}: ${what}`;
    const name = readCheckpoint(signed.body)?.key ?? '';
    const key = { name, publicKey: this.#keys.get(name) ?? '' };
    if (this.#groupKey !== null && this.#groupKey.name !== name) {
      const last = this.#steps.pop();
      this.#flush();
      if (last !== undefined) this.#steps.push(last);
    }
    this.#groupKey = key;
    this.#checkpoints.push(signed);
    this.#count += 1;
    this.#signedSeq = signed.seq;
    if (signed.seq === this.#firstSeq) this.#isFirstSigned = true;
    return null;
  }

  #flush(): void {
    if (this.#steps.length === 0 && this.#checkpoints.length === 0) return;
    const before = this.#written ?? this.#begin();
    const { rows, end } = chainSteps(before, this.#steps, this.#path);
    this.#store.put(batchOf(this.#steps, rows, this.#checkpoints, this.#groupKey));
    this.#store.commit();
    this.#written = end;
    this.#steps = [];
    this.#checkpoints = [];
    this.#groupKey = null;
  }
}
