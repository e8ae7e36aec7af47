import { type Decided, type Rules, step } from '../controller/core/decide.js';
import type { Decision } from '../controller/core/decision.js';
import { evolve } from '../controller/core/evolve.js';
import type { Observation } from '../controller/core/observation.js';
import type { Procedure, Table } from '../controller/core/procedure.js';
import { initialState, type TableState } from '../controller/core/state.js';
import { canonicalJson, hashText, isCanonicalAt } from './canonical.js';
import { type Halved, halved, stepOfRow } from './decode.js';
import { JournalFault } from './fault.js';
import { readCheckpoint } from './checkpoint.js';
import { checkMarks, type Rebuilt, wasMissing } from './rebuilt.js';
import type { JournalReader } from './reader.js';
import { judgeSaved } from './snapshot.js';
import { readAhead } from './read-ahead.js';
import { isSound, type Texts } from './texts.js';
import { walkRows, walkSteps } from './walk.js';

/** Differences told one by one; the rest are counted. */
export const MAX_DIFFERENCES = 100;

/** A row whose recorded decisions are not the ones the rules give today. */
export interface Difference {
  readonly seq: number;
  readonly kind: string;
  /** Decisions recorded that do not follow, and decisions that follow but were not recorded. */
  readonly recordedOnly: readonly Decision[];
  readonly derivedOnly: readonly Decision[];
}

export interface Replayed {
  /** First row replayed: 1, unless older rows were pruned. */
  readonly fromSeq: number;
  readonly rows: number;
  /** Findings raised in the rows replayed. */
  readonly findings: number;
  readonly differences: readonly Difference[];
  readonly different: number;
  /** Rows whose decisions could not be derived again, and why. */
  readonly skipped: readonly Skipped[];
  /** Boots, each with the procedure and configuration its rows were judged by. */
  readonly boots: readonly ReplayedBoot[];
  readonly state: TableState | null;
}

/** Rows recorded under a document that was not put back when the journal was rebuilt. */
export interface Skipped {
  readonly fromSeq: number;
  readonly toSeq: number;
  /** SHA-256 of the document, hex. */
  readonly document: string;
}

export interface ReplayedBoot {
  readonly seq: number;
  readonly procedure: string;
  readonly procedureHash: string;
  readonly tableHash: string;
}

type Fields = Readonly<Record<string, unknown>>;
const isMap = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
// The hash proves that these documents are what the program compiled; their shape is its own.
const isProcedure = (value: unknown): value is Procedure =>
  isMap(value) && typeof value['id'] === 'string' && isMap(value['deck']);
const isTable = (value: unknown): value is Table =>
  isMap(value) && typeof value['decks'] === 'number' && isMap(value['policy']);

const documentOf = (
  reader: JournalReader,
  what: string,
  hash: string | null | undefined,
): unknown => {
  if (hash === undefined || hash === null) {
    throw new JournalFault('format', `journal ${reader.path}: a start names no ${what}`);
  }
  const found = reader.document(hash);
  if (found === null) {
    throw new JournalFault('corrupt', `journal ${reader.path}: ${what} ${hash} is missing`);
  }
  if (hashText(found.text) !== hash) {
    throw new JournalFault('corrupt', `journal ${reader.path}: ${what} ${hash} was changed`);
  }
  return JSON.parse(found.text);
};

/** The rules a start was made with. @throws JournalFault where they are missing or changed */
export const rulesOf = (
  reader: JournalReader,
  procedureHash: string | null | undefined,
  tableHash: string | null | undefined,
): Rules => {
  const procedure = documentOf(reader, 'procedure', procedureHash);
  const table = documentOf(reader, 'table', tableHash);
  if (isProcedure(procedure) && isTable(table)) return { procedure, table };
  throw new JournalFault('format', `journal ${reader.path}: its rules have another shape`);
};

/** The decisions of one list that are not in the other. */
const without = (
  decisions: readonly Decision[],
  others: readonly Decision[],
): readonly Decision[] => {
  const texts = new Set(others.map(canonicalJson));
  return decisions.filter((decision) => !texts.has(canonicalJson(decision)));
};

export interface ReplayOptions {
  /** The rules as a function; the program's own by default. */
  readonly step?: typeof step;
  readonly progress?: (rows: number, of: number) => void;
}

/** Derives the decisions of one row after another, and counts. */
class Replay {
  readonly #reader: JournalReader;
  readonly #step: typeof step;
  #rules: Rules | null;
  readonly #rebuilt: readonly Rebuilt[];
  /** The document that is missing, while it is; its rows are folded only. */
  #without: string | null = null;
  state: TableState | null;
  rows = 0;
  findings = 0;
  different = 0;
  readonly differences: Difference[] = [];
  readonly skipped: Skipped[] = [];
  readonly boots: ReplayedBoot[] = [];

  constructor(reader: JournalReader, { state, rules }: Start, derive: typeof step) {
    this.#reader = reader;
    this.state = state;
    this.#rules = rules;
    this.#step = derive;
    this.#rebuilt = checkMarks(reader, null).rebuilt;
  }

  /** Rows in one piece. Most hold what the rules give: then what was decided need not be read. */
  takeTexts({ fromSeq, bytes: all, ends }: Texts): void {
    const bytes = Buffer.from(all.buffer, all.byteOffset, all.length);
    let from = 0;
    for (let i = 0; i < ends.length; i += 1) {
      const to = ends[i] ?? from;
      const row = halved(bytes, from, to);
      if (row === null || !this.#isDerived(fromSeq + i, row, bytes)) {
        this.takeText(fromSeq + i, bytes.toString('utf8', from, to));
      }
      from = to;
    }
  }

  /** A row read whole. @throws Error where it is no step */
  takeText(seq: number, body: string): void {
    const { observation, decisions } = stepOfRow(seq, body);
    if (observation.kind === 'power.boot') this.#look(observation);
    if (this.#without !== null) this.#skip(seq, this.#without);
    else this.#compare(observation, decisions, this.#decide(observation).decisions);
    if (this.state !== null) this.state = evolve(this.state, observation, decisions);
    this.#count(decisions);
  }

  /** Takes the row where its text is what would be written today; false leaves it to be read. */
  #isDerived(seq: number, { observation, decisions: at }: Halved, bytes: Buffer): boolean {
    // A start may change the rules: read whole.
    if (observation.seq !== seq || observation.kind === 'power.boot') return false;
    if (this.#without !== null) return false;
    const { decisions, state } = this.#decide(observation);
    if (!isCanonicalAt(decisions, bytes, at.from, at.to)) return false;
    this.state = state;
    this.#count(decisions);
    return true;
  }

  #count(decisions: readonly Decision[]): void {
    this.rows += 1;
    for (const decision of decisions) if (decision.do === 'raised') this.findings += 1;
  }

  #compare(
    { seq, kind }: Observation,
    decisions: readonly Decision[],
    derived: readonly Decision[],
  ): void {
    if (canonicalJson(decisions) === canonicalJson(derived)) return;
    this.different += 1;
    if (this.differences.length >= MAX_DIFFERENCES) return;
    const [recordedOnly, derivedOnly] = [without(decisions, derived), without(derived, decisions)];
    this.differences.push({ seq, kind, recordedOnly, derivedOnly });
  }

  /** Whether the documents of a start are here; where one never was, its rows are skipped. */
  #look({ seq, procedure, table }: Boot): void {
    const named = [procedure, table].flatMap((hash) => (hash === undefined ? [] : [hash]));
    this.#without =
      named.find(
        (hash) => this.#reader.document(hash) === null && wasMissing(this.#rebuilt, hash, seq),
      ) ?? null;
  }

  #skip(seq: number, document: string): void {
    const last = this.skipped.at(-1);
    if (last?.toSeq === seq - 1 && last.document === document) {
      this.skipped[this.skipped.length - 1] = { ...last, toSeq: seq };
    } else this.skipped.push({ fromSeq: seq, toSeq: seq, document });
  }

  /** The state a start found, where the rows before were only read: folded once, as it did. */
  #stateBefore(seq: number, table: Table): TableState {
    let state = initialState(table);
    if (this.skipped.length === 0) return state;
    for (const { step } of walkSteps(this.#reader, 1, seq - 1)) {
      state = evolve(state, step.observation, step.decisions);
    }
    return state;
  }

  #decide(observation: Observation): Decided {
    if (observation.kind === 'power.boot') this.#boot(observation);
    if (this.#rules === null || this.state === null) {
      const what = `journal ${this.#reader.path}: row ${observation.seq} comes before any start`;
      throw new JournalFault('format', what);
    }
    return this.#step(this.state, observation, this.#rules);
  }

  #boot({ seq, procedure, table }: Boot): void {
    this.#rules = rulesOf(this.#reader, procedure, table);
    this.state ??= this.#stateBefore(seq, this.#rules.table);
    this.boots.push({
      seq,
      procedure: this.#rules.procedure.id,
      procedureHash: procedure ?? '',
      tableHash: table ?? '',
    });
  }
}

/**
 * Derives every decision again from the recorded observations, under the procedure and the
 * configuration each start recorded, and compares. The state follows what was recorded, so one
 * difference does not cause the next.
 * @throws JournalFault where a row, a document or the beginning of the journal is missing
 */
export const replayJournal = (reader: JournalReader, options: ReplayOptions = {}): Replayed => {
  const start = startOf(reader);
  const replay = new Replay(reader, start, options.step ?? step);
  const fromSeq = (start.state?.seq ?? 0) + 1;
  const of = reader.lastSeq();
  for (const piece of readAhead(reader, fromSeq, of)) {
    if (isSound(piece)) replay.takeTexts(piece);
    else {
      for (const { seq, body } of walkRows(reader, piece.fromSeq, piece.toSeq)) {
        replay.takeText(seq, body);
      }
    }
    options.progress?.(piece.toSeq, of);
  }
  const { findings, differences, different, boots, state, skipped } = replay;
  const rows = skipped.reduce((sum, { fromSeq: a, toSeq: b }) => sum - (b - a + 1), replay.rows);
  return { fromSeq, rows, findings, differences, different, skipped, boots, state };
};

type Boot = Extract<Observation, { readonly kind: 'power.boot' }>;

interface Start {
  readonly state: TableState | null;
  readonly rules: Rules | null;
}

/** A whole journal is replayed from nothing, a pruned one from its oldest saved state. */
const startOf = (reader: JournalReader): Start => {
  const first = reader.firstSeq();
  if (first === 1) return { state: null, rules: null };
  for (const saved of reader.savedStates().toReversed()) {
    const judged = judgeSaved(saved, reader.hashAt(saved.seq));
    if (judged.ok) {
      return { state: judged.snapshot.state, rules: rulesAt(reader, judged.snapshot.seq) };
    }
  }
  throw new JournalFault(
    'format',
    `journal ${reader.path} begins at row ${first} (older rows were pruned) and no saved state ` +
      'says how the table stood then',
  );
};

/** The rules in force after row `seq`: of the last start before it, or of a checkpoint. */
const rulesAt = (reader: JournalReader, seq: number): Rules | null => {
  let rules: Rules | null = null;
  const [checkpoint] = reader.checkpointsBackFrom(seq, 1);
  const said = checkpoint === undefined ? null : readCheckpoint(checkpoint.body);
  if (said !== null) rules = rulesOf(reader, said.procedure, said.table);
  for (const { step } of walkSteps(reader, said?.seq ?? reader.firstSeq(), seq)) {
    const { observation } = step;
    if (observation.kind === 'power.boot') {
      rules = rulesOf(reader, observation.procedure, observation.table);
    }
  }
  return rules;
};
