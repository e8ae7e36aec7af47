import { useCallback, useState } from 'preact/hooks';
import type { PermittedKey } from '../../../controller/core/permitted.js';
import type { PressKey } from '../../../controller/core/press.js';
import type { PageFinding } from '../../table-page/message.js';
import { type Given, type Question, questionsOf } from './key-words.js';
import type { Pressing } from './use-press.js';

interface Asked {
  readonly key: PressKey;
  /** Finding at which it was pressed; null: among the keys. */
  readonly at: string | null;
  readonly given: Given;
}

/** A key that was chosen, and what it asks before it is pressed. */
export interface Asking {
  readonly offered: PermittedKey | null;
  readonly at: string | null;
  readonly questions: readonly Question[];
  readonly choose: (offered: PermittedKey, at?: string, given?: Given) => void;
  readonly back: () => void;
  readonly done: (given: Given) => void;
}

interface AskingParts {
  readonly pressing: Pressing;
  /** What is offered now: a key that is not any more asks nothing further. */
  readonly keys: readonly PermittedKey[];
  readonly findings: readonly PageFinding[];
  /** Nobody has logged in: two people say who they are. */
  readonly isOpen: boolean;
}

/** One key at a time is asked about, wherever on the page it stands. */
export const useAsking = ({ pressing, keys, findings, isOpen }: AskingParts): Asking => {
  const [asked, setAsked] = useState<Asked | null>(null);
  const { press, isBusy, forget } = pressing;
  const at = asked?.at ?? null;
  const isThere = at === null || findings.some(({ id }) => id === at);
  const offered = (isThere && keys.find(({ key }) => key === asked?.key)) || null;
  const questions = offered === null ? [] : openQuestions(offered, asked?.given ?? {}, isOpen);
  const choose = (chosen: PermittedKey, from?: string, given: Given = {}): void => {
    if (isBusy) return;
    if (openQuestions(chosen, given, isOpen).length === 0) {
      setAsked(null);
      press(chosen, given);
    } else {
      forget();
      setAsked({ key: chosen.key, at: from ?? null, given });
    }
  };
  const back = useCallback(() => {
    setAsked(null);
  }, []);
  const done = (given: Given): void => {
    setAsked(null);
    if (offered !== null) press(offered, { ...asked?.given, ...given });
  };
  return { offered, at, questions, choose, back, done };
};

const openQuestions = (key: PermittedKey, given: Given, isOpen: boolean): readonly Question[] =>
  questionsOf(key, isOpen).filter(({ name }) => !(name in given));
