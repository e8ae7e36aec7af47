import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { PermittedKey } from '../../../controller/core/permitted.js';
import type { PressKey } from '../../../controller/core/press.js';
import type { PageFinding } from '../../table-page/message.js';
import { Entry } from './entry.js';
import { Shape } from './frame.js';
import { keyWord, questionsOf } from './key-words.js';
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
  /** Nobody has logged in: two people say who they are. */
  readonly isOpen: boolean;
}

/**
 * Digits press the keys in their order, Enter the next step, while nothing else has the focus.
 * Listening begins with the frame that shows the keys: a later one would lose a fast hand's first.
 */
const useShortcuts = (keys: readonly PermittedKey[], choose: (key: PermittedKey) => void): void => {
  const latest = useRef({ keys, choose });
  latest.current = { keys, choose };
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { target } = event;
      const isElsewhere = target instanceof HTMLElement && target.closest('input, .entry') !== null;
      if (isElsewhere || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
      const isOnControl = target instanceof HTMLElement && target.closest('a, button') !== null;
      const at = event.key === 'Enter' && !isOnControl ? 0 : Number(event.key) - 1;
      const pressed = latest.current.keys[at];
      if (pressed === undefined) return;
      event.preventDefault();
      latest.current.choose(pressed);
    };
    document.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('keydown', onKey);
    };
  }, []);
};

/** The keys that would be taken now. Which they are is the rules' word, not the page's. */
export const Keys = ({ title, keys, next, more, findings, pressing, isOpen }: KeysProps) => {
  const [asking, setAsking] = useState<PermittedKey | null>(null);
  const [isMore, setIsMore] = useState(false);
  const { press, isBusy, forget } = pressing;
  const choose = (offered: PermittedKey): void => {
    if (isBusy || asking !== null) return;
    if (questionsOf(offered, isOpen).length === 0) press(offered, {});
    else {
      forget();
      setAsking(offered);
    }
  };
  const back = useCallback(() => {
    setAsking(null);
  }, []);
  const first = keys.filter(({ key }) => key === next);
  const ordered = [...first, ...keys.filter(({ key }) => key !== next)];
  const shown = isMore ? more : ordered;
  useShortcuts(shown, choose);
  return (
    <section class="keys" aria-label={title}>
      <SaidLine pressing={pressing} />
      {asking === null ? (
        <div class={`key-grid${isMore ? ' key-grid-more' : ''}`}>
          {shown.map((offered, i) => (
            <KeyButton
              key={offered.key}
              offered={offered}
              isNext={!isMore && offered.key === next}
              shortcut={i < 9 ? String(i + 1) : null}
              isBusy={isBusy}
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
          pressed={asking}
          questions={questionsOf(asking, isOpen)}
          findings={findings}
          cancel={back}
          done={(given) => {
            setAsking(null);
            setIsMore(false);
            press(asking, given);
          }}
        />
      )}
    </section>
  );
};
