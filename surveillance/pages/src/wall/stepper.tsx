import { useEffect, useRef } from 'preact/hooks';
import type { SeenState, SeenStep } from '../../../floor/api-table.js';
import { Shape } from '../frame.js';
import { clauseText, plainWord, plural, severityMark, towerMark } from '../words.js';
import type { Seen } from './use-steps.js';

/** `14:03:12.250` of a wall time, UTC. */
export const preciseTime = (wallMs: number): string => new Date(wallMs).toISOString().slice(11, 23);

const DealerSaw = ({ state }: { readonly state: SeenState }) => {
  const mark = towerMark(state.tower);
  return (
    <section class="saw dealer-saw" aria-label="The dealer's display">
      <h3>Dealer saw</h3>
      {state.dealer === null ? (
        <p class="none">Nothing was shown.</p>
      ) : (
        <>
          <p class="saw-line1">{state.dealer.line1}</p>
          {state.dealer.line2 !== '' && <p>{state.dealer.line2}</p>}
          <p class="clause">{clauseText(state.dealer.clause)}</p>
        </>
      )}
      <p class="saw-outputs">
        <span>
          <Shape mark={mark} /> {mark.word}
        </span>
        <span>Gate {state.gate}</span>
      </p>
    </section>
  );
};

type FloorFinding = SeenState['floor'][number];

const SeenFinding = ({ finding }: { readonly finding: FloorFinding }) => {
  const mark = severityMark(finding.severity);
  return (
    <li>
      <p>
        <Shape mark={mark} /> {mark.word} <b>{finding.code}</b>{' '}
        <span class="clause">{clauseText(finding.clause)}</span>
      </p>
      <p>{finding.observed}</p>
      <p>
        <b>{finding.remedy}</b>
      </p>
      {finding.cardsAfterWarning > 0 && (
        <p class="after">{plural(finding.cardsAfterWarning, 'card')} after the warning</p>
      )}
      {finding.acknowledgedAtTable !== null && <p>Acknowledged by {finding.acknowledgedAtTable}</p>}
    </li>
  );
};

const FloorSaw = ({ state }: { readonly state: SeenState }) => (
  <section class="saw" aria-label="The floor's page">
    <h3>Floor saw</h3>
    <p>
      {plainWord(state.phase)} · {plural(state.floor.length, 'open finding')}
    </p>
    <ul class="saw-findings">
      {state.floor.map((finding) => (
        <SeenFinding key={finding.id} finding={finding} />
      ))}
    </ul>
  </section>
);

const SurveillanceSaw = ({ state }: { readonly state: SeenState }) => (
  <section class="saw" aria-label="What surveillance was told">
    <h3>Surveillance saw</h3>
    <p>
      Shoe {state.shoe}, round {state.round} · {plural(state.out, 'card')} out,{' '}
      {state.left === null ? 'not known how many are left' : `${state.left} left`}
    </p>
    <ul>
      {state.surveillance.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
    {state.surveillance.length === 0 && <p class="none">This row told it nothing new.</p>}
  </section>
);

const Row = ({ step }: { readonly step: SeenStep }) => (
  <>
    <p class="row-head">
      <b>{step.text}</b>
      <span>
        Row {step.seq} · <code>{step.kind}</code> · <time>{preciseTime(step.atMs)}</time> UTC
        {!step.wallTrusted && <span class="untrusted"> clock not synchronised</span>}
        {step.historical && <span class="untrusted"> sent late</span>}
      </span>
    </p>
    {step.state === null ? (
      <p class="refused">
        What was shown after this row cannot be told: a row before it is not held, or is no sound
        step.
      </p>
    ) : (
      <div class="saws">
        <DealerSaw state={step.state} />
        <FloorSaw state={step.state} />
        <SurveillanceSaw state={step.state} />
      </div>
    )}
  </>
);

interface NearProps {
  readonly seen: Seen;
  readonly seq: number;
  readonly seek: (seq: number) => void;
}

/** The rows around the one that is looked at. */
const Near = ({ seen, seq, seek }: NearProps) => {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const current = list.current?.querySelector<HTMLElement>('[aria-current]');
    const box = list.current;
    if (current == null || box === null) return;
    box.scrollTop = current.offsetTop - box.offsetTop - box.clientHeight / 2;
  }, [seq, seen.near.length]);
  return (
    <ol class="near" ref={list} tabIndex={0} aria-label="Rows around it">
      {seen.near.map((step) => (
        <li key={step.seq}>
          <button
            type="button"
            class="plain"
            tabIndex={-1}
            aria-current={step.seq === seq ? 'step' : undefined}
            onClick={() => {
              seek(step.seq);
            }}
          >
            <time>{preciseTime(step.atMs)}</time> {step.text}
          </button>
        </li>
      ))}
    </ol>
  );
};

export interface StepMoves {
  readonly back: () => void;
  readonly forward: () => void;
  readonly finding: (by: -1 | 1) => void;
  readonly newest: () => void;
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.closest('input, select, textarea, dialog, [role="slider"]') !== null;

/** Arrow keys walk the rows wherever the focus is; with Shift, from finding to finding. */
const useStepKeys = (moves: StepMoves): void => {
  const now = useRef(moves);
  now.current = moves;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isOther = event.ctrlKey || event.altKey || event.metaKey || isTyping(event.target);
      if (isOther || (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight')) return;
      event.preventDefault();
      const isBack = event.key === 'ArrowLeft';
      if (event.shiftKey) now.current.finding(isBack ? -1 : 1);
      else if (isBack) now.current.back();
      else now.current.forward();
    };
    document.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('keydown', onKey);
    };
  }, []);
};

interface StepperProps {
  readonly seen: Seen;
  readonly seq: number;
  /** The newest row is followed. */
  readonly isFollowing: boolean;
  readonly seek: (seq: number) => void;
  readonly moves: StepMoves;
}

/** One row after the other, backwards and forwards, with what each role saw. */
export const Stepper = ({ seen, seq, isFollowing, seek, moves }: StepperProps) => {
  useStepKeys(moves);
  return (
    <section class="panel stepper" aria-labelledby="stepper-title">
      <div class="stepper-bar">
        <h2 id="stepper-title">Step by step</h2>
        <p class="buttons">
          <button
            type="button"
            onClick={() => {
              moves.finding(-1);
            }}
          >
            ◀◀<span class="unheard"> Before:</span> Finding
          </button>
          <button type="button" onClick={moves.back} disabled={seq <= Math.max(1, seen.firstSeq)}>
            ◀ Back
          </button>
          <button
            type="button"
            onClick={moves.forward}
            disabled={seen.lastSeq !== 0 && seq >= seen.lastSeq}
          >
            Forward ▶
          </button>
          <button
            type="button"
            onClick={() => {
              moves.finding(1);
            }}
          >
            <span class="unheard">Next: </span>Finding ▶▶
          </button>
          <button type="button" aria-pressed={isFollowing} onClick={moves.newest}>
            Newest
          </button>
        </p>
        <p class="none keys">Keys: ← → a row, with Shift a finding</p>
      </div>
      <div class="stepper-body">
        <div class="row" aria-live="polite">
          {seen.step !== null && <Row step={seen.step} />}
          {seen.isMissing && (
            <p class="refused">Row {seq} is missing here. What it says, nobody can tell.</p>
          )}
          {seen.error !== '' && <p class="refused">{seen.error}</p>}
          {seen.step === null && !seen.isMissing && seen.error === '' && (
            <p class="none">Fetching row {seq}…</p>
          )}
        </div>
        <Near seen={seen} seq={seq} seek={seek} />
      </div>
    </section>
  );
};
