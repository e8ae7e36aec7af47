import type { VirtualChip } from '../bus/virtual-i2c.js';
import { LCD, LCD_COLUMNS, LCD_LINES, SECTION_SLOT } from '../devices/character-display.js';

/** A PCF8574 back-pack with an HD44780 behind it: port bytes in, characters on the glass out. */
export class LcdChip implements VirtualChip {
  readonly #ddram = new Uint8Array(0x80).fill(0x20);
  #port = 0xff;
  #fourBit = false;
  #high: number | null = null;
  #address = 0;
  #inGlyphs = false;

  powerOn(): void {
    this.#ddram.fill(0x20);
    this.#fourBit = false;
    this.#high = null;
    this.#port = 0xff;
  }

  /** The four lines as they can be read, trailing blanks cut. */
  lines(): readonly string[] {
    return LCD_LINES.map((start) => {
      const cells = this.#ddram.subarray(start, start + LCD_COLUMNS);
      return Array.from(cells, (c) => (c === SECTION_SLOT ? '§' : String.fromCharCode(c)))
        .join('')
        .trimEnd();
    });
  }

  write(bytes: Uint8Array): void {
    for (const port of bytes) {
      // Data is taken on the falling edge of E.
      if ((this.#port & LCD.E) !== 0 && (port & LCD.E) === 0) this.#clock(this.#port);
      this.#port = port;
    }
  }

  read(): Uint8Array {
    return Uint8Array.of(this.#port);
  }

  #clock(port: number): void {
    const nibble = port & 0xf0;
    if (!this.#fourBit) {
      if (nibble === 0x20) this.#fourBit = true;
      return;
    }
    if (this.#high === null) {
      this.#high = nibble;
      return;
    }
    const value = this.#high | (nibble >> 4);
    this.#high = null;
    if ((port & LCD.RS) === 0) this.#instruct(value);
    else if (this.#inGlyphs) this.#address += 1;
    else {
      this.#ddram[this.#address & 0x7f] = value;
      this.#address += 1;
    }
  }

  #instruct(value: number): void {
    if ((value & 0x80) !== 0) {
      this.#inGlyphs = false;
      this.#address = value & 0x7f;
    } else if ((value & 0x40) !== 0) this.#inGlyphs = true;
    else if (value === 0x01) {
      this.#ddram.fill(0x20);
      this.#inGlyphs = false;
      this.#address = 0;
    }
  }
}
