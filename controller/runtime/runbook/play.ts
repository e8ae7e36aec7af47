import type { FindingCode } from '../../core/finding.js';
import type { RunbookEntry } from './entry.js';

/** Findings about cards in play: burn, rounds, draws, the shoe's end, the stub. */
export const PLAY_RUNBOOK = {
  'burn.rank-unknown': {
    means: 'How many cards are burnt depends on the first card, and nobody has said what it is.',
    dealer: 'Key in the first card.',
    floor: '',
    surveillance: '',
    technician: '',
  },
  'burn.short': {
    means: 'The round was about to open with cards of the burn still owed. It was refused.',
    dealer: 'Burn what the display says is missing.',
    floor: '',
    surveillance: 'Where cards were dealt all the same, mark the hand.',
    technician: '',
  },
  'burn.over': {
    means: 'More cards left the shoe than the burn asks for, before the first round.',
    dealer: 'Keep the card where it is. Call the floor.',
    floor: 'Rule on the card, then clear, or order a reshuffle (`reshuffle`).',
    surveillance: 'Count the burnt cards on the video.',
    technician: 'If fewer cards left than counted: `cutcard calibrate`.',
  },
  'burn.dealer-missing': {
    means: 'A new dealer came to the table and has not burnt a card.',
    dealer: 'Burn as the display says, face down.',
    floor: '',
    surveillance: '',
    technician: '',
  },
  'bets.open': {
    means: 'A card came out for a round before "no more bets".',
    dealer: 'Announce "no more bets" and press the key.',
    floor: 'If a wager was placed after the card, rule on it.',
    surveillance: 'Look whether wagers moved after the card.',
    technician: '',
  },
  'round.overdrawn': {
    means: 'More cards came out than a round of this game can have. The gate is locked.',
    dealer: 'Keep the card where it is. Call the floor.',
    floor: 'Void the round (`void-round`), or rule on the hand and clear.',
    surveillance: 'Mark the hand; watch the ruling.',
    technician: 'If a round’s end was not pressed, the count is right: nothing is broken.',
  },
  'round.short': {
    means: 'The round was ended with fewer cards than the game needs.',
    dealer: 'Call the floor.',
    floor: 'Find out whether a hand was left unfinished or a card left the shoe unseen.',
    surveillance: 'Count the cards of the round on the video.',
    technician: 'If more cards lie there than were counted: check the beams.',
  },
  'draw.third-card': {
    means: 'A third card was drawn that the table of play forbids, or one it asks for was missed.',
    dealer: 'Keep the card where it is. Call the floor before wagers are settled.',
    floor: 'Void the round (`void-round`), or rule on the hand and clear.',
    surveillance: 'Check the hand against the table of play.',
    technician: '',
  },
  'counts.not-called': {
    means: 'A third card came out before the point counts were called.',
    dealer: 'Call the point counts and press the key.',
    floor: '',
    surveillance: '',
    technician: '',
  },
  'cover.extra-round': {
    means: 'A round was begun after the last one that the cover card permits.',
    dealer: 'Stop. Call the floor.',
    floor: 'Void the round (`void-round`) or rule on it; then order a reshuffle (`reshuffle`).',
    surveillance: 'Mark from the cover card on.',
    technician: '',
  },
  'cover.last-hand-not-called': {
    means: 'The last hand began and nobody announced it.',
    dealer: 'Announce the last hand now and press `last-hand-called`.',
    floor: '',
    surveillance: '',
    technician: '',
  },
  'cover.early-shuffle': {
    means: 'The shoe was ended before its last hand was dealt.',
    dealer: 'Call the floor.',
    floor: 'Note the reason. The cards are shuffled as usual.',
    surveillance: 'Look at why the shoe was ended.',
    technician: '',
  },
  'cover.exhausted': {
    means: 'The bottom cover card came out: the shoe is empty.',
    dealer: 'The shoe is over. Collect and reshuffle.',
    floor: 'Rule on the hand that ran out, then order a reshuffle (`reshuffle`).',
    surveillance: 'Find why the marker did not end the shoe in time.',
    technician: '',
  },
  'cover.never-seen': {
    means: 'So few cards are left that the cover card must have been passed over.',
    dealer: 'Finish this hand. Call the floor.',
    floor: 'Order a reshuffle (`reshuffle`) after this hand.',
    surveillance: 'Look where the cover card was placed.',
    technician: 'Was it not seen? Teach the cover card: `cutcard calibrate`.',
  },
  'card.back': {
    means: 'A card went back into the shoe.',
    dealer: 'Touch nothing. Call the floor.',
    floor: 'Rule on the card; clear, or order a reshuffle (`reshuffle`).',
    surveillance: 'Mark it: who pushed the card, and which one.',
    technician:
      'Check the stop of the shoe that keeps cards from going back. If every card that leaves is ' +
      'told so and none is counted, beams A and B are swapped: `cutcard calibrate` says it.',
  },
  'card.double': {
    means: 'Two cards left the shoe together, one over the other.',
    dealer: 'Look at the last cards. Two where one belongs: call the floor.',
    floor: 'Rule on the surplus card.',
    surveillance: 'Count the cards of the hand.',
    technician: 'If it was one card: `cutcard calibrate`.',
  },
  'card.locked': {
    means: 'A card was drawn while the shoe was to be locked. One such finding for each card.',
    dealer: 'Stop. Put nothing back. Call the floor.',
    floor: 'See what holds the table and remedy that first.',
    surveillance: 'These are the cards after a warning: mark them.',
    technician: 'Where a lock is fitted, it did not hold: test the gate.',
  },
  'card.jam': {
    means: 'Something lies in the mouth of the shoe.',
    dealer: 'Clear the mouth.',
    floor: '',
    surveillance: '',
    technician: 'If nothing is there: clean the beams, then `cutcard doctor`.',
  },
  'stub.overdue': {
    means: 'The stub must be counted before this round is closed.',
    dealer: 'Count the stub face down on the layout and key in the number.',
    floor: '',
    surveillance: '',
    technician: '',
  },
  'stub.wrong': {
    means: 'The stub and the cards dealt do not make a full deck.',
    dealer: 'Stop. Call the floor.',
    floor:
      'Say whether the cards were misdealt and whether the deck is full ' +
      '(`misdeal`). Hands are void ' +
      'and wagers go back; a deck that is not proved full leaves the table.',
    surveillance: 'Count the round on the video.',
    technician: '',
  },
  'hand.manual-shuffle': {
    means: 'Cards were dealt from the hand and no machine had shuffled them.',
    dealer: 'Do not deal. Put the deck through the machine.',
    floor: 'Rule on the hand that was dealt.',
    surveillance: '',
    technician: 'Did the machine shuffle and was not heard? Check its link.',
  },
  'idle.spread-due': {
    means: 'Nobody has played for a while and cards are still in the shoe.',
    dealer: 'Take the cards out and spread them face down (face up if a player asks).',
    floor: '',
    surveillance: '',
    technician: '',
  },
} as const satisfies Partial<Record<FindingCode, RunbookEntry>>;
