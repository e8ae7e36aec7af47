import type { PermittedKey, PressField } from '../../../controller/core/permitted.js';
import type { PressKey } from '../../../controller/core/press.js';
import { PRESS_KEYS } from '../../../controller/core/press-parse.js';
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
  'accept-gap': 'Cards left unseen',
  'hand-count': 'Counted by hand',
  'approve-reshuffler': 'Approve a device',
};

export const keyWord = (key: PressKey): string => KEY_WORDS[key];

const isKey = (word: string): word is PressKey => PRESS_KEYS.some((key) => key === word);

/** A key that a text of the rules or of the runbook names: `accept-gap` in ticks or in brackets. */
const NAMED_KEY = /`([a-z-]+)`|\(([a-z]+(?:-[a-z]+)+)\)/g;

/** A text with its keys called as they are called on the page. */
export const withKeyWords = (text: string): string =>
  text.replaceAll(NAMED_KEY, (whole: string, ticked?: string, bracketed?: string) => {
    const name = ticked ?? bracketed ?? '';
    if (!isKey(name)) return whole;
    return ticked === undefined ? `(“${keyWord(name)}”)` : `“${keyWord(name)}”`;
  });

/** The keys a text names, in its order. */
export const keysNamed = (text: string): readonly PressKey[] =>
  [
    ...new Set(
      Array.from(text.matchAll(NAMED_KEY), ([, ticked, bracketed]) => ticked ?? bracketed ?? ''),
    ),
  ].filter(isKey);

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
  sure: 'Is that meant?',
};

export const fieldWord = (name: string): string => FIELD_WORDS[name] ?? plainWord(name);

/** A choice as people read it. */
export const choiceWord = (
  { name }: Question,
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

/** Whether it is meant: asked before a key that ends something for good. */
export interface SureField {
  readonly name: 'sure';
  readonly kind: 'sure';
  readonly isOptional: false;
  readonly choices: readonly [];
  /** What ends, in words. */
  readonly ends: string;
}

export type Question = PressField | SureField;

/** What pressing a key ends; empty where it ends nothing. */
const endsOf = ({ key, departs }: PermittedKey): string => {
  switch (key) {
    case 'reshuffle':
      return 'The shoe ends here: its cards are collected and shuffled again.';
    case 'collected':
      return departs.length === 0 ? '' : 'The shoe ends here, before its last hand.';
    case 'close-table':
      return 'The table closes, and a shoe in play ends.';
    case 'deck-removed':
      return 'The cards leave the table, and a shoe in play of them ends.';
    case 'void-round':
      return 'The round in play is void.';
    default:
      return '';
  }
};

/** What is asked for before a key is pressed. */
export const questionsOf = (offered: PermittedKey, isOpen: boolean): readonly Question[] => {
  const { key, asks } = offered;
  const ends = endsOf(offered);
  return [
    ...(isOpen && TWO_PEOPLE.includes(key) ? [badge] : []),
    ...asks,
    ...(ends === ''
      ? []
      : [{ name: 'sure', kind: 'sure', isOptional: false, choices: [], ends } as const]),
  ];
};

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
