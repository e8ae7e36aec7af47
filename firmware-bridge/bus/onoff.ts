import {
  accessSync,
  constants,
  existsSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Gpio } from 'onoff';
import { BusError, reasonOf } from './errors.js';
import {
  openEach,
  type EdgeSink,
  type GpioBus,
  type InputLine,
  type LineSpec,
  type OutputLine,
} from './gpio.js';
import { codeOf } from './native.js';

const SYSFS = '/sys/class/gpio';

/** The sysfs number of a line: base of the chip with this label, plus the offset. */
export const sysfsNumber = (line: LineSpec, root = SYSFS): number => {
  const folders = existsSync(root) ? readdirSync(root) : [];
  const labels: string[] = [];
  for (const folder of folders.filter((f) => /^gpiochip\d+$/.test(f))) {
    const read = (file: string): string => readFileSync(join(root, folder, file), 'utf8').trim();
    const label = read('label');
    labels.push(label);
    if (label === line.chip) return Number(read('base')) + line.offset;
  }
  const found = labels.join(', ') || 'none';
  const message = `${line.name}: sysfs has no chip labelled ${line.chip}; found: ${found}`;
  throw new BusError('absent', message, 'use the `gpiochip` backend, or the right board file');
};

/**
 * Exports a line and makes sure that it may be used. onoff's own constructor would wait for the
 * permissions in a loop that blocks the whole program for seconds.
 */
export const claimLine = (line: LineSpec, root = SYSFS): number => {
  const number = sysfsNumber(line, root);
  const folder = join(root, `gpio${number}`);
  try {
    if (!existsSync(folder)) {
      accessSync(join(root, 'export'), constants.W_OK);
      writeFileSync(join(root, 'export'), String(number));
    }
    for (const file of ['direction', 'value', 'edge', 'active_low']) {
      accessSync(join(folder, file), constants.R_OK | constants.W_OK);
    }
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code === 'EBUSY') {
      const cure = 'find the owner in /sys/kernel/debug/gpio and stop it';
      throw new BusError('busy', `${line.name}: GPIO ${number} is in use`, cure, thrown);
    }
    if (code === 'EACCES' || code === 'EPERM') {
      // udev may set the permissions a moment after the export: the link tries again.
      const cure = 'add the user to the group gpio and install the udev rule';
      throw new BusError(
        'permission',
        `${line.name}: GPIO ${number} may not be used`,
        cure,
        thrown,
      );
    }
    const message = `${line.name}: GPIO ${number}: ${reasonOf(thrown)}`;
    throw new BusError('io', message, 'compare the offset with the board', thrown);
  }
  return number;
};

/**
 * Lines over sysfs, for old boards. Sysfs has no kernel times, no sequence numbers and no bias:
 * edges carry the time at which Node woke, and a lost one cannot be noticed.
 */
export class OnoffBus implements GpioBus {
  readonly #lines = new Set<Gpio>();

  input(line: LineSpec, sink: EdgeSink): InputLine {
    const gpio = this.#open(line, () => {
      const options = { activeLow: line.activeLow, reconfigureDirection: true };
      return new Gpio(claimLine(line), 'in', 'both', options);
    });
    let seq = 0;
    let last = gpio.readSync();
    gpio.watch((error, value) => {
      if (error !== null && error !== undefined) {
        sink.fault(new BusError('io', `${line.name}: ${error.message}`, 'run `cutcard doctor`'));
        return;
      }
      // An interrupt reads the level as it is now: a pulse that is over shows no change.
      if (value === last) return;
      last = value;
      seq += 1;
      sink.edge(value === 1, Number(process.hrtime.bigint()), seq);
    });
    return {
      read: () => this.#try(line, () => gpio.readSync() === 1),
      close: () => this.#close(gpio),
    };
  }

  inputs(lines: readonly LineSpec[], sinks: readonly EdgeSink[]): readonly InputLine[] {
    return openEach(this, lines, sinks);
  }

  output(line: LineSpec, active: boolean): OutputLine {
    // "high" and "low" set direction and level at once; activeLow turns the meaning.
    const direction = active === line.activeLow ? 'low' : 'high';
    const gpio = this.#open(
      line,
      () => new Gpio(claimLine(line), direction, 'none', { activeLow: line.activeLow }),
    );
    return {
      set: (on) => this.#try(line, () => gpio.writeSync(on ? 1 : 0)),
      close: () => this.#close(gpio),
    };
  }

  close(): void {
    for (const gpio of [...this.#lines]) this.#close(gpio);
  }

  #open(line: LineSpec, open: () => Gpio): Gpio {
    const gpio = this.#try(line, open);
    this.#lines.add(gpio);
    return gpio;
  }

  #close(gpio: Gpio): void {
    if (this.#lines.delete(gpio)) gpio.unexport();
  }

  #try<T>(line: LineSpec, act: () => T): T {
    try {
      return act();
    } catch (thrown) {
      if (thrown instanceof BusError) throw thrown;
      const message = `${line.name}: ${reasonOf(thrown)}`;
      throw new BusError('io', message, 'run `cutcard doctor`', thrown);
    }
  }
}
