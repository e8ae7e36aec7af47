import { copyFileSync, existsSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { type Board, lineSpec, loadBoard } from '../../firmware-bridge/boards/load.js';
import {
  apartness,
  calibrationFaults,
  calibrationFile,
} from '../../firmware-bridge/calibrate/learn.js';
import { practiceHead } from '../../firmware-bridge/calibrate/practice.js';
import {
  CalibrationError,
  type CalibrationParts,
  type Learnt,
  runCalibration,
  type Step,
} from '../../firmware-bridge/calibrate/session.js';
import { BusError } from '../../firmware-bridge/bus/errors.js';
import { Tcs34725 } from '../../firmware-bridge/devices/tcs34725.js';
import { FileError } from '../../firmware-bridge/files.js';
import { openBuses } from '../../firmware-bridge/open-board.js';
import { writeDurably } from '../../surveillance/identity/files.js';
import { fileWords, placeTrouble } from '../config/given-file.js';
import { EXIT, Refusal } from './exit.js';
import { RealScheduler } from './real-scheduler.js';

/** Longest wait for one step of the person, ms. */
const STEP_MAX_MS = 120_000;
const READABLE = 0o644;
const LOOK_MS = 20;
/** The colour sensor is up by then, ms. */
const SENSOR_MS = 3000;

export interface CalibrateOptions {
  readonly board: string;
  readonly batches: readonly string[];
  readonly cardMm: number;
  readonly coverMm: number;
  readonly out: string;
  readonly json: boolean;
}

interface Head {
  readonly parts: CalibrationParts;
  readonly ask: (step: Step) => Promise<void>;
  readonly close: () => void;
}

const wordsFor = (step: Step): string => {
  switch (step.do) {
    case 'clear-mouth':
      return 'Clear the mouth.';
    case 'hold':
      return step.surface === 'cover'
        ? 'Hold the cover card still over the sensor.'
        : `Hold a ${step.surface} card still over the sensor, back to the light.`;
    case 'pull-cards':
      return `Pull ${step.count} single cards out of the shoe, at your usual speed.`;
  }
};

/** A live line on a terminal replaces the last one; in a pipe there is no progress. */
const show = (line: string): void => {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${line}`);
};

const waitReal = async (done: () => boolean, limitMs: number): Promise<boolean> => {
  const until = performance.now() + limitMs;
  while (!done() && performance.now() < until) await pause(LOOK_MS);
  return done();
};

const realHead = async (board: Board): Promise<Head> => {
  if (!process.stdin.isTTY) {
    throw new Refusal(EXIT.usage, 'calibrate asks a person for each step: run it on a terminal');
  }
  const mouth = Object.values(board.devices).find((spec) => spec.driver === 'shoe-mouth');
  const colourName = mouth?.driver === 'shoe-mouth' ? mouth.colour : undefined;
  const spec = colourName === undefined ? undefined : board.devices[colourName];
  if (mouth?.driver !== 'shoe-mouth' || spec?.driver !== 'tcs34725') {
    throw new Refusal(EXIT.config, `the board ${board.name} has no mouth with a colour sensor`);
  }
  const scheduler = new RealScheduler();
  const buses = await openBuses(board, scheduler);
  const bus = buses.i2c[spec.bus];
  if (bus === undefined) throw new Refusal(EXIT.config, `the board has no bus ${spec.bus}`);
  const colour = new Tcs34725('colour', scheduler, bus, spec.address);
  colour.start(() => undefined);
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  const close = (): void => {
    reader.close();
    colour.stop();
    buses.gpio.close();
    bus.close();
  };
  if (!(await waitReal(() => colour.isUp, SENSOR_MS))) {
    const reason = colour.status().reason ?? 'no answer';
    close();
    throw new Refusal(EXIT.found, `the colour sensor: ${reason}; run \`cutcard doctor\``);
  }
  const ask = async (step: Step): Promise<void> => {
    const tail = step.do === 'pull-cards' ? ' Enter to begin: ' : ' Enter when it is so: ';
    await reader.question(`\n${wordsFor(step)}${tail}`);
  };
  const parts: CalibrationParts = {
    scheduler,
    gpio: buses.gpio,
    beamA: lineSpec(board, mouth.beamA),
    beamB: lineSpec(board, mouth.beamB),
    colour,
    wait: (done) => waitReal(done, STEP_MAX_MS),
    show,
  };
  return { parts, ask, close };
};

const openHead = async (name: string): Promise<Head> => {
  try {
    const board = loadBoard(name);
    if (board.gpio.backend !== 'virtual') return await realHead(board);
    return { ...practiceHead(1, show), close: () => undefined };
  } catch (error) {
    if (error instanceof FileError || error instanceof BusError) {
      throw new Refusal(EXIT.config, error.message, error);
    }
    throw error;
  }
};

const report = (learnt: Learnt, faults: readonly string[], options: CalibrateOptions): void => {
  const { spacing, calibration } = learnt;
  const pairs = apartness(learnt.learners);
  if (options.json) {
    const spreadMm = spacing.spreadMm();
    const result = { calibration, spreadMm, apart: pairs, faults, file: options.out };
    process.stdout.write(`${JSON.stringify(result)}\n`);
    return;
  }
  const spread = spacing.spreadMm().toFixed(2);
  const lines = [
    `beams ${calibration.spacingMm} mm apart (${spacing.pulls} pulls agree within ${spread} mm)`,
    ...pairs.map(
      ({ a, b, distance, scatter, verdict }) =>
        `${a} - ${b}: ${distance.toFixed(2)} apart, scatter ${scatter.toFixed(3)}: ${verdict}`,
    ),
    ...faults.map((fault) => `FAIL ${fault}`),
    faults.length === 0 ? `written to ${options.out}` : 'nothing was written',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
};

const previousOf = (file: string): string => `${file}.previous`;

/** Known before the first card is pulled: nobody pulls forty cards twice. @throws Refusal */
const checkPlace = (file: string): void => {
  const why = placeTrouble(file);
  if (why !== null) throw new Refusal(EXIT.usage, `--out ${file}: ${why}`);
};

/** The calibration before stays beside the new one. */
const save = (file: string, text: string): void => {
  try {
    if (existsSync(file)) copyFileSync(file, previousOf(file));
    writeDurably(file, text, READABLE);
  } catch (cause) {
    const why = `${file}: the calibration cannot be written: ${fileWords(cause)}`;
    throw new Refusal(EXIT.usage, `${why}; here it is:\n${text}`, cause);
  }
};

/** Calibrates one head and writes its file, unless something speaks against it: then what. */
export const calibrateHead = async (options: CalibrateOptions): Promise<readonly string[]> => {
  checkPlace(options.out);
  const isAgain = existsSync(options.out);
  const head = await openHead(options.board);
  try {
    const learnt = await runCalibration(head.parts, { ...options, ask: head.ask });
    if (process.stderr.isTTY) process.stderr.write('\n');
    const faults = calibrationFaults(learnt.calibration, learnt.learners);
    if (faults.length === 0) {
      const text = calibrationFile(learnt.calibration, new Date().toISOString());
      save(options.out, text);
    }
    report(learnt, faults, options);
    if (isAgain && faults.length === 0 && !options.json) {
      process.stdout.write(`the one before is kept as ${previousOf(options.out)}\n`);
    }
    return faults;
  } catch (error) {
    if (error instanceof CalibrationError) throw new Refusal(EXIT.found, error.message, error);
    throw error;
  } finally {
    head.close();
  }
};
