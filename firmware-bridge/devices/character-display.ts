import type { Directive } from '../../controller/core/directive.js';
import type { Cancel, Scheduler } from '../../controller/core/ports.js';
import type { I2cBus } from '../bus/i2c.js';
import type { Device, DeviceStatus } from './device.js';
import { Link, type Tell } from './link.js';

/** Wiring of the common PCF8574 back-pack of an HD44780 display: port bits. */
export const LCD = { RS: 0x01, E: 0x04, BACKLIGHT: 0x08, ADDRESS: 0x27 } as const;
export const LCD_COLUMNS = 20;
/** DDRAM address of each line of a 20x4 display (HD44780 data sheet, 4-line layout). */
export const LCD_LINES = [0x00, 0x40, 0x14, 0x54] as const;
/** Slot of the paragraph sign, which the display's own character set lacks. */
export const SECTION_SLOT = 0;
const SECTION_GLYPH = [0x0e, 0x10, 0x0c, 0x12, 0x09, 0x06, 0x01, 0x0e];
const POLL_NS = 5_000_000_000;
/** Execution time of "clear display", ns (data sheet: 1.52 ms). */
const CLEAR_NS = 2_000_000;
const RESET_NS = 5_000_000;

/** Bytes on the port that clock one instruction or character in as two nibbles. */
const clockIn = (value: number, rs: number, into: number[]): void => {
  const rest = LCD.BACKLIGHT | rs;
  const high = (value & 0xf0) | rest;
  const low = ((value << 4) & 0xf0) | rest;
  into.push(high | LCD.E, high, low | LCD.E, low);
};

/** The dealer's four-line display: line 1, line 2, the next step, the clause. */
export class CharacterDisplay implements Device {
  readonly name: string;
  readonly #scheduler: Scheduler;
  readonly #bus: I2cBus;
  readonly #address: number;
  #link: Link | null = null;
  #cancel: Cancel | null = null;
  /** What should be shown, and what the display was last sent. */
  #wanted: readonly string[] = ['', '', '', ''];
  readonly #shown: string[] = ['', '', '', ''];
  #busy = false;

  constructor(name: string, scheduler: Scheduler, bus: I2cBus, address: number = LCD.ADDRESS) {
    this.name = name;
    this.#scheduler = scheduler;
    this.#bus = bus;
    this.#address = address;
  }

  start(tell: Tell): void {
    this.#link ??= new Link({
      device: this.name,
      scheduler: this.#scheduler,
      tell,
      silenceNs: null,
      open: () => this.#reset(),
      shut: () => this.#cancel?.(),
    });
    this.#link.start();
  }

  stop(): void {
    this.#link?.stop();
    this.#link = null;
  }

  perform(directive: Directive): void {
    if (directive.to !== 'display') return;
    this.#wanted = [directive.line1, directive.line2, directive.step, directive.clause];
    this.#refresh();
  }

  status(): DeviceStatus {
    return {
      state: this.#link?.state ?? 'closed',
      identity: this.#link?.identity ?? null,
      reason: this.#link?.lastReason ?? null,
      counts: {},
      readings: null,
    };
  }

  /** "Initialising by instruction" of the data sheet, then four-bit mode and our own glyph. */
  #reset(): void {
    const wake: number[] = [];
    for (const nibble of [0x30, 0x30, 0x30, 0x20]) {
      wake.push(nibble | LCD.BACKLIGHT | LCD.E, nibble | LCD.BACKLIGHT);
    }
    this.#busy = true;
    this.#send(wake, RESET_NS, () => {
      const setUp: number[] = [];
      for (const instruction of [0x28, 0x0c, 0x06, 0x40 | (SECTION_SLOT << 3)]) {
        clockIn(instruction, 0, setUp);
      }
      for (const row of SECTION_GLYPH) clockIn(row, LCD.RS, setUp);
      clockIn(0x01, 0, setUp);
      this.#send(setUp, CLEAR_NS, () => {
        this.#shown.fill('');
        this.#busy = false;
        this.#link?.up('pcf8574');
        this.#refresh();
        this.#armPoll();
      });
    });
  }

  #armPoll(): void {
    this.#cancel = this.#scheduler.at(this.#scheduler.nowNs() + POLL_NS, () => {
      // The back-pack has no register to ask: an idle port pattern is written and acknowledged.
      this.#send([LCD.BACKLIGHT], 0, () => this.#armPoll());
    });
  }

  /** Sends the first line that differs; the next one when that is through. */
  #refresh(): void {
    if (this.#busy || this.#link?.state !== 'up') return;
    for (const [i, address] of LCD_LINES.entries()) {
      const line = (this.#wanted[i] ?? '').slice(0, LCD_COLUMNS).padEnd(LCD_COLUMNS);
      if (this.#shown[i] === line) continue;
      const bytes: number[] = [];
      clockIn(0x80 | address, 0, bytes);
      for (const character of line) clockIn(glyphOf(character), LCD.RS, bytes);
      this.#shown[i] = line;
      this.#busy = true;
      this.#send(bytes, 0, () => {
        this.#busy = false;
        this.#refresh();
      });
      return;
    }
  }

  #send(bytes: readonly number[], pauseNs: number, then: () => void): void {
    this.#bus.write(this.#address, new Uint8Array(bytes), (error) => {
      if (error !== null) this.#link?.down(error.message);
      else if (pauseNs === 0) then();
      else this.#cancel = this.#scheduler.at(this.#scheduler.nowNs() + pauseNs, then);
    });
  }
}

/** Code of a character on the display; what it cannot show is a question mark. */
const glyphOf = (character: string): number => {
  if (character === '§') return SECTION_SLOT;
  const code = character.charCodeAt(0);
  return code >= 0x20 && code <= 0x7d && character !== '\\' ? code : 0x3f;
};
