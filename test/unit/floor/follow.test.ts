import { describe, expect, it } from 'vitest';
import { initialState } from '../../../controller/core/state.js';
import { Changes, follow, type Followed } from '../../../surveillance/floor/follow.js';
import { benchRules, shoeSteps } from '../../bench/shoe-steps.js';

describe('what a shoe came to', () => {
  it('stays as it was when the table empties its figures for the next one', () => {
    let followed: Followed = {
      state: initialState(benchRules.table),
      isWhole: true,
      shoe: null,
      round: null,
      open: {},
    };
    const changes = new Changes();
    let [out, rounds] = [0, 0];
    for (const step of shoeSteps()) {
      followed = follow(followed, step, 'pa/627a-minibaccarat', changes);
      const { shoe } = followed.state;
      if (shoe.no === 1 && shoe.isLoaded) [out, rounds] = [shoe.out, shoe.rounds];
      if (shoe.no === 3) break;
    }
    const [first, second] = changes.all().shoes;
    expect(out).toBeGreaterThan(300);
    expect(first).toMatchObject({ shoe: 1, loaded: 416, out, rounds, batch: 'red', isOpen: false });
    expect(second).toMatchObject({ shoe: 2, loaded: 416, isOpen: false });
    expect(second?.out).toBeGreaterThan(300);
  });
});
