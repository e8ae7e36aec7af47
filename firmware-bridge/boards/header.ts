import type { BoardFile } from './schema.js';

/** Chips whose lines come out at the 40-pin header, line n as GPIO n (Pi 4, Pi 5). */
const HEADER_CHIPS = ['pinctrl-bcm2711', 'pinctrl-rp1', 'pinctrl-bcm2835'];

/**
 * The 40-pin header of a Raspberry Pi, pin 1 first: a number is that GPIO, a word a supply.
 * Source: the header's pin-out in the maker's hardware documentation.
 */
export const HEADER: readonly (number | '3V3' | '5V' | 'GND' | 'ID')[] = [
  '3V3',
  '5V',
  2,
  '5V',
  3,
  'GND',
  4,
  14,
  'GND',
  15,
  17,
  18,
  27,
  'GND',
  22,
  23,
  '3V3',
  24,
  10,
  'GND',
  9,
  25,
  11,
  8,
  'GND',
  7,
  'ID',
  'ID',
  5,
  'GND',
  6,
  12,
  13,
  'GND',
  19,
  16,
  26,
  20,
  'GND',
  21,
];

type Line = BoardFile['lines'][string];

/** Number of the header's pin where a line comes out there; null where it does not. */
export const headerPin = ({ chip, pin }: Line): number | null => {
  if (!HEADER_CHIPS.includes(chip) || pin === undefined || !/^\d{1,2}$/.test(pin)) return null;
  const number = Number(pin);
  return number >= 1 && number <= HEADER.length ? number : null;
};

/** The GPIO at a line's pin, -1 at a supply pin; null where the line is not at the header. */
export const headerGpio = (line: Line): number | null => {
  const pin = headerPin(line);
  if (pin === null) return null;
  const there = HEADER[pin - 1];
  return typeof there === 'number' ? there : -1;
};
