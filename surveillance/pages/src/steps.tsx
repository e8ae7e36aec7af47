import type { StepLine } from '../../table-page/source.js';
import { ScrollBox } from './scroll-box.js';
import { timeText } from './words.js';

const TONE_WORDS: Readonly<Record<StepLine['tone'], string>> = {
  stop: 'Stop',
  hold: 'Hold',
  warn: 'Warning',
  info: 'Note',
  cleared: 'Cleared',
  plain: '',
  quiet: '',
};

interface StepsProps {
  readonly lines: readonly StepLine[];
  readonly linesMissed: boolean;
}

/** What happened last, newest on top. */
export const Steps = ({ lines, linesMissed }: StepsProps) => (
  <section class="panel steps" aria-labelledby="steps-title">
    <h2 id="steps-title">Last steps</h2>
    <ScrollBox labelledBy="steps-title">
      {lines.length === 0 && <p class="none">None yet.</p>}
      <ol reversed>
        {lines.toReversed().map((line, i) => (
          <li key={`${line.seq}.${lines.length - i}`} class={`line tone-${line.tone}`}>
            <time>{timeText(line.wallMs)}</time>
            <span>
              {TONE_WORDS[line.tone] !== '' && <strong class="tag">{TONE_WORDS[line.tone]}</strong>}
              {line.text.replaceAll(' -> ', ' → ')}
            </span>
          </li>
        ))}
      </ol>
      {linesMissed && (
        <p class="none">Earlier steps are in the journal; this page was away for too long.</p>
      )}
    </ScrollBox>
  </section>
);
