import type { PermittedKey, PressField } from '../../../controller/core/permitted.js';
import type { PressKey } from '../../../controller/core/press.js';
import type { PageFinding } from '../../table-page/message.js';
import { plainWord } from './words.js';

/** What stands on a key. */
const KEY_WORDS: Readonly<Record<PressKey, string>> = {
  'open-table': 'Open the table',
  'cards-inspected': 'Cards inspected',
  washed: 'Washed',
  shuffled: 'Shuffled by hand',
  preshuffled: 'Preshuffled cards',
  'cut-offered': 'Cut offered to',
  'cut-declined': 'Cut declined by',
  cut: 'Cut by',
  'marker-placed': 'Cover card placed',
  loaded: 'Shoe loaded',
  'first-card': 'First card',
  'burn-done': 'Burn done',
  'no-more-bets': 'No more bets',
  'counts-called': 'Counts called',
  'last-hand-called': 'Last hand called',
  'round-end': 'Round over',
  'stub-count': 'Stub counted',
  'dealer-in': 'New dealer',
  spill: 'Cards dropped',
  replace: 'Replace a card',
  spread: 'Cards spread',
  inspected: 'Spread inspected',
  collected: 'Cards collected',
  'close-table': 'Close the table',
  acknowledge: 'Seen',
  recut: 'Order a recut',
  reshuffle: 'Order a reshuffle',
  'void-round': 'Void the round',
  misdeal: 'Misdealt?',
  'deck-removed': 'Deck taken off',
  'deck-in': 'New deck in',
  clear: 'Clear a finding',
  'accept-gap': 'Cards moved unseen',
  'hand-count': 'Counted by hand',
  'approve-reshuffler': 'Approve a device',
};

export const keyWord = (key: PressKey): string => KEY_WORDS[key];

const FIELD_WORDS: Readonly<Record<string, string>> = {
  package: 'Number of the package',
  seat: 'Which seat?',
  by: 'Who cut?',
  depth: 'How many cards deep?',
  rank: 'Rank of the first card',
  hands: 'Hands in this round',
  n: 'How many cards?',
  dealer: 'Badge of the new dealer',
  out: 'Card taken out, such as Qd',
  in: 'Card put in, such as Qd',
  second: 'Badge of the second person',
  badge: 'Your badge',
  finding: 'Which finding?',
  yes: 'Were the cards misdealt?',
  full: 'Is the deck full?',
  batch: 'Which batch?',
  id: 'Number of the new deck',
  cards: 'Cards that left the shoe unseen',
  device: 'Which device?',
};

export const fieldWord = (name: string): string => FIELD_WORDS[name] ?? plainWord(name);

/** A choice as people read it. */
export const choiceWord = (
  { name }: PressField,
  choice: string,
  findings: readonly PageFinding[],
): string => {
  if (name === 'seat') return `Seat ${choice}`;
  if (name === 'by') return choice === 'dealer' ? 'Dealer' : `Seat ${choice}`;
  if (name === 'rank') return choice === 'T' ? '10' : choice;
  if (name === 'finding') return findings.find(({ id }) => id === choice)?.code ?? choice;
  return plainWord(choice);
};

/** Two people are named by these: whoever has not logged in says who they are. */
const TWO_PEOPLE: readonly PressKey[] = ['hand-count', 'replace'];

const badge: PressField = { name: 'badge', kind: 'text', isOptional: false, choices: [] };

/** What is asked for before a key is pressed. */
export const questionsOf = ({ key, asks }: PermittedKey, isOpen: boolean): readonly PressField[] =>
  isOpen && TWO_PEOPLE.includes(key) ? [badge, ...asks] : asks;

export type Given = Readonly<Record<string, string | number | boolean>>;

/** The value of a press: one as it stands, several as a map; what was left out is not in it. */
export const valueOf = (
  { asks }: PermittedKey,
  { badge: _badge, ...given }: Given,
): string | number | boolean | Given | undefined => {
  const [only] = asks;
  if (only === undefined) return undefined;
  return asks.length === 1 ? given[only.name] : given;
};
