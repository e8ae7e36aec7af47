import { fitProblems } from '../../config/fit.js';
import type { Rules } from '../../core/decide.js';
import { DUTIES } from '../../core/duty.js';
import { type Dealing, DEFAULT_POLICY, type Procedure, type Table } from '../../core/procedure.js';
import { isPackTrouble, loadProcedure } from '../procedure-files.js';
import type { Act, Check, Scenario } from './schema.js';
import { hint, ScenarioProblem } from './source.js';

const USUAL_DECKS = 8;

const decksOf = ({ deck }: Procedure): number =>
  USUAL_DECKS >= deck.decksMin && USUAL_DECKS <= deck.decksMax ? USUAL_DECKS : deck.decksMin;

const dealingOf = ({ dealing }: Procedure): Dealing =>
  dealing.includes('shoe') ? 'shoe' : (dealing[0] ?? 'shoe');

/**
 * The rules a scenario is played by: its pack compiled, its table completed with the defaults of
 * the contract (crew 1, seats 7, no shuffler, no reader, one batch, enforcement lock; the decks
 * and the way of dealing the procedure allows). Throws `ScenarioProblem`.
 */
export const rulesOf = (scenario: Scenario): Rules => {
  const procedure = procedureOf(scenario);
  const { line: _line, column: _column, policy, ...given } = scenario.table;
  const table: Table = {
    decks: decksOf(procedure),
    crew: 1,
    seats: 7,
    dealing: dealingOf(procedure),
    shuffler: 'none',
    reader: 'none',
    batches: ['red'],
    enforcement: 'lock',
    ...given,
    policy: { ...DEFAULT_POLICY, ...policy },
  };
  for (const { key, cause, cure } of fitProblems(procedure, table)) {
    // A range of decks nobody has read in the law is no reason to refuse a trial, nor is a trial
    // with one batch of a game that alternates two.
    if ((key === 'decks' && !procedure.deck.cite.verified) || key === 'batches') continue;
    throw new ScenarioProblem(
      scenario.file,
      scenario.table,
      `\`table: ${key}\`: ${cause}; ${cure}`,
    );
  }
  checkBatches(scenario, table);
  checkExpectations(scenario, procedure, table);
  return { procedure, table };
};

/** Batches an entry speaks of; a card's back may be of any colour, that is what is tried. */
const batchesIn = (act: Act): readonly string[] => {
  if (act.do === 'shuffler') return 'batch' in act.message ? [act.message.batch] : [];
  return act.do === 'press' && 'batch' in act.press ? [act.press.batch] : [];
};

const checkBatches = ({ file, timeline }: Scenario, { batches }: Table): void => {
  for (const entry of timeline) {
    const unknown = batchesIn(entry.act).find((batch) => !batches.includes(batch));
    if (unknown === undefined) continue;
    const cure = `only ${batches.join(', ')}; name it under \`table: batches\``;
    throw new ScenarioProblem(
      file,
      entry,
      `there is no batch \`${unknown}\` at this table, ${cure}`,
    );
  }
};

/** Batches a check speaks of. */
const batchesWanted = (check: Check): readonly string[] => {
  if (check.is === 'quarantined') return check.batches;
  if (check.is === 'field' && check.field === 'batch') {
    return typeof check.value === 'string' ? [check.value] : [];
  }
  const batch = check.is === 'finding' ? check.wanted.batch : undefined;
  return batch === undefined ? [] : [batch];
};

/**
 * What no run of this procedure at this table can show: a slip of the pen in the file, not a duty
 * that was not done or a finding that was not raised.
 */
const checkExpectations = (
  { file, timeline }: Scenario,
  procedure: Procedure,
  { batches }: Table,
): void => {
  const duties = [...DUTIES, ...procedure.unseen.map(({ duty }) => duty)];
  for (const entry of timeline) {
    for (const check of entry.act.do === 'expect' ? entry.act.checks : []) {
      const refuse = (key: string, word: string, known: readonly string[]): never => {
        const why = `\`expect: ${key}\` cannot be \`${word}\`${hint(word, known)}`;
        throw new ScenarioProblem(file, check, why);
      };
      if (check.is === 'duty' && !duties.includes(check.wanted.duty)) {
        refuse('duty', check.wanted.duty, duties);
      }
      const batch = batchesWanted(check).find((one) => !batches.includes(one));
      if (batch === undefined) continue;
      refuse(check.is === 'quarantined' ? check.is : 'batch', batch, batches);
    }
  }
};

const procedureOf = ({ file, procedure }: Scenario): Procedure => {
  try {
    return procedure.kind === 'id'
      ? loadProcedure(procedure.id)
      : loadProcedure(procedure.path, { from: file });
  } catch (error) {
    if (!isPackTrouble(error)) throw error;
    throw new ScenarioProblem(file, procedure, `\`procedure\`: ${error.message}`);
  }
};
