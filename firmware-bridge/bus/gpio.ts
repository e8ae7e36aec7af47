import type { BusError } from './errors.js';

/** One line of a GPIO chip as a board file names it. */
export interface LineSpec {
  /** The board's name of it: `beam-a`. */
  readonly name: string;
  /** Label of the chip (`pinctrl-bcm2711`): chip numbers move between kernels. */
  readonly chip: string;
  readonly offset: number;
  /** Low voltage counts as active. */
  readonly activeLow: boolean;
  readonly bias: 'up' | 'down' | 'off' | 'as-is';
  /** Filter in the kernel, microseconds; 0 leaves every edge to us. */
  readonly debounceUs: number;
}

/**
 * Takes the edges of one line. Primitives only, so that an edge costs no object.
 * `atNs` is the kernel's monotonic time of the edge, `lineSeq` counts this line's edges from 1: a
 * jump in it means the kernel dropped some and the levels must be read again.
 */
export interface EdgeSink {
  edge(active: boolean, atNs: number, lineSeq: number): void;
  /** The line cannot be watched any longer. */
  fault(error: BusError): void;
}

export interface InputLine {
  /** Level now; true is active. Throws `BusError`. */
  read(): boolean;
  close(): void;
}

export interface OutputLine {
  set(active: boolean): void;
  /** Lets the line go; the caller has set the safe level first. */
  close(): void;
}

/** Lines of one board. Backends: `gpiochip`, `onoff`, `virtual`. All methods throw `BusError`. */
export interface GpioBus {
  input(line: LineSpec, sink: EdgeSink): InputLine;
  /** Lines of one chip whose edges must come in one order: a mouth's two beams. */
  inputs(lines: readonly LineSpec[], sinks: readonly EdgeSink[]): readonly InputLine[];
  /** Requests the line with its first level in one step, so it never glitches. */
  output(line: LineSpec, active: boolean): OutputLine;
  close(): void;
}

/** `inputs` where each line stands alone anyway; lets go of the first when a later one fails. */
export const openEach = (
  bus: Pick<GpioBus, 'input'>,
  lines: readonly LineSpec[],
  sinks: readonly EdgeSink[],
): readonly InputLine[] => {
  const opened: InputLine[] = [];
  try {
    for (const [i, line] of lines.entries()) {
      const sink = sinks[i];
      if (sink !== undefined) opened.push(bus.input(line, sink));
    }
  } catch (thrown) {
    for (const line of opened) line.close();
    throw thrown;
  }
  return opened;
};
