import type { I2cBus } from '../bus/i2c.js';

/** Registers with IOCON.BANK = 0: Microchip MCP23017 data sheet, table 3-3. */
export const MCP = {
  ADDRESS: 0x20,
  IODIRA: 0x00,
  IPOLA: 0x02,
  GPINTENA: 0x04,
  DEFVALA: 0x06,
  INTCONA: 0x08,
  IOCON: 0x0a,
  GPPUA: 0x0c,
  INTFA: 0x0e,
  INTCAPA: 0x10,
  GPIOA: 0x12,
  OLATA: 0x14,
  REGISTERS: 0x16,
  /** One interrupt pin for both ports. */
  MIRROR: 0x40,
} as const;

const FAILED = (reason: string): string => `key expander: ${reason}`;

/** What an interrupt of the expander showed: bit n is pin n, A0 first, 1 is pressed. */
export type PinsTake = (flags: number, captured: number, now: number) => void;

/** The key expander at register level: sixteen inputs with pull-ups, low when pressed. */
export class Mcp23017 {
  readonly #bus: I2cBus;
  readonly #address: number;
  readonly #onError: (reason: string) => void;

  constructor(bus: I2cBus, address: number, onError: (reason: string) => void) {
    this.#bus = bus;
    this.#address = address;
    this.#onError = onError;
  }

  /** Sets the chip up; `then` gets the pins as they are. */
  configure(then: (pins: number) => void): void {
    // From IODIRA on: directions in, polarity inverted (pressed reads 1), interrupts on every
    // change against the previous level, INT mirrored and active low, pull-ups on.
    const table = [
      0xff,
      0xff,
      0xff,
      0xff,
      0xff,
      0xff,
      0x00,
      0x00,
      0x00,
      0x00,
      MCP.MIRROR,
      MCP.MIRROR,
      0xff,
      0xff,
    ];
    this.#bus.write(this.#address, Uint8Array.of(MCP.IODIRA, ...table), (error) => {
      if (error !== null) this.#onError(FAILED(error.message));
      else this.verify(() => this.readPins((_flags, _captured, now) => then(now)));
    });
  }

  /** The chip has no identity register: its settings must read back as written. */
  verify(then: () => void): void {
    this.#bus.read(this.#address, MCP.IODIRA, 14, (error, bytes) => {
      if (error !== null) this.#onError(FAILED(error.message));
      else if (bytes[0] !== 0xff || bytes[4] !== 0xff || bytes[MCP.IOCON] !== MCP.MIRROR) {
        this.#onError(FAILED('its settings do not read back: no MCP23017, or its supply failed'));
      } else then();
    });
  }

  /** Reads flags, captured and present levels in one go; that also ends the interrupt. */
  readPins(take: PinsTake): void {
    this.#bus.read(this.#address, MCP.INTFA, 6, (error, bytes) => {
      if (error !== null) this.#onError(FAILED(error.message));
      else take(pair(bytes, 0), pair(bytes, 2), pair(bytes, 4));
    });
  }
}

const pair = (bytes: Uint8Array, at: number): number =>
  (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8);

/** The expander is asked this often whether it is still set up, ns. */
export const MCP_POLL_NS = 5_000_000_000;
