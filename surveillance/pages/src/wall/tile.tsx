import type { Tile, TileFinding } from '../../../floor/api.js';
import { Shape } from '../frame.js';
import { ageText, clauseText, plainWord, plural, severityMark } from '../words.js';
import { useFloor, useServiceNow, useTile } from './floor-context.js';
import { memo } from './memo.js';
import { tableHash } from './route.js';
import {
  conditionOf,
  coverBarOf,
  degradedText,
  gameText,
  gravestFirst,
  linkText,
  tileMark,
} from './tile-words.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Whole minutes within the hour: on a tile there is no room for the seconds beside them. */
const shortAge = (ms: number): string =>
  ms >= MINUTE_MS && ms < HOUR_MS ? `${Math.floor(ms / MINUTE_MS)} min` : ageText(ms);

const ShortAge = ({ sinceMs }: { readonly sinceMs: number }) => (
  <span class="age">{shortAge(useServiceNow() - sinceMs)}</span>
);

/** How long ago, growing by itself. */
export const Age = ({ sinceMs }: { readonly sinceMs: number }) => (
  <span class="age">{ageText(useServiceNow() - sinceMs)}</span>
);

/** Cards before the cover card as a bar; hatched where nobody can tell. */
export const CoverBar = ({ tile }: { readonly tile: Tile }) => {
  const { share, text } = coverBarOf(tile);
  return (
    <span class={tile.lastHand ? 'cover last-hand' : 'cover'}>
      <svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        <rect class="bar-ground" width="100" height="6" />
        {share === null ? (
          <path
            class="bar-unknown"
            d="M0 6 6 0M12 6l6-6M24 6l6-6M36 6l6-6M48 6l6-6M60 6l6-6M72 6l6-6M84 6l6-6"
          />
        ) : (
          <rect class="bar-cards" width={100 * Math.min(1, share)} height="6" />
        )}
      </svg>
      <span class="cover-text">{text}</span>
    </span>
  );
};

const Eyed = ({ finding }: { readonly finding: TileFinding }) => {
  const by = finding.acknowledged?.by ?? finding.acknowledgedAtTable;
  return by === null ? null : <span class="eyed">✓ {by}</span>;
};

const TopFinding = ({ findings }: { readonly findings: readonly TileFinding[] }) => {
  const [first, ...rest] = gravestFirst(findings);
  if (first === undefined) return null;
  const mark = severityMark(first.severity);
  return (
    <span class={`tile-finding severity-${first.severity}`}>
      <span class="tile-code">
        <Shape mark={mark} />
        <span class="unheard">{mark.word} </span>
        <b>{first.code}</b>
        {rest.length > 0 && (
          <span class="others">
            +{rest.length}
            <span class="unheard"> more findings</span>
          </span>
        )}{' '}
        <ShortAge sinceMs={first.sinceMs} />
      </span>
      <span class="tile-more">
        <span class="clause">{clauseText(first.clause)}</span>
        {first.cardsAfterWarning > 0 && (
          <b class="after">{plural(first.cardsAfterWarning, 'card')} after</b>
        )}
        <Eyed finding={first} />
      </span>
    </span>
  );
};

const NotHeard = ({ tile }: { readonly tile: Tile }) => (
  <span class="tile-link">{linkText(tile, useServiceNow())}</span>
);

const Degradations = ({ tile }: { readonly tile: Tile }) => {
  const [first, ...rest] = tile.degraded;
  if (first === undefined) return null;
  return (
    <span class="tile-degraded">
      <Shape mark={{ tone: 'attend', shape: 'diamond', word: 'Degraded' }} />
      <span>
        {degradedText(first)}
        {rest.length > 0 && ` +${rest.length}`}
      </span>
    </span>
  );
};

interface TileProps {
  readonly tileKey: string;
  /** The one the Tab key leads to. */
  readonly isCurrent: boolean;
}

const TileLink = ({ tileKey, isCurrent }: TileProps) => {
  const { store } = useFloor();
  const tile = useTile(store, tileKey);
  if (tile === undefined) return null;
  const condition = conditionOf(tile);
  const isHeard = tile.link.state === 'online';
  const mark = tileMark(tile);
  return (
    <a
      class={`tile is-${condition}${isHeard ? '' : ' not-heard'}`}
      href={tableHash(tile.id)}
      data-key={tileKey}
      tabIndex={isCurrent ? 0 : -1}
    >
      <span class="tile-head">
        <b class="tile-name">{tile.id.table}</b>
        <span class="tile-mark">
          <Shape mark={mark} />
          {mark.word}
        </span>
      </span>
      <span class="tile-game">
        <span class="unheard">, </span>
        {tile.id.pit} · {gameText(tile)}
      </span>
      <span class="tile-phase">
        {tile.phase === null ? 'Phase not known' : plainWord(tile.phase)}
        {tile.gate === 'locked' && <span class="locked"> · gate locked</span>}
      </span>
      <CoverBar tile={tile} />
      {!isHeard && <NotHeard tile={tile} />}
      <TopFinding findings={tile.findings} />
      <Degradations tile={tile} />
    </a>
  );
};

/** One table of the wall. */
export const WallTile = memo(TileLink);
