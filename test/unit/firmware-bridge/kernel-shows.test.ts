import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Happening } from '../../../controller/core/observation.js';
import { SimulatedClock } from '../../../controller/core/simulated-clock.js';
import { BusError } from '../../../firmware-bridge/bus/errors.js';
import type { I2cBus } from '../../../firmware-bridge/bus/i2c.js';
import { kernelClock } from '../../../firmware-bridge/bus/kernel-clock.js';
import { DS, Ds3231 } from '../../../firmware-bridge/devices/ds3231.js';
import { checkSupply } from '../../../firmware-bridge/doctor/hardware.js';

type Files = Readonly<Record<string, string>>;

const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A folder that stands for /sys. */
const place = (files: Files): string => {
  const sys = mkdtempSync(join(tmpdir(), 'cutcard-sys-'));
  made.push(sys);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(sys, file)), { recursive: true });
    writeFileSync(join(sys, file), text);
  }
  return sys;
};

describe('a DS3231 that the kernel’s driver owns', () => {
  const CHIP = 'bus/i2c/devices/1-0068';
  const owned: I2cBus = {
    read: (_address, _register, _length, done) =>
      done(new BusError('busy', 'owned by a driver of the kernel', 'x'), new Uint8Array(0)),
    write: () => undefined,
    close: () => undefined,
  };

  it('is read from sysfs: time, temperature, and a time that the driver calls invalid', () => {
    const sys = place({
      [`${CHIP}/rtc/rtc0/since_epoch`]: '1796000000\n',
      [`${CHIP}/hwmon/hwmon3/temp1_input`]: '23250\n',
    });
    expect(kernelClock(1, 0x68, sys)).toEqual({ wallMs: 1_796_000_000_000, celsius: 23.25 });
    expect(kernelClock(3, 0x68, sys)).toBeNull();
    // The driver answers a read with an error: here a folder stands for it.
    const invalid = place({ [`${CHIP}/rtc/rtc0/since_epoch/x`]: '' });
    expect(kernelClock(1, 0x68, invalid)).toEqual({ wallMs: null, celsius: null });
  });

  it('is up with the time that the driver shows, down where nobody shows one', () => {
    const clock = new SimulatedClock();
    const told: Happening[] = [];
    const held = { wallMs: 5000, celsius: null };
    const device = new Ds3231('clock', clock, owned, DS.ADDRESS, () => held);
    device.start((h) => told.push(h));
    clock.runUntil(1e9);
    expect(device.last?.reading).toEqual({ wallMs: 5000, stopped: false, celsius: null });
    const alone = new Ds3231('clock', clock, owned);
    alone.start((h) => told.push(h));
    clock.runUntil(2e9);
    expect(told.map((h) => h.kind)).toEqual(['link.up', 'link.down']);
    device.stop();
    alone.stop();
  });
});

describe('supply and temperature', () => {
  const states = (files: Files): string[] =>
    checkSupply({ dev: '/dev', sys: place(files) }).map(({ what, state }) => `${state} ${what}`);
  const FIRMWARE = 'devices/platform/soc/soc:firmware/get_throttled';
  const volt = (alarm: string) => ({
    'class/hwmon/hwmon1/name': 'rpi_volt\n',
    'class/hwmon/hwmon1/in0_lcrit_alarm': `${alarm}\n`,
  });

  it.each([
    [{}, 'warn'],
    [{ [FIRMWARE]: '0\n' }, 'ok'],
    [{ [FIRMWARE]: '1\n' }, 'fail'],
    [{ [FIRMWARE]: '50000\n' }, 'warn'],
    [volt('0'), 'ok'],
    [volt('1'), 'fail'],
    [{ 'class/hwmon/hwmon1/name': 'other\n' }, 'warn'],
  ])('%j: the supply is %s', (files, state) => {
    expect(states(files)).toContain(`${state} supply`);
  });

  it('what is not shown is not called well', () => {
    expect(states({})).toEqual(['warn temperature', 'warn supply']);
    expect(states({ 'class/thermal/thermal_zone0/temp': '41000\n' })[0]).toBe('ok temperature');
  });
});
