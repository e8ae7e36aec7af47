import type { PageView } from '../../table-page/message.js';
import { Shape } from './frame.js';
import { clauseText, plainWord, towerMark } from './words.js';

/** Long instructions in smaller letters, so that the whole always shows. */
const sizeOf = (text: string): string => {
  if (text.length <= 16) return 'short';
  if (text.length <= 34) return 'medium';
  return text.length <= 60 ? 'long' : 'extra';
};

const Lock = ({ isLocked }: { readonly isLocked: boolean }) => (
  <svg class="lock" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
    <rect x="2.5" y="7" width="11" height="8" rx="1.5" />
    <path d={isLocked ? 'M5 7V4.5a3 3 0 0 1 6 0V7' : 'M5 7V4.5a3 3 0 0 1 5.8-1'} />
  </svg>
);

/** The shoe's gate and the tower light, each in words. */
export const Outputs = ({ view }: { readonly view: PageView }) => {
  const mark = towerMark(view.tower);
  return (
    <ul class="outputs" aria-label="Outputs">
      <li class={view.tower?.light === 'blink' ? 'tower blink' : 'tower'}>
        <Shape mark={mark} />
        {mark.word}
      </li>
      <li class={`gate gate-${view.gate}`}>
        <Lock isLocked={view.gate === 'locked'} />
        Gate {view.gate}
      </li>
    </ul>
  );
};

/** The one next step, as the dealer's display shows it. */
export const NextStep = ({ view }: { readonly view: PageView }) => {
  const { display, phase, tower } = view;
  const line1 = display?.line1 ?? plainWord(phase);
  return (
    <section class={`step tone-${towerMark(tower).tone}`} aria-labelledby="step-line">
      <p class="phase">
        <span class="label">Phase</span> <strong>{plainWord(phase)}</strong>
      </p>
      <div class="lines" aria-live="polite" aria-atomic="true">
        <h1 id="step-line" class={`line1 ${sizeOf(line1)}`}>
          {line1}
        </h1>
        {display !== null && display.line2 !== '' && <p class="line2">{display.line2}</p>}
      </div>
      <p class="clause">{clauseText(display?.clause ?? '')}</p>
      <Outputs view={view} />
    </section>
  );
};
