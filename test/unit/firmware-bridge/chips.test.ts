import { describe, expect, it } from 'vitest';
import { SimulatedClock } from '../../../controller/core/simulated-clock.js';
import { SharedI2c, I2C_ATTEMPTS } from '../../../firmware-bridge/bus/shared-i2c.js';
import { VirtualI2c } from '../../../firmware-bridge/bus/virtual-i2c.js';
import { BusError } from '../../../firmware-bridge/bus/errors.js';
import type { I2cBus } from '../../../firmware-bridge/bus/i2c.js';
import { MCP, Mcp23017 } from '../../../firmware-bridge/devices/mcp23017.js';
import {
  TCS,
  TCS_CYCLE_NS,
  TCS_INTEGRATION_NS,
  Tcs34725,
} from '../../../firmware-bridge/devices/tcs34725.js';
import { CharacterDisplay } from '../../../firmware-bridge/devices/character-display.js';
import { LcdChip } from '../../../firmware-bridge/virtual/lcd-chip.js';
import { LightHistory } from '../../../firmware-bridge/virtual/light.js';
import { McpChip } from '../../../firmware-bridge/virtual/mcp-chip.js';
import { Random } from '../../../firmware-bridge/virtual/random.js';
import { TcsChip } from '../../../firmware-bridge/virtual/tcs-chip.js';
import type { Happening } from '../../../controller/core/observation.js';

const like = (pattern: RegExp): unknown => expect.stringMatching(pattern);

const SURFACES = [
  { name: 'nothing', kind: 'nothing', clear: 100, red: 40, green: 40, blue: 30 },
  { name: 'red', kind: 'back', clear: 1400, red: 1000, green: 250, blue: 250 },
] as const;
const register = (r: number): number => TCS.COMMAND | TCS.AUTO_INCREMENT | r;
const word = (bytes: Uint8Array, at: number): number =>
  (bytes[at] ?? 0) + 256 * (bytes[at + 1] ?? 0);

describe('TCS34725, register by register', () => {
  const chip = (light = new LightHistory()): TcsChip =>
    new TcsChip(light, SURFACES, new Random(1), 0);

  it("answers its identity and starts with the data sheet's reset values", () => {
    const c = chip();
    expect([...c.read(register(TCS.ID), 1, 0)]).toEqual([0x44]);
    expect([...c.read(register(TCS.ENABLE), 2, 0)]).toEqual([0x00, 0xff]);
    expect([...c.read(register(TCS.STATUS), 1, 1e9)]).toEqual([0]);
  });

  it('needs the command bit', () => {
    const c = chip();
    c.write(Uint8Array.of(TCS.ENABLE, 3), 0);
    expect([...c.read(register(TCS.ENABLE), 1, 0)]).toEqual([0]);
    expect([...c.read(TCS.ID, 1, 0)]).toEqual([0]);
  });

  it('has no data before the first whole integration, and mixes what one window saw', () => {
    const light = new LightHistory();
    const c = chip(light);
    c.write(Uint8Array.of(TCS.COMMAND | TCS.ATIME, 256 - 4), 0);
    c.write(Uint8Array.of(TCS.COMMAND | TCS.CONTROL, 1), 0);
    c.write(Uint8Array.of(TCS.COMMAND | TCS.ENABLE, TCS.PON | TCS.AEN), 0);
    light.show('red', TCS_INTEGRATION_NS * 1.5);
    const read = (atNs: number) => c.read(register(TCS.STATUS), 9, atNs);
    expect(read(TCS_INTEGRATION_NS - 1)[0]).toBe(0);
    expect(word(read(TCS_INTEGRATION_NS + 1), 1)).toBe(100);
    expect(word(read(2 * TCS_INTEGRATION_NS + 1), 1)).toBe(750);
    const covered = read(3 * TCS_INTEGRATION_NS + 1);
    expect([1, 3, 5, 7].map((at) => word(covered, at))).toEqual([1400, 1000, 250, 250]);
    expect(TCS_CYCLE_NS).toBe(2.4e6);
  });

  it('saturates at 1024 counts a cycle', () => {
    const light = new LightHistory();
    const c = chip(light);
    c.write(Uint8Array.of(TCS.COMMAND | TCS.ATIME, 0xff), 0);
    c.write(Uint8Array.of(TCS.COMMAND | TCS.CONTROL, 3), 0);
    c.write(Uint8Array.of(TCS.COMMAND | TCS.ENABLE, TCS.PON | TCS.AEN), 0);
    light.show('red', 0);
    expect(word(c.read(register(TCS.CDATA), 8, 20e6), 0)).toBe(1024);
  });

  const rig = () => {
    const clock = new SimulatedClock();
    const bus = new VirtualI2c(clock);
    const c = new TcsChip(new LightHistory(), SURFACES, new Random(1), 0);
    bus.fit(TCS.ADDRESS, c);
    const sensor = new Tcs34725('colour', clock, new SharedI2c(bus, clock));
    const told: Happening[] = [];
    sensor.start((h) => told.push(h));
    return { clock, bus, c, sensor, told };
  };

  it('is set up by the driver and read in one transfer', () => {
    const { clock, sensor, told, c } = rig();
    clock.runUntil(50e6);
    expect(told).toEqual([{ kind: 'link.up', device: 'colour', identity: 'tcs34725/0x44' }]);
    expect([...c.read(register(TCS.ENABLE), 2, 50e6)]).toEqual([TCS.PON | TCS.AEN, 256 - 4]);
    const taken: number[][] = [];
    sensor.sample((ok, ...counts) => taken.push(ok ? counts : []));
    clock.runUntil(52e6);
    expect(taken).toEqual([[100, 40, 40, 30]]);
  });

  it('is found out when it lost its supply, and set up again', () => {
    const { clock, told, c } = rig();
    clock.runUntil(50e6);
    c.powerOn();
    clock.runUntil(8e9);
    expect(told.map((h) => h.kind)).toEqual(['link.up', 'link.down', 'link.up']);
    expect(told[1]).toMatchObject({ reason: like(/lost its settings/) });
  });

  it('is named when it is another chip, or absent', () => {
    const { clock, bus, told } = rig();
    bus.fit(TCS.ADDRESS, { read: (_r, n) => new Uint8Array(n).fill(0x12), write: () => undefined });
    clock.runUntil(1e9);
    expect(told[0]).toMatchObject({ kind: 'link.down', reason: like(/0x12/) });
    bus.pull(TCS.ADDRESS, true);
    clock.runUntil(10e9);
    expect(told).toHaveLength(1);
  });
});

describe('MCP23017, register by register', () => {
  const rig = () => {
    const interrupts: boolean[] = [];
    const chip = new McpChip((active) => {
      if (interrupts.at(-1) !== active) interrupts.push(active);
    });
    const clock = new SimulatedClock();
    const bus = new VirtualI2c(clock);
    bus.fit(MCP.ADDRESS, chip);
    const errors: string[] = [];
    const driver = new Mcp23017(new SharedI2c(bus, clock), MCP.ADDRESS, (e) => errors.push(e));
    return { chip, clock, bus, driver, errors, interrupts };
  };

  it('starts as inputs with everything else at zero', () => {
    const { chip } = rig();
    const bytes = chip.read(0, MCP.REGISTERS, 0);
    expect([...bytes.subarray(0, 2)]).toEqual([0xff, 0xff]);
    expect(bytes.subarray(2, MCP.GPIOA).every((b) => b === 0)).toBe(true);
    expect([...bytes.subarray(MCP.GPIOA, MCP.GPIOA + 2)]).toEqual([0xff, 0xff]);
  });

  it('captures the first change, holds the interrupt until it was read', () => {
    const { chip, clock, driver, interrupts } = rig();
    let idle = -1;
    driver.configure((pins) => (idle = pins));
    clock.runUntil(10e6);
    expect(idle).toBe(0);
    chip.key(9, true, 11e6);
    chip.key(9, false, 12e6);
    expect(interrupts).toEqual([false, true]);
    const read: number[][] = [];
    driver.readPins((flags, captured, now) => read.push([flags, captured, now]));
    clock.runUntil(20e6);
    expect(read).toEqual([[1 << 9, 1 << 9, 0]]);
    expect(interrupts).toEqual([false, true, false]);
  });

  it('keeps IOCON at both its addresses and refuses writes to what is read only', () => {
    const { chip } = rig();
    chip.write(Uint8Array.of(MCP.IOCON + 1, 0x40), 0);
    expect([...chip.read(MCP.IOCON, 2, 0)]).toEqual([0x40, 0x40]);
    chip.write(Uint8Array.of(MCP.INTFA, 0xff), 0);
    expect([...chip.read(MCP.INTFA, 1, 0)]).toEqual([0]);
  });

  it('is missed by name', () => {
    const { bus, driver, errors, clock } = rig();
    bus.pull(MCP.ADDRESS, true);
    driver.configure(() => undefined);
    clock.runUntil(1e9);
    expect(errors).toEqual(['key expander: nothing answers at I2C address 0x20']);
  });
});

describe('the character display', () => {
  it('shows four lines, our paragraph sign and nothing stale', () => {
    const clock = new SimulatedClock();
    const bus = new VirtualI2c(clock);
    const glass = new LcdChip();
    bus.fit(0x27, glass);
    const display = new CharacterDisplay('display', clock, new SharedI2c(bus, clock));
    display.start(() => undefined);
    const show = (line1: string) =>
      display.perform({
        to: 'display',
        line1,
        line2: '3 to go',
        step: 'burn',
        clause: '§ 631a.5(f)',
      });
    show('BURN 7 more');
    clock.runUntil(1e9);
    expect(glass.lines()).toEqual(['BURN 7 more', '3 to go', 'burn', '§ 631a.5(f)']);
    show('a line that is longer than the glass');
    clock.runUntil(2e9);
    expect(glass.lines()[0]).toBe('a line that is longe');
    show('ok €');
    clock.runUntil(3e9);
    expect(glass.lines()[0]).toBe('ok ?');
  });
});

describe('the shared bus', () => {
  it('tries a disturbed transfer again and a broken one no more than three times', () => {
    const clock = new SimulatedClock();
    let fails = 0;
    let calls = 0;
    const flaky: I2cBus = {
      read: (_a, _r, length, done) => {
        calls += 1;
        fails -= 1;
        if (fails >= 0) done(new BusError('io', 'disturbed', ''), new Uint8Array(0));
        else done(null, new Uint8Array(length));
      },
      write: (_a, _b, done) => done(null, new Uint8Array(0)),
      close: () => undefined,
    };
    const bus = new SharedI2c(flaky, clock);
    const ends: (string | number)[] = [];
    const read = (n: number): void => {
      fails = n;
      calls = 0;
      bus.read(8, 0, 2, (error, bytes) => ends.push(error?.message ?? bytes.length));
      clock.runUntil(clock.nowNs() + 1e9);
    };
    read(2);
    expect([ends, calls]).toEqual([[2], 3]);
    read(99);
    expect([ends, calls]).toEqual([[2, 'disturbed'], I2C_ATTEMPTS]);
  });

  it('does one transfer at a time, in order, and refuses too many', () => {
    const clock = new SimulatedClock();
    const bus = new VirtualI2c(clock);
    bus.fit(8, { read: (r, n) => new Uint8Array(n).fill(r), write: () => undefined });
    const shared = new SharedI2c(bus, clock);
    const ends: (string | number)[] = [];
    for (let i = 0; i < 70; i += 1) {
      shared.read(8, i, 1, (error, bytes) => ends.push(error?.code ?? bytes[0] ?? -1));
    }
    clock.runUntil(1e9);
    expect(ends.filter((e) => e === 'limit')).toHaveLength(6);
    const read = ends.filter((e) => e !== 'limit');
    expect(read).toEqual(Array.from({ length: 64 }, (_, i) => i));
  });
});
