import type { Procedure, Table } from '../core/procedure.js';
import type { SiteConfig } from './schema.js';

export interface FitProblem {
  /** Key of `table` in the configuration. */
  readonly key: 'decks' | 'dealing' | 'shuffler' | 'batches';
  readonly cause: string;
  readonly cure: string;
}

/** The table as the rules know it. */
export const tableOf = (config: SiteConfig): Table => config.table;

/** Where a table and the procedure it is to follow do not go together. Empty when they do. */
export const fitProblems = (procedure: Procedure, table: Table): readonly FitProblem[] => {
  const problems: FitProblem[] = [];
  const { deck, dealing, shuffle } = procedure;
  if (table.decks < deck.decksMin || table.decks > deck.decksMax) {
    const range =
      deck.decksMin === deck.decksMax ? `${deck.decksMin}` : `${deck.decksMin} to ${deck.decksMax}`;
    problems.push({
      key: 'decks',
      cause:
        `${procedure.id} is played with ${range} decks (${deck.cite.clause}), ` +
        `not ${table.decks}`,
      cure: `write ${range}`,
    });
  }
  if (!dealing.includes(table.dealing)) {
    problems.push({
      key: 'dealing',
      cause: `${procedure.id} is not dealt from \`${table.dealing}\``,
      cure: `write ${dealing.join(' or ')}`,
    });
  }
  if (table.shuffler === 'none' && !shuffle.sources.includes('hand')) {
    problems.push({
      key: 'shuffler',
      cause: `${procedure.id} is not shuffled by hand (${shuffle.cite.clause})`,
      cure: 'write counting or not-counting',
    });
  }
  if (deck.alternate && table.batches.length < 2) {
    problems.push({
      key: 'batches',
      cause: `${procedure.id} alternates two batches (${deck.alternateCite.clause})`,
      cure: 'name two colours, such as [red, blue]',
    });
  }
  return problems;
};
