import { expect, it } from 'vitest';
import { evolve } from '../../../controller/core/evolve.js';
import { firstState, stepIn } from '../../../surveillance/floor/projector.js';
import { whyUnsound } from '../../../surveillance/floor/sound-step.js';
import { rowAfter } from './rows.js';

const KEY = 'n/p/endless';

/** A table whose every row has the decisions that are made for it: how far it is followed. */
const followed = (decisionsOf: (seq: number) => readonly unknown[]) => {
  let state = firstState(null);
  let row = rowAfter(KEY, null);
  for (;;) {
    row = rowAfter(KEY, row, { decisions: decisionsOf(row.seq + 1) });
    const step = stepIn(KEY, row);
    const why = whyUnsound(step, state);
    if (why !== null) return { seq: row.seq, why };
    state = evolve(state, step.observation, step.decisions);
    if (row.seq > 1500) return { seq: row.seq, why };
  }
};

const raised = (seq: number, severity: string) => ({
  do: 'raised',
  finding: {
    ...{ id: `${seq}.1`, code: 'cut.missing', clause: '631a.5(b)', severity, lifespan: 'shoe' },
    ...{ expected: 'a cut', observed: 'none', remedy: 'cut', authority: 'floor' },
    ...{ raisedSeq: seq, raisedNs: seq, raisedWallMs: 0 },
  },
});

it('follows no table that raises findings without end, whatever it costs the others', () => {
  const why = 'more than 1000 findings would be open';
  expect(followed((seq) => [raised(seq, 'hold')])).toEqual({ seq: 1002, why });
  expect(followed((seq) => [raised(seq, 'info')]).why).toBeNull();
});

it('follows no table whose state grows without end', () => {
  const told = followed((seq) => [{ do: 'noted', part: 'shoe', set: { [`field-${seq}`]: 1 } }]);
  expect(told.why).toBe('`shoe` would have more than 200 fields');
  expect(told.seq).toBeLessThan(210);
});
