import { describe, expect, it } from 'vitest';
import { LoginDesk } from '../../../surveillance/access/login.js';

/** Nobody is on the list: every judged try is wrong, and only the limits differ. */
const desk = (): { desk: LoginDesk; pass: (ms: number) => void } => {
  let nowMs = 0;
  const none = { find: () => null, size: 1 };
  return { desk: new LoginDesk(none, () => nowMs), pass: (ms) => (nowMs += ms) };
};

describe('who guesses waits', () => {
  it('a place that has used up its tries takes none from the name', async () => {
    const { desk: judge, pass } = desk();
    for (let i = 0; i < 10; i += 1) await judge.judge(`guess-${i}`, 'x', '10.0.0.1');
    for (let i = 0; i < 40; i += 1) {
      expect((await judge.judge('op', 'x', '10.0.0.1')).is).toBe('wait');
    }
    expect((await judge.judge('op', 'x', '10.9.9.9')).is).toBe('wrong');
    pass(6000);
    expect((await judge.judge('op', 'x', '10.0.0.1')).is).toBe('wrong');
  });
});
