import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SimulatedClock } from '../../../controller/core/simulated-clock.js';
import { loadBoard, parseCalibration } from '../../../firmware-bridge/boards/load.js';
import { SharedI2c } from '../../../firmware-bridge/bus/shared-i2c.js';
import { VirtualI2c } from '../../../firmware-bridge/bus/virtual-i2c.js';
import { OnoffBus, claimLine, sysfsNumber } from '../../../firmware-bridge/bus/onoff.js';
import type { LineSpec } from '../../../firmware-bridge/bus/gpio.js';
import {
  apartness,
  calibrationFaults,
  calibrationFile,
  ColourLearner,
  SpacingLearner,
} from '../../../firmware-bridge/calibrate/learn.js';
import { practiceHead } from '../../../firmware-bridge/calibrate/practice.js';
import { runCalibration } from '../../../firmware-bridge/calibrate/session.js';
import { decodeClock, DS, Ds3231 } from '../../../firmware-bridge/devices/ds3231.js';
import {
  accessFinding,
  checkGpio,
  checkHost,
  checkI2c,
  checkStreams,
  checkSupply,
} from '../../../firmware-bridge/doctor/hardware.js';
import type { Happening } from '../../../controller/core/observation.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cutcard-doctor-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('calibration', () => {
  it('learns the practice head within half a per cent and writes a file that loads', async () => {
    const shown: string[] = [];
    const { parts, ask } = practiceHead(7, (line) => shown.push(line));
    const plan = { cardMm: 63.5, coverMm: 70, batches: ['red', 'blue'], ask };
    const { calibration, learners } = await runCalibration(parts, plan);
    expect(Math.abs(calibration.spacingMm - 10)).toBeLessThan(0.05);
    expect(calibrationFaults(calibration, learners)).toEqual([]);
    expect(apartness(learners).every((pair) => pair.verdict === 'good')).toBe(true);
    expect(shown.some((line) => /^red: clear \d+ +red \d+ %/.test(line))).toBe(true);
    const text = calibrationFile(calibration, 'today');
    expect(parseCalibration(text, 'x.yaml')).toEqual(calibration);
  });

  it('says when two colours look the same, and when beams are swapped', async () => {
    const red = new ColourLearner('red', 'back');
    const wine = new ColourLearner('wine', 'back');
    for (let i = 0; i < 20; i += 1) {
      red.add(1450 + i, 980, 260, 250);
      wine.add(1400 + i, 950, 262, 251);
    }
    expect(apartness([red, wine])[0]?.verdict).toBe('same');
    const calibration = { spacingMm: 10, cardMm: 63.5, coverMm: 70, colours: [] };
    expect(calibrationFaults(calibration, [red, wine])).toEqual([
      'red and wine look the same to the sensor',
    ]);
    expect(calibrationFaults({ ...calibration, spacingMm: NaN }, [])[0]).toMatch(/not possible/);
    const { parts } = practiceHead(7, () => undefined);
    const swapped = { ...parts, beamA: parts.beamB, beamB: parts.beamA };
    const { ask } = practiceHead(7, () => undefined);
    await expect(
      runCalibration(swapped, { cardMm: 63.5, coverMm: 70, batches: [], ask }),
    ).rejects.toThrow(/too few pulls|swapped/);
  });

  it('takes the median of the pulls', () => {
    const learner = new SpacingLearner(63.5);
    for (const mm of [10, 10.1, 9.9, 10, 25]) learner.add(mm * 1e6, 63.5e6, mm * 1e6);
    learner.add(NaN, NaN, NaN);
    expect(learner.pulls).toBe(5);
    expect(learner.spacingMm()).toBeCloseTo(10, 5);
  });
});

describe('DS3231', () => {
  const registers = (): Uint8Array => {
    const r = new Uint8Array(DS.REGISTERS);
    r.set([0x56, 0x34, 0x21, 0x01, 0x29, 0x11, 0x26], 0);
    r[DS.TEMPERATURE] = 0x17;
    r[DS.TEMPERATURE + 1] = 0x40;
    return r;
  };

  it('reads date, temperature and the stopped flag', () => {
    expect(decodeClock(registers())).toEqual({
      wallMs: Date.UTC(2026, 10, 29, 21, 34, 56),
      stopped: false,
      celsius: 23.25,
    });
    const evening = registers();
    evening[2] = 0x40 | 0x20 | 0x12;
    expect(decodeClock(evening).wallMs).toBe(Date.UTC(2026, 10, 29, 12, 34, 56));
    const cold = registers();
    cold[DS.TEMPERATURE] = 0xfb;
    expect(decodeClock(cold).celsius).toBe(-4.75);
    const garbage = registers();
    garbage[5] = 0x3a;
    expect(decodeClock(garbage).wallMs).toBeNull();
  });

  it('is up when it runs, stale when it stood still, down when it is no clock', () => {
    const clock = new SimulatedClock();
    const bus = new VirtualI2c(clock);
    let content = registers();
    bus.fit(DS.ADDRESS, { read: (r, n) => content.slice(r, r + n), write: () => undefined });
    const told: Happening[] = [];
    const device = new Ds3231('clock', clock, new SharedI2c(bus, clock));
    device.start((h) => told.push(h));
    clock.runUntil(1e9);
    expect(device.last?.reading.stopped).toBe(false);
    content[DS.STATUS] = DS.OSF;
    clock.runUntil(200e9);
    content = new Uint8Array(DS.REGISTERS).fill(0xff);
    content[DS.STATUS] = 0;
    clock.runUntil(400e9);
    expect(told.map((h) => h.kind)).toEqual(['link.up', 'device.stale', 'link.down']);
  });
});

describe('the doctor', () => {
  const states = (findings: readonly { what: string; state: string }[]): string[] =>
    findings.map((f) => `${f.state} ${f.what}`);

  it('finds what is missing on this machine and gives each a cure', async () => {
    const board = loadBoard('pi4');
    const machine = { dev: folder, sys: folder };
    const findings = [
      ...checkGpio(board, machine),
      ...(await checkI2c(board, () => new VirtualI2c(new SimulatedClock()), machine)),
      ...(await checkStreams(board)),
    ];
    expect(states(findings).slice(-5)).toEqual([
      'fail i2c head',
      'fail stream shuffler',
      'fail stream reader',
      'fail stream panel',
      'fail stream badge',
    ]);
    for (const finding of findings) expect(finding.cure).not.toBe('');
  });

  it('asks each chip for its identity', async () => {
    const clock = new SimulatedClock();
    const bus = new VirtualI2c(clock);
    bus.fit(0x29, { read: () => Uint8Array.of(0x44), write: () => undefined });
    bus.fit(0x27, { read: () => Uint8Array.of(0), write: () => undefined });
    writeFileSync(join(folder, 'i2c-1'), '');
    const running = checkI2c(loadBoard('pi4'), () => bus, { dev: folder, sys: folder });
    for (let i = 0; i < 50; i += 1) {
      await Promise.resolve();
      clock.runUntil(clock.nowNs() + 1e9);
    }
    const findings = await running;
    expect(states(findings)).toEqual([
      'ok i2c head',
      'ok colour (tcs34725 at 0x29)',
      'fail clock (ds3231 at 0x68)',
      'ok display (display at 0x27)',
      'fail keypad (keypad at 0x20)',
    ]);
    bus.fit(0x29, { read: () => Uint8Array.of(0x99), write: () => undefined });
  });

  it('reads temperature and under-voltage', () => {
    const sys = join(folder, 'sys');
    mkdirSync(join(sys, 'class/thermal/thermal_zone0'), { recursive: true });
    mkdirSync(join(sys, 'devices/platform/soc/soc:firmware'), { recursive: true });
    const set = (temp: string, bits: string): string[] => {
      writeFileSync(join(sys, 'class/thermal/thermal_zone0/temp'), temp);
      writeFileSync(join(sys, 'devices/platform/soc/soc:firmware/get_throttled'), bits);
      return states(checkSupply({ dev: folder, sys }));
    };
    expect(set('45277\n', '0\n')).toEqual(['ok temperature', 'ok supply']);
    expect(set('72000\n', '50000\n')).toEqual(['warn temperature', 'warn supply']);
    expect(set('85000\n', '50005\n')).toEqual(['fail temperature', 'fail supply']);
  });

  it('knocks at a host', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    expect(await checkHost('broker', '127.0.0.1', port)).toMatchObject({ state: 'ok' });
    await new Promise((resolve) => server.close(resolve));
    expect(await checkHost('broker', '127.0.0.1', port)).toMatchObject({ state: 'fail' });
    const panel = loadBoard('dev-buttons');
    const streams = { panel: { backend: 'tcp', host: '127.0.0.1', port } } as const;
    const [seen] = await checkStreams({ ...panel, streams });
    expect(seen).toMatchObject({ state: 'fail', what: 'stream panel' });
    expect(seen?.cure).toContain(`\`cutcard panel --listen 127.0.0.1:${port}\``);
    expect(accessFinding('port', join(folder, 'gone'), 'plug it in')).toMatchObject({
      state: 'fail',
      cure: 'plug it in',
    });
  });
});

describe('sysfs lines', () => {
  const line = (name: string, chip: string): LineSpec => ({
    name,
    chip,
    offset: 17,
    activeLow: false,
    bias: 'as-is',
    debounceUs: 0,
  });
  const root = (): string => {
    const sysfs = join(folder, 'gpio');
    for (const [chip, base, label] of [
      ['gpiochip512', '512', 'pinctrl-bcm2711'],
      ['gpiochip570', '570', 'raspberrypi-exp-gpio'],
    ] as const) {
      mkdirSync(join(sysfs, chip), { recursive: true });
      writeFileSync(join(sysfs, chip, 'base'), `${base}\n`);
      writeFileSync(join(sysfs, chip, 'label'), `${label}\n`);
    }
    return sysfs;
  };

  it("finds a line by its chip's label and offset, never by a fixed number", () => {
    expect(sysfsNumber(line('beam-a', 'pinctrl-bcm2711'), root())).toBe(529);
    expect(() => sysfsNumber(line('beam-a', 'pinctrl-rp1'), root())).toThrow(
      /no chip labelled pinctrl-rp1; found: pinctrl-bcm2711, raspberrypi-exp-gpio/,
    );
  });

  it('looks at the permissions before anything could block', () => {
    const sysfs = root();
    // Exported by nobody and no `export` file: named at once, not after seconds.
    const before = performance.now();
    expect(() => claimLine(line('beam-a', 'pinctrl-bcm2711'), sysfs)).toThrow(/GPIO 529/);
    mkdirSync(join(sysfs, 'gpio529'), { recursive: true });
    for (const file of ['direction', 'value', 'edge', 'active_low']) {
      writeFileSync(join(sysfs, 'gpio529', file), '0');
    }
    expect(claimLine(line('beam-a', 'pinctrl-bcm2711'), sysfs)).toBe(529);
    expect(performance.now() - before).toBeLessThan(1000);
  });

  it('says what a machine without sysfs lines lacks', () => {
    const bus = new OnoffBus();
    const quiet = { edge: () => undefined, fault: () => undefined };
    expect(() => bus.input(line('beam-a', 'no-such-chip'), quiet)).toThrow(/no chip labelled/);
    bus.close();
  });
});
