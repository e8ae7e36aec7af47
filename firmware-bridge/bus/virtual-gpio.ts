import { BusError } from './errors.js';
import {
  openEach,
  type EdgeSink,
  type GpioBus,
  type InputLine,
  type LineSpec,
  type OutputLine,
} from './gpio.js';

interface Wire {
  /** Physical level: true is high. */
  high: boolean;
  seq: number;
  sink: EdgeSink | null;
  activeLow: boolean;
  broken: boolean;
  owner: 'none' | 'input' | 'output';
}

/** GPIO lines in memory. The physical model moves wires; whoever watches them is told at once. */
export class VirtualGpio implements GpioBus {
  /** Called when an output is set: what a tower or a lock would do. */
  onOutput: ((line: LineSpec, active: boolean) => void) | null = null;
  readonly #wires = new Map<string, Wire>();

  input(line: LineSpec, sink: EdgeSink): InputLine {
    const wire = this.#claim(line, 'input');
    wire.sink = sink;
    wire.seq = 0;
    return {
      read: () => {
        if (wire.broken) throw absent(line.name);
        return wire.high !== line.activeLow;
      },
      close: () => {
        wire.sink = null;
        wire.owner = 'none';
      },
    };
  }

  inputs(lines: readonly LineSpec[], sinks: readonly EdgeSink[]): readonly InputLine[] {
    return openEach(this, lines, sinks);
  }

  output(line: LineSpec, active: boolean): OutputLine {
    const wire = this.#claim(line, 'output');
    const set = (on: boolean): void => {
      if (wire.broken) throw absent(line.name);
      wire.high = on !== line.activeLow;
      this.onOutput?.(line, on);
    };
    set(active);
    return {
      set,
      close: () => {
        wire.owner = 'none';
      },
    };
  }

  close(): void {
    for (const wire of this.#wires.values()) {
      wire.sink = null;
      wire.owner = 'none';
    }
  }

  /** Drives a wire from outside: `active` in the sense of the board's line. */
  drive(line: LineSpec, active: boolean, atNs: number): void {
    const wire = this.#wire(line);
    const high = active !== line.activeLow;
    if (wire.high === high || wire.broken) return;
    wire.high = high;
    wire.seq += 1;
    // Whoever watches may read the wire the other way round.
    wire.sink?.edge(high !== wire.activeLow, atNs, wire.seq);
  }

  /** Loses `count` edges as a kernel with a full queue does: the level moves, nobody is told. */
  dropEdges(line: LineSpec, count: number): void {
    const wire = this.#wire(line);
    wire.seq += count;
    if (count % 2 === 1) wire.high = !wire.high;
  }

  /** Level of an output, or of any wire, in the line's own sense. */
  level(line: LineSpec): boolean {
    return this.#wire(line).high !== line.activeLow;
  }

  /** Cuts a wire's chip off, or brings it back. */
  break(line: LineSpec, broken: boolean): void {
    const wire = this.#wire(line);
    wire.broken = broken;
    if (broken) wire.sink?.fault(absent(line.name));
  }

  #wire(line: LineSpec): Wire {
    const key = `${line.chip}/${line.offset}`;
    let wire = this.#wires.get(key);
    if (wire === undefined) {
      // Idle is inactive: inputs rest on their bias, outputs on their pull resistor.
      const { activeLow } = line;
      wire = { high: activeLow, seq: 0, sink: null, activeLow, broken: false, owner: 'none' };
      this.#wires.set(key, wire);
    }
    return wire;
  }

  #claim(line: LineSpec, owner: 'input' | 'output'): Wire {
    const wire = this.#wire(line);
    if (wire.broken) throw absent(line.name);
    if (wire.owner !== 'none') {
      const where = `${line.chip} line ${line.offset}`;
      throw new BusError('busy', `${line.name}: ${where} is in use`, 'stop the other program');
    }
    wire.owner = owner;
    wire.activeLow = line.activeLow;
    return wire;
  }
}

const absent = (name: string): BusError =>
  new BusError('absent', `${name}: the line's chip is gone`, 'check the cable of the shoe head');
