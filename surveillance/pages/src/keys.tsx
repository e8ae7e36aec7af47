import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { PermittedKey } from '../../../controller/core/permitted.js';
import type { PressKey } from '../../../controller/core/press.js';
import type { PageFinding } from '../../table-page/message.js';
import { Entry } from './entry.js';
import { Shape } from './frame.js';
import { keyWord } from './key-words.js';
import type { Asking } from './use-asking.js';
import type { Pressing, Said } from './use-press.js';
import type { Mark } from './words.js';

const SAID_MARKS: Readonly<Record<Said['tone'], Mark>> = {
  taken: { tone: 'go', shape: 'circle', word: 'Taken' },
  found: { tone: 'attend', shape: 'triangle', word: 'Found' },
  refused: { tone: 'stop', shape: 'square', word: 'Refused' },
};

/** What came of the last press; a refusal is read out at once. */
export const SaidLine = ({ pressing }: { readonly pressing: Pressing }) => {
  const { said, isBusy } = pressing;
  return (
    <p
      class={`said said-${said?.tone ?? 'none'}`}
      role={said === null || said.tone === 'taken' ? 'status' : 'alert'}
    >
      {isBusy && said === null && 'Pressed…'}
      {said !== null && (
        <>
          <Shape mark={SAID_MARKS[said.tone]} /> {said.text}
        </>
      )}
    </p>
  );
};

interface KeyButtonProps {
  readonly offered: PermittedKey;
  readonly isNext: boolean;
  readonly shortcut: string | null;
  readonly isBusy: boolean;
  readonly choose: (key: PermittedKey) => void;
}

const KeyButton = ({ offered, isNext, shortcut, isBusy, choose }: KeyButtonProps) => {
  const { key, departs, asks } = offered;
  return (
    <button
      type="button"
      class={`key${isNext ? ' key-next' : ''}${departs.length > 0 ? ' key-departs' : ''}`}
      aria-disabled={isBusy}
      aria-keyshortcuts={shortcut ?? undefined}
      onClick={() => {
        if (!isBusy) choose(offered);
      }}
    >
      <span class="key-word">
        {keyWord(key)}
        {asks.length > 0 && ' …'}
      </span>
      {departs.length > 0 && <span class="key-note">found as {departs.join(', ')}</span>}
      {shortcut !== null && (
        <kbd class="shortcut" aria-hidden="true">
          {shortcut}
        </kbd>
      )}
    </button>
  );
};

interface KeysProps {
  readonly title: string;
  readonly keys: readonly PermittedKey[];
  /** The key of the step that is shown; null: none. */
  readonly next: PressKey | null;
  /** Rare keys, and what would be a departure: shown when asked for. */
  readonly more: readonly PermittedKey[];
  readonly findings: readonly PageFinding[];
  readonly pressing: Pressing;
  readonly asking: Asking;
  /** Whether digits and Enter press: not where a key is an order that nobody gives in passing. */
  readonly hasShortcuts: boolean;
}

interface Shortcuts {
  /** What Enter presses: the step's key and nothing else; null: nothing. */
  readonly step: PermittedKey | null;
  /** What the digits press, in order. */
  readonly digits: readonly PermittedKey[];
  readonly choose: (key: PermittedKey) => void;
}

/**
 * Digits press the keys in their order, Enter the next step, while nothing else has the focus.
 * Listening begins with the frame that shows the keys: a later one would lose a fast hand's first.
 */
const useShortcuts = (shortcuts: Shortcuts): void => {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { target } = event;
      const isElsewhere = target instanceof HTMLElement && target.closest('input, .entry') !== null;
      if (isElsewhere || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
      const isOnControl = target instanceof HTMLElement && target.closest('a, button') !== null;
      const { step, digits, choose } = latest.current;
      const pressed =
        event.key === 'Enter' ? (isOnControl ? null : step) : digits[Number(event.key) - 1];
      if (pressed === undefined || pressed === null) return;
      event.preventDefault();
      choose(pressed);
    };
    document.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('keydown', onKey);
    };
  }, []);
};

/** Digits there are keys for. */
const DIGITS = 9;

/** The keys that would be taken now. Which they are is the rules' word, not the page's. */
export const Keys = (props: KeysProps) => {
  const { title, keys, next, more, findings, pressing, asking, hasShortcuts } = props;
  const [isMore, setIsMore] = useState(false);
  const choose = (offered: PermittedKey): void => {
    asking.choose(offered);
  };
  const step = keys.find(({ key }) => key === next) ?? null;
  const ordered = [...(step === null ? [] : [step]), ...keys.filter((key) => key !== step)];
  const shown = isMore ? more : ordered;
  const digits = hasShortcuts ? shown.slice(0, DIGITS) : [];
  const isAsked = asking.offered !== null;
  useShortcuts({
    step: isMore || isAsked || !hasShortcuts ? null : step,
    digits: isAsked ? [] : digits,
    choose,
  });
  return (
    <section class="keys" aria-label={title}>
      <SaidLine pressing={pressing} />
      {asking.offered === null || asking.at !== null ? (
        <div class={`key-grid${isMore ? ' key-grid-more' : ''}`}>
          {shown.map((offered, i) => (
            <KeyButton
              key={offered.key}
              offered={offered}
              isNext={!isMore && offered === step}
              shortcut={i < digits.length ? String(i + 1) : null}
              isBusy={pressing.isBusy}
              choose={choose}
            />
          ))}
          {shown.length === 0 && <p class="none">Nothing to press now.</p>}
          {more.length > 0 && (
            <button
              key="more"
              type="button"
              class="key key-more"
              aria-expanded={isMore}
              onClick={() => {
                setIsMore(!isMore);
              }}
            >
              {isMore ? 'Back to the step' : 'Other keys'}
            </button>
          )}
        </div>
      ) : (
        <Entry
          pressed={asking.offered}
          questions={asking.questions}
          findings={findings}
          cancel={asking.back}
          done={(given) => {
            setIsMore(false);
            asking.done(given);
          }}
        />
      )}
    </section>
  );
};
