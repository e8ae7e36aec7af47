import assert from 'node:assert/strict';
import type { Happening } from '../../../controller/core/observation.js';
import { RealScheduler } from '../../../controller/runtime/real-scheduler.js';
import { GpiochipBus } from '../../../firmware-bridge/bus/gpiochip.js';
import { I2cDev } from '../../../firmware-bridge/bus/i2c-dev.js';
import { SharedI2c } from '../../../firmware-bridge/bus/shared-i2c.js';
import type { Device } from '../../../firmware-bridge/devices/device.js';
import { Ds3231, DS } from '../../../firmware-bridge/devices/ds3231.js';
import { Keypad } from '../../../firmware-bridge/devices/keypad.js';
import { MCP } from '../../../firmware-bridge/devices/mcp23017.js';
import { Tcs34725, TCS } from '../../../firmware-bridge/devices/tcs34725.js';
import { plainLine, until } from '../../contract/gpio.js';
import { CHIP } from './board.js';
import type { Check, Rig } from './check.js';
import { busNumber, write } from './i2c.js';

/**
 * The kernel's stub keeps the registers of some addresses; nothing answers here. It knows SMBus
 * transfers only, so that the display's long writes cannot be tried on it.
 */
const NOBODY = 0x51;
const KEY_INT = 24;

interface Bench {
  /** The wires of the chip, moved from beside the driver under test. */
  readonly raw: I2cDev;
  readonly shared: SharedI2c;
  readonly scheduler: RealScheduler;
  readonly told: Happening[];
  run(device: Device): void;
  close(): void;
}

const bench = (): Bench => {
  const number = busNumber(/stub/i);
  const raw = new I2cDev(number);
  const scheduler = new RealScheduler();
  const shared = new SharedI2c(new I2cDev(number), scheduler);
  const told: Happening[] = [];
  const devices: Device[] = [];
  return {
    raw,
    shared,
    scheduler,
    told,
    run: (device) => {
      devices.push(device);
      device.start((happening) => told.push(happening));
    },
    close: () => {
      for (const device of devices) device.stop();
      shared.close();
      raw.close();
      scheduler.close();
    },
  };
};

const within = async (run: (b: Bench) => Promise<void>): Promise<void> => {
  const b = bench();
  try {
    await run(b);
  } finally {
    b.close();
  }
};

const saw = (told: readonly Happening[], kind: Happening['kind'], words = /./): boolean =>
  told.some((one) => one.kind === kind && words.test(JSON.stringify(one)));

const at = (register: number): number => TCS.COMMAND | TCS.AUTO_INCREMENT | register;

const colour = (): Promise<void> =>
  within(async (b) => {
    await write(b.raw, TCS.ADDRESS, [at(TCS.ID), 0x12]);
    const sensor = new Tcs34725('colour', b.scheduler, b.shared);
    b.run(sensor);
    await until('another chip is named', () => saw(b.told, 'link.down', /0x12/));
    await write(b.raw, TCS.ADDRESS, [at(TCS.ID), 0x44, TCS.AVALID]);
    await until('the sensor is up', () => saw(b.told, 'link.up'));
    const counts = [1450, 980, 260, 250].flatMap((n) => [n & 255, n >> 8]);
    await write(b.raw, TCS.ADDRESS, [at(TCS.CDATA), ...counts]);
    let seen: readonly number[] = [];
    sensor.sample((ok, ...values) => {
      if (ok) seen = values;
    });
    await until('a reading', () => seen.length > 0);
    assert.deepEqual(seen, [1450, 980, 260, 250]);
  });

const keypad = (rig: Rig): Promise<void> =>
  within(async (b) => {
    await rig.wires.pull(KEY_INT, true);
    const gpio = new GpiochipBus();
    const interrupt = plainLine(CHIP, KEY_INT, true);
    const keys = ['BETS', 'END'] as const;
    const parts = { gpio, bus: b.shared, address: MCP.ADDRESS, interrupt, keys };
    const rest = { floorKey: null, techKey: null };
    // The stub keeps what is written: the pins read as the driver's own settings left them.
    await write(b.raw, MCP.ADDRESS, [MCP.INTFA, 0, 0, 0, 0, 0, 0]);
    b.run(new Keypad({ name: 'keypad', scheduler: b.scheduler, ...parts, ...rest }));
    try {
      await until('the keypad is up', () => saw(b.told, 'link.up'));
      await write(b.raw, MCP.ADDRESS, [MCP.INTFA, 1, 0, 1, 0, 1, 0]);
      await rig.wires.pull(KEY_INT, false);
      await until('the press', () => saw(b.told, 'press', /no-more-bets/));
    } finally {
      gpio.close();
    }
  });

const clock = (): Promise<void> =>
  within(async (b) => {
    // 2026-11-29, 12:34:56, 23.25 degrees.
    await write(b.raw, DS.ADDRESS, [0, 0x56, 0x34, 0x12, 1, 0x29, 0x11, 0x26]);
    await write(b.raw, DS.ADDRESS, [DS.STATUS, 0x00, 0x00, 23, 0x40]);
    const device = new Ds3231('clock', b.scheduler, b.shared);
    b.run(device);
    await until('the clock is read', () => device.last !== null);
    assert.equal(device.last?.reading.wallMs, Date.UTC(2026, 10, 29, 12, 34, 56));
    assert.equal(device.last.reading.celsius, 23.25);
  });

const absent = (): Promise<void> =>
  within(async (b) => {
    b.run(new Tcs34725('colour', b.scheduler, b.shared, NOBODY));
    await until('the absent chip is named', () =>
      saw(b.told, 'link.down', /nothing answers at I2C address 0x51/),
    );
  });

export const STUB_CHECKS: readonly Check[] = [
  ['i2c: the colour sensor is told from another chip, and read', colour],
  ['i2c: a key’s interrupt and registers become a press', keypad],
  ['i2c: the clock is read', clock],
  ['i2c: an address where nothing answers is named', absent],
];
