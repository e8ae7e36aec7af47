import type { Happening } from '../../controller/core/observation.js';
import type { Bridge, Cancel, Scheduler } from '../../controller/core/ports.js';
import type { Directive } from '../../controller/core/directive.js';
import { BoardBridge } from '../bridge.js';
import { BusError } from '../bus/errors.js';
import {
  openEach,
  type EdgeSink,
  type GpioBus,
  type InputLine,
  type LineSpec,
  type OutputLine,
} from '../bus/gpio.js';
import { NO_BYTES, type I2cBus, type I2cDone } from '../bus/i2c.js';
import type { ByteStream, StreamSink } from '../bus/stream.js';
import type { TraceEvent, TraceHeader } from './format.js';
import { boardOf, TraceReader } from './read.js';

/** Results of transfers that nobody has asked for yet, kept a bus; more means another program. */
const RESULTS_KEPT = 64;

/** A trace as a bridge: the devices of the recording, fed with what came in then. */
export class TraceBridge implements Bridge {
  readonly header: TraceHeader;
  /** Set when the last line was played, or when the file turned out to be damaged. */
  ended: { readonly error: Error | null } | null = null;
  /** Called once, then. */
  onEnd: ((error: Error | null) => void) | null = null;
  readonly #reader: TraceReader;
  readonly #scheduler: Scheduler;
  readonly #gpio = new PlayedGpio();
  readonly #i2c: Record<string, PlayedI2c> = {};
  readonly #streams: Record<string, PlayedStream> = {};
  readonly #bridge: BoardBridge;
  #startNs = 0;
  #cancel: Cancel | null = null;
  #damage: Error | null = null;
  /** Read from the file and waiting for its time. */
  #pending: TraceEvent | null = null;
  #started = false;

  /** Throws `FileError` when the file is no trace. */
  constructor(file: string, scheduler: Scheduler) {
    this.#scheduler = scheduler;
    this.#reader = new TraceReader(file);
    this.header = this.#reader.header();
    const board = boardOf(this.header, file);
    for (const name of Object.keys(board.i2c)) this.#i2c[name] = new PlayedI2c();
    for (const name of Object.keys(board.streams)) this.#streams[name] = new PlayedStream();
    const buses = { gpio: this.#gpio, i2c: this.#i2c, streams: this.#streams };
    this.#bridge = new BoardBridge(board, buses, scheduler);
  }

  start(tell: (happening: Happening, atNs: number) => void): Promise<void> {
    if (this.#started) return Promise.resolve();
    this.#started = true;
    this.#startNs = this.#scheduler.nowNs();
    this.#gpio.beforeOpen = () => this.#readAhead();
    this.#pending = this.#next();
    this.#arm();
    return this.#bridge.start(tell);
  }

  perform(directive: Directive): void {
    this.#bridge.perform(directive);
  }

  async stop(): Promise<void> {
    this.#cancel?.();
    await this.#bridge.stop();
    if (this.#started && this.ended === null) this.#end(null);
  }

  /**
   * A device opens its lines: levels that were read at this very time must stand before it reads
   * them, and they show that the lines could be opened.
   */
  #readAhead(): void {
    const now = this.#scheduler.nowNs() - this.#startNs;
    let found = false;
    while (this.#pending !== null && this.#pending.t <= now && 'g' in this.#pending) {
      this.#gpio.level(this.#pending.g, this.#pending.l === 1);
      this.#pending = this.#next();
      found = true;
    }
    if (found) this.#arm();
  }

  #next(): TraceEvent | null {
    try {
      return this.#reader.next();
    } catch (thrown) {
      this.#damage = thrown instanceof Error ? thrown : new Error(String(thrown));
      return null;
    }
  }

  #end(error: Error | null): void {
    if (this.ended !== null) return;
    this.#reader.close();
    this.ended = { error };
    this.onEnd?.(error);
  }

  #arm(): void {
    this.#cancel?.();
    const event = this.#pending;
    if (event === null) {
      this.#end(this.#damage);
      return;
    }
    this.#cancel = this.#scheduler.at(this.#startNs + event.t, () => {
      this.#pending = this.#next();
      this.#play(event);
      this.#arm();
    });
  }

  #play(event: TraceEvent): void {
    const atNs = this.#startNs + event.t;
    if ('e' in event) this.#gpio.edge(event.e, event.l === 1, atNs, event.s);
    else if ('i' in event) {
      const error = 'x' in event ? new BusError('io', event.x, 'as it was recorded') : null;
      const bytes = 'd' in event ? bytesOf(event.d) : NO_BYTES;
      this.#i2c[event.i]?.ended(`${event.a}/${event.r}/${event.n}`, error, bytes);
    } else if ('b' in event) this.#streams[event.b]?.sink?.bytes(bytesOf(event.d), atNs);
    else if ('g' in event) this.#gpio.level(event.g, event.l === 1);
    else if ('o' in event) this.#streams[event.o]?.sink?.opened();
    else if ('c' in event) this.#streams[event.c]?.sink?.closed(event.x);
    else this.#gpio.fault(event.f, event.x);
  }
}

const bytesOf = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));

class PlayedGpio implements GpioBus {
  beforeOpen: () => void = () => undefined;
  readonly #broken = new Set<string>();
  readonly #levels = new Map<string, boolean>();
  readonly #sinks = new Map<string, EdgeSink>();

  input(line: LineSpec, sink: EdgeSink): InputLine {
    this.beforeOpen();
    if (this.#broken.has(line.name)) {
      throw new BusError('io', `${line.name}: could not be opened`, 'as it was recorded');
    }
    this.#sinks.set(line.name, sink);
    return {
      read: () => this.#levels.get(line.name) ?? false,
      close: () => this.#sinks.delete(line.name),
    };
  }

  inputs(lines: readonly LineSpec[], sinks: readonly EdgeSink[]): readonly InputLine[] {
    return openEach(this, lines, sinks);
  }

  output(): OutputLine {
    return { set: () => undefined, close: () => undefined };
  }

  close(): void {
    this.#sinks.clear();
  }

  level(name: string, active: boolean): void {
    this.#levels.set(name, active);
    this.#broken.clear();
  }

  edge(name: string, active: boolean, atNs: number, lineSeq: number): void {
    this.#levels.set(name, active);
    this.#sinks.get(name)?.edge(active, atNs, lineSeq);
  }

  fault(name: string, message: string): void {
    this.#broken.add(name);
    this.#sinks.get(name)?.fault(new BusError('io', message, 'as it was recorded'));
  }
}

interface Waiting {
  readonly key: string;
  readonly done: I2cDone;
}
interface Result {
  readonly key: string;
  readonly error: BusError | null;
  readonly bytes: Uint8Array;
}

/** Ends each transfer when, and as, it ended in the recording. */
class PlayedI2c implements I2cBus {
  readonly #waiting: Waiting[] = [];
  readonly #results: Result[] = [];

  read(address: number, register: number, length: number, done: I2cDone): void {
    this.#ask({ key: `${address}/${register}/${length}`, done });
  }

  write(address: number, bytes: Uint8Array, done: I2cDone): void {
    this.#ask({ key: `${address}/-1/${bytes.length}`, done });
  }

  close(): void {
    this.#waiting.length = 0;
  }

  ended(key: string, error: BusError | null, bytes: Uint8Array): void {
    const i = this.#waiting.findIndex((w) => w.key === key);
    const [waiting] = i < 0 ? [] : this.#waiting.splice(i, 1);
    if (waiting !== undefined) waiting.done(error, bytes);
    else {
      this.#results.push({ key, error, bytes });
      if (this.#results.length > RESULTS_KEPT) this.#results.shift();
    }
  }

  #ask(waiting: Waiting): void {
    const i = this.#results.findIndex((r) => r.key === waiting.key);
    const [result] = i < 0 ? [] : this.#results.splice(i, 1);
    if (result !== undefined) waiting.done(result.error, result.bytes);
    else {
      this.#waiting.push(waiting);
      if (this.#waiting.length > RESULTS_KEPT) this.#waiting.shift();
    }
  }
}

class PlayedStream implements ByteStream {
  sink: StreamSink | null = null;

  open(sink: StreamSink): void {
    this.sink = sink;
  }

  write(): void {
    // What the controller says now was never heard then.
  }

  close(): void {
    // The recording goes on to speak when its own link opened again.
    this.sink = null;
  }
}
