import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { PageFinding } from '../../table-page/message.js';
import { choiceWord, type Question } from './key-words.js';

/** Longest number keyed in, digits; a stack has at most 624 cards. */
const DIGITS_MAX = 4;
const TEXT_MAX = 32;
const DIGITS = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '0'] as const;

export interface PadProps {
  readonly field: Question;
  readonly findings: readonly PageFinding[];
  /** null: left out. */
  readonly give: (value: string | number | boolean | null) => void;
}

/**
 * Keys on a keyboard while a pad is open: the character, or the key's name. Listening, and the
 * focus below, come with the frame that shows the pad: after it, a fast hand's first digit is lost.
 */
const useKeys = (take: (key: string) => boolean): void => {
  const latest = useRef(take);
  latest.current = take;
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      if (latest.current(event.key)) event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('keydown', onKey);
    };
  }, []);
};

/** The pad, not its first button: Enter pressed twice must not give an answer nobody chose. */
const useFocus = (name: string): RefObject<HTMLDivElement | null> => {
  const pad = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => pad.current?.focus(), [name]);
  return pad;
};

const LeaveOut = ({ field, give }: Pick<PadProps, 'field' | 'give'>) =>
  field.isOptional ? (
    <button
      type="button"
      class="key key-leave"
      onClick={() => {
        give(null);
      }}
    >
      Leave it out
    </button>
  ) : null;

/** One button a choice; ranks and seats by their own key on a keyboard too. */
const ChoicePad = ({ field, findings, give }: PadProps) => {
  const pad = useFocus(field.name);
  useKeys((key) => {
    if (field.name !== 'rank') return false;
    const rank = { '1': 'A', '0': 'T' }[key] ?? key.toUpperCase();
    if (!field.choices.includes(rank)) return false;
    give(rank);
    return true;
  });
  return (
    <div ref={pad} tabIndex={-1} class={`pad pad-choice pad-${field.name}`}>
      {field.choices.map((choice) => (
        <button
          key={choice}
          type="button"
          class="key"
          onClick={() => {
            give(choice);
          }}
        >
          {choiceWord(field, choice, findings)}
        </button>
      ))}
      <LeaveOut field={field} give={give} />
    </div>
  );
};

const NumberPad = ({ field, give }: PadProps) => {
  const [digits, setDigits] = useState('');
  const shown = useRef<HTMLOutputElement>(null);
  useLayoutEffect(() => shown.current?.focus(), [field.name]);
  const type = (digit: string): void => {
    setDigits((before) => `${before}${digit}`.slice(0, DIGITS_MAX));
  };
  const done = (): void => {
    if (digits !== '') give(Number(digits));
  };
  useKeys((key) => {
    if (/^\d$/.test(key)) type(key);
    else if (key === 'Backspace') setDigits((before) => before.slice(0, -1));
    // A button that has the focus is pressed by Enter itself.
    else if (key === 'Enter' && !(document.activeElement instanceof HTMLButtonElement)) done();
    else return false;
    return true;
  });
  return (
    <div class="pad pad-number">
      <output ref={shown} tabIndex={-1} aria-live="polite">
        {digits === '' ? <span class="none">No number yet</span> : digits}
      </output>
      {DIGITS.map((digit) => (
        <button
          key={digit}
          type="button"
          class="key"
          onClick={() => {
            type(digit);
          }}
        >
          {digit}
        </button>
      ))}
      <button
        type="button"
        class="key key-erase"
        onClick={() => {
          setDigits('');
        }}
      >
        Erase
      </button>
      <button type="button" class="key key-next" disabled={digits === ''} onClick={done}>
        Enter
      </button>
      <LeaveOut field={field} give={give} />
    </div>
  );
};

const TextPad = ({ field, give }: PadProps) => {
  const [text, setText] = useState('');
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => input.current?.focus(), [field.name]);
  return (
    <form
      class="pad pad-text"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '') give(text.trim());
      }}
    >
      <input
        ref={input}
        aria-labelledby="entry-title"
        value={text}
        maxLength={TEXT_MAX}
        autocomplete="off"
        onInput={(event) => {
          setText(event.currentTarget.value);
        }}
      />
      <button type="submit" class="key key-next" disabled={text.trim() === ''}>
        Enter
      </button>
      <LeaveOut field={field} give={give} />
    </form>
  );
};

const YesNoPad = ({ field, give }: PadProps) => {
  const pad = useFocus(field.name);
  return (
    <div ref={pad} tabIndex={-1} class="pad pad-choice">
      {[true, false].map((answer) => (
        <button
          key={String(answer)}
          type="button"
          class="key"
          onClick={() => {
            give(answer);
          }}
        >
          {answer ? 'Yes' : 'No'}
        </button>
      ))}
    </div>
  );
};

interface SurePadProps extends Pick<PadProps, 'give'> {
  readonly ends: string;
  /** What is confirmed, as it stands on the key. */
  readonly word: string;
  readonly cancel: () => void;
}

/** Enter says neither yes nor no: whoever means it goes to the answer. */
const SurePad = ({ ends, word, give, cancel }: SurePadProps) => {
  const pad = useFocus('sure');
  return (
    <div ref={pad} tabIndex={-1} class="pad pad-sure">
      <p>{ends}</p>
      <button
        type="button"
        class="key key-departs"
        onClick={() => {
          give(true);
        }}
      >
        Yes: {word}
      </button>
      <button type="button" class="key" onClick={cancel}>
        No
      </button>
    </div>
  );
};

/** Where one value of a key is given. */
export const Pad = (props: PadProps & Pick<SurePadProps, 'word' | 'cancel'>) => {
  switch (props.field.kind) {
    case 'sure':
      return <SurePad {...props} ends={props.field.ends} />;
    case 'choice':
      return <ChoicePad {...props} />;
    case 'number':
      return <NumberPad {...props} />;
    case 'text':
      return <TextPad {...props} />;
    case 'yes-no':
      return <YesNoPad {...props} />;
  }
};
