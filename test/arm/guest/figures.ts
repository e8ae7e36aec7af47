import { setTimeout as pause } from 'node:timers/promises';
import { GpiochipBus } from '../../../firmware-bridge/bus/gpiochip.js';
import type { GpioBus } from '../../../firmware-bridge/bus/gpio.js';
import { OnoffBus } from '../../../firmware-bridge/bus/onoff.js';
import { VirtualGpio } from '../../../firmware-bridge/bus/virtual-gpio.js';
import { plainLine, until } from '../../contract/gpio.js';
import type { ArmFigure } from '../words.js';
import { CHIP, LINE } from './board.js';
import { type Backend, BACKENDS, type Check, Child, type Rig } from './check.js';

const EDGES = 150;
/** Edges that are not counted: the first calls are compiled. */
const WARM = 30;
const PAUSE_MS = 2;

const at = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;

const figure = (
  what: ArmFigure['what'],
  backend: ArmFigure['backend'],
  timesNs: readonly number[],
): ArmFigure => {
  const sorted = timesNs.slice(WARM).toSorted((a, b) => a - b);
  const us = (ns: number): number => Math.round(ns / 100) / 10;
  return {
    what,
    backend,
    count: sorted.length,
    p50Us: us(at(sorted, 0.5)),
    p95Us: us(at(sorted, 0.95)),
    maxUs: us(sorted.at(-1) ?? NaN),
  };
};

const nowNs = (): number => Number(process.hrtime.bigint());

/** From the moment the wire is moved, outside, to the callback. */
const toCallback =
  (backend: Backend) =>
  async ({ wires, port }: Rig): Promise<void> => {
    const bus: GpioBus = backend === 'gpiochip' ? new GpiochipBus() : new OnoffBus();
    const times: number[] = [];
    let heardNs = 0;
    await wires.pull(14, false);
    bus.input(plainLine(CHIP, 14), {
      edge: () => {
        heardNs = nowNs();
      },
      fault: () => undefined,
    });
    try {
      for (let i = 0; i < EDGES + WARM; i += 1) {
        heardNs = 0;
        const movedNs = await wires.pull(14, i % 2 === 0);
        await until('the callback', () => heardNs > 0);
        times.push(heardNs - movedNs);
      }
      port.say({ say: 'figure', figure: figure('edge to callback', backend, times) });
    } finally {
      bus.close();
    }
  };

/** From the moment the wire is moved to the level on the gate's wire, both seen from outside. */
const toGate =
  (backend: Backend) =>
  async ({ wires, port }: Rig): Promise<void> => {
    await wires.pull(LINE.beamA, false);
    const child = new Child(['answer', backend]);
    try {
      await child.tells(/"answers"/);
      const times: number[] = [];
      for (let i = 0; i < EDGES + WARM; i += 1) {
        const level = (i + 1) % 2;
        const [, tookNs] = await wires.agent(`answer ${LINE.beamA} ${level} ${LINE.gate} ${level}`);
        times.push(tookNs ?? NaN);
        await pause(PAUSE_MS);
      }
      port.say({ say: 'figure', figure: figure('edge to gate output', backend, times) });
    } finally {
      await child.end('SIGKILL');
    }
  };

/** What our own code takes of it: lines in memory, callback and output in the same process. */
const inMemory = async ({ port }: Rig): Promise<void> => {
  const bus = new VirtualGpio();
  const [edge, gate] = [plainLine(CHIP, LINE.beamA), plainLine(CHIP, LINE.gate)];
  const output = bus.output(gate, false);
  let [heardNs, setNs] = [0, 0];
  bus.input(edge, {
    edge: (active) => {
      heardNs = nowNs();
      output.set(active);
      setNs = nowNs();
    },
    fault: () => undefined,
  });
  const callback: number[] = [];
  const outputs: number[] = [];
  for (let i = 0; i < EDGES + WARM; i += 1) {
    const movedNs = nowNs();
    bus.drive(edge, i % 2 === 0, movedNs);
    callback.push(heardNs - movedNs);
    outputs.push(setNs - movedNs);
    await pause(0);
  }
  port.say({ say: 'figure', figure: figure('edge to callback', 'virtual', callback) });
  port.say({ say: 'figure', figure: figure('edge to gate output', 'virtual', outputs) });
};

export const FIGURE_CHECKS: readonly Check[] = [
  ['virtual: figures', inMemory],
  ...BACKENDS.flatMap((backend): readonly Check[] => [
    [`${backend}: figures, edge to callback`, toCallback(backend)],
    [`${backend}: figures, edge to gate output`, toGate(backend)],
  ]),
];
