import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { BusError } from '../../firmware-bridge/bus/errors.js';
import type { EdgeSink, GpioBus, LineSpec } from '../../firmware-bridge/bus/gpio.js';

/** A GPIO backend with something that moves its lines from outside. */
export interface GpioBench {
  readonly bus: GpioBus;
  readonly chip: string;
  /** Physical level of an input; resolves when the wire has moved. */
  drive(offset: number, high: boolean): Promise<void>;
  /** Physical level of a line. */
  level(offset: number): Promise<boolean>;
  /** The backend knows an owner, and keeps the order of two lines. */
  readonly isExact: boolean;
}

/** Longest wait for an edge that must come, ms: an emulated guest on a busy machine is slow. */
const LIMIT_MS = 60_000;
const LOOK_MS = 5;
/** So long nothing may be heard where nothing is to come, ms. */
const QUIET_MS = 60;

/** Waits for a condition; `what` names it where it never comes. */
export const until = async (what: string | (() => string), holds: () => boolean): Promise<void> => {
  const endMs = performance.now() + LIMIT_MS;
  while (!holds()) {
    const name = performance.now() < endMs ? '' : typeof what === 'string' ? what : what();
    assert.equal(name, '', `not within ${LIMIT_MS / 1000} s`);
    await pause(LOOK_MS);
  }
};

export const plainLine = (chip: string, offset: number, activeLow = false): LineSpec => ({
  name: `line-${offset}`,
  chip,
  offset,
  activeLow,
  bias: 'as-is',
  debounceUs: 0,
});

export interface Heard {
  readonly active: boolean;
  readonly atNs: number;
  readonly seq: number;
}

export const ears = (): { readonly heard: Heard[]; readonly sink: EdgeSink } => {
  const heard: Heard[] = [];
  return {
    heard,
    sink: {
      edge: (active, atNs, seq) => heard.push({ active, atNs, seq }),
      fault: () => undefined,
    },
  };
};

const nowNs = (): number => Number(process.hrtime.bigint());

const tellsEdges = async (bench: GpioBench): Promise<void> => {
  const EDGES = 20;
  await bench.drive(3, false);
  const { heard, sink } = ears();
  const input = bench.bus.input(plainLine(bench.chip, 3), sink);
  const before = nowNs();
  for (let i = 0; i < EDGES; i += 1) {
    await bench.drive(3, i % 2 === 0);
    await until(`edge ${i + 1}`, () => heard.length > i);
  }
  assert.deepEqual(
    heard.map((one) => one.active),
    Array.from({ length: EDGES }, (_, i) => i % 2 === 0),
  );
  assert.deepEqual(
    heard.map((one) => one.seq),
    Array.from({ length: EDGES }, (_, i) => i + 1),
  );
  const times = heard.map((one) => one.atNs);
  assert.deepEqual(
    times.toSorted((a, b) => a - b),
    times,
  );
  assert.ok((times[0] ?? 0) >= before && (times.at(-1) ?? Infinity) <= nowNs());
  assert.equal(input.read(), false);
  input.close();
  await bench.drive(3, true);
  await pause(QUIET_MS);
  assert.equal(heard.length, EDGES);
};

const turnsActiveLow = async (bench: GpioBench): Promise<void> => {
  await bench.drive(4, true);
  const { heard, sink } = ears();
  const input = bench.bus.input(plainLine(bench.chip, 4, true), sink);
  assert.equal(input.read(), false);
  await bench.drive(4, false);
  await until('the edge', () => heard.length > 0);
  assert.equal(input.read(), true);
  assert.deepEqual(
    heard.map((one) => one.active),
    [true],
  );
};

const keepsOrder = async (bench: GpioBench): Promise<void> => {
  for (const offset of [5, 6]) await bench.drive(offset, false);
  const order: string[] = [];
  const sink = (name: string): EdgeSink => ({
    edge: (active) => order.push(`${name}${active ? '+' : '-'}`),
    fault: () => undefined,
  });
  const specs = [plainLine(bench.chip, 5), plainLine(bench.chip, 6)];
  const lines = bench.bus.inputs(specs, [sink('a'), sink('b')]);
  await bench.drive(5, true);
  await bench.drive(6, true);
  await bench.drive(5, false);
  await bench.drive(6, false);
  // Sysfs keeps no queue: it may miss what was over before it looked.
  if (bench.isExact) {
    await until('four edges', () => order.length === 4);
    assert.deepEqual(order, ['a+', 'b+', 'a-', 'b-']);
  }
  assert.deepEqual(
    lines.map((line) => line.read()),
    [false, false],
  );
};

const setsOutputs = async (bench: GpioBench): Promise<void> => {
  const output = bench.bus.output(plainLine(bench.chip, 7), true);
  assert.equal(await bench.level(7), true);
  output.set(false);
  assert.equal(await bench.level(7), false);
  const low = bench.bus.output(plainLine(bench.chip, 8, true), true);
  assert.equal(await bench.level(8), false);
  low.set(false);
  assert.equal(await bench.level(8), true);
  if (bench.isExact) {
    const again = (): unknown => bench.bus.output(plainLine(bench.chip, 7), true);
    assert.throws(again, (error) => error instanceof BusError && error.code === 'busy');
  }
  output.close();
};

const opensAgain = async (bench: GpioBench): Promise<void> => {
  const spec = plainLine(bench.chip, 9);
  await bench.drive(9, false);
  for (let i = 0; i < 3; i += 1) {
    const { heard, sink } = ears();
    const input = bench.bus.input(spec, sink);
    await bench.drive(9, i % 2 === 0);
    await until('an edge after opening again', () => heard.length > 0);
    assert.deepEqual(
      heard.map((one) => one.seq),
      [1],
    );
    input.close();
  }
};

const namesAbsentChip = (bench: GpioBench): Promise<void> => {
  if (bench.chip !== 'virtual') {
    const { sink } = ears();
    assert.throws(
      () => bench.bus.input(plainLine('no-such-chip', 1), sink),
      (error) => error instanceof BusError && error.code === 'absent',
    );
  }
  return Promise.resolve();
};

/** What every GPIO backend promises, whatever is below it. */
export const GPIO_CONTRACT: readonly (readonly [string, (bench: GpioBench) => Promise<void>])[] = [
  ['tells each edge with its time and number, and reads the level', tellsEdges],
  ['turns the meaning of a line that is active low', turnsActiveLow],
  ['keeps two lines of one request in one order', keepsOrder],
  ['sets an output from its first moment on, and refuses a second owner', setsOutputs],
  ['lets a line go and opens it again', opensAgain],
  ['names a chip that is not there', namesAbsentChip],
];
