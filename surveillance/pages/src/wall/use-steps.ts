import { useEffect, useRef, useState } from 'preact/hooks';
import type { SeenStep } from '../../../floor/api-table.js';
import { type RowRange, stepsAddress, tableIdOf } from '../../../floor/api.js';
import { ask } from './ask.js';
import { isStepPage } from './shapes.js';

/** Rows asked for before and after the one that is looked at. */
const AROUND = 60;
/** Rows shown before and after it. */
const NEAR = 12;
/** Rows kept: a look through a whole shoe. */
const KEPT_MAX = 5000;

interface Held {
  readonly steps: Map<number, SeenStep>;
  readonly missing: Set<number>;
  firstSeq: number;
  lastSeq: number;
}

export interface Seen {
  /** The row that is looked at; null while it is fetched, or where it is not held. */
  readonly step: SeenStep | null;
  /** Nobody can tell what this row says: it is not held. */
  readonly isMissing: boolean;
  /** Rows around it, oldest first. */
  readonly near: readonly SeenStep[];
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly error: string;
}

const noteGaps = (held: Held, gaps: readonly RowRange[], from: number, to: number): void => {
  for (const gap of gaps) {
    const last = Math.min(gap.to, to);
    for (let seq = Math.max(gap.from, from); seq <= last; seq += 1) held.missing.add(seq);
  }
};

/** One row of a table's journal with its surroundings, fetched as one walks. */
export const useSteps = (key: string, seq: number | null): Seen => {
  const held = useRef<Held>({ steps: new Map(), missing: new Set(), firstSeq: 0, lastSeq: 0 });
  const [, setVersion] = useState(0);
  const [error, setError] = useState('');
  useEffect(() => {
    held.current = { steps: new Map(), missing: new Set(), firstSeq: 0, lastSeq: 0 };
  }, [key]);
  useEffect(() => {
    const id = tableIdOf(key);
    const { steps, missing } = held.current;
    const isKnown = (row: number): boolean => steps.has(row) || missing.has(row);
    if (id === null || seq === null) return undefined;
    const isNearKnown =
      isKnown(seq) &&
      (isKnown(seq - NEAR) || seq - NEAR < held.current.firstSeq) &&
      (isKnown(seq + NEAR) || seq + NEAR > held.current.lastSeq);
    if (isNearKnown) return undefined;
    const round = { isOver: false };
    const from = Math.max(1, seq - AROUND);
    const to = seq + AROUND;
    void ask(`${stepsAddress(id)}?from=${from}&to=${to}`, isStepPage).then((answer) => {
      if (round.isOver) return;
      setError(answer.ok ? '' : answer.error);
      if (!answer.ok) return;
      const now = held.current;
      if (now.steps.size > KEPT_MAX) now.steps.clear();
      for (const step of answer.value.steps) now.steps.set(step.seq, step);
      noteGaps(now, answer.value.gaps, from, to);
      now.firstSeq = answer.value.firstSeq;
      now.lastSeq = answer.value.lastSeq;
      setVersion((version) => version + 1);
    });
    return () => {
      round.isOver = true;
    };
  }, [key, seq]);
  const { steps, missing, firstSeq, lastSeq } = held.current;
  const near: SeenStep[] = [];
  if (seq !== null) {
    for (let row = seq - NEAR; row <= seq + NEAR; row += 1) {
      const step = steps.get(row);
      if (step !== undefined) near.push(step);
    }
  }
  return {
    step: seq === null ? null : (steps.get(seq) ?? null),
    isMissing: seq !== null && missing.has(seq),
    near,
    firstSeq,
    lastSeq,
    error,
  };
};
