import type { Rules } from '../../core/decide.js';
import { DEFAULT_POLICY, type Procedure, type Table } from '../../core/procedure.js';
import { loadProcedure } from '../procedure-files.js';

const DECKS_USUAL = 8;
const SEATS = 7;

const decksOf = ({ deck }: Procedure): number =>
  Math.min(Math.max(DECKS_USUAL, deck.decksMin), deck.decksMax);

/**
 * A table as a house would fit it for a procedure: a shuffler where the game takes one,
 * a shoe where it has one, two batches where they take turns.
 * @throws ProcedureMissing, PackError.
 */
export const demoRules = (idOrPath: string): Rules => {
  const procedure = loadProcedure(idOrPath);
  const byMachine = procedure.shuffle.sources.includes('machine') && !procedure.shuffle.eachDealer;
  const dealing = procedure.dealing.includes('shoe') ? 'shoe' : (procedure.dealing[0] ?? 'shoe');
  // Where the stub is counted, a machine that counts would take that duty from the dealer.
  const countsStub = procedure.stub?.appliesTo.includes(dealing) === true;
  const table: Table = {
    decks: decksOf(procedure),
    crew: procedure.shuffle.eachDealer ? 3 : 1,
    seats: SEATS,
    dealing,
    shuffler: !byMachine ? 'none' : countsStub ? 'not-counting' : 'counting',
    reader: 'none',
    batches: ['red', 'blue'],
    enforcement: 'lock',
    policy: DEFAULT_POLICY,
  };
  return { procedure, table };
};
