import { useCallback, useEffect, useState } from 'preact/hooks';
import type { Role } from '../../../controller/core/cards.js';
import type { PermittedKey } from '../../../controller/core/permitted.js';
import { isPressAnswer, type PressAnswer } from '../../table-page/press-answer.js';
import { type Given, keyWord, valueOf } from './key-words.js';
import { ask, errorText } from './service.js';
import { clauseText } from './words.js';

/** What came of the last press, in words. */
export interface Said {
  readonly tone: 'taken' | 'found' | 'refused';
  readonly text: string;
}

export interface Pressing {
  readonly role: Role;
  readonly isBusy: boolean;
  readonly said: Said | null;
  readonly press: (key: PermittedKey, given: Given) => void;
  /** The last answer was read. */
  readonly forget: () => void;
}

const saidOf = (word: string, answer: PressAnswer): Said => {
  switch (answer.is) {
    case 'taken': {
      const [first] = answer.found;
      if (first === undefined) return { tone: 'taken', text: `${word}: taken` };
      const text = `${word}: taken, and found: ${first.remedy} (${clauseText(first.clause)})`;
      return { tone: 'found', text };
    }
    case 'refused':
      return {
        tone: 'refused',
        text: `${word}: refused, ${answer.reason} (${clauseText(answer.clause)})`,
      };
    case 'unfit':
    case 'lost':
      return { tone: 'refused', text: `${word}: ${answer.reason}` };
  }
};

/** Row of a press that stands in the journal; null where it does not. */
const rowOf = (answer: PressAnswer): number | null => ('seq' in answer ? answer.seq : null);

/** A table whose picture does not come after its answer is pressed again after this, ms. */
const PICTURE_MS = 5000;

/**
 * Presses keys in one role, one at a time. The keyed value is told nowhere again. `shownSeq`: row
 * of the picture on the page. The answer may come before the picture with the press in it: until
 * then the keys are those of the step before, and Enter would press the same one again.
 */
export const usePress = (role: Role, shownSeq: number): Pressing => {
  const [isAsking, setIsAsking] = useState(false);
  const [awaitedSeq, setAwaitedSeq] = useState<number | null>(null);
  const [said, setSaid] = useState<Said | null>(null);
  useEffect(() => {
    if (awaitedSeq === null) return undefined;
    const timer = window.setTimeout(() => {
      setAwaitedSeq(null);
    }, PICTURE_MS);
    return () => {
      window.clearTimeout(timer);
    };
  }, [awaitedSeq]);
  const isBusy = isAsking || (awaitedSeq !== null && shownSeq < awaitedSeq);
  const press = useCallback(
    (key: PermittedKey, given: Given) => {
      setIsAsking(true);
      setAwaitedSeq(null);
      setSaid(null);
      const value = valueOf(key, given);
      const { badge } = given;
      void ask('/api/press', {
        key: key.key,
        role,
        ...(value === undefined ? {} : { value }),
        ...(badge === undefined ? {} : { badge }),
      }).then((answer) => {
        setIsAsking(false);
        if (isPressAnswer(answer.body)) setAwaitedSeq(rowOf(answer.body));
        const word = keyWord(key.key);
        const unheard = `${word}: the table did not answer. Look whether it was taken.`;
        setSaid(
          isPressAnswer(answer.body)
            ? saidOf(word, answer.body)
            : { tone: 'refused', text: errorText(answer, unheard) },
        );
      });
    },
    [role],
  );
  const forget = useCallback(() => {
    setSaid(null);
  }, []);
  return { role, isBusy, said, press, forget };
};
