import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { GpiochipBus, listChips } from '../../../firmware-bridge/bus/gpiochip.js';
import { BusError } from '../../../firmware-bridge/bus/errors.js';
import { I2cDev } from '../../../firmware-bridge/bus/i2c-dev.js';
import { loadNative } from '../../../firmware-bridge/bus/native.js';
import { OnoffBus } from '../../../firmware-bridge/bus/onoff.js';
import { plainLine } from '../../contract/gpio.js';
import type { Check, Rig } from './check.js';
import { busNumber, read } from './i2c.js';

/** What the Pi's own drivers can show in an emulator: outputs and its I2C bus. */
const LABEL = 'pinctrl-bcm2835';
const LINE = 20;
/** A temperature sensor that the host sets, in thousandths of a degree. */
const SENSOR = 0x48;
const NOBODY = 0x29;

/** The kernel's own word on a line: `gpio-532 ( |cutcard ) out hi`. */
const levelOf = (owner: string): string => {
  const lines = readFileSync('/sys/kernel/debug/gpio', 'utf8').split('\n');
  return lines.find((line) => line.includes(`|${owner}`))?.trim() ?? '';
};

const chip = (): Promise<void> => {
  const { chips } = listChips(loadNative());
  const labels = chips.map(({ label }) => label);
  assert.ok(labels.includes(LABEL), `chips: ${labels.join(', ')}`);
  return Promise.resolve();
};

const output = (make: () => GpiochipBus | OnoffBus, owner: string) => (): Promise<void> => {
  const bus = make();
  try {
    const line = bus.output(plainLine(LABEL, LINE), true);
    assert.match(levelOf(owner), /out hi/);
    line.set(false);
    assert.match(levelOf(owner), /out lo/);
  } finally {
    bus.close();
  }
  assert.equal(levelOf(owner), '', 'the line was let go');
  return Promise.resolve();
};

const sensor = async ({ port }: Rig): Promise<void> => {
  const bus = new I2cDev(busNumber(/7e804000/));
  // The sensor wakes with a resolution of half a degree.
  for (const celsius of [23.5, -10.5]) {
    const value = celsius * 1000;
    await port.ask({ device: '/machine/peripheral/t', property: 'temperature', value });
    const bytes = await read(bus, SENSOR, 0, 2);
    assert.equal(Buffer.from(bytes).readInt16BE() / 256, celsius);
  }
  bus.close();
};

const absent = async (): Promise<void> => {
  const bus = new I2cDev(busNumber(/7e804000/));
  await assert.rejects(read(bus, NOBODY, 0, 1), (error) => {
    assert.ok(error instanceof BusError);
    assert.equal(error.code, 'absent');
    assert.match(error.message, /nothing answers at I2C address 0x29/);
    return true;
  });
  bus.close();
};

export const PI_CHECKS: readonly Check[] = [
  ['pi: the chip is found by its label', chip],
  ['pi: gpiochip sets an output', output(() => new GpiochipBus(), 'cutcard')],
  ['pi: onoff sets an output', output(() => new OnoffBus(), 'sysfs')],
  ['pi: a sensor on the Pi’s I2C bus says what it was set to', sensor],
  ['pi: an address where nothing answers is named', absent],
];
