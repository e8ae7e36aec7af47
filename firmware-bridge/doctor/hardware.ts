import { accessSync, closeSync, constants, existsSync, openSync } from 'node:fs';
import { readdirSync, readFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { isLoopback } from '../../controller/config/loopback.js';
import type { Board } from '../boards/load.js';
import type { DeviceSpec } from '../boards/schema.js';
import { BusError, reasonOf } from '../bus/errors.js';
import { GPIO, lineInfo, lineInfoRequest } from '../bus/gpio-uapi.js';
import { listChips, type ChipFound } from '../bus/gpiochip.js';
import type { I2cBus } from '../bus/i2c.js';
import { type KernelClock, kernelClock } from '../bus/kernel-clock.js';
import { codeOf, loadNative, type Native } from '../bus/native.js';
import { type ClockReading, decodeClock, DS, kernelReading } from '../devices/ds3231.js';
import { TCS } from '../devices/tcs34725.js';

/** One line of the doctor's report. */
export interface Finding {
  /** What was looked at: `line beam-a`, `i2c head 0x29`. */
  readonly what: string;
  readonly state: 'ok' | 'warn' | 'fail';
  /** What was seen. */
  readonly seen: string;
  /** What puts it right; '' when nothing needs to be done. */
  readonly cure: string;
}

export const ok = (what: string, seen: string): Finding => ({ what, state: 'ok', seen, cure: '' });
export const warn = (what: string, seen: string, cure: string): Finding => ({
  what,
  state: 'warn',
  seen,
  cure,
});
export const fail = (what: string, seen: string, cure: string): Finding => ({
  what,
  state: 'fail',
  seen,
  cure,
});

/** Where the machine's files are; another root in tests. */
export interface Machine {
  readonly dev: string;
  readonly sys: string;
}
export const MACHINE: Machine = { dev: '/dev', sys: '/sys' };

/** A TCP host that does not answer by then is not there, ms. */
export const CONNECT_MS = 2000;
const UDEV = 'add the user to the group that owns it and install the udev rules (deploy/udev)';

/** GPIO chips and lines of the board. Nothing is taken or driven: a running table goes on. */
export const checkGpio = (board: Board, machine: Machine = MACHINE): Finding[] => {
  if (board.gpio.backend === 'virtual') return [ok('gpio', 'virtual lines')];
  let native: Native;
  try {
    native = loadNative();
  } catch (thrown) {
    const cure = thrown instanceof BusError ? thrown.cure : '';
    return [fail('gpio addon', reasonOf(thrown), cure)];
  }
  const { chips, refused } = listChips(native, machine.dev);
  const findings = refused.map((reason) => fail('gpio chip', reason, UDEV));
  const labels = [...new Set(Object.values(board.lines).map((line) => line.chip))];
  for (const label of labels) {
    const chip = chips.find((c) => c.label === label);
    if (chip === undefined) {
      const found = chips.map((c) => c.label).join(', ') || 'none';
      const cure = 'choose the board file of this machine, or load the chip’s driver';
      findings.push(fail(`gpio chip ${label}`, `not found; there are: ${found}`, cure));
    } else {
      findings.push(ok(`gpio chip ${label}`, `${chip.path}, ${chip.lines} lines`));
      findings.push(...checkLines(board, chip, native));
    }
  }
  return findings;
};

const checkLines = (board: Board, chip: ChipFound, native: Native): Finding[] => {
  const fd = openSync(chip.path, constants.O_RDWR);
  try {
    return Object.entries(board.lines)
      .filter(([, line]) => line.chip === chip.label)
      .map(([name, line]) => {
        const what = `line ${name}`;
        const info = lineInfoRequest(line.offset);
        try {
          native.ioctl(fd, GPIO.LINE_INFO, info);
        } catch (thrown) {
          const cure = 'compare the offset in the board file with `gpioinfo`';
          return fail(what, `offset ${line.offset}: ${reasonOf(thrown)}`, cure);
        }
        const { used, consumer } = lineInfo(info);
        if (!used) return ok(what, `offset ${line.offset}, free`);
        if (consumer === 'cutcard')
          return ok(what, `offset ${line.offset}, held by the controller`);
        const cure = 'stop that program, or take its overlay out of config.txt';
        return fail(what, `offset ${line.offset} is owned by ${consumer}`, cure);
      });
  } finally {
    closeSync(fd);
  }
};

/** I2C buses, and the identity of every chip that has one. `open` gives a bus by its number. */
export const checkI2c = async (
  board: Board,
  open: (number: number) => I2cBus,
  machine: Machine = MACHINE,
): Promise<Finding[]> => {
  const findings: Finding[] = [];
  for (const [name, spec] of Object.entries(board.i2c)) {
    if (spec.backend === 'virtual') {
      findings.push(ok(`i2c ${name}`, 'virtual bus'));
      continue;
    }
    const path = join(machine.dev, `i2c-${spec.number}`);
    const access = accessFinding(`i2c ${name}`, path, 'enable I2C (dtparam=i2c_arm=on)');
    findings.push(access);
    if (access.state !== 'ok') continue;
    const bus = open(spec.number);
    for (const [device, of] of Object.entries(board.devices)) {
      if (!('bus' in of) || of.bus !== name) continue;
      const kernel = (): KernelClock | null => kernelClock(spec.number, of.address, machine.sys);
      findings.push(await checkChip(bus, device, of, kernel));
    }
    bus.close();
  }
  return findings;
};

type I2cDevice = Extract<DeviceSpec, { readonly bus: string }>;

const clockFinding = (what: string, { stopped, wallMs, celsius }: ClockReading): Finding => {
  if (stopped) return fail(what, 'its clock has stood still', 'change its battery, set it');
  if (wallMs === null) return fail(what, 'holds no date', 'check the part, set it');
  const warmth = celsius === null ? '' : `, ${celsius} °C`;
  return ok(what, `${new Date(wallMs).toISOString()}${warmth}`);
};

const checkChip = async (
  bus: I2cBus,
  device: string,
  spec: I2cDevice,
  kernel: () => KernelClock | null,
): Promise<Finding> => {
  const what = `${device} (${spec.driver} at 0x${spec.address.toString(16)})`;
  const read = (register: number, length: number): Promise<Uint8Array> =>
    new Promise((resolve, reject) => {
      bus.read(spec.address, register, length, (error, bytes) => {
        if (error === null) resolve(bytes);
        else reject(error);
      });
    });
  try {
    switch (spec.driver) {
      case 'tcs34725': {
        const id = (await read(TCS.COMMAND | TCS.ID, 1))[0] ?? 0;
        const known = TCS.IDS.some((i) => i === id);
        const hex = `identity 0x${id.toString(16)}`;
        const cure = 'another chip answers here: check the address and the part';
        return known ? ok(what, hex) : fail(what, `${hex}, 0x44 or 0x4d belongs there`, cure);
      }
      case 'ds3231': {
        const held = kernel();
        return held === null
          ? clockFinding(what, decodeClock(await read(DS.SECONDS, DS.REGISTERS)))
          : clockFinding(`${what}, by the kernel's driver`, kernelReading(held));
      }
      case 'keypad':
        await read(0, 2);
        return ok(what, 'answers');
      case 'display':
        await new Promise<void>((resolve, reject) => {
          // Backlight on, no clock edge: the display's contents stay as they are.
          bus.write(spec.address, Uint8Array.of(0x08), (e) => (e === null ? resolve() : reject(e)));
        });
        return ok(what, 'answers');
    }
  } catch (thrown) {
    return fail(what, reasonOf(thrown), thrown instanceof BusError ? thrown.cure : '');
  }
};

/** Serial ports and serial servers. */
export const checkStreams = async (board: Board): Promise<Finding[]> => {
  const findings: Finding[] = [];
  for (const [name, spec] of Object.entries(board.streams)) {
    const what = `stream ${name}`;
    if (spec.backend === 'virtual') findings.push(ok(what, 'virtual line'));
    else if (spec.backend === 'serial') {
      const cure = 'plug it in; its name comes from deploy/udev or /dev/serial/by-id';
      findings.push(accessFinding(what, spec.path, cure));
    } else {
      const { host, port } = spec;
      const cure = isTerminalPanel(board, name, host) ? panelCure(host, port) : HOST_CURE;
      findings.push(await checkHost(what, host, port, cure));
    }
  }
  return findings;
};

const HOST_CURE = 'check address, cable and firewall; is the service running?';

/** The operator panel of a development board: a terminal on the same machine plays it. */
const isTerminalPanel = ({ devices }: Board, stream: string, host: string): boolean =>
  isLoopback(host) &&
  Object.values(devices).some((of) => of.driver === 'panel' && of.stream === stream);

const panelCure = (host: string, port: number): string =>
  'open the panel in a second terminal and leave it open: ' +
  `\`cutcard panel --listen ${host}:${port}\``;

/** Does anything answer at host:port? */
export const checkHost = (
  what: string,
  host: string,
  port: number,
  cure: string = HOST_CURE,
): Promise<Finding> =>
  new Promise((resolve) => {
    const where = `${host}:${port}`;
    const socket = createConnection({ host, port });
    const end = (finding: Finding): void => {
      socket.destroy();
      resolve(finding);
    };
    socket.setTimeout(CONNECT_MS, () => end(fail(what, `${where} does not answer`, cure)));
    socket.on('connect', () => end(ok(what, `${where} answers`)));
    socket.on('error', (error) => end(fail(what, `${where}: ${error.message}`, cure)));
  });

/** Is the file there, and may this user read and write it? */
export const accessFinding = (what: string, path: string, absentCure: string): Finding => {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return ok(what, path);
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return fail(what, `${path} is not there`, absentCure);
    return fail(what, `${path} may not be opened`, UDEV);
  }
};

/** Hot enough that the processor slows itself down, degrees. */
export const HOT_CELSIUS = 80;
export const WARM_CELSIUS = 70;
/** get_throttled: under-voltage and throttling now (0-3), and since the start (16-19). */
const NOW = 0x000f;
const SINCE_BOOT = 0xf0000;

const NOT_SHOWN = 'nothing to do where the board has no such sensor; look at it by other means';

/** Linux hwmon driver `raspberrypi-hwmon`, chip `rpi_volt`: 1 while the supply is too low. */
const lowVoltageAlarm = (machine: Machine): boolean | null => {
  const folder = join(machine.sys, 'class/hwmon');
  if (!existsSync(folder)) return null;
  for (const chip of readdirSync(folder)) {
    const [name, alarm] = [join(folder, chip, 'name'), join(folder, chip, 'in0_lcrit_alarm')];
    if (!existsSync(name) || readFileSync(name, 'utf8').trim() !== 'rpi_volt') continue;
    if (existsSync(alarm)) return readFileSync(alarm, 'utf8').trim() === '1';
  }
  return null;
};

/** Temperature and supply; what the kernel does not show is not called well. */
export const checkSupply = (machine: Machine = MACHINE): Finding[] => {
  const findings: Finding[] = [];
  const zone = join(machine.sys, 'class/thermal/thermal_zone0/temp');
  if (existsSync(zone)) {
    const celsius = Number(readFileSync(zone, 'utf8').trim()) / 1000;
    const seen = `${celsius.toFixed(1)} °C`;
    const cure = 'give the case air, or a cooler';
    if (celsius >= HOT_CELSIUS) findings.push(fail('temperature', seen, cure));
    else if (celsius >= WARM_CELSIUS) findings.push(warn('temperature', seen, cure));
    else findings.push(ok('temperature', seen));
  } else findings.push(warn('temperature', 'this machine shows none', NOT_SHOWN));
  findings.push(supplyFinding(machine));
  return findings;
};

/** The supply by the firmware's own word, or by the hwmon driver of Debian's kernel. */
const supplyFinding = (machine: Machine): Finding => {
  const cure = 'use the supply made for the board and a short cable';
  const throttled = join(machine.sys, 'devices/platform/soc/soc:firmware/get_throttled');
  if (existsSync(throttled)) {
    const bits = Number.parseInt(readFileSync(throttled, 'utf8').trim(), 16);
    if ((bits & NOW) !== 0) return fail('supply', 'too low or throttled now', cure);
    if ((bits & SINCE_BOOT) !== 0) return warn('supply', 'was too low since the start', cure);
    return ok('supply', 'never too low since the start');
  }
  const alarm = lowVoltageAlarm(machine);
  if (alarm === null) return warn('supply', 'this machine shows none', NOT_SHOWN);
  return alarm ? fail('supply', 'too low', cure) : ok('supply', 'not too low now');
};
