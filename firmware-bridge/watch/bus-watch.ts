import type { Scheduler } from '../../controller/core/ports.js';
import { linesOf } from '../boards/lint.js';
import { type Board, lineSpec } from '../boards/load.js';
import { OUTPUT_DRIVERS } from '../boards/schema.js';
import type { Buses } from '../bus/buses.js';
import { type BusError, reasonOf } from '../bus/errors.js';
import type { EdgeSink, GpioBus, InputLine, LineSpec, OutputLine } from '../bus/gpio.js';
import { type I2cBus, type I2cDone, I2C_READ_MAX } from '../bus/i2c.js';
import type { ByteStream, StreamSink } from '../bus/stream.js';

/** Places of registers remembered; a chip of ours has some forty. */
const REGISTERS_MAX = 256;
/** Newest bytes of a stream that are kept. */
const BYTES_KEPT = 32;
const NEVER = -1;
/** `I2cBus.write` has no register of its own. */
const WRITTEN = -1;

/** Whose bytes nobody may read: ranks of cards, and badges that could be copied. */
const SECRET_DRIVERS: readonly string[] = ['rank-reader', 'badge-reader'];

/** Last value and last error of one thing, each with its time; objects made once, then changed. */
class Mark {
  atNs = NEVER;
  error = '';
  errorNs = NEVER;

  failed(message: string, atNs: number): void {
    this.error = message;
    this.errorNs = atNs;
  }
}

export class SeenLine extends Mark {
  readonly spec: LineSpec;
  readonly direction: 'in' | 'out';
  active = false;
  changes = 0;

  constructor(spec: LineSpec, direction: 'in' | 'out') {
    super();
    this.spec = spec;
    this.direction = direction;
  }

  is(active: boolean, atNs: number): void {
    // An output is often told again what it shows already.
    if (active !== this.active) this.changes += 1;
    this.active = active;
    this.atNs = atNs;
  }
}

export class SeenRegister extends Mark {
  readonly bus: string;
  readonly address: number;
  /** -1: what was written last, register first. */
  readonly register: number;
  readonly bytes = new Uint8Array(I2C_READ_MAX);
  length = 0;

  constructor(bus: string, address: number, register: number) {
    super();
    this.bus = bus;
    this.address = address;
    this.register = register;
  }

  is(bytes: Uint8Array, atNs: number): void {
    this.length = Math.min(bytes.length, I2C_READ_MAX);
    this.bytes.set(bytes.length > I2C_READ_MAX ? bytes.subarray(0, I2C_READ_MAX) : bytes);
    this.atNs = atNs;
  }
}

export class SeenStream extends Mark {
  readonly name: string;
  readonly device: string;
  readonly isSecret: boolean;
  isOpen = false;
  received = 0;
  sent = 0;
  readonly bytes = new Uint8Array(BYTES_KEPT);
  length = 0;

  constructor(name: string, device: string, isSecret: boolean) {
    super();
    this.name = name;
    this.device = device;
    this.isSecret = isSecret;
  }

  heard(chunk: Uint8Array, atNs: number): void {
    this.received += chunk.length;
    this.atNs = atNs;
    if (this.isSecret) return;
    const last = chunk.length > BYTES_KEPT ? chunk.subarray(chunk.length - BYTES_KEPT) : chunk;
    this.length = last.length;
    this.bytes.set(last);
  }
}

/** What went over a board's buses last, for the technician. Costs no object an edge. */
export class BusWatch {
  readonly buses: Buses;
  readonly lines = new Map<string, SeenLine>();
  readonly registers = new Map<string, SeenRegister>();
  readonly streams = new Map<string, SeenStream>();
  readonly #scheduler: Scheduler;
  /** Lines of one device, by the name of each: where one is not had, the next are not tried. */
  readonly #together = new Map<string, readonly string[]>();

  constructor(buses: Buses, board: Board, scheduler: Scheduler) {
    this.#scheduler = scheduler;
    this.#listLines(board);
    const i2c: Record<string, I2cBus> = {};
    for (const [name, bus] of Object.entries(buses.i2c)) i2c[name] = this.#i2c(name, bus);
    const streams: Record<string, ByteStream> = {};
    for (const [name, stream] of Object.entries(buses.streams)) {
      streams[name] = this.#stream(name, stream, board);
    }
    const flush = buses.flush === undefined ? {} : { flush: buses.flush };
    this.buses = { gpio: this.#gpio(buses.gpio), i2c, streams, ...flush };
  }

  /** Every line of the board's devices is shown, opened or not. */
  #listLines(board: Board): void {
    for (const device of Object.values(board.devices)) {
      const names = linesOf(device);
      for (const name of names) {
        this.#line(lineSpec(board, name), OUTPUT_DRIVERS.includes(device.driver) ? 'out' : 'in');
        this.#together.set(name, names);
      }
    }
  }

  /** Opens lines; where that fails, they and those never opened beside them show why. */
  #opening<T>(lines: readonly LineSpec[], open: () => T): T {
    try {
      return open();
    } catch (thrown) {
      const names = new Set(lines.map(({ name }) => name));
      const beside = lines.flatMap(({ name }) => this.#together.get(name) ?? []);
      for (const name of new Set([...names, ...beside])) {
        const seen = this.lines.get(name);
        if (seen === undefined || (!names.has(name) && seen.atNs !== NEVER)) continue;
        seen.failed(reasonOf(thrown), this.#scheduler.nowNs());
      }
      throw thrown;
    }
  }

  #gpio(bus: GpioBus): GpioBus {
    const nowNs = (): number => this.#scheduler.nowNs();
    return {
      input: (line, sink) => {
        const seen = this.#line(line, 'in');
        const edges = new WatchedEdges(seen, sink, nowNs);
        const inner = this.#opening([line], () => bus.input(line, edges));
        return watchedInput(seen, inner, nowNs);
      },
      inputs: (lines, sinks) => {
        const taps = lines.flatMap((line, i) => {
          const sink = sinks[i];
          if (sink === undefined) return [];
          return [new WatchedEdges(this.#line(line, 'in'), sink, nowNs)];
        });
        const inner = this.#opening(lines, () => bus.inputs(lines, taps));
        return taps.flatMap(({ seen }, i) => {
          const line = inner[i];
          return line === undefined ? [] : [watchedInput(seen, line, nowNs)];
        });
      },
      output: (line, active) => {
        const seen = this.#line(line, 'out');
        const inner = this.#opening([line], () => bus.output(line, active));
        seen.is(active, nowNs());
        return watchedOutput(seen, inner, nowNs);
      },
      close: () => {
        bus.close();
      },
    };
  }

  #line(spec: LineSpec, direction: 'in' | 'out'): SeenLine {
    const known = this.lines.get(spec.name);
    if (known !== undefined) return known;
    const seen = new SeenLine(spec, direction);
    this.lines.set(spec.name, seen);
    return seen;
  }

  #i2c(name: string, bus: I2cBus): I2cBus {
    return {
      read: (address, register, length, done) => {
        bus.read(address, register, length, this.#answer(name, address, register, done));
      },
      write: (address, bytes, done) => {
        const seen = this.#register(name, address, WRITTEN);
        seen?.is(bytes, this.#scheduler.nowNs());
        bus.write(address, bytes, this.#answer(name, address, WRITTEN, done));
      },
      close: () => {
        bus.close();
      },
    };
  }

  #answer(name: string, address: number, register: number, done: I2cDone): I2cDone {
    const seen = this.#register(name, address, register);
    if (seen === null) return done;
    return (error, bytes) => {
      const atNs = this.#scheduler.nowNs();
      if (error !== null) seen.failed(error.message, atNs);
      else if (register !== WRITTEN) seen.is(bytes, atNs);
      done(error, bytes);
    };
  }

  #register(bus: string, address: number, register: number): SeenRegister | null {
    const key = `${bus}/${address}/${register}`;
    const known = this.registers.get(key);
    if (known !== undefined) return known;
    if (this.registers.size >= REGISTERS_MAX) return null;
    const seen = new SeenRegister(bus, address, register);
    this.registers.set(key, seen);
    return seen;
  }

  #stream(name: string, stream: ByteStream, board: Board): ByteStream {
    const [device, spec] =
      Object.entries(board.devices).find(([, one]) => 'stream' in one && one.stream === name) ?? [];
    const isSecret = spec !== undefined && SECRET_DRIVERS.includes(spec.driver);
    const seen = new SeenStream(name, device ?? '', isSecret);
    this.streams.set(name, seen);
    return {
      open: (sink) => {
        stream.open(watchedSink(seen, sink, () => this.#scheduler.nowNs()));
      },
      write: (bytes) => {
        seen.sent += bytes.length;
        stream.write(bytes);
      },
      close: () => {
        seen.isOpen = false;
        stream.close();
      },
    };
  }
}

/** The edges of one line on their way to the device. */
class WatchedEdges implements EdgeSink {
  readonly seen: SeenLine;
  readonly #sink: EdgeSink;
  readonly #nowNs: () => number;

  constructor(seen: SeenLine, sink: EdgeSink, nowNs: () => number) {
    this.seen = seen;
    this.#sink = sink;
    this.#nowNs = nowNs;
  }

  edge(active: boolean, atNs: number, lineSeq: number): void {
    this.seen.is(active, atNs);
    this.#sink.edge(active, atNs, lineSeq);
  }

  fault(error: BusError): void {
    this.seen.failed(error.message, this.#nowNs());
    this.#sink.fault(error);
  }
}

const watchedInput = (seen: SeenLine, line: InputLine, nowNs: () => number): InputLine => {
  const read = (): boolean => {
    const active = line.read();
    seen.active = active;
    seen.atNs = nowNs();
    return active;
  };
  return { read, close: () => line.close() };
};

const watchedOutput = (seen: SeenLine, line: OutputLine, nowNs: () => number): OutputLine => ({
  set: (active) => {
    line.set(active);
    seen.is(active, nowNs());
  },
  close: () => line.close(),
});

const watchedSink = (seen: SeenStream, sink: StreamSink, nowNs: () => number): StreamSink => ({
  opened: () => {
    seen.isOpen = true;
    sink.opened();
  },
  bytes: (chunk, atNs) => {
    seen.heard(chunk, atNs);
    sink.bytes(chunk, atNs);
  },
  closed: (reason) => {
    seen.isOpen = false;
    seen.failed(reason, nowNs());
    sink.closed(reason);
  },
});
