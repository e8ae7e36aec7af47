import { expect, test } from 'vitest';
import { ReadQuality } from '../../../controller/runtime/read-quality.js';
import type { Readings } from '../../../firmware-bridge/devices/device.js';

const looking = () => {
  let now: Record<string, Readings | null> = {};
  const quality = new ReadQuality(() => now);
  return (mouth: Readings | null) => {
    now = { mouth };
    return quality.look()['mouth'];
  };
};

test('is the share of readings that could be used, and none where there were none', () => {
  const look = looking();
  expect(look({ good: 0, bad: 0 })).toBeNull();
  expect(look({ good: 3, bad: 1 })).toBe(0.75);
  expect(look(null)).toBeNull();
});

test('forgets what lies long back', () => {
  const look = looking();
  expect(look({ good: 0, bad: 5 })).toBe(0);
  for (let i = 1; i <= 29; i += 1) look({ good: i, bad: 5 });
  expect(look({ good: 30, bad: 5 })).toBe(1);
  expect(look({ good: 31, bad: 6 })).toBe(0.968);
  for (let i = 0; i < 29; i += 1) look({ good: 31, bad: 6 });
  expect(look({ good: 31, bad: 6 })).toBeNull();
});
