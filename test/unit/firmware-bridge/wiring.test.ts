import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { headerPin, HEADER } from '../../../firmware-bridge/boards/header.js';
import { BOARDS, boardFile, loadBoard, parseBoard } from '../../../firmware-bridge/boards/load.js';
import {
  headerDrawing,
  wiringChapter,
  wiringLines,
  wiringOf,
  WIRING_FROM_HERE,
} from '../../../firmware-bridge/boards/wiring.js';
import { wiringSvg } from '../../../firmware-bridge/boards/wiring-svg.js';

const real = BOARDS.filter((name) => name !== 'virtual');
const pi4 = readFileSync(boardFile('pi4'), 'utf8');
const faultOf = (text: string): string => {
  try {
    parseBoard(text, 'head.yaml');
    return '';
  } catch (error) {
    return String(error);
  }
};

describe('the header of a board', () => {
  it('has forty pins and each GPIO once', () => {
    expect(HEADER).toHaveLength(40);
    const gpios = HEADER.filter((at) => typeof at === 'number');
    expect(gpios.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 26 }, (_, i) => i + 2));
    // Two I2C pins, one clock pin and one of each supply, where every cable tester expects them.
    expect([HEADER[0], HEADER[1], HEADER[5], HEADER[2], HEADER[10]]).toEqual([
      '3V3',
      '5V',
      'GND',
      2,
      17,
    ]);
  });

  it.each(real)('%s: every line with a pin is drawn at it, with its net', (name) => {
    const board = loadBoard(name);
    const drawn = wiringOf(board).pins;
    for (const [line, spec] of Object.entries(board.lines)) {
      const pin = headerPin(spec);
      expect(pin, line).not.toBeNull();
      expect(drawn[(pin ?? 0) - 1]).toMatchObject({ at: `GPIO${spec.offset}`, net: spec.net });
      expect(wiringSvg(board)).toContain(spec.net);
    }
    expect(headerDrawing(board)).toHaveLength(20);
  });

  it('a board without a header has its lines in a list', () => {
    const text = wiringLines(loadBoard('virtual')).join('\n');
    expect(text).not.toContain('GPIO17 11');
    expect(text).toContain('beam-a');
  });
});

describe('a board file that cannot be wired so', () => {
  it('names a pin that is another line’s', () => {
    const bad = pi4.replace('offset: 17, active: low', 'offset: 18, active: low');
    expect(faultOf(bad)).toMatch(/lines\.beam-a\.pin: pin 11 of the header is GPIO17, not GPIO18/);
  });

  it('names a supply pin', () => {
    expect(faultOf(pi4.replace('pin: "11"', 'pin: "9"'))).toMatch(/pin 9 of the header/);
  });

  it('names an I2C address taken twice on one bus', () => {
    const bad = pi4.replace(
      'driver: ds3231, bus: head, address: 0x68',
      'driver: ds3231, bus: head, address: 0x27',
    );
    expect(faultOf(bad)).toMatch(/head 0x27 is already clock|head 0x27 is already display/);
  });
});

describe('docs/WIRING.md', () => {
  it('is up to date, with its drawings (npm run wiring)', () => {
    const page = readFileSync('docs/WIRING.md', 'utf8');
    const chapters = real.flatMap((name) => wiringChapter(loadBoard(name), `wiring/${name}.svg`));
    expect(page.slice(page.indexOf(WIRING_FROM_HERE))).toBe(
      `${WIRING_FROM_HERE}\n\n${chapters.join('\n')}`,
    );
    for (const name of real) {
      expect(readFileSync(`docs/wiring/${name}.svg`, 'utf8')).toBe(wiringSvg(loadBoard(name)));
    }
  });
});
