import { expect, it } from 'vitest';
import { SimulatedClock } from '../../../controller/core/simulated-clock.js';
import type { LoopMode } from '../../../controller/runtime/loop.js';
import { Watchdog, watchdogLimitMs } from '../../../controller/runtime/watchdog.js';

it('is fed by a loop that gets on, not by a timer alone', () => {
  const clock = new SimulatedClock();
  const loop = { mode: 'run' as LoopMode, idle: true, seq: 1, state: () => ({ seq: loop.seq }) };
  let fed = 0;
  const watchdog = new Watchdog(loop, clock, 3000, () => (fed += 1));
  const fedIn = (seconds: number): number => {
    const before = fed;
    clock.runUntil(clock.nowNs() + seconds * 1e9);
    return fed - before;
  };
  watchdog.start();
  expect(fedIn(3)).toBe(3);
  loop.idle = false;
  loop.seq = 2;
  expect(fedIn(1)).toBe(1);
  expect(fedIn(5)).toBe(0);
  loop.seq = 3;
  expect(fedIn(1)).toBe(1);
  loop.mode = 'crashed';
  loop.idle = true;
  expect(fedIn(3)).toBe(0);
  loop.mode = 'fault';
  expect(fedIn(3)).toBe(3);
  watchdog.stop();
  expect(fedIn(3)).toBe(0);
});

it('reads the limit systemd gives', () => {
  expect(watchdogLimitMs({ WATCHDOG_USEC: '30000000' })).toBe(30_000);
  expect(watchdogLimitMs({})).toBeNull();
  expect(watchdogLimitMs({ WATCHDOG_USEC: 'soon' })).toBeNull();
});
