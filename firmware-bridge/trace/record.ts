import { closeSync, openSync, writeSync } from 'node:fs';
import { fileWords } from '../../controller/config/given-file.js';
import type { Scheduler } from '../../controller/core/ports.js';
import type { Table } from '../../controller/core/procedure.js';
import type { Board } from '../boards/load.js';
import type { Buses } from '../bus/buses.js';
import type { BusError } from '../bus/errors.js';
import type { EdgeSink, GpioBus, InputLine, LineSpec, OutputLine } from '../bus/gpio.js';
import type { I2cBus, I2cDone } from '../bus/i2c.js';
import type { ByteStream, StreamSink } from '../bus/stream.js';
import { FileError } from '../files.js';
import { RankMask } from './mask.js';

/** Written in blocks of this size, bytes; what waits for a second goes with the next line. */
export const TRACE_BLOCK = 64 * 1024;
const FLUSH_NS = 1e9;

export interface RecordOptions {
  readonly file: string;
  /** `pa/631a-baccarat` */
  readonly procedure: string;
  readonly table: Partial<Table>;
}

/** A trace is a record of what happened: one that is there is never written over. */
const openNew = (file: string): number => {
  try {
    return openSync(file, 'wx', 0o600);
  } catch (cause) {
    const cure = 'name a new file in a folder that is there';
    const message = `the recording cannot be begun: ${fileWords(cause)}; ${cure}`;
    throw new FileError([{ file, line: 0, message }]);
  }
};

/** Writes a trace: see format.ts for its lines. */
class TraceWriter {
  readonly #fd: number;
  readonly #startNs: number;
  readonly #scheduler: Scheduler;
  #block = '';
  #flushedNs: number;

  constructor(file: string, scheduler: Scheduler, header: object) {
    this.#scheduler = scheduler;
    this.#startNs = scheduler.nowNs();
    this.#flushedNs = this.#startNs;
    this.#fd = openNew(file);
    this.#block = `${JSON.stringify(header)}\n`;
  }

  put(fields: string, atNs: number = this.#scheduler.nowNs()): void {
    this.#block += `{"t":${atNs - this.#startNs},${fields}}\n`;
    if (this.#block.length >= TRACE_BLOCK || atNs - this.#flushedNs >= FLUSH_NS) this.flush();
  }

  flush(): void {
    writeSync(this.#fd, this.#block);
    this.#block = '';
    this.#flushedNs = this.#scheduler.nowNs();
  }

  close(): void {
    this.flush();
    closeSync(this.#fd);
  }
}

/** The same buses, with everything that comes in written to a file. Ranks are masked. */
export const recordBuses = (
  buses: Buses,
  board: Board,
  scheduler: Scheduler,
  options: RecordOptions,
): Buses => {
  const { file: _file, profiles, calibrations, ...boardHead } = board;
  const writer = new TraceWriter(options.file, scheduler, {
    trace: 1,
    procedure: options.procedure,
    table: options.table,
    wallStartMs: scheduler.wallMs(),
    board: boardHead,
    profiles,
    calibrations,
  });
  const i2c: Record<string, I2cBus> = {};
  for (const [name, bus] of Object.entries(buses.i2c))
    i2c[name] = new RecordedI2c(name, bus, writer);
  const streams: Record<string, ByteStream> = {};
  for (const [name, stream] of Object.entries(buses.streams)) {
    const reader = Object.entries(board.devices).find(
      ([, spec]) => spec.driver === 'rank-reader' && spec.stream === name,
    );
    const profile = reader === undefined ? undefined : board.profiles[reader[0]];
    const mask = profile === undefined ? null : new RankMask(profile);
    streams[name] = new RecordedStream(name, stream, writer, mask);
  }
  const gpio = new RecordedGpio(buses.gpio, writer);
  return { gpio, i2c, streams, flush: () => writer.flush() };
};

class RecordedGpio implements GpioBus {
  readonly #bus: GpioBus;
  readonly #writer: TraceWriter;

  constructor(bus: GpioBus, writer: TraceWriter) {
    this.#bus = bus;
    this.#writer = writer;
  }

  input(line: LineSpec, sink: EdgeSink): InputLine {
    const tap = new RecordedLine(line.name, sink, this.#writer);
    return tap.around(this.#bus.input(line, tap));
  }

  inputs(lines: readonly LineSpec[], sinks: readonly EdgeSink[]): readonly InputLine[] {
    const taps = lines.flatMap((line, i) => {
      const sink = sinks[i];
      return sink === undefined ? [] : [new RecordedLine(line.name, sink, this.#writer)];
    });
    const inner = this.#bus.inputs(lines, taps);
    return taps.flatMap((tap, i) => {
      const line = inner[i];
      return line === undefined ? [] : [tap.around(line)];
    });
  }

  output(line: LineSpec, active: boolean): OutputLine {
    return this.#bus.output(line, active);
  }

  close(): void {
    this.#writer.close();
    this.#bus.close();
  }
}

/** One line on its way through the recorder. */
class RecordedLine implements EdgeSink {
  readonly #key: string;
  readonly #sink: EdgeSink;
  readonly #writer: TraceWriter;
  #known: boolean | null = null;

  constructor(name: string, sink: EdgeSink, writer: TraceWriter) {
    this.#key = JSON.stringify(name);
    this.#sink = sink;
    this.#writer = writer;
  }

  edge(active: boolean, atNs: number, lineSeq: number): void {
    this.#known = active;
    this.#writer.put(`"e":${this.#key},"l":${active ? 1 : 0},"s":${lineSeq}`, atNs);
    this.#sink.edge(active, atNs, lineSeq);
  }

  fault(error: BusError): void {
    this.#writer.put(`"f":${this.#key},"x":${JSON.stringify(error.message)}`);
    this.#sink.fault(error);
  }

  around(inner: InputLine): InputLine {
    return {
      read: () => {
        const level = inner.read();
        // Only news is written: a settled beam is read at every edge.
        if (level !== this.#known) this.#writer.put(`"g":${this.#key},"l":${level ? 1 : 0}`);
        this.#known = level;
        return level;
      },
      close: () => inner.close(),
    };
  }
}

class RecordedI2c implements I2cBus {
  readonly #head: string;
  readonly #bus: I2cBus;
  readonly #writer: TraceWriter;

  constructor(name: string, bus: I2cBus, writer: TraceWriter) {
    this.#head = `"i":${JSON.stringify(name)}`;
    this.#bus = bus;
    this.#writer = writer;
  }

  read(address: number, register: number, length: number, done: I2cDone): void {
    this.#bus.read(address, register, length, this.#tap(address, register, length, done));
  }

  write(address: number, bytes: Uint8Array, done: I2cDone): void {
    this.#bus.write(address, bytes, this.#tap(address, -1, bytes.length, done));
  }

  close(): void {
    this.#bus.close();
  }

  #tap(address: number, register: number, length: number, done: I2cDone): I2cDone {
    return (error, bytes) => {
      const result =
        error === null ? `"d":"${hexOf(bytes)}"` : `"x":${JSON.stringify(error.message)}`;
      this.#writer.put(`${this.#head},"a":${address},"r":${register},"n":${length},${result}`);
      done(error, bytes);
    };
  }
}

class RecordedStream implements ByteStream {
  readonly #key: string;
  readonly #stream: ByteStream;
  readonly #writer: TraceWriter;
  readonly #mask: RankMask | null;

  constructor(name: string, stream: ByteStream, writer: TraceWriter, mask: RankMask | null) {
    this.#key = JSON.stringify(name);
    this.#stream = stream;
    this.#writer = writer;
    this.#mask = mask;
  }

  open(sink: StreamSink): void {
    const writer = this.#writer;
    this.#stream.open({
      opened: () => {
        writer.put(`"o":${this.#key}`);
        sink.opened();
      },
      bytes: (chunk, atNs) => {
        const shown = this.#mask === null ? chunk : this.#mask.mask(chunk, atNs);
        if (shown.length > 0) writer.put(`"b":${this.#key},"d":"${hexOf(shown)}"`, atNs);
        sink.bytes(chunk, atNs);
      },
      closed: (reason) => {
        writer.put(`"c":${this.#key},"x":${JSON.stringify(reason)}`);
        sink.closed(reason);
      },
    });
  }

  write(bytes: Uint8Array): void {
    this.#stream.write(bytes);
  }

  close(): void {
    this.#stream.close();
  }
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
