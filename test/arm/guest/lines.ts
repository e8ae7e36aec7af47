import assert from 'node:assert/strict';
import { GpiochipBus } from '../../../firmware-bridge/bus/gpiochip.js';
import type { GpioBus } from '../../../firmware-bridge/bus/gpio.js';
import { OnoffBus } from '../../../firmware-bridge/bus/onoff.js';
import { ears, GPIO_CONTRACT, type Heard, plainLine, until } from '../../contract/gpio.js';
import { CHIP, LINE } from './board.js';
import { type Backend, BACKENDS, type Check, Child, type Rig } from './check.js';

const busOf = (backend: Backend): GpioBus =>
  backend === 'gpiochip' ? new GpiochipBus() : new OnoffBus();

const contract: readonly Check[] = BACKENDS.flatMap((backend) =>
  GPIO_CONTRACT.map(
    ([name, check]): Check => [
      `${backend}: ${name}`,
      async ({ wires }) => {
        const bus = busOf(backend);
        try {
          await check({
            bus,
            chip: CHIP,
            isExact: backend === 'gpiochip',
            drive: async (offset, high) => {
              await wires.pull(offset, high);
            },
            level: (offset) => wires.level(offset),
          });
        } finally {
          bus.close();
        }
      },
    ],
  ),
);

const listen = (): { readonly bus: GpiochipBus; readonly heard: Heard[] } => {
  const bus = new GpiochipBus();
  const { heard, sink } = ears();
  bus.input(plainLine(CHIP, 10), sink);
  return { bus, heard };
};

/** Edges far enough apart for the kernel's thread to look at each of them. */
const EDGES = 200;
const APART_US = 5_000;
const PULSES = 10;

const alternates = (heard: readonly Heard[]): boolean =>
  heard.every((one, i) => i === 0 || one.active !== heard[i - 1]?.active);

const contiguous = (heard: readonly Heard[]): boolean => heard.every((one, i) => one.seq === i + 1);

const slowEdges = async ({ wires }: Rig): Promise<void> => {
  await wires.pull(10, false);
  const { bus, heard } = listen();
  try {
    await wires.agent(`flip 10 ${EDGES} ${APART_US}`);
    await until(
      () => `${EDGES} edges: ${heard.length} came`,
      () => heard.length >= EDGES,
    );
    assert.ok(alternates(heard), 'an edge was told twice');
    assert.ok(contiguous(heard), 'a number is missing');
    assert.equal(heard.length, EDGES);
  } finally {
    bus.close();
  }
};

/**
 * The kernel's thread reads the level when it runs and names the edge by it: a pulse that is over
 * by then is told as one edge, down, though the line was down before. No number is missing. This is
 * why a strict check of the order fails on a busy machine: see docs/DEVICES.md.
 */
const lateThread = async ({ wires }: Rig): Promise<void> => {
  await wires.pull(10, false);
  const bus = new GpiochipBus();
  const { heard, sink } = ears();
  const input = bus.input(plainLine(CHIP, 10), sink);
  try {
    await wires.agent(`pulse 10 ${PULSES}`);
    await wires.pull(10, true);
    await until('the edge after the pulses', () => heard.at(-1)?.active === true);
    const pulses = heard.slice(0, -1);
    assert.deepEqual(
      pulses.map((one) => one.active),
      Array.from({ length: PULSES }, () => false),
    );
    assert.ok(contiguous(heard), 'what the kernel merged does not look like lost events');
    assert.equal(input.read(), true, 'the level is right whatever was told');
  } finally {
    bus.close();
  }
};

const biasAndDebounce = async ({ wires }: Rig): Promise<void> => {
  const bus = new GpiochipBus();
  try {
    const up = bus.input({ ...plainLine(CHIP, 11), bias: 'up' }, ears().sink);
    assert.equal(up.read(), true);
    const down = bus.input({ ...plainLine(CHIP, 12), bias: 'down' }, ears().sink);
    assert.equal(down.read(), false);
    await wires.pull(13, false);
    const { heard, sink } = ears();
    bus.input({ ...plainLine(CHIP, 13), debounceUs: 20_000 }, sink);
    const bounce = [0, 1, 2, 3, 100, 101, 102, 103, 104].map(
      (ms, i) => `13:${(i + 1) % 2}:${ms * 1000}`,
    );
    await wires.agent(`play ${bounce.join(' ')}`);
    await until('the settled edge', () => heard.length >= 1);
    await wires.pull(13, false);
    await until('the end', () => heard.at(-1)?.active === false);
    assert.deepEqual(
      heard.map((one) => one.active),
      [true, false],
    );
  } finally {
    bus.close();
  }
};

/** More edges than the kernel keeps for one request. */
const FLOOD = 3_000;
const FLOOD_US = 500;
const TRIES = 5;

/** A program that does not run for a while: the loss shows, levels are read, and it is told. */
const lostEdges = async ({ wires }: Rig): Promise<void> => {
  await idle({ wires });
  const child = new Child(['board', 'gpiochip', 'mouth']);
  try {
    await child.tells(/"link.up","device":"mouth"/);
    const before = child.told.length;
    child.process.kill('SIGSTOP');
    await wires.agent(`flip ${LINE.beamA} ${FLOOD} ${FLOOD_US}`);
    child.process.kill('SIGCONT');
    await child.tells(/"link.down","device":"mouth","reason":"[^"]*edges/, before);
    await child.tells(/"link.up","device":"mouth"/, before);
    assert.ok(!child.has(/"card\./), 'what was passing is not judged');
    // What is left of the flood is read first: a card among it is told as one more loss.
    for (let tries = 0; tries < TRIES && !child.has(/"card.out"/); tries += 1) {
      const after = child.told.length;
      await wires.agent(`play ${CARD}`);
      await child.tells(/"(card.out|link.up)"/, after);
    }
    assert.ok(child.has(/"card.out"/), `no card was seen: ${child.told.join(' ')}`);
  } finally {
    await child.end('SIGKILL');
  }
};

/** A card at half a metre a second: A, B, A free, B free; 10 mm apart, 63.5 mm long. */
export const CARD = [
  `${LINE.beamA}:0:0`,
  `${LINE.beamB}:0:20000`,
  `${LINE.beamA}:1:127000`,
  `${LINE.beamB}:1:147000`,
].join(' ');

/** All wires as at a table where nothing happens. */
export const idle = async ({ wires }: Pick<Rig, 'wires'>): Promise<void> => {
  for (const line of [LINE.beamA, LINE.beamB, LINE.shoe]) await wires.pull(line, true);
  await wires.pull(LINE.lid, false);
};

export const LINE_CHECKS: readonly Check[] = [
  ...contract,
  ['gpiochip: 200 edges, 5 ms apart, alternate and are numbered', slowEdges],
  ['gpiochip: pulses over before the kernel looks repeat an edge, not a number', lateThread],
  ['gpiochip: bias and debounce are the kernel’s', biasAndDebounce],
  ['gpiochip: edges lost to a full queue are noticed, and told', lostEdges],
];
