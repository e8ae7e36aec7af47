import { useCallback, useState } from 'preact/hooks';
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

/** Presses keys in one role, one at a time. The keyed value is told nowhere again. */
export const usePress = (role: Role): Pressing => {
  const [isBusy, setIsBusy] = useState(false);
  const [said, setSaid] = useState<Said | null>(null);
  const press = useCallback(
    (key: PermittedKey, given: Given) => {
      setIsBusy(true);
      setSaid(null);
      const value = valueOf(key, given);
      const { badge } = given;
      void ask('/api/press', {
        key: key.key,
        role,
        ...(value === undefined ? {} : { value }),
        ...(badge === undefined ? {} : { badge }),
      }).then((answer) => {
        setIsBusy(false);
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
