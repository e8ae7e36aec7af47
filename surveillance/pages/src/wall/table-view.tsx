import { useEffect, useState } from 'preact/hooks';
import type { ShoeSummary, Strip } from '../../../floor/api-table.js';
import {
  shoesAddress,
  tableAddress,
  type TableId,
  tableKey,
  type Tile,
} from '../../../floor/api.js';
import { Shape } from '../frame.js';
import { plainWord, plural, timeText } from '../words.js';
import { useAsked } from './ask.js';
import { useFloor, useServiceNow, useTile } from './floor-context.js';
import type { Route } from './route.js';
import { isDetail, isShoes } from './shapes.js';
import { Stepper } from './stepper.js';
import { ShoeStrip, StripKey } from './strip.js';
import { Holding, RowsEvidence, TableDuties, TableFindings, Voids } from './table-parts.js';
import { CoverBar } from './tile.js';
import { gameText, linkText, tileMark } from './tile-words.js';
import { useStrip } from './use-strip.js';
import { useSteps } from './use-steps.js';

const SHOES_MS = 20_000;
const DETAIL_MS = 5000;
/** The address follows the steps this much later, ms: browsers slow down pages that hurry it. */
const ADDRESS_MS = 400;
const ZOOMS = [1, 2, 4, 8] as const;

const TableHead = ({ tile }: { readonly tile: Tile }) => {
  const mark = tileMark(tile);
  const silent = linkText(tile, useServiceNow());
  return (
    <div class={tile.link.state === 'online' ? 'table-head' : 'table-head not-heard'}>
      <p class="back">
        <a href="#/wall">← Wall</a>
      </p>
      <h1>{tile.id.table}</h1>
      <p class="tile-mark">
        <Shape mark={mark} /> {mark.word}
      </p>
      <p>
        {tile.id.site} · {tile.id.pit} · {gameText(tile)}
      </p>
      <p>
        <b>{tile.phase === null ? 'Phase not known' : plainWord(tile.phase)}</b>
        {tile.shoe !== null && ` · shoe ${tile.shoe}, round ${tile.round ?? '?'}`}
        {tile.dealer !== null && ` · dealer ${tile.dealer}`}
        {tile.gate !== null && ` · gate ${tile.gate}`}
      </p>
      {silent !== '' && <p class="tile-link">{silent}: what is shown is the last that was heard</p>}
      <CoverBar tile={tile} />
    </div>
  );
};

const shoeText = (shoe: ShoeSummary): string =>
  [
    `Shoe ${shoe.shoe}`,
    shoe.isOpen ? 'in play' : timeText(shoe.fromMs),
    plural(shoe.rounds, 'round'),
    shoe.findings === 0 ? 'no finding' : plural(shoe.findings, 'finding'),
  ].join(' · ');

interface ShoePanelProps {
  readonly shoes: readonly ShoeSummary[];
  readonly shoe: number | null;
  readonly strip: Strip | null;
  readonly error: string;
  readonly seq: number;
  readonly seek: (seq: number) => void;
  readonly choose: (shoe: number | null) => void;
}

const ShoePanel = ({ shoes, shoe, strip, error, seq, seek, choose }: ShoePanelProps) => {
  const [zoom, setZoom] = useState<(typeof ZOOMS)[number]>(1);
  return (
    <section class="panel shoe-panel" aria-labelledby="shoe-title">
      <div class="stepper-bar">
        <h2 id="shoe-title">The shoe</h2>
        <label>
          <span class="unheard">Which shoe</span>
          <select
            value={String(shoe ?? '')}
            onChange={({ currentTarget }) => {
              const chosen = shoes.find((one) => String(one.shoe) === currentTarget.value);
              choose(chosen === undefined || chosen.isOpen ? null : chosen.shoe);
            }}
          >
            {shoes.every((one) => one.shoe !== shoe) && (
              <option value={String(shoe ?? '')}>Shoe {shoe ?? 'not known'}</option>
            )}
            {shoes.map((one) => (
              <option key={one.shoe} value={String(one.shoe)}>
                {shoeText(one)}
              </option>
            ))}
          </select>
        </label>
        <p class="buttons" role="group" aria-label="Zoom">
          {ZOOMS.map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={one === zoom}
              onClick={() => {
                setZoom(one);
              }}
            >
              ×{one}
            </button>
          ))}
        </p>
        <StripKey />
      </div>
      {error !== '' && <p class="refused">{error}</p>}
      {strip === null ? (
        <p class="none strip-wait">{error === '' ? 'Fetching the shoe…' : ''}</p>
      ) : (
        <ShoeStrip strip={strip} seq={seq} zoom={zoom} seek={seek} />
      )}
    </section>
  );
};

/** The row of the finding before or after a row; null where there is none. */
const findingRow = (strip: Strip | null, seq: number, by: -1 | 1): number | null => {
  const rows = (strip?.marks ?? []).filter(({ kind }) => kind === 'raised').map((mark) => mark.seq);
  const found = by < 0 ? rows.findLast((row) => row < seq) : rows.find((row) => row > seq);
  return found ?? null;
};

interface TableViewProps {
  readonly id: TableId;
  readonly shoe: number | null;
  readonly seq: number | null;
  readonly replace: (route: Route) => void;
}

const useAddress = ({ id, shoe, seq, replace }: TableViewProps): void => {
  const key = tableKey(id);
  useEffect(() => {
    const timer = window.setTimeout(() => {
      replace({ page: 'table', id, shoe, seq });
    }, ADDRESS_MS);
    return () => {
      window.clearTimeout(timer);
    };
    // `id` is a new object with every address; its key says whether it is another table.
  }, [key, shoe, seq]);
};

/** The shoe a row lies in, of those that are known. */
const shoeOfRow = (shoes: readonly ShoeSummary[], seq: number): ShoeSummary | undefined =>
  shoes.find(({ fromSeq, toSeq, isOpen }) => seq >= fromSeq && (isOpen || seq <= toSeq));

const Known = ({ tile, ...given }: TableViewProps & { readonly tile: Tile }) => {
  const { store } = useFloor();
  const [chosen, setChosen] = useState<{ shoe: number | null; seq: number | null }>(given);
  useEffect(() => {
    setChosen({ shoe: given.shoe, seq: given.seq });
  }, [tile.key, given.shoe, given.seq]);
  useAddress({ ...given, ...chosen });
  const shoes = useAsked(shoesAddress(tile.id), isShoes, SHOES_MS).value ?? [];
  const detail = useAsked(tableAddress(tile.id), isDetail, DETAIL_MS).value;
  const shoe = chosen.shoe ?? tile.shoe;
  const { strip, error } = useStrip(store, tile.key, shoe);
  const past = shoes.find((one) => one.shoe === chosen.shoe);
  const newest = past?.toSeq ?? tile.holding.seq;
  const seq = chosen.seq ?? Math.max(1, newest);
  const seen = useSteps(tile.key, seq);
  const seek = (to: number): void => {
    const of = shoeOfRow(shoes, to);
    const next = of === undefined ? chosen.shoe : of.isOpen ? null : of.shoe;
    setChosen({ shoe: next, seq: Math.max(1, to) });
  };
  const moves = {
    back: () => {
      if (seq > Math.max(1, seen.firstSeq)) seek(seq - 1);
    },
    forward: () => {
      if (seen.lastSeq === 0 || seq < seen.lastSeq) seek(seq + 1);
    },
    finding: (by: -1 | 1) => {
      const row = findingRow(strip, seq, by);
      if (row !== null) seek(row);
    },
    newest: () => {
      setChosen({ ...chosen, seq: null });
    },
  };
  const choose = (next: number | null): void => {
    setChosen({ shoe: next, seq: null });
  };
  return (
    <main id="main" class="table" tabIndex={-1}>
      <TableHead tile={tile} />
      <ShoePanel {...{ shoes, shoe, strip, error, seq, seek, choose }} />
      <div class="table-main">
        <Stepper
          seen={seen}
          seq={seq}
          isFollowing={chosen.seq === null}
          seek={seek}
          moves={moves}
        />
        <div class="table-under">
          <Voids tile={tile} seek={seek} />
          <RowsEvidence
            key={past?.shoe ?? ''}
            tile={tile}
            from={past?.fromSeq ?? strip?.marks[0]?.seq ?? 1}
            to={Math.max(1, newest)}
          />
          <Holding tile={tile} detail={detail} />
        </div>
      </div>
      <div class="table-side">
        <TableFindings tile={tile} seek={seek} />
        {detail !== null && <TableDuties detail={detail} />}
      </div>
    </main>
  );
};

/** One table: its shoes, card by card, and what was seen. */
export const TableView = (props: TableViewProps) => {
  const { store } = useFloor();
  const tile = useTile(store, tableKey(props.id));
  if (tile !== undefined) return <Known key={tile.key} {...props} tile={tile} />;
  return (
    <main id="main" class="waiting" tabIndex={-1}>
      <h1>{props.id.table}</h1>
      <p>
        {store.state.link === 'waiting'
          ? 'Connecting…'
          : 'The floor service knows no table of this name.'}
      </p>
      <p>
        <a href="#/wall">← Wall</a>
      </p>
    </main>
  );
};
