import { fitProblems } from '../../config/fit.js';
import type { Rules } from '../../core/decide.js';
import { DUTIES } from '../../core/duty.js';
import { type Dealing, DEFAULT_POLICY, type Procedure, type Table } from '../../core/procedure.js';
import { isPackTrouble, loadProcedure } from '../procedure-files.js';
import type { Act, Scenario } from './schema.js';
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
  checkDuties(scenario, procedure);
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

/** A duty no stack of this procedure can have: a slip of the pen, not a duty that was not done. */
const checkDuties = ({ file, timeline }: Scenario, { unseen }: Procedure): void => {
  const known = [...DUTIES, ...unseen.map(({ duty }) => duty)];
  for (const entry of timeline) {
    for (const check of entry.act.do === 'expect' ? entry.act.checks : []) {
      if (check.is !== 'duty' || known.includes(check.wanted.duty)) continue;
      throw new ScenarioProblem(
        file,
        check,
        `\`expect: duty\` cannot be \`${check.wanted.duty}\`${hint(check.wanted.duty, known)}`,
      );
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
