/** Takes what a byte stream says. `atNs` is the monotonic time at which the chunk was read. */
export interface StreamSink {
  opened(): void;
  /** The chunk belongs to the stream: copy what must outlive the call. */
  bytes(chunk: Uint8Array, atNs: number): void;
  /** Could not be opened, or is gone; open again with back-off. */
  closed(reason: string): void;
}

/** A serial port, a TCP connection or a virtual line; `open` may be called again after `closed`. */
export interface ByteStream {
  open(sink: StreamSink): void;
  /** Best effort: a stream that is not open drops the bytes. */
  write(bytes: Uint8Array): void;
  close(): void;
}
