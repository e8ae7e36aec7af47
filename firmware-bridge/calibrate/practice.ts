import { SimulatedClock } from '../../controller/core/simulated-clock.js';
import { lineSpec, loadBoard } from '../boards/load.js';
import { SharedI2c } from '../bus/shared-i2c.js';
import { VirtualGpio } from '../bus/virtual-gpio.js';
import { VirtualI2c } from '../bus/virtual-i2c.js';
import { TCS, Tcs34725 } from '../devices/tcs34725.js';
import { MouthModel } from '../virtual/mouth-model.js';
import { Random } from '../virtual/random.js';
import { TcsChip } from '../virtual/tcs-chip.js';
import type { CalibrationParts, Step } from './session.js';

/** Longest simulated time that one step may take, ns. */
const STEP_MAX_NS = 120e9;
const TICK_NS = 10e6;

/** A shoe head in memory whose hands do what they are asked: to try calibration without one. */
export const practiceHead = (
  seed: number,
  show: (line: string) => void,
): { readonly parts: CalibrationParts; readonly ask: (step: Step) => Promise<void> } => {
  const board = loadBoard('virtual');
  const scheduler = new SimulatedClock();
  const gpio = new VirtualGpio();
  const random = new Random(seed);
  const calibration = board.calibrations['mouth'];
  if (calibration === undefined) throw new Error('the virtual board has no mouth');
  const [beamA, beamB] = [lineSpec(board, 'beam-a'), lineSpec(board, 'beam-b')];
  const { spacingMm, cardMm } = calibration;
  const mouth = new MouthModel({
    scheduler,
    gpio,
    beamA,
    beamB,
    spacingMm,
    random: random.fork(),
    noise: 1,
  });
  const bus = new VirtualI2c(scheduler);
  bus.fit(TCS.ADDRESS, new TcsChip(mouth.light, calibration.colours, random.fork(), 1));
  const colour = new Tcs34725('colour', scheduler, new SharedI2c(bus, scheduler));
  colour.start(() => undefined);
  const wait = (done: () => boolean): Promise<boolean> => {
    const until = scheduler.nowNs() + STEP_MAX_NS;
    while (!done() && scheduler.nowNs() < until) scheduler.runUntil(scheduler.nowNs() + TICK_NS);
    return Promise.resolve(done());
  };
  const ask = (step: Step): Promise<void> => {
    const now = scheduler.nowNs();
    if (step.do === 'clear-mouth') mouth.light.show('nothing', now);
    else if (step.do === 'hold') mouth.light.show(step.surface, now);
    else {
      mouth.light.show('nothing', now);
      // A card that was seen badly is pulled again: some more than are asked for.
      for (let i = 0; i < 2 * step.count; i += 1) mouth.pull(cardMm, []);
    }
    scheduler.runUntil(scheduler.nowNs() + 100e6);
    return Promise.resolve();
  };
  return { parts: { scheduler, gpio, beamA, beamB, colour, wait, show }, ask };
};
