import { HEADER, headerPin } from './header.js';
import type { BoardFile, DeviceSpec } from './schema.js';

/** The header's I2C bus: number of /dev/i2c-N, and its two GPIOs. */
const HEADER_BUS = 1;
const SDA = 2;
const SCL = 3;

/** What is wired to one pin of the header. */
export interface PinUse {
  /** From 1. */
  readonly pin: number;
  /** `GPIO17`, `3V3`. */
  readonly at: string;
  /** Net of the drawing, and what it means; empty where nothing of ours is there. */
  readonly net: string;
  readonly note: string;
}

interface Wiring {
  readonly pins: readonly PinUse[];
  readonly lines: readonly LineUse[];
  readonly buses: readonly string[];
  readonly streams: readonly string[];
}

interface LineUse {
  readonly line: string;
  readonly net: string;
  readonly chip: string;
  readonly offset: number;
  readonly pin: string;
  readonly level: string;
  readonly pull: string;
  readonly device: string;
}

const PULL = { up: 'pull-up', down: 'pull-down', off: 'none', 'as-is': 'outside' } as const;

const namesOf = (device: DeviceSpec): readonly string[] =>
  Object.entries(device).flatMap(([, value]) => (typeof value === 'string' ? [value] : []));

const ownerOf = (board: BoardFile, line: string): string =>
  Object.entries(board.devices).find(([, device]) => namesOf(device).includes(line))?.[0] ?? '';

const lineUses = (board: BoardFile): readonly LineUse[] =>
  Object.entries(board.lines).map(([line, spec]) => ({
    line,
    net: spec.net ?? line.toUpperCase().replaceAll('-', '_'),
    chip: spec.chip,
    offset: spec.offset,
    pin: spec.pin ?? '',
    level: spec.active === 'low' ? 'low means yes' : 'high means yes',
    pull: PULL[spec.bias],
    device: ownerOf(board, line),
  }));

const addressesOn = (board: BoardFile, bus: string): string =>
  Object.entries(board.devices)
    .flatMap(([name, device]) =>
      'address' in device && device.bus === bus ? [`0x${device.address.toString(16)} ${name}`] : [],
    )
    .join(', ');

const busAtHeader = (board: BoardFile): string | undefined =>
  Object.entries(board.i2c).find(
    ([, bus]) => bus.backend === 'i2c-dev' && bus.number === HEADER_BUS,
  )?.[0];

const pinUses = (board: BoardFile, uses: readonly LineUse[]): readonly PinUse[] => {
  const atPin = new Map<number, LineUse>();
  for (const [line, spec] of Object.entries(board.lines)) {
    const pin = headerPin(spec);
    const use = uses.find((one) => one.line === line);
    if (pin !== null && use !== undefined) atPin.set(pin, use);
  }
  const bus = busAtHeader(board);
  return HEADER.map((there, index) => {
    const pin = index + 1;
    const at = typeof there === 'number' ? `GPIO${there}` : there;
    const use = atPin.get(pin);
    if (use !== undefined) return { pin, at, net: use.net, note: `${use.device}, ${use.level}` };
    if (bus !== undefined && there === SDA) return { pin, at, net: 'SDA', note: `I2C ${bus}` };
    if (bus !== undefined && there === SCL) return { pin, at, net: 'SCL', note: `I2C ${bus}` };
    return { pin, at, net: '', note: '' };
  });
};

const streamText = ([name, stream]: [string, BoardFile['streams'][string]]): string => {
  if (stream.backend === 'serial') return `${name}: ${stream.path}`;
  return stream.backend === 'tcp' ? `${name}: ${stream.host}:${stream.port}` : `${name}: in memory`;
};

/** Everything that is connected to a board, as its file says. */
export const wiringOf = (board: BoardFile): Wiring => {
  const lines = lineUses(board);
  return {
    pins: pinUses(board, lines),
    lines,
    buses: Object.entries(board.i2c).map(([name, bus]) => {
      const path = bus.backend === 'virtual' ? 'in memory' : `/dev/i2c-${bus.number}`;
      return `${name} (${path}): ${addressesOn(board, name)}`;
    }),
    streams: Object.entries(board.streams).map(streamText),
  };
};

const LEFT_WIDTH = 40;

/** The 40-pin header as text, odd pins left and even ones right, as one looks at the board. */
export const headerDrawing = (board: BoardFile): readonly string[] => {
  const { pins } = wiringOf(board);
  const about = ({ net, note }: PinUse): string => (net === '' ? '' : `${net} (${note})`);
  const lines: string[] = [];
  for (let i = 0; i + 1 < pins.length; i += 2) {
    const [odd, even] = [pins[i], pins[i + 1]];
    if (odd === undefined || even === undefined) break;
    const left = about(odd).padStart(LEFT_WIDTH);
    const core = `${odd.at.padStart(6)} ${`${odd.pin}`.padStart(2)} | ${`${even.pin}`.padEnd(2)}`;
    lines.push(`${left} ${core} ${even.at.padEnd(6)} ${about(even)}`.trimEnd());
  }
  return lines;
};

const lineRow = ({ line, net, chip, offset, pin, level, pull, device }: LineUse): string =>
  [line, net, `${chip} ${offset}`, pin, level, pull, device].join(' | ');

/** Everything about a board's wiring for a terminal: the header, then lines, buses and ports. */
export const wiringLines = (board: BoardFile): readonly string[] => {
  const { pins, lines, buses, streams } = wiringOf(board);
  const isAtHeader = pins.some(({ net }) => net !== '');
  return [
    `${board.title} (${board.name})`,
    '',
    ...(isAtHeader ? [...headerDrawing(board), ''] : []),
    'line | net | chip and offset | pin | level | pull | device',
    ...lines.map(lineRow),
    ...buses.map((bus) => `I2C ${bus}`),
    ...streams.map((stream) => `Bytes ${stream}`),
  ];
};

/** Divides docs/WIRING.md: what stands behind it is written by `node deploy/wiring.mjs`. */
export const WIRING_FROM_HERE =
  '<!-- Written by `npm run wiring`; change the board files, not this. -->';

/** A board's chapter of docs/WIRING.md; `svg` is the address of its drawing. */
export const wiringChapter = (board: BoardFile, svg: string): readonly string[] => {
  const { lines, buses, streams } = wiringOf(board);
  return [
    `## ${board.name}: ${board.title}`,
    '',
    `![the header of ${board.name}](${svg})`,
    '',
    '| line | net | chip and offset | pin | level | pull | device |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...lines.map((use) => `| ${lineRow(use)} |`),
    '',
    ...buses.map((bus) => `- I2C ${bus}`),
    ...streams.map((stream) => `- Bytes ${stream}`),
    '',
  ];
};
