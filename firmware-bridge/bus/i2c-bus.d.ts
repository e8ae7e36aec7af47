/** The part of i2c-bus 5.2.3 that we use; the package brings no types. */
declare module 'i2c-bus' {
  type Done = (error: (Error & { code?: string }) | null) => void;
  export interface I2CBus {
    i2cWrite(address: number, length: number, buffer: Buffer, done: Done): void;
    sendByte(address: number, byte: number, done: Done): void;
    writeI2cBlock(
      address: number,
      command: number,
      length: number,
      buffer: Buffer,
      done: Done,
    ): void;
    readI2cBlock(
      address: number,
      command: number,
      length: number,
      buffer: Buffer,
      done: Done,
    ): void;
    closeSync(): void;
  }
  export function openSync(busNumber: number, options?: { forceAccess?: boolean }): I2CBus;
}
