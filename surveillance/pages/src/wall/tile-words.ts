import type { Degraded, LinkState, Tile, TileFinding } from '../../../floor/api.js';
import { ageText, type Mark, plainWord, plural, severityMark, towerMark } from '../words.js';

/** What a table counts as on the wall, what needs eyes first. */
export const CONDITIONS = [
  'stop',
  'hold',
  'offline',
  'warn',
  'degraded',
  'quiet',
  'closed',
] as const;
export type Condition = (typeof CONDITIONS)[number];

export const CONDITION_MARKS: Readonly<Record<Condition, Mark>> = {
  stop: severityMark('stop'),
  hold: severityMark('hold'),
  offline: { tone: 'stop', shape: 'cross', word: 'Not heard' },
  warn: severityMark('warn'),
  degraded: { tone: 'attend', shape: 'diamond', word: 'Degraded' },
  quiet: { tone: 'go', shape: 'circle', word: 'Quiet' },
  closed: { tone: 'still', shape: 'bar', word: 'Closed' },
};

const LINK_WORDS: Readonly<Record<Exclude<LinkState, 'online'>, string>> = {
  offline: 'Offline',
  silent: 'Silent',
  never: 'Never heard',
};

const isHeard = ({ link }: Tile): boolean => link.state === 'online';

const hasSeverity = ({ findings }: Tile, severity: TileFinding['severity']): boolean =>
  findings.some((finding) => finding.severity === severity);

/** How a table stands, the gravest first. A stop at a table that went off the air stays a stop. */
export const conditionOf = (tile: Tile): Condition => {
  if (hasSeverity(tile, 'stop')) return 'stop';
  if (!isHeard(tile)) return 'offline';
  if (hasSeverity(tile, 'hold')) return 'hold';
  if (hasSeverity(tile, 'warn')) return 'warn';
  if (tile.degraded.length > 0) return 'degraded';
  return tile.phase === 'closed' || tile.phase === null ? 'closed' : 'quiet';
};

/** The mark of a tile's head. */
export const tileMark = (tile: Tile): Mark => {
  const condition = conditionOf(tile);
  switch (condition) {
    case 'offline':
      return {
        ...CONDITION_MARKS.offline,
        word: tile.link.state === 'online' ? 'Not heard' : LINK_WORDS[tile.link.state],
      };
    case 'quiet':
      // Between shuffle and first round the tower is amber: nothing is wrong with that.
      return tile.tower?.colour === 'green'
        ? towerMark(tile.tower)
        : { tone: 'still', shape: 'circle', word: 'Not in play' };
    default:
      return CONDITION_MARKS[condition];
  }
};

/** Since when and how a table is not heard; empty where it is. */
export const linkText = ({ link }: Tile, nowMs: number): string => {
  if (link.state === 'online') return '';
  const word = LINK_WORDS[link.state];
  return link.sinceMs === null ? word : `${word} for ${ageText(nowMs - link.sinceMs)}`;
};

export const degradedText = (one: Degraded): string => {
  switch (one.kind) {
    case 'device':
      return `${plainWord(one.device)} ${one.what === 'down' ? 'down' : 'says nothing'}`;
    case 'clock':
      return 'Clock not synchronised';
    case 'journal':
      return 'Journal fault';
    case 'chain':
      return `Chain broken at row ${one.seq}`;
    case 'history':
      return `History stopped at row ${one.seq}`;
    case 'rows':
      return `${plural(one.missing, 'row')} missing here`;
    case 'schema':
      return 'Message against the contract';
  }
};

/** How far the cover card is, for the bar: its share of the stack from 0 to 1 and the words. */
export const coverBarOf = (
  tile: Tile,
): { readonly share: number | null; readonly text: string } => {
  const { loaded, left, cardsToCover, lastHand } = tile;
  if (loaded === null) return { share: null, text: 'Cards not known' };
  if (loaded === 0) return { share: 0, text: 'No stack loaded' };
  if (cardsToCover?.basis === 'seen') {
    return { share: 0, text: lastHand ? 'Cover card out, last hand' : 'Cover card out' };
  }
  if (cardsToCover === null) {
    return left === null
      ? { share: null, text: 'Cards may have moved unseen' }
      : { share: left / loaded, text: `${plural(left, 'card')} left` };
  }
  const { cards } = cardsToCover;
  return { share: Math.max(0, cards) / loaded, text: `≤ ${cards} to cover card` };
};

const WEIGHT: Readonly<Record<TileFinding['severity'], number>> = {
  stop: 0,
  hold: 1,
  warn: 2,
  info: 3,
};

/** What needs eyes first: by severity, then the oldest. */
export const gravestFirst = <F extends Pick<TileFinding, 'severity' | 'sinceMs'>>(
  findings: readonly F[],
): readonly F[] =>
  findings.toSorted((a, b) => WEIGHT[a.severity] - WEIGHT[b.severity] || a.sinceMs - b.sinceMs);

/** `Baccarat` of `Baccarat: shuffle, cut, burn`: what fits a tile. */
export const gameText = ({ game }: Pick<Tile, 'game'>): string => game?.title ?? 'Game not known';
