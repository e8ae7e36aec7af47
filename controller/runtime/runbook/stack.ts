import type { FindingCode } from '../../core/finding.js';
import type { RunbookEntry } from './entry.js';

/** Findings about the cards before they are dealt: shuffle, count, batch, cut, cover card. */
export const STACK_RUNBOOK = {
  'shuffle.missing': {
    means:
      'Cards were loaded or drawn, and no completed, correct shuffle (or the ' +
      'shuffle presses that ' +
      'the rule allows) stands behind them. The gate is locked.',
    dealer: 'Stop. Leave every card where it lies. Call the floor.',
    floor:
      'Have the cards taken out and shuffled (`reshuffle`); the finding ends with the next ' +
      'completed shuffle. Rule on any hand that was dealt, and note it.',
    surveillance:
      'Mark the video from the last shuffle on. Count the cards after the ' +
      'warning; report the hand.',
    technician: 'Was the machine heard at all? `cutcard doctor`, then the shuffler’s link.',
  },
  'shuffle.dealer-missing': {
    means: 'The rule asks each dealer of the crew to shuffle, and fewer have pressed `shuffled`.',
    dealer: 'The dealers still missing shuffle, and each presses `shuffled`.',
    floor: 'If the crew is smaller than configured, have the table’s crew corrected.',
    surveillance: 'Look whether the missing dealer shuffled and only forgot the key.',
    technician: '',
  },
  'shuffle.mode': {
    means: 'The machine finished in sort or count mode: the cards are in order, not shuffled.',
    dealer: 'Do not deal. Set the machine to shuffle and run the cards again.',
    floor: 'See the machine in shuffle mode, then let it run; the finding ends with the batch.',
    surveillance: 'Check that no card of this batch was dealt since the machine finished.',
    technician: 'Find out who changed the mode, and whether the machine may lock it.',
  },
  'count.wrong': {
    means:
      'The machine counted a number of cards that is not the game’s. The batch is quarantined; ' +
      'the gate stays locked for it.',
    dealer: 'Do not deal. Leave the cards in the machine. Call the floor.',
    floor:
      'Count again by machine, or by hand with two badges (`hand-count`). If ' +
      'it stays wrong, take ' +
      'the batch off the table (`deck-removed`) and bring in another (`deck-in`).',
    surveillance: 'Look for the missing or surplus cards: rack, layout, floor, the other batch.',
    technician: 'If a hand count is right again and again, the machine counts wrong: replace it.',
  },
  'count.required': {
    means: 'Something happened that may have changed the number of cards, and nobody has counted.',
    dealer: 'Count the cards: by the machine, or with a second person.',
    floor: 'Two people count (`hand-count` with both badges) where the machine cannot.',
    surveillance: 'Look at what happened to the cards at the jam, spill or removal.',
    technician: 'Clear the jam’s cause.',
  },
  'count.stale': {
    means: 'More rounds or minutes have passed since a proved count than the house allows.',
    dealer: 'Have the cards counted at the next shuffle.',
    floor: 'See to it that the machine counts, or order a hand count (`hand-count`).',
    surveillance: '',
    technician: 'Does the machine still report counts? `cutcard doctor`.',
  },
  'count.disagree': {
    means: 'The machine’s count and the shoe’s or the people’s count are different numbers.',
    dealer: 'Do not deal. Call the floor.',
    floor: 'Two people count by hand (`hand-count`). What they find stands.',
    surveillance: 'Find which of the two counts is wrong: compare with the video of the shoe.',
    technician: 'Test the beams (`cutcard calibrate`) and the machine’s own count.',
  },
  'batch.migrated': {
    means: 'One batch is short by as many cards as the other has too many: cards changed sides.',
    dealer: 'Do not deal from either batch. Call the floor.',
    floor:
      'Sort both batches by their backs and count both again (`hand-count`), or take both off ' +
      'the table (`deck-removed`).',
    surveillance: 'Find the round in which the cards changed sides.',
    technician: '',
  },
  'batch.foreign-back': {
    means: 'A card with the other batch’s back came out of the shoe.',
    dealer: 'Keep the card where it is. Call the floor.',
    floor:
      'Both batches are to be counted (`hand-count`). Void the hand (`void-round`) or rule on ' +
      'it, then clear; or order a reshuffle (`reshuffle`).',
    surveillance: 'Find how the card got into the shoe.',
    technician: 'If the back was right, teach the colours again: `cutcard calibrate`.',
  },
  'batch.same': {
    means: 'The rule asks for two batches in turn, and the same one was loaded again.',
    dealer: 'Load the other batch at the next shoe.',
    floor: 'Decide whether the shoe goes on; note why.',
    surveillance: '',
    technician: '',
  },
  'deck.aged': {
    means: 'These cards have been in use longer than the procedure allows.',
    dealer: 'The cards are changed at the next shuffle.',
    floor: 'Bring new cards (`deck-removed`, then `deck-in`).',
    surveillance: '',
    technician: '',
  },
  'cut.missing': {
    means: 'The stack is to be cut before it is loaded, and was not.',
    dealer: 'Offer the cut as the display says; press `cut` with who cut.',
    floor: '',
    surveillance: 'If the stack was loaded uncut, mark it.',
    technician: '',
  },
  'cut.order': {
    means: 'Somebody cut whose turn it was not.',
    dealer: 'Offer the cut to the person on the display. Press `cut-declined` for each refusal.',
    floor: 'Order a recut (`recut`) where the order matters to the players.',
    surveillance: '',
    technician: '',
  },
  'cut.shallow': {
    means: 'Fewer cards than the minimum lie above or below the cut.',
    dealer: 'Have the stack cut again, deeper.',
    floor: 'Or order a recut (`recut`): then the next person in turn cuts.',
    surveillance: '',
    technician: '',
  },
  'recut.window': {
    means: 'A recut was asked for after the moment the rule allows it. It was refused.',
    dealer: '',
    floor: 'If the cut cannot stand, order a reshuffle (`reshuffle`) instead.',
    surveillance: 'Look at the cut itself.',
    technician: '',
  },
  'recut.authority': {
    means: 'Somebody without the floor’s authority asked for a recut. It was refused.',
    dealer: 'Call the floor.',
    floor: 'Decide; turn the floor key yourself.',
    surveillance: '',
    technician: '',
  },
  'recut.same-person': {
    means: 'The recut was made by the person who had cut before. The next one in turn cuts.',
    dealer: 'Offer the recut to the next person.',
    floor: '',
    surveillance: '',
    technician: '',
  },
  'marker.missing': {
    means: 'The stack was loaded before anybody said the second cover card was placed.',
    dealer: 'Place the cover card and press `marker-placed`.',
    floor: 'If the shoe is closed already, see it placed.',
    surveillance: '',
    technician: '',
  },
  'marker.misplaced': {
    means: 'The cover card came out with fewer cards behind it than the rule asks for.',
    dealer: 'Call the floor. If the cards could run out, this is the last hand.',
    floor: 'Decide whether the cards suffice; order the reshuffle (`reshuffle`) after it.',
    surveillance: '',
    technician: 'If the numbers cannot be right, check the count of cards out on the strip.',
  },
  'marker.in-burn': {
    means: 'The cover card came out during the burn: it lay at the top of the stack.',
    dealer: 'Stop. Call the floor.',
    floor: 'Have the cards shuffled (`reshuffle`) and the cover card placed again.',
    surveillance: 'Look at how the cover card was placed.',
    technician: 'If a card was taken for the cover card: `cutcard calibrate`.',
  },
} as const satisfies Partial<Record<FindingCode, RunbookEntry>>;
