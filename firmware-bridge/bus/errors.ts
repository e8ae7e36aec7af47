/** Can trying again help: `retry` with back-off, `never` until a person changes something. */
export type RetryClass = 'retry' | 'never';

/** A bus, a line or a device on it did not do what it was asked. */
export class BusError extends Error {
  override readonly name = 'BusError';
  /** Short machine word: `absent`, `busy`, `permission`, `closed`, `timeout`, `io`, `limit`. */
  readonly code: BusErrorCode;
  readonly retry: RetryClass;
  /** What a technician can do about it; never repeats the message. */
  readonly cure: string;

  constructor(code: BusErrorCode, message: string, cure: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
    this.cure = cure;
    this.retry = code === 'config' ? 'never' : 'retry';
  }
}

export type BusErrorCode =
  | 'absent'
  | 'busy'
  | 'permission'
  | 'closed'
  | 'timeout'
  | 'io'
  | 'limit'
  | 'config';

/** Message of whatever was thrown, for a `reason` field. */
export const reasonOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);
