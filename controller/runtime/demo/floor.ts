import type { Finding } from '../../core/finding.js';
import type { Rules } from '../../core/decide.js';
import type { TableState } from '../../core/state.js';
import type { Move } from '../scenario/dealer.js';
import { floor, press } from './moves.js';

const SEEN_MS = 3000;

/** What a floorperson does about a stop; each in the words of its remedy. */
const remedy = (finding: Finding, state: TableState): readonly Move[] => {
  const batch = finding.batch ?? state.prep.batch;
  const replaceDeck = [
    floor({ key: 'deck-removed', batch }),
    floor({ key: 'deck-in', batch, id: `B-${state.seq}` }, 20_000),
  ];
  switch (finding.code) {
    case 'gap.unwatched':
      return [floor({ key: 'accept-gap', cards: 0 })];
    case 'stub.wrong':
      return [floor({ key: 'misdeal', yes: true, full: true }, 15_000)];
    case 'round.overdrawn':
      return [floor({ key: 'void-round' })];
    case 'shuffle.missing':
    case 'cover.extra-round':
    case 'cover.exhausted':
    case 'marker.in-burn':
    case 'batch.foreign-back':
      return [floor({ key: 'reshuffle' })];
    case 'shuffle.mode':
      return [floor({ key: 'clear', finding: finding.id })];
    case 'count.required':
      return [press({ key: 'hand-count', batch, n: 0, second: 'F-2' }, 60_000, 'floor', 'F-1')];
    default:
      return finding.lifespan === 'batch'
        ? replaceDeck
        : [floor({ key: 'clear', finding: finding.id })];
  }
};

/**
 * What the floor does next about what is open, the oldest stop first; empty when the dealer's own
 * next step is the remedy or nothing is open.
 * @param tried how often each finding was attended to before: what did not help is not repeated.
 * @param left what is left to a person who is at the floor's page.
 */
export const attend = (
  state: TableState,
  rules: Rules,
  tried: ReadonlyMap<string, number>,
  left: ReadonlySet<string>,
): { readonly finding: Finding; readonly moves: readonly Move[] } | null => {
  for (const finding of state.findings) {
    if (left.has(finding.id)) continue;
    const times = tried.get(finding.id) ?? 0;
    if (finding.severity === 'stop') {
      const seen = press({ key: 'acknowledge', finding: finding.id }, SEEN_MS);
      if (times === 0) return { finding, moves: [seen, ...counted(remedy(finding, state), rules)] };
      return { finding, moves: [floor({ key: times === 1 ? 'reshuffle' : 'void-round' })] };
    }
    if (finding.severity === 'warn' && finding.acknowledged === undefined && times === 0) {
      return { finding, moves: [floor({ key: 'acknowledge', finding: finding.id })] };
    }
  }
  return null;
};

/** Two people counting find the whole stack. */
const counted = (moves: readonly Move[], { procedure, table }: Rules): readonly Move[] =>
  moves.map((move) => {
    const { act } = move;
    if (act.do !== 'press' || act.press.key !== 'hand-count') return move;
    const n = procedure.deck.cardsPerDeck * table.decks;
    return { ...move, act: { do: 'press', press: { ...act.press, n } } };
  });
