import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { BusError } from '../../../firmware-bridge/bus/errors.js';
import type { EdgeSink, GpioBus, LineSpec } from '../../../firmware-bridge/bus/gpio.js';
import { GpiochipBus, listChips } from '../../../firmware-bridge/bus/gpiochip.js';
import { loadNative } from '../../../firmware-bridge/bus/native.js';
import { OnoffBus } from '../../../firmware-bridge/bus/onoff.js';
import { VirtualGpio } from '../../../firmware-bridge/bus/virtual-gpio.js';

/** A GPIO backend with something that can move its lines from outside. */
interface Bench {
  readonly bus: GpioBus;
  readonly chip: string;
  /** Physical level of an input. */
  drive(offset: number, high: boolean): void;
  /** Physical level of an output. */
  level(offset: number): boolean;
  /** Sequence numbers and times come from the kernel. */
  readonly isExact: boolean;
}

const SIM = '/sys/devices/platform';
/** Folder of the kernel's gpio-sim chip, where one was made (the emulated rig does). */
const simFolder = (): { folder: string; label: string } | null => {
  if (!existsSync(SIM)) return null;
  for (const device of readdirSync(SIM).filter((name) => name.startsWith('gpio-sim'))) {
    const chip = readdirSync(join(SIM, device)).find((name) => /^gpiochip\d+$/.test(name));
    if (chip === undefined) continue;
    const found = listChips(loadNative()).chips.find((c) => c.path.endsWith(`/${chip}`));
    if (found !== undefined) return { folder: join(SIM, device, chip), label: found.label };
  }
  return null;
};

const simBench = (bus: GpioBus, isExact: boolean): Bench => {
  const sim = simFolder();
  if (sim === null) throw new Error('no gpio-sim');
  const file = (offset: number, name: string): string =>
    join(sim.folder, `sim_gpio${offset}`, name);
  return {
    bus,
    chip: sim.label,
    isExact,
    drive: (offset, high) => writeFileSync(file(offset, 'pull'), high ? 'pull-up' : 'pull-down'),
    level: (offset) => readFileSync(file(offset, 'value'), 'utf8').trim() === '1',
  };
};

const virtualBench = (): Bench => {
  const bus = new VirtualGpio();
  const plain = (offset: number): LineSpec => line('virtual', offset, false);
  return {
    bus,
    chip: 'virtual',
    isExact: true,
    drive: (offset, high) => bus.drive(plain(offset), high, Number(process.hrtime.bigint())),
    level: (offset) => bus.level(plain(offset)),
  };
};

const line = (chip: string, offset: number, activeLow: boolean): LineSpec => ({
  name: `line-${offset}`,
  chip,
  offset,
  activeLow,
  bias: 'as-is',
  debounceUs: 0,
});

const benches: (readonly [string, () => Bench])[] = [['virtual', virtualBench]];
const hasSim = process.platform === 'linux' && existsSync(SIM) && simFolder() !== null;
if (hasSim) {
  benches.push(['gpiochip', () => simBench(new GpiochipBus(), true)]);
  benches.push(['onoff', () => simBench(new OnoffBus(), false)]);
}

interface Heard {
  readonly active: boolean;
  readonly atNs: number;
  readonly seq: number;
}
const ears = (): { heard: Heard[]; sink: EdgeSink } => {
  const heard: Heard[] = [];
  return {
    heard,
    sink: {
      edge: (active, atNs, seq) => heard.push({ active, atNs, seq }),
      fault: () => undefined,
    },
  };
};

describe.each(benches)('GPIO lines over %s', (_name, make) => {
  it('tells each edge with its time and number, and reads the level', async () => {
    const bench = make();
    bench.drive(3, false);
    await pause(20);
    const { heard, sink } = ears();
    const input = bench.bus.input(line(bench.chip, 3, false), sink);
    const before = Number(process.hrtime.bigint());
    for (let i = 0; i < 20; i += 1) {
      bench.drive(3, i % 2 === 0);
      await pause(5);
    }
    await pause(30);
    expect(heard.map((h) => h.active)).toEqual(heard.map((_, i) => i % 2 === 0));
    expect(heard).toHaveLength(20);
    expect(heard.map((h) => h.seq)).toEqual(heard.map((_, i) => i + 1));
    const times = heard.map((h) => h.atNs);
    expect([...times].sort((a, b) => a - b)).toEqual(times);
    expect(times[0] ?? 0).toBeGreaterThanOrEqual(before);
    expect(times.at(-1) ?? 0).toBeLessThanOrEqual(Number(process.hrtime.bigint()));
    expect(input.read()).toBe(false);
    input.close();
    bench.drive(3, true);
    await pause(20);
    expect(heard).toHaveLength(20);
    bench.bus.close();
  });

  it('turns the meaning of a line that is active low', async () => {
    const bench = make();
    bench.drive(4, true);
    await pause(20);
    const { heard, sink } = ears();
    const input = bench.bus.input(line(bench.chip, 4, true), sink);
    expect(input.read()).toBe(false);
    bench.drive(4, false);
    await pause(20);
    expect(input.read()).toBe(true);
    expect(heard.map((h) => h.active)).toEqual([true]);
    bench.bus.close();
  });

  it('keeps two lines of one request in one order', async () => {
    const bench = make();
    for (const offset of [5, 6]) bench.drive(offset, false);
    await pause(20);
    const order: string[] = [];
    const sink = (name: string): EdgeSink => ({
      edge: (active) => order.push(`${name}${active ? '+' : '-'}`),
      fault: () => undefined,
    });
    const specs = [line(bench.chip, 5, false), line(bench.chip, 6, false)];
    const lines = bench.bus.inputs(specs, [sink('a'), sink('b')]);
    const edges = [
      [5, true],
      [6, true],
      [5, false],
      [6, false],
    ] as const;
    for (const [offset, high] of edges) bench.drive(offset, high);
    await pause(50);
    // Sysfs keeps no queue: it may miss what was over before it looked.
    if (bench.isExact) expect(order).toEqual(['a+', 'b+', 'a-', 'b-']);
    for (const opened of lines) opened.close();
    bench.bus.close();
  });

  it('sets an output from its first moment on, and refuses a second owner', () => {
    const bench = make();
    const output = bench.bus.output(line(bench.chip, 7, false), true);
    expect(bench.level(7)).toBe(true);
    output.set(false);
    expect(bench.level(7)).toBe(false);
    const low = bench.bus.output(line(bench.chip, 8, true), true);
    expect(bench.level(8)).toBe(false);
    low.set(false);
    expect(bench.level(8)).toBe(true);
    if (bench.isExact) {
      const again = (): unknown => bench.bus.output(line(bench.chip, 7, false), true);
      expect(again).toThrow(BusError);
      expect(again).toThrow(/in use|owned by another/);
    }
    output.close();
    bench.bus.close();
  });

  it('names a chip that is not there', () => {
    const bench = make();
    if (bench.chip === 'virtual') return;
    const { sink } = ears();
    expect(() => bench.bus.input(line('no-such-chip', 1, false), sink)).toThrow(/no.*chip/);
    bench.bus.close();
  });
});
