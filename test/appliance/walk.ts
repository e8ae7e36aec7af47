import { match, ok } from 'node:assert/strict';
import { rowsUnder } from './documented.js';

/** Longest that a card in the hand of this walk takes: the page asks for no more at once. */
const CARDS_MAX = 9;
const NUMBERS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];

/** What somebody does who follows the page of the development board. */
export type Move =
  | { readonly do: 'type'; readonly line: string }
  | { readonly do: 'deal'; readonly cards: number };

/** The page says this, and so that is done. */
interface Step {
  readonly says: string;
  readonly move: Move;
}

/** The hands of whoever follows it, and their eyes. */
export interface Hands {
  /** First line of what the table's page says, once it is `wanted`. @throws when it never is */
  readonly sees: (wanted: RegExp) => Promise<void>;
  /** Types a line in the panel's terminal. @throws unless it is answered `taken` */
  readonly types: (line: string) => Promise<void>;
  /** One card with two fingers; done when the page has counted it. */
  readonly deals: () => Promise<void>;
}

const moveOf = (words: string): Move => {
  const line = /^`([^`]+)`$/.exec(words)?.[1];
  if (line !== undefined) return { do: 'type', line };
  const cards = NUMBERS.indexOf(/^(\w+) cards?\b/.exec(words)?.[1] ?? '');
  ok(cards > 0 && cards <= CARDS_MAX, `nobody knows how to do: ${words}`);
  return { do: 'deal', cards };
};

/** The table of a document whose left column is what the page says and the right what one does. */
const stepsUnder = (page: string, heading: string): readonly Step[] =>
  rowsUnder(page, heading).map(([says = '', does = '']) => ({ says, move: moveOf(does) }));

const literal = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** Does, row by row, what a document gives under a heading, and only when the page asks for it. */
export const walk = async (page: string, heading: string, hands: Hands): Promise<void> => {
  const steps = stepsUnder(page, heading);
  match(steps.at(0)?.says ?? '', /\S/);
  for (const { says, move } of steps) {
    await hands.sees(new RegExp(`^${literal(says)}`));
    if (move.do === 'type') await hands.types(move.line);
    else for (let n = 0; n < move.cards; n += 1) await hands.deals();
  }
};
