import { createConnection, type Socket } from 'node:net';
import type { Scheduler } from '../../controller/core/ports.js';
import type { ByteStream, StreamSink } from './stream.js';

/** A serial server that does not answer by then is not there, ms. */
export const CONNECT_MS = 3000;
/** Silence before the kernel asks whether the far end still lives, ms. */
const KEEPALIVE_MS = 10_000;
const UNSENT_MAX = 4096;

/** A serial line behind a TCP serial server. */
export class TcpStream implements ByteStream {
  readonly #host: string;
  readonly #port: number;
  readonly #scheduler: Scheduler;
  #socket: Socket | null = null;

  constructor(host: string, port: number, scheduler: Scheduler) {
    this.#host = host;
    this.#port = port;
    this.#scheduler = scheduler;
  }

  open(sink: StreamSink): void {
    this.close();
    const socket = createConnection({
      host: this.#host,
      port: this.#port,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: KEEPALIVE_MS,
    });
    this.#socket = socket;
    const where = `${this.#host}:${this.#port}`;
    const closed = (reason: string): void => {
      if (this.#socket !== socket) return;
      this.#socket = null;
      socket.destroy();
      sink.closed(reason);
    };
    socket.setTimeout(CONNECT_MS, () => closed(`${where} did not answer`));
    socket.on('connect', () => {
      socket.setTimeout(0);
      if (this.#socket === socket) sink.opened();
    });
    socket.on('data', (chunk) => {
      if (this.#socket === socket) sink.bytes(chunk, this.#scheduler.nowNs());
    });
    socket.on('error', (error) => closed(`${where}: ${error.message}`));
    socket.on('close', () => closed(`${where} closed the connection`));
  }

  write(bytes: Uint8Array): void {
    const socket = this.#socket;
    if (socket?.writable === true && socket.writableLength < UNSENT_MAX) socket.write(bytes);
  }

  close(): void {
    const socket = this.#socket;
    this.#socket = null;
    socket?.destroy();
  }
}
