import { decide, type Rules } from '../controller/core/decide.js';
import type { Decision } from '../controller/core/decision.js';
import { evolve } from '../controller/core/evolve.js';
import type { TableStep } from '../controller/core/ports.js';
import type { Procedure, Table } from '../controller/core/procedure.js';
import { initialState, type TableState } from '../controller/core/state.js';
import { canonicalJson, hashText } from './canonical.js';
import { JournalFault } from './fault.js';
import { readCheckpoint } from './checkpoint.js';
import type { JournalReader } from './reader.js';
import { judgeSaved } from './snapshot.js';
import { walkSteps } from './walk.js';

/** Differences told one by one; the rest are counted. */
export const MAX_DIFFERENCES = 100;
const PROGRESS_ROWS = 20_000;

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
  /** Boots, each with the procedure and configuration its rows were judged by. */
  readonly boots: readonly ReplayedBoot[];
  readonly state: TableState | null;
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

const difference = (
  { observation, decisions }: TableStep,
  derived: readonly Decision[],
): Difference | null => {
  if (canonicalJson(decisions) === canonicalJson(derived)) return null;
  const recordedTexts = new Set(decisions.map(canonicalJson));
  const derivedTexts = new Set(derived.map(canonicalJson));
  return {
    seq: observation.seq,
    kind: observation.kind,
    recordedOnly: decisions.filter((decision) => !derivedTexts.has(canonicalJson(decision))),
    derivedOnly: derived.filter((decision) => !recordedTexts.has(canonicalJson(decision))),
  };
};

export interface ReplayOptions {
  /** The rules as a function; the program's own by default. */
  readonly decide?: typeof decide;
  readonly progress?: (rows: number, of: number) => void;
}

/**
 * Derives every decision again from the recorded observations, under the procedure and the
 * configuration each start recorded, and compares. The state follows what was recorded, so one
 * difference does not cause the next.
 * @throws JournalFault where a row, a document or the beginning of the journal is missing
 */
export const replayJournal = (reader: JournalReader, options: ReplayOptions = {}): Replayed => {
  const derive = options.decide ?? decide;
  const of = reader.lastSeq();
  let { state, rules } = startOf(reader);
  const fromSeq = (state?.seq ?? 0) + 1;
  let [rows, findings, different] = [0, 0, 0];
  const differences: Difference[] = [];
  const boots: ReplayedBoot[] = [];
  for (const { step } of walkSteps(reader, fromSeq)) {
    const { observation, decisions } = step;
    if (observation.kind === 'power.boot') {
      const { procedure, table } = observation;
      rules = rulesOf(reader, procedure, table);
      state ??= initialState(rules.table);
      boots.push({
        seq: observation.seq,
        procedure: rules.procedure.id,
        procedureHash: procedure ?? '',
        tableHash: table ?? '',
      });
    }
    if (rules === null || state === null) {
      const what = `journal ${reader.path}: row ${observation.seq} comes before any start`;
      throw new JournalFault('format', what);
    }
    const found = difference(step, derive(state, observation, rules));
    if (found !== null) {
      different += 1;
      if (differences.length < MAX_DIFFERENCES) differences.push(found);
    }
    findings += decisions.filter((decision) => decision.do === 'raised').length;
    state = evolve(state, observation, decisions);
    rows += 1;
    if (rows % PROGRESS_ROWS === 0) options.progress?.(rows, of);
  }
  return { fromSeq, rows, findings, differences, different, boots, state };
};

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
