import { openSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { lineOf } from './path-lines.js';

/**
 * The machine: writes lines to a serial port, `rate` a second or, for 0, as fast as it takes them.
 * Prints the wall time of each line in ms, taken just before it is written.
 */
const [port = '', lines = '0', perSecond = '0'] = process.argv.slice(2);
const [count, rate] = [Number(lines), Number(perSecond)];
const now = (): number => performance.timeOrigin + performance.now();
const fd = openSync(port, 'w');
const times: number[] = [];
const startMs = performance.now();
for (let k = 0; k < count; k += 1) {
  if (rate > 0) {
    const waitMs = startMs + (k * 1000) / rate - performance.now();
    if (waitMs > 1) await sleep(waitMs);
  }
  times.push(now());
  writeSync(fd, lineOf(k));
}
process.stdout.write(JSON.stringify(times));
