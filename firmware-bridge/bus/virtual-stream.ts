import type { Scheduler } from '../../controller/core/ports.js';
import type { ByteStream, StreamSink } from './stream.js';

/** Bits of one byte on an 8N1 line. */
const BITS = 10;

/** A serial line in memory with a machine at its far end. */
export class VirtualStream implements ByteStream {
  /** The far end's ears: what the controller sends. */
  onWrite: ((bytes: Uint8Array, atNs: number) => void) | null = null;
  /** Called when the controller opened the line. */
  onOpen: (() => void) | null = null;

  readonly #scheduler: Scheduler;
  readonly #byteNs: number;
  #sink: StreamSink | null = null;
  #opened = false;
  #plugged = true;
  #freeNs = 0;

  constructor(scheduler: Scheduler, baud: number) {
    this.#scheduler = scheduler;
    this.#byteNs = Math.ceil((BITS * 1e9) / baud);
  }

  open(sink: StreamSink): void {
    this.#sink = sink;
    this.#scheduler.at(this.#scheduler.nowNs(), () => {
      if (this.#sink !== sink) return;
      if (this.#plugged) {
        this.#opened = true;
        sink.opened();
        this.onOpen?.();
      } else {
        this.#sink = null;
        sink.closed('the cable is out');
      }
    });
  }

  write(bytes: Uint8Array): void {
    if (this.#opened && this.#plugged) this.onWrite?.(bytes, this.#scheduler.nowNs());
  }

  close(): void {
    this.#sink = null;
    this.#opened = false;
  }

  /**
   * The machine says these bytes from `startNs`; they arrive as one chunk when the last one is
   * through, or split in two where `splitAt` says so. Returns when.
   */
  say(bytes: Uint8Array, startNs: number, splitAt = 0): number {
    let due = Math.max(startNs, this.#freeNs, this.#scheduler.nowNs());
    for (const part of splitAt > 0 ? [bytes.slice(0, splitAt), bytes.slice(splitAt)] : [bytes]) {
      due += part.length * this.#byteNs;
      const atNs = due;
      this.#scheduler.at(atNs, () => {
        if (this.#plugged && this.#opened) this.#sink?.bytes(part, atNs);
      });
    }
    this.#freeNs = due;
    return due;
  }

  /** Pulls the cable, or plugs it in. */
  plug(plugged: boolean): void {
    this.#plugged = plugged;
    if (plugged || !this.#opened) return;
    const sink = this.#sink;
    this.#opened = false;
    this.#sink = null;
    sink?.closed('the cable was pulled');
  }
}
