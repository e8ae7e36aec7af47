import { useEffect, useState } from 'preact/hooks';
import type { Strip } from '../../../floor/api-table.js';
import { stripAddress, tableIdOf } from '../../../floor/api.js';
import { ask } from './ask.js';
import { isStrip } from './shapes.js';
import type { WallStore } from './wall-store.js';

/** A shoe in play is asked about at most so often, ms, and only when its table said something. */
const FOLLOW_MS = 1000;
/** Answers for one shoe: a shoe of eight decks takes a few. */
const ANSWERS_MAX = 50;

const joined = (before: Strip | null, next: Strip): Strip =>
  before === null ? next : { ...next, marks: [...before.marks, ...next.marks] };

/** The marks of a shoe; those of a shoe in play grow with it. */
export const useStrip = (
  store: WallStore,
  key: string,
  shoe: number | null,
): { readonly strip: Strip | null; readonly error: string } => {
  const [state, setState] = useState<{ of: string; strip: Strip | null; error: string }>({
    of: '',
    strip: null,
    error: '',
  });
  const of = `${key} ${shoe ?? ''}`;
  useEffect(() => {
    const id = tableIdOf(key);
    if (id === null || shoe === null) return undefined;
    const round: { isOver: boolean; timer: number | undefined } = {
      isOver: false,
      timer: undefined,
    };
    let strip: Strip | null = null;
    const more = async (): Promise<void> => {
      for (let i = 0; i < ANSWERS_MAX; i += 1) {
        const after: number = strip?.lastSeq ?? 0;
        const answer = await ask(`${stripAddress(id, shoe)}?after=${after}`, isStrip);
        if (round.isOver) return;
        if (!answer.ok) {
          setState({ of, strip, error: answer.error });
          return;
        }
        strip = joined(strip, answer.value);
        if (answer.value.marks.length === 0) break;
      }
      setState({ of, strip, error: '' });
    };
    const follow = async (): Promise<void> => {
      const newest = store.tile(key)?.seq ?? 0;
      if (strip === null || (strip.isOpen && newest > strip.lastSeq)) await more();
      if (!round.isOver) round.timer = window.setTimeout(() => void follow(), FOLLOW_MS);
    };
    void follow();
    return () => {
      round.isOver = true;
      window.clearTimeout(round.timer);
    };
  }, [store, key, shoe, of]);
  return state.of === of ? state : { strip: null, error: '' };
};
