import { useLayoutEffect, useState } from 'preact/hooks';
import type { PermittedKey } from '../../../controller/core/permitted.js';
import type { PageFinding } from '../../table-page/message.js';
import { fieldWord, type Given, keyWord, type Question } from './key-words.js';
import { Pad } from './pads.js';

interface EntryProps {
  readonly pressed: PermittedKey;
  readonly questions: readonly Question[];
  readonly findings: readonly PageFinding[];
  readonly done: (given: Given) => void;
  readonly cancel: () => void;
}

/** What a key asks for, one question after the other. Escape goes back to the keys. */
export const Entry = ({ pressed, questions, findings, done, cancel }: EntryProps) => {
  const [given, setGiven] = useState<Given>({});
  const [at, setAt] = useState(0);
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') cancel();
    };
    document.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('keydown', onKey);
    };
  }, [cancel]);
  const field = questions[at];
  if (field === undefined) return null;
  const give = (value: string | number | boolean | null): void => {
    const isTold = value === null || field.kind === 'sure';
    const all = isTold ? given : { ...given, [field.name]: value };
    if (at + 1 === questions.length) {
      done(all);
      return;
    }
    setGiven(all);
    setAt(at + 1);
  };
  return (
    <section class="entry" aria-labelledby="entry-title">
      <div class="entry-head">
        <h2 id="entry-title">
          <span class="label">{keyWord(pressed.key)}</span> {fieldWord(field.name)}
        </h2>
        <button type="button" class="key key-small" onClick={cancel}>
          Back
        </button>
      </div>
      <Pad
        key={field.name}
        field={field}
        findings={findings}
        give={give}
        word={keyWord(pressed.key)}
        cancel={cancel}
      />
    </section>
  );
};
