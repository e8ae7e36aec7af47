import type { BoardFile } from './schema.js';
import { type PinUse, wiringOf } from './wiring.js';

/** Sizes in pixels of the drawing. */
const ROW = 26;
const TOP = 64;
const WIDTH = 900;
const MIDDLE = WIDTH / 2;
const PIN_R = 8;
const PIN_GAP = 13;
const WIRE = 44;

const COLOUR: Readonly<Record<string, string>> = {
  '3V3': '#b35c00',
  '5V': '#a40000',
  GND: '#222222',
  ID: '#777777',
};

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const text = (
  x: number,
  y: number,
  anchor: 'start' | 'end' | 'middle',
  size: number,
  words: string,
) => `<text x="${x}" y="${y}" text-anchor="${anchor}" font-size="${size}">${escape(words)}</text>`;

/** One pin: its dot and number, and where something is wired to it the wire and its net. */
const drawPin = ({ pin, at, net, note }: PinUse): string => {
  const side = pin % 2 === 1 ? -1 : 1;
  const y = TOP + Math.floor((pin - 1) / 2) * ROW;
  const x = MIDDLE + side * PIN_GAP;
  const anchor = side < 0 ? 'end' : 'start';
  const fill = COLOUR[at] ?? (net === '' ? '#ffffff' : '#0b6e4f');
  const parts = [
    `<circle cx="${x}" cy="${y}" r="${PIN_R}" fill="${fill}" stroke="#222222"/>`,
    text(x + side * 16, y + 4, anchor, 11, `${pin}`),
    text(x + side * 36, y + 4, anchor, 12, at),
  ];
  if (net !== '') {
    const from = x + side * 88;
    const to = from + side * WIRE;
    parts.push(
      `<line x1="${from}" y1="${y}" x2="${to}" y2="${y}" stroke="#0b6e4f" stroke-width="2"/>`,
      text(to + side * 6, y + 4, anchor, 12, `${net} (${note})`),
    );
  }
  return parts.join('');
};

/** A board's header and what is wired to it, as an SVG document that needs nothing else. */
export const wiringSvg = (board: BoardFile): string => {
  const { pins, buses, streams } = wiringOf(board);
  const below = TOP + (pins.length / 2) * ROW + 10;
  const notes = [...buses.map((bus) => `I2C ${bus}`), ...streams.map((one) => `Bytes ${one}`)];
  const height = below + notes.length * 18 + 16;
  const rows = notes.map((note, index) => text(24, below + 18 * (index + 1), 'start', 12, note));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" ` +
      `viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" fill="#111111">`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    text(MIDDLE, 30, 'middle', 18, `${board.title} (${board.name})`),
    `<rect x="${MIDDLE - 26}" y="${TOP - 16}" width="52" height="${(pins.length / 2) * ROW + 6}" ` +
      'fill="none" stroke="#222222"/>',
    ...pins.map(drawPin),
    ...rows,
    '</svg>',
    '',
  ].join('\n');
};
