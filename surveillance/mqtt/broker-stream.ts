import { connect as connectTcp, type OnReadOpts, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import { type PublishPacket, PublishBatch } from './publish-packet.js';
import { PubackSplitter, type SplitLimits } from './puback-splitter.js';

/** Read from the kernel at once, bytes: one piece of memory for the whole link. */
const IN_BYTES = 16_384;

export interface BrokerStreamParts {
  readonly host: string;
  readonly port: number;
  /** Null: plain TCP. */
  readonly tls: ConnectionOptions | null;
  /** Longest packets taken. */
  readonly most: SplitLimits;
  readonly acknowledged: (id: number, reasonCode: number) => void;
  /** The connection cannot be had or broke: why. `close` follows. */
  readonly failed: (error: Error) => void;
}

/**
 * A connection to a broker, parted in two: PUBLISHes go out and PUBACKs come in here, by the
 * batch; everything else is the library's, which sees an ordinary stream. What is sent within one
 * turn leaves in one write, in the order it was sent in, whoever sent it.
 */
export class BrokerStream extends Duplex {
  readonly #socket: Socket;
  readonly #splitter: PubackSplitter;
  readonly #batch = new PublishBatch();
  /** Writes the kernel has not taken whole. */
  #writing = 0;
  #isFlushDue = false;
  /** The library does not take more just now. */
  #isFull = false;
  readonly #written = (): void => {
    this.#writing -= 1;
    if (this.#writing === 0) this.#batch.reuse();
  };
  readonly #flushNow = (): void => this.#flush();

  constructor({ host, port, tls, most, acknowledged, failed }: BrokerStreamParts) {
    super({ allowHalfOpen: true });
    this.#splitter = new PubackSplitter(
      {
        acknowledged,
        other: (bytes) => {
          // The memory is read into again: the library gets its own.
          if (!this.push(Buffer.from(bytes))) this.#isFull = true;
        },
        malformed: (reason) => {
          failed(new Error(reason));
          this.destroy();
        },
      },
      most,
    );
    // Node's documentation of `tls.connect` has `onread`, its types forgot it.
    const to = { host, port, onread: this.#onRead() };
    const socket = tls === null ? connectTcp(to) : connectTls({ ...tls, ...to });
    this.#socket = socket;
    // What is to go together is put together here: nothing waits for more.
    socket.setNoDelay(true);
    socket.on('error', failed);
    socket.on('end', () => this.push(null));
    socket.on('close', () => this.destroy());
  }

  /** @throws RangeError for what no MQTT packet can hold. */
  send(packet: PublishPacket): void {
    // What the library wrote before lies corked until the next turn: it goes first.
    while (this.writableCorked > 0) this.uncork();
    this.#batch.add(packet);
    if (this.#isFlushDue) return;
    this.#isFlushDue = true;
    process.nextTick(this.#flushNow);
  }

  override _read(): void {
    if (!this.#isFull) return;
    this.#isFull = false;
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#flush();
    this.#socket.write(chunk);
    // At once, or what is written next would wait here and be overtaken by what is sent.
    done();
  }

  override _writev(
    chunks: { readonly chunk: Buffer }[],
    done: (error?: Error | null) => void,
  ): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), '', done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#flush();
    this.#socket.end(() => done());
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }

  #onRead(): OnReadOpts {
    const buffer = Buffer.allocUnsafeSlow(IN_BYTES);
    return {
      buffer,
      callback: (bytes: number): boolean => {
        this.#splitter.push(buffer.subarray(0, bytes));
        return !this.#isFull;
      },
    };
  }

  #flush(): void {
    this.#isFlushDue = false;
    if (this.#batch.isEmpty || this.destroyed) return;
    this.#writing += 1;
    this.#socket.write(this.#batch.take(), this.#written);
  }
}
