import type { Tile } from '../../../floor/api.js';
import { type Condition, conditionOf } from './tile-words.js';

/** What of the wall is shown. Empty fields let everything through. */
export interface WallFilter {
  /** `site/pit`. */
  readonly pit: string;
  /** Id of the procedure. */
  readonly game: string;
  readonly text: string;
  readonly conditions: readonly Condition[];
}

export const NO_FILTER: WallFilter = { pit: '', game: '', text: '', conditions: [] };

export const pitOf = ({ id }: Tile): string => `${id.site}/${id.pit}`;

const naturally = new Intl.Collator('en-GB', { numeric: true });

export const sortedTexts = (texts: Iterable<string>): readonly string[] =>
  [...new Set(texts)].sort((a, b) => naturally.compare(a, b));

const words = (tile: Tile): string =>
  [
    tile.key,
    tile.game?.title ?? '',
    tile.game?.id ?? '',
    tile.phase ?? '',
    tile.dealer ?? '',
    ...tile.findings.flatMap(({ code, clause }) => [code, clause]),
  ]
    .join(' ')
    .toLowerCase();

/** Whether a table passes the filter, its condition left out of account. */
export const passes = (tile: Tile, filter: WallFilter): boolean => {
  if (filter.pit !== '' && pitOf(tile) !== filter.pit) return false;
  if (filter.game !== '' && tile.game?.id !== filter.game) return false;
  const text = filter.text.trim().toLowerCase();
  return text === '' || text.split(/\s+/).every((word) => words(tile).includes(word));
};

/** Keys of what the filter lets through, what needs eyes first, then by name. */
export const orderOf = (tiles: readonly Tile[], filter: WallFilter): readonly string[] =>
  tiles
    .filter((tile) => passes(tile, filter))
    .filter(
      (tile) => filter.conditions.length === 0 || filter.conditions.includes(conditionOf(tile)),
    )
    .toSorted((a, b) => b.attention - a.attention || naturally.compare(a.key, b.key))
    .map(({ key }) => key);

/** The old order with what is new behind it and without what is gone: nothing in it moves. */
export const heldOrder = (
  shown: readonly string[],
  wanted: readonly string[],
): readonly string[] => {
  const left = new Set(wanted);
  const kept = shown.filter((key) => left.delete(key));
  return [...kept, ...wanted.filter((key) => left.has(key))];
};

export const countsOf = (tiles: readonly Tile[]): ReadonlyMap<Condition, number> => {
  const counts = new Map<Condition, number>();
  for (const tile of tiles) {
    const condition = conditionOf(tile);
    counts.set(condition, (counts.get(condition) ?? 0) + 1);
  }
  return counts;
};
