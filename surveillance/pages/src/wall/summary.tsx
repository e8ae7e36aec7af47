import { Shape } from '../frame.js';
import { type Condition, CONDITION_MARKS, CONDITIONS } from './tile-words.js';

interface SummaryProps {
  readonly counts: ReadonlyMap<Condition, number>;
  readonly chosen: readonly Condition[];
  readonly choose: (conditions: readonly Condition[]) => void;
}

/** How many tables stand how; each is a button that shows only those. */
export const Summary = ({ counts, chosen, choose }: SummaryProps) => (
  <ul class="summary" aria-label="Tables by condition">
    {CONDITIONS.map((condition) => {
      const n = counts.get(condition) ?? 0;
      const isChosen = chosen.includes(condition);
      return (
        <li key={condition}>
          <button
            type="button"
            class={n === 0 ? 'chip none' : `chip is-${condition}`}
            aria-pressed={isChosen}
            onClick={() => {
              choose(isChosen ? chosen.filter((one) => one !== condition) : [...chosen, condition]);
            }}
          >
            <Shape mark={CONDITION_MARKS[condition]} />
            <b>{n}</b> {CONDITION_MARKS[condition].word}
          </button>
        </li>
      );
    })}
  </ul>
);
