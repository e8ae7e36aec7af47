import type { VirtualChip } from '../bus/virtual-i2c.js';
import { MCP } from '../devices/mcp23017.js';

/** An MCP23017 at register level (IOCON.BANK = 0): inputs with pull-ups, interrupt on change. */
export class McpChip implements VirtualChip {
  readonly #registers = new Uint8Array(MCP.REGISTERS);
  /** Physical pins, 1 is high; open inputs rest high on their pull-ups. */
  #pins = 0xffff;
  /** Level each pin was last read at: what "previous value" compares with. */
  #previous = 0xffff;
  readonly #onInterrupt: (active: boolean, atNs: number) => void;

  constructor(onInterrupt: (active: boolean, atNs: number) => void) {
    this.#onInterrupt = onInterrupt;
    this.powerOn(0);
  }

  powerOn(atNs: number): void {
    this.#registers.fill(0);
    this.#registers[MCP.IODIRA] = 0xff;
    this.#registers[MCP.IODIRA + 1] = 0xff;
    this.#previous = this.#pins;
    this.#onInterrupt(false, atNs);
  }

  /** Closes or opens the key at a pin: closed is low. */
  key(pin: number, closed: boolean, atNs: number): void {
    const before = this.#pins;
    this.#pins = closed ? this.#pins & ~(1 << pin) : this.#pins | (1 << pin);
    if (this.#pins !== before) this.#compare(atNs);
  }

  write(bytes: Uint8Array, atNs: number): void {
    let register = bytes[0] ?? 0;
    for (const value of bytes.subarray(1)) {
      const readOnly = register >= MCP.INTFA && register <= MCP.INTCAPA + 1;
      if (register < MCP.REGISTERS && !readOnly) this.#registers[register] = value;
      // IOCON is one register seen at two addresses.
      if (register === MCP.IOCON) this.#registers[MCP.IOCON + 1] = value;
      if (register === MCP.IOCON + 1) this.#registers[MCP.IOCON] = value;
      register += 1;
    }
    this.#compare(atNs);
  }

  read(register: number, length: number, atNs: number): Uint8Array {
    const bytes = new Uint8Array(length);
    let ended = 0;
    for (let i = 0; i < length; i += 1) {
      const at = register + i;
      const port = at & 1;
      if (at === MCP.GPIOA + port) {
        bytes[i] = this.#port(this.#pins, port) ^ (this.#registers[MCP.IPOLA + port] ?? 0);
      } else bytes[i] = this.#registers[at] ?? 0;
      if (at === MCP.GPIOA + port || at === MCP.INTCAPA + port) ended |= 0xff << (8 * port);
    }
    if (ended !== 0) this.#endInterrupt(ended, atNs);
    return bytes;
  }

  #port(pins: number, port: number): number {
    return (pins >> (8 * port)) & 0xff;
  }

  /** Reading GPIO or INTCAP ends a port's interrupt; the levels read become "previous". */
  #endInterrupt(mask: number, atNs: number): void {
    this.#previous = (this.#previous & ~mask) | (this.#pins & mask);
    for (const port of [0, 1]) {
      if (this.#port(mask, port) !== 0) this.#registers[MCP.INTFA + port] = 0;
    }
    this.#signal(atNs);
  }

  #compare(atNs: number): void {
    const changed = this.#pins ^ this.#previous;
    for (const port of [0, 1]) {
      const enabled = this.#registers[MCP.GPINTENA + port] ?? 0;
      const flags = this.#port(changed, port) & enabled;
      // The first change is captured; later ones wait until it was read.
      if (flags === 0 || this.#registers[MCP.INTFA + port] !== 0) continue;
      this.#registers[MCP.INTFA + port] = flags;
      const polarity = this.#registers[MCP.IPOLA + port] ?? 0;
      this.#registers[MCP.INTCAPA + port] = this.#port(this.#pins, port) ^ polarity;
    }
    this.#signal(atNs);
  }

  #signal(atNs: number): void {
    const active = this.#registers[MCP.INTFA] !== 0 || this.#registers[MCP.INTFA + 1] !== 0;
    this.#onInterrupt(active, atNs);
  }
}
