import type { Rules } from './draft.js';
import type { Happening } from './observation.js';
import { stopOpen } from './findings.js';
import type { TableState } from './state.js';

/**
 * Whether the next card out lies open for all to see. Burn cards but the exposed first one, a new
 * dealer's burn card, cards drawn out of turn and games dealt face down do not.
 */
const liesOpen = (state: TableState, { procedure }: Rules): boolean => {
  const { burn, round } = procedure;
  switch (state.phase) {
    case 'burn':
      return burn?.kind === 'first-card-value' && state.burn.done === 0;
    case 'round':
      // A dealer who comes in mid-round may burn there and then: such a card is nobody's business.
      return round.faceUp && state.burn.dealerOwed === 0;
    case 'ready':
      return (
        round.faceUp &&
        state.burn.dealerOwed === 0 &&
        (state.shoe.played || burn === null) &&
        !stopOpen(state)
      );
    default:
      return false;
  }
};

/**
 * Takes the rank and suit of a secret or face-down card out of a happening, before it is decided
 * on or written down. Source: 58 Pa. Code 651a.8(b), 631a.5(f).
 */
export const redact = (state: TableState, happening: Happening, rules: Rules): Happening => {
  if (happening.kind === 'press' && happening.key === 'first-card') {
    // Where the burn does not hang on the first card, nobody may write down what it was.
    const asked = rules.procedure.burn?.kind === 'first-card-value';
    return asked ? happening : { ...happening, rank: '0' };
  }
  if (happening.kind !== 'card.out') return happening;
  if (happening.rank === undefined && happening.suit === undefined) return happening;
  if (liesOpen(state, rules)) return happening;
  const { rank: _rank, suit: _suit, ...rest } = happening;
  return rest;
};
