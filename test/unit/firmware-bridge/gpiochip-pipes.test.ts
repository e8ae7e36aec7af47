import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { GpiochipBus } from '../../../firmware-bridge/bus/gpiochip.js';
import { packageRoot } from '../../../firmware-bridge/files.js';
import { plainLine } from '../../contract/gpio.js';
import {
  EdgeRecords,
  PIPE_CHIP,
  pipeChipBus,
  SET_ACTIVE,
  SET_INACTIVE,
} from '../../fakes/pipe-chip.js';
import { needsFile, skipWhere } from '../../support/needs.js';

const addon = join(packageRoot(), 'firmware-bridge/bus/native/build/Release/cutcard_native.node');
const missing = needsFile(addon, 'the addon was not built (npm rebuild builds it)');
const LONG_MS = 20_000;
const [A, B] = [17, 27] as const;

let folder = '';
let edgesFd = -1;
let outputsFd = -1;
let bus: GpiochipBus | null = null;

const open = (): GpiochipBus => {
  const [edges, outputs] = [join(folder, 'edges'), join(folder, 'outputs')];
  execFileSync('mkfifo', [edges, outputs]);
  edgesFd = openSync(edges, constants.O_RDWR);
  outputsFd = openSync(outputs, constants.O_RDWR);
  bus = pipeChipBus({ edges, outputs, folder });
  return bus;
};

describe('the character device’s backend on the kernel’s records', () => {
  skipWhere(missing);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'cutcard-pipes-'));
  });
  afterEach(() => {
    bus?.close();
    for (const fd of [edgesFd, outputsFd]) if (fd >= 0) closeSync(fd);
    [edgesFd, outputsFd, bus] = [-1, -1, null];
    rmSync(folder, { recursive: true, force: true });
  });

  it('tells each line its edges with the kernel’s time and number, in order', async () => {
    const heard: string[] = [];
    const sink = (name: string) => ({
      edge: (active: boolean, atNs: number, seq: number) =>
        void heard.push(`${name} ${active} ${atNs} ${seq}`),
      fault: () => undefined,
    });
    const lines = [plainLine(PIPE_CHIP, A), plainLine(PIPE_CHIP, B)];
    const [a, b] = open().inputs(lines, [sink('a'), sink('b')]);
    const records = new EdgeRecords([A, B]);
    const bytes = records.of([
      { offset: B, active: true },
      { offset: A, active: true },
      { offset: B, active: false },
    ]);
    // Past what 32 bits of nanoseconds hold.
    for (const [i, atNs] of [5_000_000_001, 5_000_000_002, 9e15].entries()) records.stamp(i, atNs);
    writeSync(edgesFd, bytes);
    await vi.waitFor(() => expect(heard).toHaveLength(3), { timeout: LONG_MS });
    expect(heard).toEqual([
      'b true 5000000001 1',
      'a true 5000000002 1',
      'b false 9000000000000000 2',
    ]);
    expect([a?.read(), b?.read()]).toEqual([true, false]);
  });

  it('sets an output each time it is told to, and lets it go', () => {
    const gate = open().output(plainLine(PIPE_CHIP, 16), true);
    gate.set(true);
    gate.set(false);
    gate.close();
    const bytes = new Uint8Array(8);
    const length = readSync(outputsFd, bytes);
    expect([...bytes.subarray(0, length)]).toEqual([SET_ACTIVE, SET_INACTIVE]);
    expect(() => gate.set(true)).toThrow(/was let go/);
  });
});
