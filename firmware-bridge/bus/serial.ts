import { SerialPort } from 'serialport';
import type { Scheduler } from '../../controller/core/ports.js';
import type { Profile } from '../framing/profile.js';
import type { ByteStream, StreamSink } from './stream.js';

/** Bytes that may wait to be sent; a machine that does not take them is told no more. */
const UNSENT_MAX = 4096;

/** A serial port by its lasting name (/dev/serial/by-id/...). */
export class SerialStream implements ByteStream {
  readonly #path: string;
  readonly #line: Profile['line'];
  readonly #scheduler: Scheduler;
  #port: SerialPort | null = null;

  constructor(path: string, line: Profile['line'], scheduler: Scheduler) {
    this.#path = path;
    this.#line = line;
    this.#scheduler = scheduler;
  }

  open(sink: StreamSink): void {
    this.close();
    const port = new SerialPort({
      path: this.#path,
      baudRate: this.#line.baud,
      dataBits: this.#line.dataBits,
      parity: this.#line.parity,
      stopBits: this.#line.stopBits,
      rtscts: false,
      xon: false,
      xoff: false,
      xany: false,
      // Hanging up on close would reset many machines.
      hupcl: false,
      lock: true,
      autoOpen: false,
    });
    this.#port = port;
    const closed = (reason: string): void => {
      if (this.#port !== port) return;
      this.#port = null;
      sink.closed(reason);
    };
    // Without a reader a pulled cable is not reported at all.
    port.on('data', (chunk: Buffer) => {
      if (this.#port === port) sink.bytes(chunk, this.#scheduler.nowNs());
    });
    port.on('error', (error) => closed(error.message));
    port.on('close', () => closed(`${this.#path} was closed: cable or machine is gone`));
    port.open((error) => {
      if (error !== null) closed(error.message);
      else if (this.#port === port) sink.opened();
    });
  }

  write(bytes: Uint8Array): void {
    const port = this.#port;
    if (port?.isOpen === true && port.writableLength < UNSENT_MAX) port.write(Buffer.from(bytes));
  }

  close(): void {
    const port = this.#port;
    this.#port = null;
    // An error while closing has nobody left to tell: the link has moved on.
    if (port?.isOpen === true) port.close(() => undefined);
  }
}
