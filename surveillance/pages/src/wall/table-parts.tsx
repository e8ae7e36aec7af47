import { useState } from 'preact/hooks';
import type { TableDetail } from '../../../floor/api-table.js';
import { type Tile, voidsAddress } from '../../../floor/api.js';
import { Shape } from '../frame.js';
import {
  ageText,
  clauseText,
  dutyMark,
  levelText,
  plainWord,
  plural,
  severityMark,
  timeText,
} from '../words.js';
import { Acknowledge } from './acknowledge.js';
import { useAsked } from './ask.js';
import { EvidenceLink, ProofNote } from './evidence.js';
import { rowOfFinding } from './proof.js';
import { isVoids } from './shapes.js';
import { Age } from './tile.js';
import { degradedText, gravestFirst } from './tile-words.js';

/** Voided rounds are asked for anew so often, ms. */
const VOIDS_MS = 30_000;

interface SeekProps {
  readonly tile: Tile;
  readonly seek: (seq: number) => void;
}

/** Open findings of one table. */
export const TableFindings = ({ tile, seek }: SeekProps) => {
  const [done, setDone] = useState<ReadonlyMap<string, Tile['findings'][number]['acknowledged']>>(
    new Map(),
  );
  return (
    <section class="panel" aria-labelledby="findings-title">
      <h2 id="findings-title">
        Open findings <span class="number">{tile.findings.length}</span>
      </h2>
      {tile.findings.length === 0 && <p class="none">None. The table follows its procedure.</p>}
      <ul class="finding-list">
        {gravestFirst(tile.findings).map((finding) => {
          const mark = severityMark(finding.severity);
          return (
            <li key={finding.id} class={`finding tone-${mark.tone} severity-${finding.severity}`}>
              <p class="finding-head">
                <span class="severity">
                  <Shape mark={mark} /> {mark.word}
                </span>
                <b>{finding.code}</b>
                <span class="clause">{clauseText(finding.clause)}</span>
                <Age sinceMs={finding.sinceMs} />
              </p>
              <p>{finding.observed}</p>
              <p class="remedy">{finding.remedy}</p>
              {finding.cardsAfterWarning > 0 && (
                <p class="after">{plural(finding.cardsAfterWarning, 'card')} after the warning</p>
              )}
              {finding.escalation > 0 && <p class="level">{levelText(finding.escalation)}</p>}
              <p class="buttons">
                <Acknowledge
                  table={tile.key}
                  id={finding.id}
                  code={finding.code}
                  acknowledged={finding.acknowledged ?? done.get(finding.id) ?? null}
                  done={(alert) => {
                    setDone((last) => new Map(last).set(finding.id, alert.acknowledged));
                  }}
                />
                <button
                  type="button"
                  onClick={() => {
                    seek(rowOfFinding(finding.id));
                  }}
                >
                  Step through<span class="unheard"> {finding.code}</span>
                </button>
                <EvidenceLink
                  id={tile.id}
                  of={{ finding: finding.id }}
                  about={finding.code}
                  row={rowOfFinding(finding.id)}
                />
              </p>
            </li>
          );
        })}
      </ul>
    </section>
  );
};

/** Rounds that were voided, the newest first. */
export const Voids = ({ tile, seek }: SeekProps) => {
  const { value, error } = useAsked(voidsAddress(tile.id), isVoids, VOIDS_MS);
  return (
    <section class="panel" aria-labelledby="voids-title">
      <h2 id="voids-title">Voided rounds</h2>
      {error !== '' && <p class="refused">{error}</p>}
      {value?.length === 0 && <p class="none">None.</p>}
      <ul class="plain-list">
        {(value ?? []).map((one) => (
          <li key={one.seq}>
            <p>
              Shoe {one.shoe}, round {one.round} · {plural(one.cards, 'card')} · {one.by} ·{' '}
              <time>{timeText(one.atMs)}</time>
              {one.findings.length > 0 && ` · ${one.findings.map(({ code }) => code).join(', ')}`}
            </p>
            <p class="buttons">
              <button
                type="button"
                onClick={() => {
                  seek(one.seq);
                }}
              >
                Step through
                <span class="unheard">
                  {' '}
                  shoe {one.shoe}, round {one.round}
                </span>
              </button>
              <EvidenceLink
                id={tile.id}
                of={{ round: `${one.shoe}.${one.round}` }}
                about={`shoe ${one.shoe}, round ${one.round}`}
                row={one.seq}
              />
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
};

/** Duties of the shoe in play, and how their fulfilment is known. */
export const TableDuties = ({ detail }: { readonly detail: TableDetail }) => (
  <section class="panel" aria-labelledby="duties-title">
    <h2 id="duties-title">Duties of this shoe</h2>
    {detail.duties.length === 0 && <p class="none">None yet.</p>}
    <ul class="plain-list duties-list">
      {detail.duties.map((duty) => {
        const mark = dutyMark({ ...duty, detail: duty.detail ?? '', isWatched: true });
        return (
          <li key={duty.duty}>
            <span>
              <Shape mark={mark} /> {plainWord(duty.duty)}{' '}
              <span class="clause">{clauseText(duty.clause)}</span>
            </span>
            <span>
              {mark.word}, {duty.evidence}
            </span>
          </li>
        );
      })}
    </ul>
  </section>
);

const gapsText = ({ holding }: Tile): string =>
  holding.gaps.map(({ from, to }) => `${from}-${to}`).join(', ') +
  (holding.gapsMore ? ' and more' : '');

/** What the historian holds of the table, and what is wrong with it or its devices. */
export const Holding = ({
  tile,
  detail,
}: {
  readonly tile: Tile;
  readonly detail: TableDetail | null;
}) => (
  <section class="panel" aria-labelledby="holding-title">
    <h2 id="holding-title">What is held, and how the box is</h2>
    <dl class="pairs">
      <dt>Rows held</dt>
      <dd>
        {tile.holding.seq} of {tile.holding.newest ?? 'not known'}
        {tile.holding.gaps.length > 0 && <span class="warned"> · missing {gapsText(tile)}</span>}
      </dd>
      {detail?.checkpoint != null && (
        <>
          <dt>Checkpoint</dt>
          <dd>
            row {detail.checkpoint.seq},{' '}
            {detail.checkpoint.agrees === null
              ? 'not compared yet'
              : detail.checkpoint.agrees
                ? 'agrees'
                : 'DOES NOT AGREE'}
          </dd>
        </>
      )}
      {detail?.health != null && (
        <>
          <dt>Up for</dt>
          <dd>{ageText(detail.health.uptimeS * 1000)}</dd>
          <dt>Not yet sent</dt>
          <dd>{plural(detail.health.queued, 'row')}</dd>
          <dt>Temperature</dt>
          <dd>
            {detail.health.temperatureC === null
              ? 'not known'
              : `${Math.round(detail.health.temperatureC)} °C`}
          </dd>
        </>
      )}
      <dt>Cameras</dt>
      <dd>{tile.cameras.length === 0 ? 'none named' : tile.cameras.join(', ')}</dd>
    </dl>
    <ul class="warned">
      {tile.degraded.map((one) => (
        <li key={JSON.stringify(one)}>
          <Shape mark={{ tone: 'attend', shape: 'diamond', word: 'Degraded' }} />{' '}
          {degradedText(one)}
        </li>
      ))}
      {(detail?.forks ?? []).map(({ seq, hashes }) => (
        <li key={seq}>
          Row {seq} came with {hashes.length} different hashes; all are kept.
        </li>
      ))}
    </ul>
  </section>
);

/** Evidence of any rows. */
export const RowsEvidence = ({
  tile,
  from,
  to,
}: {
  readonly tile: Tile;
  readonly from: number;
  readonly to: number;
}) => {
  const [range, setRange] = useState<{ from: string; to: string } | null>(null);
  const now = range ?? { from: String(from), to: String(to) };
  const field = (name: 'from' | 'to', text: string) => (
    <label>
      {text}
      <input
        type="number"
        min={1}
        value={now[name]}
        onInput={({ currentTarget }) => {
          setRange({ ...now, [name]: currentTarget.value });
        }}
      />
    </label>
  );
  return (
    <section class="panel" aria-labelledby="evidence-title">
      <h2 id="evidence-title">Evidence bundle</h2>
      <p class="rows-evidence">
        {field('from', 'Rows')}
        {field('to', 'to')}
        <EvidenceLink
          id={tile.id}
          of={now}
          about={`rows ${now.from} to ${now.to}`}
          row={Number(now.to)}
        />
      </p>
      <ProofNote tile={tile} row={Number(now.to)} />
    </section>
  );
};
