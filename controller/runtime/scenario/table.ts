import { fitProblems } from '../../config/fit.js';
import type { Rules } from '../../core/decide.js';
import { type Dealing, DEFAULT_POLICY, type Procedure, type Table } from '../../core/procedure.js';
import { isPackTrouble, loadProcedure } from '../procedure-files.js';
import type { Scenario } from './schema.js';
import { ScenarioProblem } from './source.js';

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
  return { procedure, table };
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
